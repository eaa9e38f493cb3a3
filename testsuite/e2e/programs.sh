#!/bin/sh
# The test programs of ../hpp, each looked at while it stays.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later

exec python3 "$(dirname "$0")/programs.py" "$@"
