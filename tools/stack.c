/* sframe-coro: `stack', the stacks of a live process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "functions.h"
#include "json.h"
#include "modules.h"
#include "process.h"
#include "show.h"
#include "tool.h"
#include "trace.h"

#define DEFAULT_MAX_NODES 10000

typedef struct options
{
  long pid, tid;
  size_t max_nodes;
  bool json;
} options;

enum
{
  OPTION_JSON = 256,
  OPTION_MAX_NODES
};

static const struct argp_option argp_options[]
    = { { "pid", 'p', "PID", 0, "show the threads of process PID", 0 },
	{ "tid", 't', "TID", 0, "show the thread TID only", 0 },
	{ "max-nodes", OPTION_MAX_NODES, "N", 0,
	  "follow a list for N nodes at most (10000)", 0 },
	{ "json", OPTION_JSON, NULL, 0, "print JSON", 0 },
	{ 0 } };

static long
parse_number (const char *arg, struct argp_state *state, const char *what)
{
  char *end;
  long n;

  errno = 0;
  n = strtol (arg, &end, 10);
  if (errno != 0 || end == arg || *end != 0 || n <= 0 || n > INT_MAX)
    argp_error (state, "`%s' is not a %s", arg, what);
  return n;
}

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  options *o = state->input;

  switch (key)
    {
    case 'p':
      o->pid = parse_number (arg, state, "process ID");
      return 0;
    case 't':
      o->tid = parse_number (arg, state, "thread ID");
      return 0;
    case OPTION_MAX_NODES:
      o->max_nodes = (size_t) parse_number (arg, state, "number of nodes");
      return 0;
    case OPTION_JSON:
      o->json = true;
      return 0;
    case ARGP_KEY_ARG:
      argp_error (state, "unexpected `%s'; the process is given with --pid",
		  arg);
      return 0;
    case ARGP_KEY_END:
      if (o->pid == 0)
	argp_error (state, "which process? give --pid=PID");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp stack_argp
    = { .options = argp_options,
	.parser = parse_option,
	.args_doc = "-p PID",
	.doc = "Show the stacks of the threads of a process, with the "
	       "coroutines that await." };

/* The stacks of all threads that were asked for.  */
typedef struct stacks
{
  trace_thread *list;
  size_t num;
} stacks;

/* Collect what OPTIONS ask for from P, which is stopped.  */
static bool
collect (stacks *s, process *p, const modules *m, const options *o)
{
  size_t num = process_num_threads (p);

  s->list = tool_calloc (num, sizeof *s->list);
  for (size_t i = 0; i < num; i++)
    {
      const process_thread *t = process_thread_at (p, i);
      if (o->tid == 0 || o->tid == t->tid)
	trace_collect (&s->list[s->num++], t, p, m, o->max_nodes);
    }
  if (process_is_gone (p))
    tool_error ("process %d has ended meanwhile", process_pid (p));
  else if (s->num == 0)
    tool_error ("process %d has no thread %ld", process_pid (p), o->tid);
  else
    return true;
  return false;
}

/* Tell of chains that are not followed; whether there are any.  */
static bool
note_unsupported (const modules *m)
{
  bool found = false;

  for (size_t i = 0; i < sframe_coro_index_num_chains (m->index); i++)
    {
      const sframe_coro_chain *c
	  = &sframe_coro_index_chain_at (m->index, i)->chain;
      if (trace_supports (c))
	continue;
      tool_error ("chain \"%s\" has the tasks of the whole process; this "
		  "version does not list them", c->name);
      found = true;
    }
  return found;
}

static bool
is_incomplete (const trace_thread *t)
{
  for (size_t i = 0; i < t->num_lists; i++)
    if (sframe_coro_stop_is_cut (t->lists[i].stop))
      return true;
  return !t->thread->stopped || t->native.cut || t->native.num == 0;
}

static int
show (const stacks *s, const process *p, const modules *m, functions *fs,
      const options *o)
{
  bool incomplete = m->incomplete | note_unsupported (m);
  json_object *all = json_object_new_object (), *threads;

  json_add_number (all, "version", 1);
  json_add_number (all, "pid", process_pid (p));
  threads = json_add_array (all, "threads");
  for (size_t i = 0; i < s->num; i++)
    {
      trace_splice (&s->list[i], m, fs);
      incomplete |= is_incomplete (&s->list[i]);
      if (o->json)
	json_object_array_add (threads, show_json (&s->list[i], m, fs));
      else
	show_text (&s->list[i], m, fs);
    }
  json_add_bool (all, "complete", !incomplete);
  if (o->json)
    json_print (all);
  else
    json_object_put (all);
  if (m->num_sections == 0 && !m->incomplete)
    tool_error ("note: no module of process %d has a section %s",
		process_pid (p), SFRAME_CORO_SECTION_NAME);
  return incomplete ? TOOL_INCOMPLETE : TOOL_OK;
}

int
stack_main (int argc, char **argv)
{
  options o = { .max_nodes = DEFAULT_MAX_NODES };
  stacks s = { 0 };
  modules m = { 0 };
  int status = TOOL_FAILED;
  process *p;

  argp_parse (&stack_argp, argc, argv, 0, NULL, &o);
  p = process_stop ((pid_t) o.pid);
  if (p == NULL)
    return TOOL_FAILED;
  if (modules_read (&m, p) && collect (&s, p, &m, &o))
    {
      functions *fs = functions_new (&m);
      /* Names and lines take long; the process need not wait for them.  */
      process_release (p);
      status = show (&s, p, &m, fs, &o);
      functions_free (fs);
    }
  for (size_t i = 0; i < s.num; i++)
    trace_free (&s.list[i]);
  free (s.list);
  process_release (p);
  modules_free (&m);
  process_free (p);
  return status;
}
