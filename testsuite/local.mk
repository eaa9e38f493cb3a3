## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

TEST_EXTENSIONS = .sh
LOG_DRIVER = $(top_srcdir)/build-aux/suite-driver
SH_LOG_DRIVER = $(top_srcdir)/build-aux/suite-driver

EXTRA_DIST += testsuite/not-run.sh testsuite/cases.sh testsuite/cases.py \
	testsuite/require.h
if ANY_NOT_RUN
TESTS += testsuite/not-run.sh
endif

## Unit tests: Check programs, one for each file of the library.
UNIT_TESTS =
if HAVE_CHECK
include testsuite/unit/local.mk
include testsuite/profile/local.mk
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif
include testsuite/fuzz/local.mk

AM_TESTS_ENVIRONMENT = \
	NOT_RUN='$(NOT_RUN)'; export NOT_RUN; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	BINUTILS='$(BINUTILS_PREFIX)'; export BINUTILS; \
	SFRAME_CORO_BINUTILS='$(BINUTILS_PREFIX)/bin'; \
	export SFRAME_CORO_BINUTILS; \
	SFRAME_CORO='$(abs_top_builddir)/tools/sframe-coro'; \
	export SFRAME_CORO; \
	CK_DEFAULT_TIMEOUT=300; export CK_DEFAULT_TIMEOUT; \
	BPF_CLANG='$(BPF_CLANG)'; export BPF_CLANG; \
	CC='$(CC)'; export CC; \
	CXX='$(CXX)'; export CXX;

check-unit:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(UNIT_TESTS)'

## The .trs files that the two targets are to leave behind.
list-check:
	@for log in $(TEST_LOGS); do echo $${log%.log}.trs; done
list-check-unit:
	@for test in $(UNIT_TESTS); do echo $$test.trs; done
list-check-matrix:
	@echo testsuite/e2e/matrix-full.trs

check-matrix: all
	@$(MKDIR_P) testsuite/e2e
	@$(AM_TESTS_ENVIRONMENT) $(TESTS_ENVIRONMENT) \
	$(SH_LOG_DRIVER) --test-name testsuite/e2e/matrix.sh--full \
	  --log-file testsuite/e2e/matrix-full.log \
	  --trs-file testsuite/e2e/matrix-full.trs \
	  -- $(srcdir)/testsuite/e2e/matrix.sh --full
	@grep -q '^:global-test-result: PASS' testsuite/e2e/matrix-full.trs

.PHONY: check-unit check-matrix check-torture check-soak list-check list-check-unit list-check-matrix

TESTS += testsuite/package/run.sh
EXTRA_DIST += testsuite/package/run.sh

## The specification against the header, the library and the tools.
TESTS += testsuite/spec/run.sh
EXTRA_DIST += testsuite/spec/run.sh \
	testsuite/spec/annotate.awk testsuite/spec/extract.awk \
	testsuite/spec/header-facts.awk testsuite/spec/spec-facts.awk \
	testsuite/spec/facts.h testsuite/spec/splice.c

## The manual, its programs, and how the documents are typeset.
TESTS += testsuite/manual/run.sh
DIST_AS_IS += testsuite/manual

## The directives; expected output is read from the source directory.
if HAVE_BINUTILS
TESTS += testsuite/gas/run.sh
endif
DIST_AS_IS += testsuite/gas

## The directives as macros.
if HAVE_BINUTILS
if BUILD_COMMAND
TESTS += testsuite/inc/run.sh
endif
endif
DIST_AS_IS += testsuite/inc

## Many units, sections and sites; `make check-torture' has more of them.
if HAVE_BINUTILS
if BUILD_COMMAND
TESTS += testsuite/torture/run.sh
endif
endif
DIST_AS_IS += testsuite/torture

check-torture: all
	$(AM_TESTS_ENVIRONMENT) $(TESTS_ENVIRONMENT) \
	$(srcdir)/testsuite/torture/run.sh --full

## What ld makes of input sections.
if HAVE_BINUTILS
if BUILD_COMMAND
TESTS += testsuite/ld/run.sh
endif
endif
DIST_AS_IS += testsuite/ld

## The way from compiler to stack, over a covering set.
if HAVE_BINUTILS
if BUILD_COMMAND
TESTS += testsuite/e2e/matrix.sh testsuite/e2e/programs.sh
endif
endif
DIST_AS_IS += testsuite/e2e

## The C++ header, and the programs that testsuite/e2e looks at.
if HAVE_BINUTILS
TESTS += testsuite/hpp/run.sh
endif
DIST_AS_IS += testsuite/hpp

## Models of real runtimes.
if HAVE_BINUTILS
if BUILD_COMMAND
TESTS += testsuite/models/run.sh
endif
endif
DIST_AS_IS += testsuite/models

## Stacks, as users meet them; the programs have directives.
if HAVE_BINUTILS
if BUILD_COMMAND
TESTS += testsuite/stack/run.sh
endif
endif
DIST_AS_IS += testsuite/stack

## gdb.
if HAVE_BINUTILS
TESTS += testsuite/gdb/run.sh
endif
DIST_AS_IS += testsuite/gdb

## A process in which everything comes and goes; `make check-soak' takes 10,000
## snapshots of it.
if HAVE_BINUTILS
if BUILD_COMMAND
TESTS += testsuite/soak/run.sh
endif
endif
DIST_AS_IS += testsuite/soak

check-soak: all
	$(AM_TESTS_ENVIRONMENT) $(TESTS_ENVIRONMENT) \
	$(srcdir)/testsuite/soak/run.sh --full

## The command.
if BUILD_COMMAND
TESTS += testsuite/tools/run.sh
endif
DIST_AS_IS += testsuite/tools

## Profiles.
if BUILD_COMMAND
TESTS += testsuite/profile/run.sh
check_PROGRAMS += testsuite/profile/synthetic
testsuite_profile_synthetic_SOURCES = testsuite/profile/synthetic.c
testsuite_profile_synthetic_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tools
testsuite_profile_synthetic_LDADD = tools/libcommand.la
testsuite_profile_synthetic_LDFLAGS = -static
endif
DIST_AS_IS += testsuite/profile

## Recording, on the running kernel.
if BUILD_COMMAND
if BUILD_BPF
TESTS += testsuite/record/run.sh
endif
endif
DIST_AS_IS += testsuite/record

## AArch64 and s390x, as far as cross tools are there.
TESTS += testsuite/cross/run.sh
DIST_AS_IS += testsuite/cross

## Processes that look at themselves.
TESTS += testsuite/self/run.sh
DIST_AS_IS += testsuite/self

## A decoder written from the specification alone, against the library.
TESTS += testsuite/independent/run.sh
DIST_AS_IS += testsuite/independent

## What walking and splicing calls.
TESTS += testsuite/calls/run.sh
EXTRA_DIST += testsuite/calls/run.sh

## The series for upstream.
TESTS += testsuite/upstream/run.sh
DIST_AS_IS += testsuite/upstream
