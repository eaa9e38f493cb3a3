/* sframe-coro: profiles as folded stacks.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A line for each stack: names, outermost first, with semicolons between, a
   blank, and the number of samples; as the scripts of FlameGraph have it.  */

#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "summary-write.h"
#include "tool.h"

/* What tells frames apart whose names are equal: of FlameGraph's scripts
   "_[k]"; "_[a]" (asynchronous) is new.  */
static const char *
suffix (uint32_t kind)
{
  return kind == SUMMARY_KERNEL	    ? "_[k]"
	 : kind == SUMMARY_AWAITING ? "_[a]"
				    : "";
}

typedef struct text
{
  char *bytes;
  size_t num, room;
} text;

/* Append S, without what separates names and lines.  */
static void
append (text *t, const char *s, bool is_name)
{
  size_t len = strlen (s);

  t->bytes = table_grow (t->bytes, &t->room, t->num + len + 1, 1);
  for (size_t i = 0; i < len; i++)
    t->bytes[t->num++] = (is_name && (s[i] == ';' || s[i] == '\n') ? ':'
								     : s[i]);
  t->bytes[t->num] = 0;
}

typedef struct line
{
  const char *stack;
  uint64_t samples;
} line;

static int
compare_lines (const void *a, const void *b)
{
  return strcmp (((const line *) a)->stack, ((const line *) b)->stack);
}

static void
set_stack (text *t, const calls *c, const uint32_t *path, size_t num)
{
  t->num = 0;
  append (t, "", false);
  for (size_t i = 0; i < num; i++)
    {
      const calls_node *node = calls_node_at (c, path[i]);
      if (i != 0)
	append (t, ";", false);
      append (t, calls_name (c, path[i]), true);
      append (t, suffix (calls_frame_at (c, node->frame)->kind), false);
    }
}

bool
folded_write (summary *s, FILE *out)
{
  table stacks = { 0 };
  line *lines = NULL;
  uint32_t *path = NULL;
  size_t lines_room = 0, path_room = 0;
  text t = { 0 };
  calls c;

  calls_make (&c, s);
  for (uint32_t n = 0; n < c.nodes.num; n++)
    {
      uint32_t number;
      if (c.self[n].samples == 0)
	continue;
      set_stack (&t, &c, path, calls_path (&c, n, &path, &path_room));
      number = table_string (&stacks, t.bytes);
      lines = table_grow (lines, &lines_room, number + 1u, sizeof *lines);
      lines[number].stack = table_key (&stacks, number);
      lines[number].samples += c.self[n].samples;
    }
  if (stacks.num != 0)
    qsort (lines, stacks.num, sizeof *lines, compare_lines);
  for (size_t i = 0; i < stacks.num; i++)
    fprintf (out, "%s %" PRIu64 "\n", lines[i].stack, lines[i].samples);
  free (lines);
  free (path);
  free (t.bytes);
  table_free (&stacks);
  calls_free (&c);
  return true;
}
