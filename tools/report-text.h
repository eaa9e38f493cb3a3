/* sframe-coro: summaries of profiles, for people.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stdio.h>

#include "summary.h"

typedef enum report_sort
{
  REPORT_TOTAL,
  REPORT_SELF,
  REPORT_AWAIT,
  REPORT_NAME
} report_sort;

typedef struct report_options
{
  report_sort sort;
  unsigned limit; /* 0: none.  */
} report_options;

/* The key called NAME; false if there is none.  */
extern bool report_sort_find (const char *name, report_sort *sort);

/* Print S, which has names, to OUT.  */
extern void report_text (summary *s, const report_options *o, FILE *out);
extern void report_json (summary *s, const report_options *o, FILE *out);

#endif /* REPORT_TEXT_H */
