/* Print facts about the layout; the lists of them are generated.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stddef.h>
#include <stdio.h>

#include "sframe-coro.h"

#define SIZE_OF(RECORD, NAME) sizeof (((RECORD *) 0)->NAME)

#define VALUE(NAME, VALUE) \
  printf ("%s = %llu\n", NAME, (unsigned long long) (VALUE));
#define CONSTANT(NAME, VALUE) \
  printf ("constant %s = %llu\n", NAME, (unsigned long long) (VALUE));
#define STRING(NAME, VALUE) printf ("constant %s = \"%s\"\n", NAME, VALUE);
#define RECORD(NAME, RECORD) \
  printf ("record %s = %zu\n", NAME, sizeof (RECORD));
#define FIELD(RECORD, NAME, TYPE) \
  printf ("field %s.%s = offset %zu, size %zu, %s\n", #RECORD, #NAME, \
	  offsetof (RECORD, NAME), SIZE_OF (RECORD, NAME), TYPE);
#define SAID(RECORD, NAME, OFFSET, TYPE) \
  printf ("field %s.%s = offset %d, size %zu, %s\n", RECORD, NAME, OFFSET, \
	  sizeof (TYPE), #TYPE);
#define COMMENT(RECORD, NAME, OFFSET) \
  if (offsetof (RECORD, NAME) != OFFSET) \
    printf ("comment on %s.%s = offset %d\n", #RECORD, #NAME, OFFSET);
