/* Splice what bytes say.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "exercise-parts.h"

#define MAX_NATIVES 12
#define MAX_LISTS 6
#define MAX_LIST 8

/* All arrays are used from their ends, so that a sanitizer sees each access
   beyond.  */
typedef struct stacks
{
  sframe_coro_native natives[MAX_NATIVES];
  sframe_coro_node nodes[MAX_LISTS][MAX_LIST];
  sframe_coro_list lists[MAX_LISTS];
  size_t num_natives, num_lists;
  size_t num_nodes, num_hidden;
} stacks;

static bool
is_site (void *arg, size_t chain, const sframe_coro_native *native)
{
  (void) arg;
  return (native->pc >> chain & 1) != 0;
}

static bool
is_function (void *arg, uint64_t ip, const sframe_coro_native *native)
{
  (void) arg;
  return ip == native->pc;
}

static void
make_natives (stacks *s, choices *c)
{
  s->num_natives = choose (c, MAX_NATIVES + 1);
  for (size_t i = MAX_NATIVES - s->num_natives; i < MAX_NATIVES; i++)
    {
      sframe_coro_native *n = &s->natives[i];
      n->pc = choose (c, 16);
      n->cfa = choose (c, 4);
      n->flags = choose (c, 8);
      n->func_start = choose (c, 4);
      n->func_end = n->func_start + choose (c, 3);
      n->node = choose (c, 4) ? 0 : 8 * choose (c, 9);
    }
}

static void
make_lists (stacks *s, choices *c)
{
  s->num_lists = choose (c, MAX_LISTS + 1);
  for (size_t i = MAX_LISTS - s->num_lists; i < MAX_LISTS; i++)
    {
      size_t chain = choose (c, 4), num = choose (c, MAX_LIST + 1);
      sframe_coro_node *nodes = s->nodes[i] + MAX_LIST - num;

      s->lists[i] = (sframe_coro_list){ chain, nodes, num, choose (c, 2),
					choose (c, 4) };
      s->num_nodes += num;
      for (size_t k = 0; k < num; k++)
	{
	  nodes[k] = (sframe_coro_node){ .address = 8 * choose (c, 9),
					 .ip = choose (c, 5),
					 .flags = choose (c, 4),
					 .index = (uint32_t) k };
	  s->num_hidden += nodes[k].flags & SFRAME_CORO_NODE_HIDDEN;
	}
    }
}

void
exercise_splice (const unsigned char *bytes, size_t size)
{
  static sframe_coro_spliced spliced[MAX_NATIVES + MAX_LISTS * MAX_LIST];
  choices c = { bytes, size };
  const sframe_coro_splice_ops ops
      = { is_site, choose (&c, 2) ? is_function : NULL, NULL };
  stacks s = { .num_natives = 0 };
  size_t max, num, native = 0, nodes = 0;
  sframe_coro_spliced *out;

  make_natives (&s, &c);
  make_lists (&s, &c);
  max = s.num_natives + s.num_nodes;
  out = spliced + sizeof spliced / sizeof *spliced - max;
  REQUIRE (sframe_coro_splice (s.natives + MAX_NATIVES - s.num_natives,
			       s.num_natives,
			       s.lists + MAX_LISTS - s.num_lists, s.num_lists,
			       &ops, out, max, &num)
	   == SFRAME_CORO_OK);
  REQUIRE (num <= max);
  for (size_t i = 0; i < num; i++)
    {
      if (out[i].native != SFRAME_CORO_NO_INDEX)
	REQUIRE (out[i].native == native++);
      nodes += out[i].list != SFRAME_CORO_NO_INDEX;
    }
  REQUIRE (native == s.num_natives && nodes + s.num_hidden == s.num_nodes);
}
