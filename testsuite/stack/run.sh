#!/bin/sh
# `sframe-coro stack' and `list', as users meet them.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later

exec python3 "$(dirname "$0")/stack.py" "$@"
