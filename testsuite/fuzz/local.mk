## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

## Fuzzers, for a while; `make fuzz-smoke' runs them alone.  They take clang's
## run-time libraries: without those the suite says that it is skipped.
TESTS += testsuite/fuzz/run.sh
EXTRA_DIST += testsuite/fuzz/run.sh testsuite/fuzz/broken.c \
	testsuite/fuzz/options.c testsuite/fuzz/section.c \
	testsuite/fuzz/seeds.c testsuite/fuzz/splice.c testsuite/fuzz/walk.c

fuzz-smoke:
	$(AM_TESTS_ENVIRONMENT) $(srcdir)/testsuite/fuzz/run.sh

clean-local: clean-fuzz
clean-fuzz:
	cd testsuite/fuzz 2>/dev/null || exit 0; \
	rm -rf *-corpus *-fuzzer library library.a parts probe probe.c \
	  seeds *.result section.log walk.log splice.log broken.log build.log \
	  *-crash-* *-leak-* *-oom-* *-timeout-* *-slow-unit-*

.PHONY: fuzz-smoke clean-fuzz
