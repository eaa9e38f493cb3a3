/* sframe-coro: `record' where there is no sampler.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include "tool.h"

int
record_main (int argc, char **argv)
{
  (void) argc;
  (void) argv;
  tool_error ("this build cannot record: %s", WHY_NO_BPF);
  return TOOL_FAILED;
}
