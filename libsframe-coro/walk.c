/* libsframe-coro: walking lists of nodes.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include "impl.h"

#include "load.h"
#include "walk-core.h"

/* Compiled twice: without a call for each word where the lists are ours.  */
sframe_coro_stop
impl_walk_list (const sframe_coro_chain *c, const sframe_coro_memory *memory,
		const sframe_coro_bodies *bodies, uint64_t first,
		sframe_coro_node *nodes, size_t max, size_t *num)
{
  if (impl_foreign (memory) != NULL)
    return core_walk_list (memory, c, bodies, first, nodes, max, num);
  if (bodies != NULL)
    return core_walk_list (NULL, c, bodies, first, nodes, max, num);
  return core_walk_list (NULL, c, NULL, first, nodes, max, num);
}

sframe_coro_stop
sframe_coro_walk_list (const sframe_coro_chain *c,
		       const sframe_coro_memory *memory, uint64_t first,
		       sframe_coro_node *nodes, size_t max, size_t *num)
{
  return impl_walk_list (c, memory, NULL, first, nodes, max, num);
}

/* Evaluate PATH from BASE to a root or node.  */
static sframe_coro_stop
start_path (const sframe_coro_chain *c, const sframe_coro_memory *memory,
	    const sframe_coro_path *path, uint64_t base, uint64_t *value)
{
  memory = impl_foreign (memory);
  *value = base;
  if (path->given && !core_path (memory, c->swap, path, value))
    return SFRAME_CORO_STOP_UNREADABLE;
  *value = core_clear_tags (c, *value);
  if (core_is_end (c, *value))
    return SFRAME_CORO_STOP_NO_HEAD;
  if (!core_is_pointer (c, *value))
    return SFRAME_CORO_STOP_BAD_POINTER;
  return SFRAME_CORO_STOP_END;
}

sframe_coro_stop
sframe_coro_walk_start (const sframe_coro_chain *c,
			const sframe_coro_head *head,
			const sframe_coro_memory *memory, uint64_t base,
			uint64_t *root, uint64_t *first)
{
  const sframe_coro_path *top = &c->path[SFRAME_CORO_PATH_TOP];
  uint64_t r = 0;
  sframe_coro_stop stop = start_path (c, memory, &head->path, base, &r);

  *first = r;
  if (root != NULL)
    *root = r;
  if (stop == SFRAME_CORO_STOP_END && top->given)
    stop = start_path (c, memory, top, r, first);
  return stop;
}

sframe_coro_stop
impl_stop_of_error (int err)
{
  if (err == SFRAME_CORO_ERR_NO_TLS)
    return SFRAME_CORO_STOP_NO_HEAD;
  return (err == SFRAME_CORO_ERR_UNREADABLE ? SFRAME_CORO_STOP_UNREADABLE
					    : SFRAME_CORO_STOP_UNRESOLVED);
}

sframe_coro_stop
sframe_coro_walk (const sframe_coro_chain *c, const sframe_coro_memory *memory,
		  const sframe_coro_thread *thread,
		  const sframe_coro_tls_block *block, sframe_coro_node *nodes,
		  size_t max, size_t *num, uint64_t *used)
{
  sframe_coro_stop stop = SFRAME_CORO_STOP_NO_HEAD;
  uint64_t base, first;

  *num = 0;
  if (used != NULL)
    *used = 0;
  for (unsigned i = 0; i < c->num_heads; i++)
    {
      const sframe_coro_head *head = &c->head[i];
      int err = sframe_coro_head_base (c, head, memory, thread, block, &base);
      sframe_coro_stop s = impl_stop_of_error (err);

      if (err == SFRAME_CORO_OK)
	{
	  if (used != NULL)
	    *used = base;
	  s = sframe_coro_walk_start (c, head, memory, base, NULL, &first);
	  if (s == SFRAME_CORO_STOP_END)
	    return sframe_coro_walk_list (c, memory, first, nodes, max, num);
	}
      /* A head that failed is worth more mention than one without a list.  */
      if (s != SFRAME_CORO_STOP_NO_HEAD)
	stop = s;
    }
  return stop;
}

static bool
path_equal (const sframe_coro_path *a, const sframe_coro_path *b)
{
  if (a->given != b->given || a->num_offs != b->num_offs
      || a->adjust != b->adjust)
    return false;
  for (unsigned i = 0; i < a->num_offs; i++)
    if (a->off[i] != b->off[i])
      return false;
  return true;
}

static bool
test_equal (const sframe_coro_test *a, const sframe_coro_test *b)
{
  return (a->kind == b->kind && a->width == b->width
	  && a->actions == b->actions && a->off == b->off && a->mask == b->mask
	  && a->value == b->value);
}

bool
sframe_coro_chain_equal (const sframe_coro_chain *a,
			 const sframe_coro_chain *b)
{
  if (a->flags != b->flags || a->abi_arch != b->abi_arch
      || a->num_tests != b->num_tests || a->ip_kind != b->ip_kind
      || a->end_kind != b->end_kind || a->roots != b->roots
      || a->ptr_align_log2 != b->ptr_align_log2 || a->language != b->language
      || a->root_frame_off != b->root_frame_off
      || (a->end_kind >= SFRAME_CORO_END_VALUE
	  && a->end_value != b->end_value))
    return false;
  for (unsigned i = 0; i < a->num_tests; i++)
    if (!test_equal (&a->test[i], &b->test[i]))
      return false;
  for (unsigned i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    if (!path_equal (&a->path[i], &b->path[i]))
      return false;
  return true;
}
