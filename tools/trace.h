/* sframe-coro: the stacks of the threads of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "functions.h"
#include "modules.h"
#include "process.h"
#include "sframe-coro-api.h"
#include "unwind.h"

/* A list that was walked.  */
typedef struct trace_list
{
  size_t chain; /* Its index in the index of the modules.  */
  size_t group; /* The first chain that is one with it in this thread.  */
  uint64_t frame; /* An address in the native frame it belongs to; or 0.  */
  sframe_coro_node *nodes;
  size_t num;
  sframe_coro_stop stop;
} trace_list;

/* What belongs to a native frame.  */
typedef struct trace_frame
{
  function function; /* The one whose frame this is.  */
  const char *name;  /* Of that, or of one that is inlined into it; or NULL.  */
  const char *file;  /* NULL: the line is not known.  */
  int line;
  bool inlined;
  bool innermost; /* Of those that share a frame.  */
} trace_frame;

typedef struct trace_thread
{
  const process_thread *thread;

  unwind_result native;	       /* As unwound.  */
  sframe_coro_native *natives; /* With inlined functions.  */
  trace_frame *frames;	       /* As many.  */
  size_t num_natives;

  trace_list *lists;
  size_t num_lists;
  size_t *group; /* For each chain of the index.  */

  sframe_coro_spliced *entries;
  size_t num_entries;
} trace_thread;

/* While the process is stopped: unwind THREAD and walk its lists, at most
   MAX_NODES nodes of each.  */
extern void trace_collect (trace_thread *t, const process_thread *thread,
			   process *p, const modules *m, size_t max_nodes);

/* At any time after: look functions up, make entries for the inlined ones, and
   splice.  */
extern void trace_splice (trace_thread *t, const modules *m, functions *fs);

extern void trace_free (trace_thread *t);

/* The chain of list L.  */
extern const sframe_coro_chain *trace_chain (const modules *m,
					     const trace_list *l);

/* Whether chain C is one that this program follows in threads.  */
extern bool trace_supports (const sframe_coro_chain *c);

#endif /* TRACE_H */
