/* sframe-coro: the tree of calls of a profile.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef CALLS_H
#define CALLS_H

#include "summary.h"

/* As kind of a frame: not one, but the name of threads.  */
#define CALLS_COMM (SUMMARY_AWAITING + 1)

/* A function that is executed or awaits.  */
typedef struct calls_frame
{
  uint32_t name, file; /* Strings.  */
  uint32_t module;     /* SUMMARY_NONE: none.  */
  uint32_t chain;      /* String; SUMMARY_NONE: none.  */
  uint32_t kind;       /* summary_kind, or CALLS_COMM.  */
} calls_frame;

/* FRAME as called, or awaited, by PARENT.  */
typedef struct calls_node
{
  uint32_t parent, frame;
} calls_node;

typedef struct calls
{
  summary *s;
  table frames; /* calls_frame.  */
  table nodes;  /* calls_node; 0 is the root.  A parent's number is less than
		   its children's.  */
  summary_count *self, *total; /* By number of node.  */
  size_t self_room, total_room;
} calls;

/* The calls of S, which has names; outermost are the names of threads.  */
extern void calls_make (calls *c, summary *s);
/* Only those of thread number THREAD, without its name.  */
extern void calls_make_thread (calls *c, summary *s, uint32_t thread);
extern void calls_free (calls *c);

extern const calls_frame *calls_frame_at (const calls *c, uint32_t n);
extern const calls_node *calls_node_at (const calls *c, uint32_t n);
/* The name of the frame of node N, which is not 0.  */
extern const char *calls_name (const calls *c, uint32_t n);

/* The nodes from below the root to N, N last: *PATH gets them, *ROOM is its
   size; return how many.  */
extern size_t calls_path (const calls *c, uint32_t n, uint32_t **path,
			  size_t *room);

/* The nodes but the root, sorted by parent, name and kind.  */
typedef struct calls_order
{
  uint32_t *list;
  uint32_t *first; /* For each node, and one more: where in LIST its children
		      begin.  */
} calls_order;

extern calls_order calls_sort (const calls *c);
extern void calls_order_free (calls_order *o);

#endif /* CALLS_H */
