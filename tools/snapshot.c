/* sframe-coro: what a process was doing at one moment.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   While the process is stopped, registers and stacks are copied and lists are
   walked, no more: modules are looked at before, with the process running, and
   unwinding and names come after.  Nothing that was true before is taken to be
   true at the stop without a look.  */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "snapshot.h"
#include "tool.h"

/* As often modules are looked at anew, with the process running, because they
   were not the same any more when it was stopped.  */
#define MAX_ATTEMPTS 3

static void
free_traces (snapshot *s)
{
  for (size_t i = 0; i < s->num_threads; i++)
    trace_free (&s->threads[i]);
  free (s->threads);
  trace_free_tasks (&s->tasks);
  s->threads = NULL;
  s->num_threads = 0;
  s->tasks = (trace_tasks){ 0 };
}

static void
free_modules (snapshot *s)
{
  functions_free (s->functions);
  if (s->has_modules)
    modules_free (&s->modules);
  s->functions = NULL;
  s->has_modules = false;
}

void
snapshot_free (snapshot *s)
{
  free_traces (s);
  free_modules (s);
}

static bool
read_modules (snapshot *s, const snapshot_options *o)
{
  free_modules (s);
  s->has_modules = true;
  return modules_read (&s->modules, s->process, o->debuginfo_path);
}

/* Stop the process, and make S know the modules it has then.  While they change
   it is tried again, at last with the process stopped.  */
static bool
stop (snapshot *s, const snapshot_options *o)
{
  for (int i = 1;; i++)
    {
      bool last = i == MAX_ATTEMPTS;

      process_forget (s->process);
      if (!s->has_modules && !read_modules (s, o))
	return false;
      if (!process_stop (s->process))
	return false;
      if (!process_code_changed (s->process))
	{
	  modules_refresh (&s->modules, s->process);
	  if (last || !s->modules.loading)
	    return true;
	}
      else if (last)
	return read_modules (s, o);
      else
	free_modules (s);
      process_release (s->process);
    }
}

/* Tell of the modules whose lists could not be looked for.  */
static void
note_loading (const modules *m)
{
  for (size_t i = 0; m->loading && i < m->num; i++)
    if (m->list[i].loading)
      tool_error ("%s: it is being loaded, and not all of it is mapped yet; its "
		  "lists are left out", m->list[i].path);
}

/* Collect what O asks for from the process, which is stopped, by C; unwind at
   once if NOW says so.  */
static bool
collect (snapshot *s, const snapshot_options *o, trace_collector *c, bool now)
{
  size_t num = process_num_threads (s->process);

  trace_collector_begin (c, &s->modules);
  s->threads = tool_calloc (num, sizeof *s->threads);
  for (size_t i = 0; i < num; i++)
    {
      const process_thread *t = process_thread_at (s->process, i);
      if (o->tid == 0 || o->tid == t->tid)
	trace_collect (&s->threads[s->num_threads++], t, c, now);
    }
  s->has_tasks = o->tasks;
  if (o->tasks)
    trace_collect_tasks (&s->tasks, c);
  if (process_is_gone (s->process))
    tool_error ("%s has ended meanwhile", process_name (s->process));
  else if (s->num_threads == 0)
    tool_error ("%s has no thread %d", process_name (s->process),
		(int) o->tid);
  else
    return true;
  return false;
}

/* Threads have their names, for which the process need not be stopped.  */
static void
name_threads (snapshot *s)
{
  for (size_t i = 0; i < s->num_threads; i++)
    {
      process_thread *t = &s->threads[i].thread;
      memcpy (t->comm, process_find_thread (s->process, t->tid)->comm,
	      sizeof t->comm);
    }
}

/* Stop, collect by C, and let go; see take.  */
static bool
take_stopped (snapshot *s, const snapshot_options *o, trace_collector *c,
	      bool now)
{
  bool good;

  if (!stop (s, o))
    return false;
  if (!now)
    process_keep_stacks (s->process);
  good = collect (s, o, c, now);
  process_release (s->process);
  return good;
}

/* Stop, collect, let go, and unwind.  What could not be kept of stacks for that
   needs *AGAIN, a stop for which NOW is set.  */
static bool
take (snapshot *s, const snapshot_options *o, bool now, bool *again)
{
  trace_collector c;
  bool good;

  *again = false;
  free_traces (s);
  trace_collector_init (&c, s->process, o->max_nodes);
  c.lists = o->lists;
  good = take_stopped (s, o, &c, now);
  trace_collector_free (&c);
  if (!good)
    return false;
  note_loading (&s->modules);
  name_threads (s);
  for (size_t i = 0; i < s->num_threads; i++)
    *again |= !trace_unwind (&s->threads[i], s->process, &s->modules);
  return true;
}

bool
snapshot_take (snapshot *s, const snapshot_options *o)
{
  uint64_t stopped_us = process_stopped_us (s->process);
  unsigned num_stops = process_num_stops (s->process);
  bool again = false;
  bool good = take (s, o, false, &again) && (!again || take (s, o, true, &again));

  process_release (s->process);
  s->stopped_us = process_stopped_us (s->process) - stopped_us;
  s->num_stops = process_num_stops (s->process) - num_stops;
  if (good && s->functions == NULL)
    s->functions = functions_new (&s->modules);
  for (size_t i = 0; good && i < s->num_threads; i++)
    trace_splice (&s->threads[i], &s->modules, s->functions);
  return good;
}
