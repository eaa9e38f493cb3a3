#!/bin/sh
# The way from compiler to spliced stack, over compilers, linkers and kinds of
# program: a covering set, or with --full every combination.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later

exec python3 "$(dirname "$0")/matrix.py" "$@"
