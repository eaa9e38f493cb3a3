## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

info_TEXINFOS = doc/sframe-coro-spec.texi doc/libsframe-coro.texi
AM_MAKEINFOFLAGS = --no-split -I $(top_srcdir)/examples
AM_MAKEINFOHTMLFLAGS = $(AM_MAKEINFOFLAGS)
TEXI2DVI = @TEXI2DVI@ -I $(abs_top_srcdir)/examples

## Programs that the manual has in it.
MANUAL_EXAMPLES = \
	examples/encode.c examples/list.c examples/modules.c \
	examples/profile.c examples/tasks.c
doc/libsframe-coro.info doc/libsframe-coro.html doc/libsframe-coro.pdf \
doc/libsframe-coro.dvi: $(MANUAL_EXAMPLES)

if BUILD_COMMAND
dist_man_MANS = doc/sframe-coro.1
else
EXTRA_DIST += doc/sframe-coro.1
endif

## What programs that read the output of `stack' and `list' may count on.
dist_pkgdata_DATA = doc/sframe-coro.schema.json

EXTRA_DIST += doc/kernel-proposal.md
