#!/bin/sh
# Tests of `sframe-coro record' on the running kernel.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: run.sh [NAME...]	the groups of tests to run; all of them

: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$PWD}"
export top_srcdir top_builddir
exec python3 "$top_srcdir/testsuite/record/record.py" "$@"
