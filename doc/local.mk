## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

info_TEXINFOS = doc/sframe-coro-spec.texi
AM_MAKEINFOFLAGS = --no-split
AM_MAKEINFOHTMLFLAGS = --no-split

if BUILD_COMMAND
dist_man_MANS = doc/sframe-coro.1
else
EXTRA_DIST += doc/sframe-coro.1
endif
