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
  uint64_t blocked; /* The root that its last node says is blocked; or 0.  */
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
  bool site;	  /* It is at a resume site of a chain of the thread.  */
} trace_frame;

typedef struct trace_thread
{
  process_thread thread; /* A copy.  */

  bool unwound;
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

/* The list of a process, by a root of a chain with process scope: a task.  */
typedef struct trace_task
{
  uint64_t address; /* Of the root.  */
  trace_list list;
} trace_task;

typedef struct trace_tasks
{
  trace_task *list;
  size_t num;
  trace_list *cuts; /* Chains whose roots were not all found, without nodes.  */
  size_t num_cuts;
} trace_tasks;

/* What collecting takes: the process, which is stopped, and how much of it may
   be kept.  */
typedef struct trace_collector
{
  process *process;
  const modules *modules;
  size_t max_nodes;  /* Of a list.  */
  size_t max_tasks;  /* Of a chain.  */
  size_t nodes_left; /* Of all lists together.  */
  bool lists;	     /* Walk those of threads.  */
  bool registers;    /* Keep those of native frames.  */
  bool own_tids;     /* Threads are told by the numbers that they have in
			their own PID name space.  */
  sframe_coro_node *nodes; /* max_nodes of them.  */
  uint64_t *bases; /* Of the heads of the chains; 0: none.  */
} trace_collector;

/* Set C up, before the process is stopped; free it with trace_collector_free.  */
extern void trace_collector_init (trace_collector *c, process *p,
				  size_t max_nodes);

/* While the process is stopped, and has the modules M: begin.  */
extern void trace_collector_begin (trace_collector *c, const modules *m);
extern void trace_collector_free (trace_collector *c);

/* While the process is stopped: walk the lists of THREAD.  Its native frames
   are unwound if NOW says so, or if lists begin there.  */
extern void trace_collect (trace_thread *t, const process_thread *thread,
			   trace_collector *c, bool now);

/* While the process is stopped: walk the lists of the process.  */
extern void trace_collect_tasks (trace_tasks *tasks, trace_collector *c);
extern void trace_free_tasks (trace_tasks *tasks);

/* At any time after: unwind the native frames of T, unless that is done.
   Whether all memory that this takes was kept; if not, T has fewer frames than
   there were.  */
extern bool trace_unwind (trace_thread *t, process *p, const modules *m);

/* At any time after: look functions up, make entries for the inlined ones, and
   splice.  */
extern void trace_splice (trace_thread *t, const modules *m, functions *fs);

extern void trace_free (trace_thread *t);

/* The chain of list L.  */
extern const sframe_coro_chain *trace_chain (const modules *m,
					     const trace_list *l);

/* What the site of chain number CHAIN at return address PC says of where its
   lists begin, in *ROW; false if there is none.  */
extern bool trace_find_row (const modules *m, size_t chain, uint64_t pc,
			    sframe_coro_row *row);

/* Whether lists of C may begin in native frames.  */
extern bool trace_has_frame_head (const sframe_coro_chain *c);

/* Whether chain C has the lists of the process, not of a thread.  */
extern bool trace_has_process_scope (const sframe_coro_chain *c);

#endif /* TRACE_H */
