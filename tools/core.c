/* sframe-coro: core files.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include "core.h"

/* Cores cannot be opened yet: these are for live processes.  */

void
core_free (core *c)
{
  (void) c;
}

int
core_open_file (const core *c, const mapping *map)
{
  (void) c;
  (void) map;
  return -1;
}

uint64_t
core_auxval (const core *c, uint64_t type)
{
  (void) c;
  (void) type;
  return 0;
}
