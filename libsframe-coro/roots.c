/* libsframe-coro: walking lists of lists.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include "load.h"
#include "roots-core.h"

/* Roots that are looked at, whether or not they are the thread's, before a
   list of roots counts as endless.  */
#define MAX_STEPS 65536

/* A walk in progress.  */
typedef struct walk
{
  const sframe_coro_chain *chain;
  const sframe_coro_walker *walker;
  const sframe_coro_memory *memory; /* NULL: our own.  */
  sframe_coro_node *nodes;
  size_t num_nodes, max_nodes;
  sframe_coro_root *roots;
  size_t num_roots, max_roots;
} walk;

/* Walk the list of R, whose address is set.  */
static void
walk_one (walk *w, sframe_coro_root *r)
{
  const sframe_coro_chain *c = w->chain;
  uint64_t first;

  r->first = w->num_nodes;
  r->stop = core_root_open (w->memory, c, r, &first);
  if (r->stop != SFRAME_CORO_STOP_END)
    return;
  r->stop = impl_walk_list (c, w->memory, w->walker->bodies, first,
			    w->nodes + w->num_nodes,
			    w->max_nodes - w->num_nodes, &r->num);
  w->num_nodes += r->num;
  if (r->num != 0 && !sframe_coro_stop_is_cut (r->stop))
    core_root_blocked (w->memory, c, w->nodes[w->num_nodes - 1].address, r);
}

/* Whether ROOT has been walked before.  */
static bool
is_known (const walk *w, uint64_t root)
{
  for (size_t i = 0; i < w->num_roots; i++)
    if (w->roots[i].address == root)
      return true;
  return false;
}

/* Walk all roots from ROOT on; see core_roots_begin.  */
static sframe_coro_stop
walk_all (walk *w, uint64_t base, uint64_t root)
{
  core_roots r;
  sframe_coro_stop stop = core_roots_begin (w->chain, base, root, &r);
  bool mine;

  while (stop == CORE_MORE
	 && (stop = core_roots_check (w->memory, w->chain, w->walker->thread,
				      &r, &mine)) == CORE_MORE)
    {
      /* The mark finds cycles of others' roots; ours are given once.  */
      if (mine && is_known (w, r.root))
	return SFRAME_CORO_STOP_CYCLE;
      if (r.step == MAX_STEPS || (mine && w->num_roots == w->max_roots))
	return SFRAME_CORO_STOP_DEPTH_LIMIT;
      if (mine)
	{
	  w->roots[w->num_roots] = (sframe_coro_root){ .address = r.root };
	  walk_one (w, &w->roots[w->num_roots++]);
	}
      stop = core_roots_next (w->memory, w->chain, &r);
    }
  if (stop != SFRAME_CORO_STOP_END)
    return stop;
  return w->num_roots != 0 ? SFRAME_CORO_STOP_END : SFRAME_CORO_STOP_NO_HEAD;
}

/* Where HEAD begins.  */
static int
head_base (const walk *w, const sframe_coro_head *head, uint64_t *base)
{
  const sframe_coro_walker *k = w->walker;

  if (head->kind != SFRAME_CORO_HEAD_FRAME)
    return sframe_coro_head_base (w->chain, head, w->memory, k->thread,
				  k->block, base);
  if (k->frame_head == NULL)
    return SFRAME_CORO_ERR_NO_TLS;
  *base = *k->frame_head;
  return SFRAME_CORO_OK;
}

/* Walk what HEAD gives.  */
static sframe_coro_stop
walk_head (walk *w, const sframe_coro_head *head, uint64_t *base)
{
  uint64_t root = 0;
  int err = head_base (w, head, base);
  sframe_coro_stop stop = impl_stop_of_error (err);

  if (err == SFRAME_CORO_OK)
    stop = core_follow (w->memory, w->chain, &head->path, *base, &root);
  if (stop == SFRAME_CORO_STOP_END)
    stop = walk_all (w, core_leads_away (&head->path) ? *base : 0, root);
  /* A list that is empty gives way to the next head like none at all.  */
  if (stop == SFRAME_CORO_STOP_END && w->num_nodes == 0 && w->num_roots == 1
      && w->roots[0].stop == SFRAME_CORO_STOP_NO_HEAD)
    {
      w->num_roots = 0;
      stop = SFRAME_CORO_STOP_NO_HEAD;
    }
  return stop;
}

sframe_coro_stop
sframe_coro_walk_roots (const sframe_coro_chain *c,
			const sframe_coro_walker *walker,
			sframe_coro_node *nodes, size_t max_nodes,
			sframe_coro_root *roots, size_t max_roots,
			size_t *num_roots, uint64_t *used)
{
  walk w = { .chain = c, .walker = walker,
	     .memory = impl_foreign (walker->memory),
	     .nodes = nodes, .max_nodes = max_nodes,
	     .roots = roots, .max_roots = max_roots };
  sframe_coro_stop stop = SFRAME_CORO_STOP_NO_HEAD, s;
  uint64_t base;

  if (used != NULL)
    *used = 0;
  for (unsigned i = 0; i < c->num_heads && w.num_roots == 0; i++)
    {
      base = 0;
      s = walk_head (&w, &c->head[i], &base);
      if (used != NULL && base != 0)
	*used = base;
      if (w.num_roots != 0 || s != SFRAME_CORO_STOP_NO_HEAD)
	stop = s;
    }
  *num_roots = w.num_roots;
  return stop;
}

int
sframe_coro_row_head (const sframe_coro_row *row, bool swap,
		      const sframe_coro_memory *memory, uint64_t cfa,
		      sframe_coro_register_fn registers, void *arg,
		      uint64_t *head)
{
  uint64_t value = cfa;

  if (row->base != SFRAME_CORO_BASE_CFA
      && (registers == NULL || registers (arg, row->base, &value) != 0))
    return SFRAME_CORO_ERR_UNREADABLE;
  if (!core_row_head (impl_foreign (memory), swap, row, value, &value))
    return SFRAME_CORO_ERR_UNREADABLE;
  *head = value;
  return SFRAME_CORO_OK;
}
