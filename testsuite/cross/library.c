/* A library with a list head of its own.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "cross.h"

/* The more there is, the less the C library finds room for it in what it
   keeps for libraries that are opened late.  */
#ifndef PADDING
#define PADDING 8
#endif
__thread char library_padding[PADDING];
__thread node *library_head;

extern const char library_records[], library_of_program_records[];

void
library_begin (node *nodes)
{
  library_padding[0] = 1;
  library_head = nodes;
}

const void *
library_block (void)
{
  return library_records;
}

const void *
library_of_program_block (void)
{
  return library_of_program_records;
}
