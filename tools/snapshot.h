/* sframe-coro: what a process was doing at one moment.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "functions.h"
#include "modules.h"
#include "process.h"
#include "trace.h"

typedef struct snapshot_options
{
  pid_t tid;		      /* 0: all threads.  */
  size_t max_nodes;	      /* Of a list.  */
  bool lists;		      /* Walk lists of threads.  */
  bool tasks;		      /* Walk lists of the process.  */
  const char *debuginfo_path; /* As for modules_read.  */
} snapshot_options;

typedef struct snapshot
{
  process *process;
  modules modules;
  bool has_modules;
  functions *functions; /* Of them; NULL: not looked at yet.  */
  trace_thread *threads;
  size_t num_threads;
  bool has_tasks; /* The next is meant.  */
  trace_tasks tasks;
  uint64_t stopped_us; /* For this snapshot.  */
  unsigned num_stops;
} snapshot;

/* Take a snapshot of S->process, in place of the one before, if any.  To begin,
   fill *S with zeros but for the process.  The process is stopped as short as
   can be, and runs again afterwards.  False after a message.  */
extern bool snapshot_take (snapshot *s, const snapshot_options *o);
extern void snapshot_free (snapshot *s);

#endif /* SNAPSHOT_H */
