/* The two splicing examples of the specification, by the library.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sframe-coro-api.h"

/* Each function of the example has its own 256 bytes.  */
#define CODE(I) ((uint64_t) (I) << 8)

static const char *const functions[]
  = { "", "leaf", "factorial", "coroutine_handle::resume", "Resume", "main" };
#define NUM_FUNCTIONS (sizeof functions / sizeof *functions)

static const char *const shown_nodes[]
  = { "factorial (0)", "factorial (1)", "factorial (2)" };
#define NUM_NODES (sizeof shown_nodes / sizeof *shown_nodes)

static bool
is_resume (void *arg, size_t chain, const sframe_coro_native *native)
{
  (void) arg;
  return chain == 0 && strcmp (functions[native->pc >> 8], "Resume") == 0;
}

static void
print (const sframe_coro_native *natives, const sframe_coro_spliced *e)
{
  char place[24] = "-", line[128];
  bool is_node = e->list != SFRAME_CORO_NO_INDEX;
  bool is_native = e->native != SFRAME_CORO_NO_INDEX;

  if (is_native)
    snprintf (place, sizeof place, "%zu", e->native);
  if (is_node)
    snprintf (line, sizeof line, "%-20s node %c, %s", shown_nodes[e->node],
	      (char) ('A' + e->node),
	      e->flags & SFRAME_CORO_SPLICED_RUNNING ? "running" : "awaiting");
  else
    snprintf (line, sizeof line, "%s",
	      functions[natives[e->native].pc >> 8]);
  printf ("  %s  %s%s\n", place, line,
	  e->flags & SFRAME_CORO_SPLICED_NO_SITE ? ", no site" : "");
}

/* Splice the three nodes into the stack whose functions are named, leaf
   first.  */
int
main (int argc, char **argv)
{
  static const sframe_coro_splice_ops ops = { .is_site = is_resume };
  sframe_coro_native natives[16];
  sframe_coro_node nodes[NUM_NODES];
  sframe_coro_list list = { .nodes = nodes, .num = NUM_NODES,
			    .head_is_running = true };
  sframe_coro_spliced out[16 + NUM_NODES];
  size_t num = 0, n;

  for (; num + 1 < (size_t) argc && num < 16; num++)
    {
      uint64_t f = 1;
      while (f < NUM_FUNCTIONS && strcmp (functions[f], argv[num + 1]) != 0)
	f++;
      if (f == NUM_FUNCTIONS)
	return 2;
      natives[num] = (sframe_coro_native){
	.pc = CODE (f) + 16, .func_start = CODE (f), .func_end = CODE (f + 1),
	.flags = SFRAME_CORO_NATIVE_FUNC | SFRAME_CORO_NATIVE_RETURN_ADDRESS
      };
    }
  for (size_t i = 0; i < NUM_NODES; i++)
    nodes[i] = (sframe_coro_node){ .address = 0x10000 + 64 * i,
				   .ip = CODE (2), .index = (uint32_t) i };
  if (sframe_coro_splice (natives, num, &list, 1, &ops, out,
			  sizeof out / sizeof *out, &n)
      != SFRAME_CORO_OK)
    return 1;
  for (size_t i = 0; i < n; i++)
    print (natives, &out[i]);
  return 0;
}
