/* sframe-coro: `dump', the contents of sections.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <argp.h>

#include "tool.h"

int
dump_main (int argc, char **argv)
{
  (void) argc;
  (void) argv;
  return TOOL_FAILED;
}
