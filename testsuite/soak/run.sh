#!/bin/sh
# Snapshots of a process in which everything comes and goes.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later

exec python3 "$(dirname "$0")/soak.py" "$@"
