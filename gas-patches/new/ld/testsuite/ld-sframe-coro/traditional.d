# Blocks stay as they are.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#name: .sframe_coro: --traditional-format
#source: dup-a.s
#source: dup-b.s
#as: -I$srcdir/$subdir
#ld: -e _start --traditional-format
#readelf: --sframe
#...
  Block \[12\] at offset .*
#...
  Block \[13\] at offset .*
#pass
