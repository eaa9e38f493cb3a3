/* sframe-coro: the tree of calls of a profile.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "tool.h"

const calls_frame *
calls_frame_at (const calls *c, uint32_t n)
{
  return table_key (&c->frames, n);
}

const calls_node *
calls_node_at (const calls *c, uint32_t n)
{
  return table_key (&c->nodes, n);
}

const char *
calls_name (const calls *c, uint32_t n)
{
  uint32_t frame = calls_node_at (c, n)->frame;
  return summary_string (c->s, calls_frame_at (c, frame)->name);
}

static uint32_t
node_number (calls *c, uint32_t parent, const calls_frame *f)
{
  calls_node node
      = { parent, f != NULL ? table_number (&c->frames, f, sizeof *f)
			    : SUMMARY_NONE };
  uint32_t n = table_number (&c->nodes, &node, sizeof node);

  c->self = table_grow (c->self, &c->self_room, n + 1u, sizeof *c->self);
  return n;
}

/* The node for what is in PLACE, called by PARENT.  */
static uint32_t
add_place (calls *c, uint32_t parent, uint32_t number)
{
  const summary_place *p = summary_place_at (c->s, number);
  const summary_names *names = &c->s->names[number];

  for (size_t i = names->num; i-- != 0;)
    {
      const summary_function *fn
	  = summary_function_at (c->s, names->lines[i].function);
      calls_frame f = { fn->name, fn->file, p->module, p->chain, p->kind };
      /* What is inlined into a coroutine is none.  */
      if (i + 1 != names->num && p->kind != SUMMARY_KERNEL)
	{
	  f.chain = SUMMARY_NONE;
	  f.kind = SUMMARY_NATIVE;
	}
      parent = node_number (c, parent, &f);
    }
  return parent;
}

/* What is known already: for each node of the summary the call, if its round
   is the current one.  */
typedef struct memo
{
  uint32_t round, call;
} memo;

/* The call of node NODE below that of node 0, which is known.  */
static uint32_t
call_of (calls *c, memo *known, uint32_t round, uint32_t node,
	 uint32_t **stack, size_t *room)
{
  size_t num = 0;
  uint32_t call;

  while (known[node].round != round)
    {
      *stack = table_grow (*stack, room, num + 1, sizeof **stack);
      (*stack)[num++] = node;
      node = summary_node_at (c->s, node)->parent;
    }
  call = known[node].call;
  while (num-- != 0)
    {
      node = (*stack)[num];
      call = add_place (c, call, summary_node_at (c->s, node)->place);
      known[node] = (memo){ round, call };
    }
  return call;
}

/* A group, to be sorted by the name of the thread.  */
typedef struct named_group
{
  uint32_t comm, group;
} named_group;

static int
compare_groups (const void *p, const void *q)
{
  const named_group *a = p, *b = q;
  if (a->comm != b->comm)
    return a->comm < b->comm ? -1 : 1;
  return a->group < b->group ? -1 : a->group > b->group;
}

/* Add the NUM groups in LIST.  */
static void
add_groups (calls *c, const named_group *list, size_t num, bool by_comm)
{
  memo *known = tool_calloc (c->s->nodes.num, sizeof *known);
  uint32_t round = 0, *stack = NULL;
  size_t room = 0;

  for (size_t i = 0; i < num; i++)
    {
      const summary_group *g = summary_group_at (c->s, list[i].group);
      const summary_count *count = &c->s->counts[list[i].group];
      calls_frame top = { list[i].comm, SUMMARY_NONE, SUMMARY_NONE,
			  SUMMARY_NONE, CALLS_COMM };
      uint32_t call;

      if (i == 0 || (by_comm && list[i].comm != list[i - 1].comm))
	known[0] = (memo){ ++round, by_comm ? node_number (c, 0, &top) : 0 };
      call = call_of (c, known, round, g->node, &stack, &room);
      c->self[call].samples += count->samples;
      c->self[call].weight += count->weight;
    }
  free (known);
  free (stack);
}

static void
sum_up (calls *c)
{
  c->total = table_grow (NULL, &c->total_room, c->nodes.num, sizeof *c->total);
  for (size_t n = c->nodes.num; n-- != 0;)
    {
      uint32_t parent = calls_node_at (c, (uint32_t) n)->parent;
      c->total[n].samples += c->self[n].samples;
      c->total[n].weight += c->self[n].weight;
      if (n == 0)
	break;
      c->total[parent].samples += c->total[n].samples;
      c->total[parent].weight += c->total[n].weight;
    }
}

/* Make C of those groups whose thread is THREAD, or of all if it is
   SUMMARY_NONE.  */
static void
make (calls *c, summary *s, uint32_t thread)
{
  named_group *list = tool_calloc (s->groups.num, sizeof *list);
  size_t num = 0;

  memset (c, 0, sizeof *c);
  c->s = s;
  node_number (c, SUMMARY_NONE, NULL);
  for (uint32_t i = 0; i < s->groups.num; i++)
    {
      uint32_t t = summary_group_at (s, i)->thread;
      if (thread == SUMMARY_NONE || thread == t)
	list[num++] = (named_group){ summary_thread_at (s, t)->comm, i };
    }
  if (num != 0)
    qsort (list, num, sizeof *list, compare_groups);
  add_groups (c, list, num, thread == SUMMARY_NONE);
  sum_up (c);
  free (list);
}

void
calls_make (calls *c, summary *s)
{
  make (c, s, SUMMARY_NONE);
}

void
calls_make_thread (calls *c, summary *s, uint32_t thread)
{
  make (c, s, thread);
}

void
calls_free (calls *c)
{
  table_free (&c->frames);
  table_free (&c->nodes);
  free (c->self);
  free (c->total);
}

size_t
calls_path (const calls *c, uint32_t n, uint32_t **path, size_t *room)
{
  size_t depth = 0, i;
  uint32_t up;

  for (up = n; up != 0; up = calls_node_at (c, up)->parent)
    depth++;
  *path = table_grow (*path, room, depth, sizeof **path);
  for (up = n, i = depth; up != 0; up = calls_node_at (c, up)->parent)
    (*path)[--i] = up;
  return depth;
}

static int
compare_nodes (const void *p, const void *q, void *arg)
{
  const calls *c = arg;
  uint32_t a = *(const uint32_t *) p, b = *(const uint32_t *) q;
  const calls_node *x = calls_node_at (c, a), *y = calls_node_at (c, b);
  uint32_t kind_a, kind_b;
  int order;

  if (x->parent != y->parent)
    return x->parent < y->parent ? -1 : 1;
  order = strcmp (calls_name (c, a), calls_name (c, b));
  if (order != 0)
    return order;
  kind_a = calls_frame_at (c, x->frame)->kind;
  kind_b = calls_frame_at (c, y->frame)->kind;
  if (kind_a != kind_b)
    return kind_a < kind_b ? -1 : 1;
  return a < b ? -1 : a > b;
}

calls_order
calls_sort (const calls *c)
{
  uint32_t num = (uint32_t) c->nodes.num, next = 0;
  calls_order o = { tool_calloc (num, sizeof *o.list),
		    tool_calloc (num + 1u, sizeof *o.first) };

  for (uint32_t i = 1; i < num; i++)
    o.list[i - 1] = i;
  qsort_r (o.list, num - 1, sizeof *o.list, compare_nodes, (void *) c);
  for (uint32_t i = 0; i <= num; i++)
    {
      while (next < num - 1 && calls_node_at (c, o.list[next])->parent < i)
	next++;
      o.first[i] = next;
    }
  return o;
}

void
calls_order_free (calls_order *o)
{
  free (o->list);
  free (o->first);
}
