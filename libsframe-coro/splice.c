/* libsframe-coro: one stack out of native frames and lists of nodes.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include "impl.h"

/* The stack being put together.  It begins as the native frames; nodes are
   named on them, or inserted between them.  */
typedef struct stack
{
  const sframe_coro_native *natives;
  const sframe_coro_splice_ops *ops;
  sframe_coro_spliced *out;
  size_t num;
} stack;

/* A stretch of one list that belongs to one native activation.  */
typedef struct segment
{
  const sframe_coro_list *list;
  size_t number; /* Of the list.  */
  size_t begin, end;
} segment;

static bool
is_hidden (const sframe_coro_node *node)
{
  return (node->flags & SFRAME_CORO_NODE_HIDDEN) != 0;
}

/* Set S->end: behind the next boundary, or the end of the list.  */
static void
bound_segment (segment *s)
{
  s->end = s->begin;
  while (s->end < s->list->num)
    if (s->list->nodes[s->end++].flags & SFRAME_CORO_NODE_BOUNDARY)
      break;
}

/* Whether ADDRESS is in native frame N: at or above its stack pointer, which
   is the CFA of the frame before it, and below its own CFA.  The stack pointer
   of the leaf is not known.  */
static bool
holds (const sframe_coro_native *natives, size_t n, uint64_t address)
{
  if (!(natives[n].flags & SFRAME_CORO_NATIVE_CFA)
      || address >= natives[n].cfa)
    return false;
  return (n == 0 || !(natives[n - 1].flags & SFRAME_CORO_NATIVE_CFA)
	  || address >= natives[n - 1].cfa);
}

/* The entry at which the list belongs: the native frame that has the address
   FRAME, or, if that is 0, the first from FROM on, leaf to root, that is at a
   site of its chain.  K->num if there is none.  */
static size_t
find_site (const stack *k, const sframe_coro_list *list, uint64_t frame,
	   size_t from)
{
  for (size_t i = frame != 0 ? 0 : from; i < k->num; i++)
    {
      size_t n = k->out[i].native;
      if (n == SFRAME_CORO_NO_INDEX)
	continue;
      if (frame != 0)
	{
	  if (holds (k->natives, n, frame))
	    return i;
	}
      else if (k->ops->is_site (k->ops->arg, list->chain, &k->natives[n]))
	return i;
    }
  return k->num;
}

/* Whether native frame NATIVE executes NODE of LIST.  A caller that knows
   which node a frame executes is believed.  Functions alone tell only where
   the head itself is running: else the running coroutine, which is in no list,
   would be taken for its awaiter when a function awaits itself.  */
static bool
executes (const stack *k, const sframe_coro_list *list,
	  const sframe_coro_node *node, const sframe_coro_native *native)
{
  if (native->node != 0)
    return native->node == node->address;
  if (!list->head_is_running || node->ip == 0)
    return false;
  if (k->ops->is_function != NULL)
    return k->ops->is_function (k->ops->arg, node->ip, native);
  return ((native->flags & SFRAME_CORO_NATIVE_FUNC)
	  && node->ip >= native->func_start && node->ip < native->func_end);
}

/* Whether node number I of LIST runs or awaits.  */
static uint32_t
state (const sframe_coro_list *list, size_t i)
{
  return (i == 0 && list->head_is_running ? SFRAME_CORO_SPLICED_RUNNING
					  : SFRAME_CORO_SPLICED_AWAITING);
}

/* The next node of S, if NATIVE executes it, else S->end.  Hidden nodes before
   it may be no native frames at all.  */
static size_t
next_executed (const stack *k, const segment *s,
	       const sframe_coro_native *native)
{
  for (size_t i = s->begin; i < s->end; i++)
    {
      if (executes (k, s->list, &s->list->nodes[i], native))
	return i;
      if (!is_hidden (&s->list->nodes[i]))
	break;
    }
  return s->end;
}

/* Name the nodes of S that are native frames in [FROM, SITE), in order: with
   compilers that do not tail-call a symmetric transfer the native stack holds
   several.  They are the first nodes of the list, since control moves only
   between a coroutine and its awaiter.  A frame that executes a hidden node
   stays a plain one.  Return the entry behind the last one, or SITE; S->begin is
   then the first node that is no native frame.  */
static size_t
name_natives (stack *k, segment *s, size_t from, size_t site)
{
  size_t behind = site;

  for (size_t i = from; i < site; i++)
    {
      sframe_coro_spliced *e = &k->out[i];
      size_t n;

      if (e->native == SFRAME_CORO_NO_INDEX || e->list != SFRAME_CORO_NO_INDEX)
	continue;
      n = next_executed (k, s, &k->natives[e->native]);
      if (n == s->end)
	continue;
      if (!is_hidden (&s->list->nodes[n]))
	{
	  e->list = s->number;
	  e->node = n;
	  e->flags |= state (s->list, n);
	}
      s->begin = n + 1;
      behind = i + 1;
    }
  return behind;
}

/* Insert the rest of S before entry AT; return how many entries that are.  */
static size_t
insert_nodes (stack *k, const segment *s, size_t at, uint32_t flags)
{
  sframe_coro_spliced *e = k->out + at;
  size_t shown = 0;

  for (size_t i = s->begin; i < s->end; i++)
    shown += !is_hidden (&s->list->nodes[i]);
  memmove (e + shown, e, (k->num - at) * sizeof *e);
  k->num += shown;
  for (size_t i = s->begin; i < s->end; i++)
    if (!is_hidden (&s->list->nodes[i]))
      {
	*e++ = (sframe_coro_spliced){ .native = SFRAME_CORO_NO_INDEX,
				      .list = s->number,
				      .node = i,
				      .flags = flags | state (s->list, i) };
      }
  return shown;
}

/* Splice list number NUMBER in, from entry FROM on; return the entry behind
   the last site it used.  */
static size_t
splice_list (stack *k, const sframe_coro_list *list, size_t number,
	     size_t from)
{
  segment s = { .list = list, .number = number };
  uint64_t frame = list->frame; /* It is that of the first segment.  */
  size_t behind = from;

  for (; s.begin < list->num; s.begin = s.end, frame = 0)
    {
      size_t site, at, shown;
      uint32_t flags = 0;

      bound_segment (&s);
      site = find_site (k, list, frame, behind);
      at = name_natives (k, &s, behind <= site ? behind : 0, site);
      if (site == k->num)
	{
	  at = k->num;
	  flags = SFRAME_CORO_SPLICED_NO_SITE;
	}
      shown = insert_nodes (k, &s, at, flags);
      from = (from <= site ? site + (flags == 0) : from) + shown;
      behind = site + (flags == 0) + shown;
    }
  return from;
}

/* Whether LISTS[I] is the first of its chain.  */
static bool
is_first (const sframe_coro_list *lists, size_t i)
{
  for (size_t k = 0; k < i; k++)
    if (lists[k].chain == lists[i].chain)
      return false;
  return true;
}

int
sframe_coro_splice (const sframe_coro_native *natives, size_t num_natives,
		    const sframe_coro_list *lists, size_t num_lists,
		    const sframe_coro_splice_ops *ops,
		    sframe_coro_spliced *out, size_t max, size_t *num)
{
  stack k = { natives, ops, out, num_natives };
  size_t need = num_natives;

  *num = 0;
  for (size_t i = 0; i < num_lists; i++)
    need += lists[i].num;
  if (need > max)
    return SFRAME_CORO_ERR_INVAL;
  for (size_t i = 0; i < num_natives; i++)
    out[i] = (sframe_coro_spliced){ .native = i, .list = SFRAME_CORO_NO_INDEX };
  /* The lists of one chain take its sites one after the other.  */
  for (size_t i = 0; i < num_lists; i++)
    {
      size_t from = 0;
      if (!is_first (lists, i))
	continue;
      for (size_t j = i; j < num_lists; j++)
	if (lists[j].chain == lists[i].chain)
	  from = splice_list (&k, &lists[j], j, from);
    }
  *num = k.num;
  return SFRAME_CORO_OK;
}
