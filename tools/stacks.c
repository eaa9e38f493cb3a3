/* sframe-coro: stacks out of samples.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "stacks.h"
#include "tool.h"
#include "trace.h"
#include "walk-core.h"

_Static_assert ((int) SAMPLER_CUT_BAD_POINTER == (int) PROFILE_CUT_BAD_POINTER
		  && (int) SAMPLER_CUT_NO_RULE == (int) PROFILE_CUT_NO_RULE,
		"cuts of the sampler are those of profiles");

/* Add a frame to K and return it; NULL if there is no room.  */
static profile_frame *
add_frame (stack *k, uint64_t address, profile_frame_kind kind)
{
  profile_frame *f;

  if (k->num_frames == PROFILE_MAX_FRAMES)
    {
      k->cut = PROFILE_CUT_NO_ROOM;
      return NULL;
    }
  if (k->frames == NULL)
    k->frames = tool_calloc (PROFILE_MAX_FRAMES, sizeof *k->frames);
  f = &k->frames[k->num_frames++];
  *f = (profile_frame){ .address = address,
			.kind = (uint8_t) kind,
			.list = PROFILE_NO_LIST };
  return f;
}

static void
add_kernel (stack *k, const sample *s)
{
  for (uint32_t i = 0; i < s->header->num_kernel; i++)
    {
      profile_frame *f = add_frame (k, s->kernel[i], PROFILE_KERNEL);
      if (f != NULL && i != 0)
	f->flags = PROFILE_FRAME_RETURN;
    }
}

static void
add_native (stack *k, const sampler_native *n)
{
  profile_frame *f = add_frame (k, n->pc, PROFILE_NATIVE);

  if (f == NULL)
    return;
  if (n->flags & SAMPLER_NATIVE_RETURN)
    f->flags |= PROFILE_FRAME_RETURN;
  if (n->flags & SAMPLER_NATIVE_BY_ROW)
    f->flags |= PROFILE_FRAME_BY_TABLE;
}

/* What is spliced.  */

/* The native frames of S, for splicing; to be freed.  */
static sframe_coro_native *
make_natives (const sample *s)
{
  sframe_coro_native *natives
      = tool_calloc (s->header->num_natives, sizeof *natives);

  for (uint32_t i = 0; i < s->header->num_natives; i++)
    {
      const sampler_native *n = &s->natives[i];
      natives[i] = (sframe_coro_native){ .pc = n->pc, .cfa = n->cfa };
      if (n->flags & SAMPLER_NATIVE_RETURN)
	natives[i].flags |= SFRAME_CORO_NATIVE_RETURN_ADDRESS;
      if (n->flags & SAMPLER_NATIVE_CFA)
	natives[i].flags |= SFRAME_CORO_NATIVE_CFA;
    }
  return natives;
}

/* Node number I of S, which is number INDEX of its list.  */
static sframe_coro_node
make_node (const sample *s, uint32_t i, uint32_t index)
{
  const sampler_node *from = &s->nodes[i];
  sframe_coro_node n = { .address = from->address,
			 .ip = from->ip,
			 .flags = from->flags & ~SAMPLER_NODE_WORDS,
			 .index = index };

  if ((from->flags & SAMPLER_NODE_WORDS) != 0 && i < s->header->num_words)
    {
      n.aux = s->words[i].aux;
      n.resume_pc = s->words[i].resume_pc;
    }
  return n;
}

/* Complete list FROM of S, as the walker left it, in L.  */
static void
make_list (const sample *s, const sampler_list *from, trace_list *l)
{
  core_list state = { .p = from->p, .num = from->num,
		      .mark_num = from->mark_num };

  l->frame = from->frame;
  l->nodes = tool_calloc (from->num, sizeof *l->nodes);
  for (uint32_t i = 0; i < from->num; i++)
    l->nodes[i] = make_node (s, from->first + i, i);
  l->stop = core_list_end (&state, (sframe_coro_stop) from->stop, l->nodes,
			   &l->num);
}

/* Set the groups of T's chains as the sampler found them.  */
static void
set_groups (trace_thread *t, const description *p, const sample *s)
{
  size_t num = sframe_coro_index_num_chains (p->modules.index);

  t->group = tool_calloc (num, sizeof *t->group);
  for (size_t i = 0; i < num; i++)
    t->group[i] = i;
  if (s->header->generation == p->generation)
    for (size_t i = 0; i < p->num_chains; i++)
      if (s->header->merged >> i & 1)
	t->group[p->index_of[i]] = p->index_of[p->group[i]];
}

/* Take the lists of S into T and K.  */
static void
take_lists (trace_thread *t, stack *k, const describer *d,
	    const description *p, const sample *s)
{
  t->lists = tool_calloc (s->header->num_lists, sizeof *t->lists);
  for (uint32_t i = 0; i < s->header->num_lists; i++)
    {
      const sampler_list *from = &s->lists[i];
      trace_list *l = &t->lists[t->num_lists];
      size_t chain = describe_find_chain (d, p, from->chain);

      if (chain == SIZE_MAX || from->first > s->header->num_nodes
	  || from->num > s->header->num_nodes - from->first)
	{
	  k->cut_lists = true;
	  continue;
	}
      l->chain = chain;
      l->group = t->group[chain];
      make_list (s, from, l);
      t->num_lists++;
      k->lists[k->num_lists++] = (profile_list){
	.chain = p->numbers[chain], .num = (uint32_t) l->num, .stop = l->stop
      };
      k->has_nodes |= l->num != 0;
      k->cut_lists |= sframe_coro_stop_is_cut (l->stop);
    }
}

/* Frames.  */

/* Add the node that entry E of T is.  */
static void
add_node (stack *k, const description *p, const trace_thread *t,
	  const sframe_coro_spliced *e)
{
  const trace_list *l = &t->lists[e->list];
  const sframe_coro_node *n = &l->nodes[e->node];
  uint8_t ip_kind = trace_chain (&p->modules, l)->ip_kind;
  profile_frame *f
      = add_frame (k, n->resume_pc != 0 ? n->resume_pc : n->ip,
		   PROFILE_AWAITING);

  if (f == NULL)
    return;
  f->list = (uint16_t) e->list;
  if (ip_kind == SFRAME_CORO_IP_RETURN_ADDRESS)
    f->flags |= PROFILE_FRAME_RETURN;
  if (ip_kind == SFRAME_CORO_IP_COOKIE)
    f->flags |= PROFILE_FRAME_NOT_CODE;
  if (e->flags & SFRAME_CORO_SPLICED_NO_SITE)
    {
      f->flags |= PROFILE_FRAME_NO_SITE;
      k->no_site = true;
    }
}

/* Add the native frame that entry E of T is.  Of those that share a frame, for
   the functions inlined into it, the innermost stands for all: who shows the
   profile finds the others again.  *NEXT is the number in S of the next frame,
   *LAST where the one before is in K.  */
static void
add_native_entry (stack *k, const trace_thread *t, const sample *s,
		  const sframe_coro_spliced *e, uint32_t *next, size_t *last)
{
  if (t->frames[e->native].innermost)
    {
      *last = k->num_frames;
      add_native (k, &s->natives[(*next)++]);
    }
  if (e->list != SFRAME_CORO_NO_INDEX && *last < k->num_frames
      && k->frames[*last].list == PROFILE_NO_LIST)
    k->frames[*last].list = (uint16_t) e->list;
}

static void
add_spliced (stack *k, const description *p, const trace_thread *t,
	     const sample *s)
{
  uint32_t next = 0;
  size_t last = 0;

  for (size_t i = 0; i < t->num_entries; i++)
    if (t->entries[i].native == SFRAME_CORO_NO_INDEX)
      add_node (k, p, t, &t->entries[i]);
    else
      add_native_entry (k, t, s, &t->entries[i], &next, &last);
}

void
stack_make (stack *k, const describer *d, const description *p,
	    const sample *s)
{
  trace_thread t = { 0 };

  *k = (stack){ .frames = k->frames,
		.cut = s->header->cut,
		.cut_lists = s->header->lists_cut != 0 };
  add_kernel (k, s);
  if (p != NULL && p->process != NULL && s->header->num_lists != 0)
    {
      set_groups (&t, p, s);
      take_lists (&t, k, d, p, s);
    }
  if (!k->has_nodes)
    for (uint32_t i = 0; i < s->header->num_natives; i++)
      add_native (k, &s->natives[i]);
  else
    {
      t.native.natives = make_natives (s);
      t.native.num = s->header->num_natives;
      trace_splice (&t, &p->modules, p->functions);
      add_spliced (k, p, &t, s);
    }
  trace_free (&t);
}

void
stack_free (stack *k)
{
  free (k->frames);
  k->frames = NULL;
}
