# The program header leads to all of the section.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#name: .sframe_coro: program header
#source: dup-a.s
#source: dup-b.s
#as: -I$srcdir/$subdir
#ld: -e _start
#readelf: -lW
#...
 +SFRAME_CORO +0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+ 0x0*4e8 0x0*4e8 R +0x8
#...
 +[0-9]+ +\.sframe_coro 
#pass
