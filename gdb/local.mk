## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

## Into a folder of their own; gdb loads the script by itself for programs that
## use the library, if it is configured for the same prefix.
gdbscriptdir = $(datadir)/sframe-coro
gdbpackagedir = $(gdbscriptdir)/sframe_coro_gdb
gdbautodir = $(datadir)/gdb/auto-load$(libdir)

nodist_gdbscript_DATA = gdb/sframe-coro-gdb.py
dist_gdbpackage_DATA = \
	gdb/sframe_coro_gdb/__init__.py \
	gdb/sframe_coro_gdb/commands.py \
	gdb/sframe_coro_gdb/describe.py \
	gdb/sframe_coro_gdb/frames.py \
	gdb/sframe_coro_gdb/library.py \
	gdb/sframe_coro_gdb/names.py \
	gdb/sframe_coro_gdb/process.py \
	gdb/sframe_coro_gdb/stack.py
EXTRA_DIST += gdb/sframe-coro-gdb.py.in
CLEANFILES += gdb/sframe-coro-gdb.py

gdb/sframe-coro-gdb.py: gdb/sframe-coro-gdb.py.in Makefile
	$(AM_V_GEN)$(MKDIR_P) gdb && \
	from_here=`realpath -ms --relative-to='$(gdbscriptdir)' '$(libdir)'` && \
	$(SED) -e "s,@libdir_from_here@,$$from_here," \
	  -e 's,[@]VERSION@,$(VERSION),' \
	  $(srcdir)/gdb/sframe-coro-gdb.py.in > $@.tmp && mv $@.tmp $@

## Named after the library's file, which libtool knows.
install-data-hook:
	$(MKDIR_P) '$(DESTDIR)$(gdbautodir)'
	name=`$(SED) -n "s/^library_names='\([^ ']*\).*/\1/p" \
	  libsframe-coro/libsframe-coro.la` && test -z "$$name" || \
	echo "gdb.execute ('source $(gdbscriptdir)/sframe-coro-gdb.py')" \
	  >'$(DESTDIR)$(gdbautodir)'/$$name-gdb.py

uninstall-hook:
	rm -f '$(DESTDIR)$(gdbautodir)'/libsframe-coro.so*-gdb.py
	rm -rf '$(DESTDIR)$(gdbpackagedir)'/__pycache__
