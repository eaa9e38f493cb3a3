#!/bin/sh
# gdb looks at programs, with the script that is installed for it.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later

exec python3 "$(dirname "$0")/debugger.py" "$@"
