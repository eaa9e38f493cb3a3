## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

## Fuzzers are not among the tests: `make fuzz-smoke' builds them with clang
## and runs each for a bounded number of inputs, from a fixed seed.  To go on
## from there, run testsuite/fuzz/NAME-fuzzer with a corpus directory.  clang's
## run-time libraries are a package of their own, such as libclang-rt-19-dev.
FUZZ_CC = clang-19
FUZZ_RUNS = 200000
FUZZ_CFLAGS = -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=all
FUZZERS = section walk splice

EXTRA_PROGRAMS += testsuite/fuzz/seeds
testsuite_fuzz_seeds_SOURCES = testsuite/fuzz/seeds.c
testsuite_fuzz_seeds_LDADD = libsframe-coro/libinside.la

fuzz_sources = testsuite/fuzz/exercise.c $(libsframe_coro_libinside_la_SOURCES)

fuzz-smoke: testsuite/fuzz/seeds$(EXEEXT)
	@set -e; for name in $(FUZZERS); do \
	  echo "fuzzing $$name"; \
	  sources=; \
	  for source in testsuite/fuzz/$$name.c $(fuzz_sources); do \
	    case $$source in *.c) sources="$$sources $(srcdir)/$$source" ;; esac; \
	  done; \
	  $(FUZZ_CC) $(FUZZ_CFLAGS) -I$(srcdir)/include \
	    -o testsuite/fuzz/$$name-fuzzer $$sources; \
	  rm -rf testsuite/fuzz/$$name-corpus; \
	  $(MKDIR_P) testsuite/fuzz/$$name-corpus; \
	  testsuite/fuzz/seeds$(EXEEXT) testsuite/fuzz/$$name-corpus; \
	  testsuite/fuzz/$$name-fuzzer -seed=1 -runs=$(FUZZ_RUNS) -max_len=2048 \
	    -timeout=10 -close_fd_mask=1 -print_final_stats=1 \
	    -artifact_prefix=testsuite/fuzz/$$name- \
	    testsuite/fuzz/$$name-corpus 2>testsuite/fuzz/$$name.log \
	    || { tail -n 40 testsuite/fuzz/$$name.log; exit 1; }; \
	  grep '^Done ' testsuite/fuzz/$$name.log; \
	done

EXTRA_DIST += \
	testsuite/fuzz/section.c testsuite/fuzz/splice.c testsuite/fuzz/walk.c

clean-local: clean-fuzz
clean-fuzz:
	rm -rf testsuite/fuzz/*-corpus testsuite/fuzz/*-fuzzer \
	  testsuite/fuzz/*.log testsuite/fuzz/seeds$(EXEEXT)

.PHONY: fuzz-smoke clean-fuzz
