# Sections stay as they are.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#name: .sframe_coro: -r
#source: dup-a.s
#source: dup-b.s
#as: -I$srcdir/$subdir
#ld: -r
#readelf: --sframe
#...
  Block \[9\] at offset .*
#...
Contents of the .*
#...
  Block \[3\] at offset .*
#pass
