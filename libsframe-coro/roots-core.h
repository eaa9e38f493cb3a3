/* libsframe-coro: following a list of lists, for every reader alike.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   Freestanding, on top of walk-core.h.  */

#ifndef SFRAME_CORO_ROOTS_CORE_H
#define SFRAME_CORO_ROOTS_CORE_H

#include "walk-core.h"

/* Evaluate PATH, if there is one, from BASE to a pointer: END, or that it
   cannot be read.  */
CORE sframe_coro_stop
core_follow (const sframe_coro_memory *memory, const sframe_coro_chain *c,
	     const sframe_coro_path *path, uint64_t base, uint64_t *value)
{
  *value = base;
  if (path->given && !core_path (memory, c->swap, path, value))
    return SFRAME_CORO_STOP_UNREADABLE;
  *value = core_clear_tags (c, *value);
  return SFRAME_CORO_STOP_END;
}

/* Whether PATH may end elsewhere than it begins.  */
CORE bool
core_leads_away (const sframe_coro_path *path)
{
  return path->given && (path->num_offs != 0 || path->adjust != 0);
}

/* Roots that are being followed.  */
typedef struct core_roots
{
  uint64_t root;  /* What comes next; not looked at yet.  */
  uint64_t base;  /* The list ends here as well; or 0.  */
  uint64_t first; /* And here, once it has begun.  */
  uint64_t mark;  /* Brent, as for nodes.  */
  uint32_t step, again;
} core_roots;

/* Begin R at ROOT.  A list of roots ends at null, or where it began: at BASE,
   as lists with a sentinel do, or at its first root.  BASE is 0 where that is
   the first root by itself.  CORE_MORE, or why there is no root.  */
CORE sframe_coro_stop
core_roots_begin (const sframe_coro_chain *c, uint64_t base, uint64_t root,
		  core_roots *r)
{
  *r = (core_roots){ .root = root, .base = base, .first = root, .again = 1 };
  /* Without roots and TOP the root is the first node, or the end.  */
  if (c->roots == SFRAME_CORO_ROOTS_NONE
      && !c->path[SFRAME_CORO_PATH_TOP].given && core_is_end (c, root))
    return SFRAME_CORO_STOP_NO_HEAD;
  return CORE_MORE;
}

/* Whether ROOT is THREAD's, in *MINE.  Thread IDs are compared as the kernel
   has them, with 32 bits.  */
CORE bool
core_root_is_mine (const sframe_coro_memory *memory,
		   const sframe_coro_chain *c,
		   const sframe_coro_thread *thread, uint64_t root, bool *mine)
{
  uint64_t key = root;

  *mine = true;
  if (c->roots < SFRAME_CORO_ROOTS_BY_TID)
    return true;
  if (!core_path (memory, c->swap, &c->path[SFRAME_CORO_PATH_ROOT_KEY], &key))
    return false;
  *mine = (c->roots == SFRAME_CORO_ROOTS_BY_TID
	       ? (uint32_t) key == (uint32_t) thread->tid
	       : key == thread->tp);
  return true;
}

/* Whether there can be a root at R's place, and in *MINE whether it is
   THREAD's: CORE_MORE if so, END if the list is over.  */
CORE sframe_coro_stop
core_roots_check (const sframe_coro_memory *memory, const sframe_coro_chain *c,
		  const sframe_coro_thread *thread, core_roots *r, bool *mine)
{
  if (r->root == 0 || r->root == r->base)
    return SFRAME_CORO_STOP_END;
  if (!core_is_pointer (c, r->root))
    return SFRAME_CORO_STOP_BAD_POINTER;
  if (r->root == r->mark)
    return SFRAME_CORO_STOP_CYCLE;
  if (r->step == r->again)
    {
      r->mark = r->root;
      r->again *= 2;
    }
  return (core_root_is_mine (memory, c, thread, r->root, mine)
	      ? CORE_MORE
	      : SFRAME_CORO_STOP_UNREADABLE);
}

/* Go on to the root behind the one at R's place: CORE_MORE, END if there is
   none, or why it cannot be had.  */
CORE sframe_coro_stop
core_roots_next (const sframe_coro_memory *memory, const sframe_coro_chain *c,
		 core_roots *r)
{
  r->step++;
  if (c->roots == SFRAME_CORO_ROOTS_NONE)
    return SFRAME_CORO_STOP_END;
  if (core_follow (memory, c, &c->path[SFRAME_CORO_PATH_ROOT_NEXT], r->root,
		   &r->root)
      != SFRAME_CORO_STOP_END)
    return SFRAME_CORO_STOP_UNREADABLE;
  return r->root == r->first ? SFRAME_CORO_STOP_END : CORE_MORE;
}

/* Fill in which native frame R, whose address is set, belongs to, and give its
   first node: END, or that it cannot be read.  */
CORE sframe_coro_stop
core_root_open (const sframe_coro_memory *memory, const sframe_coro_chain *c,
		sframe_coro_root *r, uint64_t *first)
{
  uint64_t value;

  if ((c->flags & SFRAME_CORO_CHAIN_ROOT_FRAME)
      && core_load_word (memory, c->swap,
			 r->address + (int64_t) c->root_frame_off, &value))
    r->frame = value;
  return core_follow (memory, c, &c->path[SFRAME_CORO_PATH_TOP], r->address,
		      first);
}

/* The head that ROW of a site gives, whose base has VALUE in the frame at hand;
   false if it cannot be read.  */
CORE bool
core_row_head (const sframe_coro_memory *memory, bool swap,
	       const sframe_coro_row *row, uint64_t value, uint64_t *head)
{
  *head = value + (int64_t) row->off;
  return ((row->flags & SFRAME_CORO_ROW_IN_REGISTER)
	  || core_load_word (memory, swap, *head, head));
}

/* Fill in which root R's last node, LAST, says is blocked.  */
CORE void
core_root_blocked (const sframe_coro_memory *memory, const sframe_coro_chain *c,
		   uint64_t last, sframe_coro_root *r)
{
  const sframe_coro_path *path = &c->path[SFRAME_CORO_PATH_BLOCKED];
  uint64_t value;

  if (path->given
      && core_follow (memory, c, path, last, &value) == SFRAME_CORO_STOP_END)
    r->blocked = value;
}

#endif /* SFRAME_CORO_ROOTS_CORE_H */
