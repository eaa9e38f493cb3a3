## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

## Benchmarks print ratios and assert nothing, so they are no tests: `make
## bench'.  The peer is the libsframe of the patched binutils.
EXTRA_PROGRAMS += bench/walk
bench_walk_SOURCES = bench/walk.c bench/bench.h bench/list.h
bench_walk_LDADD = libsframe-coro/libinside.la
EXTRA_PROGRAMS += bench/index
bench_index_SOURCES = bench/index.c bench/bench.h
bench_index_LDADD = libsframe-coro/libinside.la
BENCHMARKS = bench/walk$(EXEEXT) bench/index$(EXEEXT)

if BUILD_COMMAND
EXTRA_PROGRAMS += bench/remote
bench_remote_SOURCES = bench/remote.c bench/bench.h bench/list.h
bench_remote_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tools
bench_remote_LDADD = tools/libcommand.la
bench_remote_LDFLAGS = -static
BENCHMARKS += bench/remote$(EXEEXT)
endif

if HAVE_BINUTILS
EXTRA_PROGRAMS += bench/sections
bench_sections_SOURCES = bench/sections.c bench/bench.h
bench_sections_CPPFLAGS = $(AM_CPPFLAGS) -I$(BINUTILS_PREFIX)/include
bench_sections_LDADD = libsframe-coro/libinside.la bench/libpeer.a
BENCHMARKS += bench/sections$(EXEEXT)
endif

## That libsframe has our decoder inside as well, which must not be measured.
bench/libpeer.a: $(BINUTILS_PREFIX)/lib/libsframe.a
	$(AM_V_at)rm -rf bench/peer $@ && $(MKDIR_P) bench/peer
	$(AM_V_GEN)archive=`cd $(BINUTILS_PREFIX)/lib && pwd`/libsframe.a && \
	cd bench/peer && \
	$(AR) x "$$archive" `$(AR) t "$$archive" | grep -v sframe-coro` && \
	$(AR) cr ../libpeer.a *.o

bench: $(BENCHMARKS)
	@BINUTILS='$(BINUTILS_PREFIX)' BPF_CLANG='$(BPF_CLANG)' \
	SFRAME_CORO='$(abs_top_builddir)/tools/sframe-coro' \
	$(srcdir)/bench/run.sh bench

CLEANFILES += bench/libpeer.a $(BENCHMARKS)
clean-local: clean-bench
clean-bench:
	rm -rf bench/peer

EXTRA_DIST += bench/README bench/await.cc bench/functions.awk bench/run.sh \
	bench/get-stack.bpf.c bench/native.c bench/record.py bench/stopped.c

.PHONY: bench clean-bench
