## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

UNIT_TESTS += \
	testsuite/unit/decode \
	testsuite/unit/dump \
	testsuite/unit/encode \
	testsuite/unit/index \
	testsuite/unit/robust \
	testsuite/unit/roots \
	testsuite/unit/splice \
	testsuite/unit/tls \
	testsuite/unit/validate \
	testsuite/unit/walk

unit_cflags = $(AM_CFLAGS) $(CHECK_CFLAGS)
unit_ldadd = testsuite/unit/libunit.la libsframe-coro/libinside.la \
	$(CHECK_LIBS)

check_LTLIBRARIES = testsuite/unit/libunit.la
testsuite_unit_libunit_la_SOURCES = testsuite/unit/unit.c testsuite/unit/unit.h
testsuite_unit_libunit_la_CFLAGS = $(unit_cflags)

testsuite_unit_decode_SOURCES = testsuite/unit/decode.c
testsuite_unit_decode_CFLAGS = $(unit_cflags)
testsuite_unit_decode_LDADD = $(unit_ldadd)

testsuite_unit_dump_SOURCES = testsuite/unit/dump.c
testsuite_unit_dump_CFLAGS = $(unit_cflags)
testsuite_unit_dump_LDADD = $(unit_ldadd)

testsuite_unit_encode_SOURCES = testsuite/unit/encode.c
testsuite_unit_encode_CFLAGS = $(unit_cflags)
testsuite_unit_encode_LDADD = $(unit_ldadd)

testsuite_unit_index_SOURCES = testsuite/unit/index.c
testsuite_unit_index_CFLAGS = $(unit_cflags)
testsuite_unit_index_LDADD = $(unit_ldadd)

testsuite_unit_robust_SOURCES = testsuite/unit/robust.c \
	testsuite/fuzz/exercise.c testsuite/fuzz/exercise-walk.c \
	testsuite/fuzz/exercise-splice.c testsuite/fuzz/exercise.h \
	testsuite/fuzz/exercise-parts.h
testsuite_unit_robust_CFLAGS = $(unit_cflags)
testsuite_unit_robust_LDADD = $(unit_ldadd)

testsuite_unit_roots_SOURCES = testsuite/unit/roots.c
testsuite_unit_roots_CFLAGS = $(unit_cflags)
testsuite_unit_roots_LDADD = $(unit_ldadd)

testsuite_unit_splice_SOURCES = testsuite/unit/splice.c
testsuite_unit_splice_CFLAGS = $(unit_cflags)
testsuite_unit_splice_LDADD = $(unit_ldadd)

testsuite_unit_tls_SOURCES = testsuite/unit/tls.c
testsuite_unit_tls_CFLAGS = $(unit_cflags)
testsuite_unit_tls_LDADD = $(unit_ldadd)

testsuite_unit_validate_SOURCES = testsuite/unit/validate.c
testsuite_unit_validate_CFLAGS = $(unit_cflags)
testsuite_unit_validate_LDADD = $(unit_ldadd)

testsuite_unit_walk_SOURCES = testsuite/unit/walk.c
testsuite_unit_walk_CFLAGS = $(unit_cflags)
testsuite_unit_walk_LDADD = $(unit_ldadd)
