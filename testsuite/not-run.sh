#!/bin/sh
# Report what configure found to be missing for some suites.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later

echo "$NOT_RUN" | tr ';' '\n' | sed -n 's/^ *\(..*\)/SKIP: \1/p'
echo "0 passed, 0 failed, $(echo "$NOT_RUN" | tr -cd ';' | wc -c) skipped"
