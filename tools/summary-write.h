/* sframe-coro: writing summaries.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef SUMMARY_WRITE_H
#define SUMMARY_WRITE_H

#include <stdio.h>

#include "output.h"
#include "profile.h"
#include "summary.h"

#ifdef HAVE_PPROF
#define SUMMARY_PPROF_MISSING NULL
#else
#define SUMMARY_PPROF_MISSING "built without protobuf-c or zlib"
#endif

/* Write S, which has names, to OUT.  False after a message; errors of OUT are
   left to who opened it.  */
typedef bool (*summary_write_fn) (summary *s, FILE *out);
extern bool pprof_write (summary *s, FILE *out);
extern bool folded_write (summary *s, FILE *out);
extern bool speedscope_write (summary *s, FILE *out);
extern bool flamegraph_write (summary *s, FILE *out);

/* Write S, which has names, to OUT in FORMAT, which is not perf.data.  */
extern bool profile_format_write (const profile_format *format, summary *s,
				  FILE *out);

/* Read what is in IN, called PATH, into S, which gets names with it.  False
   after a message.  */
extern bool pprof_read (FILE *in, const char *path, summary *s);

#endif /* SUMMARY_WRITE_H */
