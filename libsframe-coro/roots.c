/* libsframe-coro: walking lists of lists.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include "load.h"
#include "walk-core.h"

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

static const sframe_coro_path *
path_of (const walk *w, int id)
{
  return &w->chain->path[id];
}

/* Evaluate PATH, if there is one, from BASE to a pointer.  */
static sframe_coro_stop
follow (const walk *w, const sframe_coro_path *path, uint64_t base,
	uint64_t *value)
{
  *value = base;
  if (path->given && !core_path (w->memory, w->chain->swap, path, value))
    return SFRAME_CORO_STOP_UNREADABLE;
  *value = core_clear_tags (w->chain, *value);
  return SFRAME_CORO_STOP_END;
}

/* Whether ROOT is the thread's, in *MINE.  Thread IDs are compared as the
   kernel has them, with 32 bits.  */
static bool
is_mine (const walk *w, uint64_t root, bool *mine)
{
  const sframe_coro_thread *thread = w->walker->thread;
  uint64_t key = root;
  int roots = w->chain->roots;

  *mine = true;
  if (roots < SFRAME_CORO_ROOTS_BY_TID)
    return true;
  if (!core_path (w->memory, w->chain->swap,
		  path_of (w, SFRAME_CORO_PATH_ROOT_KEY), &key))
    return false;
  *mine = (roots == SFRAME_CORO_ROOTS_BY_TID
	       ? (uint32_t) key == (uint32_t) thread->tid
	       : key == thread->tp);
  return true;
}

/* Walk the list of R, whose address is set.  */
static void
walk_one (walk *w, sframe_coro_root *r)
{
  const sframe_coro_chain *c = w->chain;
  const sframe_coro_path *blocked = path_of (w, SFRAME_CORO_PATH_BLOCKED);
  uint64_t first, value;

  r->first = w->num_nodes;
  if ((c->flags & SFRAME_CORO_CHAIN_ROOT_FRAME)
      && core_load_word (w->memory, c->swap,
			 r->address + (int64_t) c->root_frame_off, &value))
    r->frame = value;
  r->stop = follow (w, path_of (w, SFRAME_CORO_PATH_TOP), r->address, &first);
  if (r->stop != SFRAME_CORO_STOP_END)
    return;
  r->stop = impl_walk_list (c, w->memory, w->walker->bodies, first,
			    w->nodes + w->num_nodes,
			    w->max_nodes - w->num_nodes, &r->num);
  w->num_nodes += r->num;
  if (blocked->given && r->num != 0 && !sframe_coro_stop_is_cut (r->stop)
      && follow (w, blocked, w->nodes[w->num_nodes - 1].address, &value)
	     == SFRAME_CORO_STOP_END)
    r->blocked = value;
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

/* Walk all roots from ROOT on.  A list of roots ends at null, or where it
   began: at BASE, as lists with a sentinel do, or at its first root.  BASE is
   0 where that is the first root by itself.  */
static sframe_coro_stop
walk_all (walk *w, uint64_t base, uint64_t root)
{
  const sframe_coro_path *next = path_of (w, SFRAME_CORO_PATH_ROOT_NEXT);
  uint64_t first = root, mark = 0;
  sframe_coro_stop stop;
  bool mine;

  /* Without roots and TOP the root is the first node, or the end.  */
  if (w->chain->roots == SFRAME_CORO_ROOTS_NONE
      && !path_of (w, SFRAME_CORO_PATH_TOP)->given
      && core_is_end (w->chain, root))
    return SFRAME_CORO_STOP_NO_HEAD;
  for (size_t step = 0, again = 1; root != 0 && root != base; step++)
    {
      if (!core_is_pointer (w->chain, root))
	return SFRAME_CORO_STOP_BAD_POINTER;
      if (root == mark)
	return SFRAME_CORO_STOP_CYCLE;
      if (step == again)
	{
	  mark = root;
	  again *= 2;
	}
      if (!is_mine (w, root, &mine))
	return SFRAME_CORO_STOP_UNREADABLE;
      /* The mark finds cycles of others' roots; ours are given once.  */
      if (mine && is_known (w, root))
	return SFRAME_CORO_STOP_CYCLE;
      if (step == MAX_STEPS || (mine && w->num_roots == w->max_roots))
	return SFRAME_CORO_STOP_DEPTH_LIMIT;
      if (mine)
	{
	  w->roots[w->num_roots] = (sframe_coro_root){ .address = root };
	  walk_one (w, &w->roots[w->num_roots++]);
	}
      if (w->chain->roots == SFRAME_CORO_ROOTS_NONE)
	break;
      stop = follow (w, next, root, &root);
      if (stop != SFRAME_CORO_STOP_END)
	return stop;
      if (root == first)
	break;
    }
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

/* Whether PATH may end elsewhere than it begins.  */
static bool
leads_away (const sframe_coro_path *path)
{
  return path->given && (path->num_offs != 0 || path->adjust != 0);
}

/* Walk what HEAD gives.  */
static sframe_coro_stop
walk_head (walk *w, const sframe_coro_head *head, uint64_t *base)
{
  uint64_t root;
  int err = head_base (w, head, base);
  sframe_coro_stop stop = impl_stop_of_error (err);

  if (err == SFRAME_CORO_OK)
    stop = follow (w, &head->path, *base, &root);
  if (stop == SFRAME_CORO_STOP_END)
    stop = walk_all (w, leads_away (&head->path) ? *base : 0, root);
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
  value += (int64_t) row->off;
  if (!(row->flags & SFRAME_CORO_ROW_IN_REGISTER)
      && !core_load_word (impl_foreign (memory), swap, value, &value))
    return SFRAME_CORO_ERR_UNREADABLE;
  *head = value;
  return SFRAME_CORO_OK;
}
