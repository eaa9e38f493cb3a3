## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

## Of parts of the command, so that it is there without the command too.
if HAVE_BFD
UNIT_TESTS += testsuite/profile/malformed
testsuite_profile_malformed_SOURCES = testsuite/profile/malformed.c \
	tools/output.c tools/perf-read.c tools/perf-write.c \
	tools/pprof-read.c tools/pprof.c tools/profile.c tools/ranges.c tools/spaces.c \
	tools/summary.c tools/table.c
if HAVE_PPROF
nodist_testsuite_profile_malformed_SOURCES = tools/pprof.pb-c.c
$(testsuite_profile_malformed_OBJECTS): | tools/pprof.pb-c.h
endif
testsuite_profile_malformed_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tools
testsuite_profile_malformed_CFLAGS = $(unit_cflags) $(PPROF_CFLAGS)
testsuite_profile_malformed_LDADD = libsframe-coro/libinside.la $(BFD_LIBS) \
	$(PPROF_LIBS) $(CHECK_LIBS)
endif
