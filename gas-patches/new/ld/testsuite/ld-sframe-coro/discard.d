# Nothing is described.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#name: .sframe_coro: --discard-sframe
#source: dup-a.s
#source: dup-b.s
#as: -I$srcdir/$subdir
#ld: -e _start --discard-sframe
#readelf: -lW --sframe
#failif
#...
.*(SFRAME_CORO |Block \[).*
