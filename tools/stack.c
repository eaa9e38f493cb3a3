/* sframe-coro: `stack', the stacks of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "process.h"
#include "show.h"
#include "snapshot.h"
#include "tool.h"

#define DEFAULT_MAX_NODES 10000

typedef struct options
{
  pid_t pid;
  const char *core, *exe, *sysroot; /* NULL: none.  */
  snapshot_options snapshot;
  show_options show;
  bool native_only;
  bool json;
  bool verbose;
  struct timespec repeat; /* Between two snapshots; 0: only one is taken.  */
} options;

enum
{
  OPTION_JSON = 256,
  OPTION_MAX_NODES,
  OPTION_TASKS,
  OPTION_NATIVE_ONLY,
  OPTION_COROUTINES_ONLY,
  OPTION_LOGICAL,
  OPTION_NO_DEMANGLE,
  OPTION_ADDRESSES,
  OPTION_REPEAT,
  OPTION_COLOR,
  OPTION_VERBOSE,
  OPTION_DEBUGINFO_PATH,
  OPTION_CORE,
  OPTION_EXE,
  OPTION_SYSROOT
};

static const struct argp_option argp_options[] = {
  { NULL, 0, NULL, 0, "What to look at:", 1 },
  { "pid", 'p', "PID", 0, "show the threads of process PID", 0 },
  { "core", OPTION_CORE, "FILE", 0, "show what core file FILE holds", 0 },
  { "exe", OPTION_EXE, "FILE", 0,
    "the program of the core, if it is not where it was", 0 },
  { "sysroot", OPTION_SYSROOT, "DIR", 0,
    "look for the files of the core below directory DIR", 0 },
  { "tid", 't', "TID", 0, "show the thread TID only", 0 },
  { "tasks", OPTION_TASKS, NULL, 0,
    "also list the tasks of the whole process, suspended ones too, where a "
    "chain leads to them", 0 },
  { "repeat", OPTION_REPEAT, "SECONDS", 0,
    "look again every SECONDS, until the process ends", 0 },
  { "max-nodes", OPTION_MAX_NODES, "N", 0,
    "follow a list for N nodes at most (10000)", 0 },
  { "debuginfo-path", OPTION_DEBUGINFO_PATH, "PATH", 0,
    "look for separate debug information in these directories "
    "(.debug:/usr/lib/debug)", 0 },
  { NULL, 0, NULL, 0, "What to show:", 2 },
  { "native-only", OPTION_NATIVE_ONLY, NULL, 0,
    "show native frames only, as other programs do", 0 },
  { "coroutines-only", OPTION_COROUTINES_ONLY, NULL, 0,
    "show coroutines only", 0 },
  { "logical", OPTION_LOGICAL, NULL, 0,
    "leave out the frames between the call that resumed a coroutine and the "
    "coroutine below", 0 },
  { "max-frames", 'n', "N", 0, "show N frames of a stack at most", 0 },
  { "no-demangle", OPTION_NO_DEMANGLE, NULL, 0,
    "show names as they are in the files", 0 },
  { "addresses", OPTION_ADDRESSES, NULL, 0, "show addresses too", 0 },
  { "json", OPTION_JSON, NULL, 0, "print JSON", 0 },
  { "color", OPTION_COLOR, "WHEN", OPTION_ARG_OPTIONAL,
    "use colours: always, never, or auto, which is on terminals", 0 },
  { "verbose", OPTION_VERBOSE, NULL, 0,
    "tell how long the process was stopped", 0 },
  { 0 }
};

/* Seconds, which may have a fraction.  */
static struct timespec
parse_seconds (const char *arg, struct argp_state *state)
{
  struct timespec t;
  double seconds;
  char *end;

  errno = 0;
  seconds = strtod (arg, &end);
  if (errno != 0 || end == arg || *end != 0 || !(seconds > 0)
      || seconds > INT_MAX)
    argp_error (state, "`%s' is not a number of seconds", arg);
  t.tv_sec = (time_t) seconds;
  t.tv_nsec = (long) ((seconds - (double) t.tv_sec) * 1e9);
  return t;
}

static bool
is_color_terminal (void)
{
  const char *term = getenv ("TERM"), *no = getenv ("NO_COLOR");

  return (isatty (STDOUT_FILENO) && term != NULL && strcmp (term, "dumb") != 0
	  && (no == NULL || no[0] == 0));
}

static bool
parse_color (const char *arg, struct argp_state *state)
{
  if (arg == NULL || strcmp (arg, "auto") == 0)
    return is_color_terminal ();
  if (strcmp (arg, "never") == 0)
    return false;
  if (strcmp (arg, "always") != 0)
    argp_error (state, "`%s' is none of always, never and auto", arg);
  return true;
}

/* Options about what is shown.  */
static error_t
parse_show_option (int key, char *arg, struct argp_state *state)
{
  options *o = state->input;

  switch (key)
    {
    case OPTION_NATIVE_ONLY:
      o->native_only = true;
      return 0;
    case OPTION_COROUTINES_ONLY:
      o->show.coroutines_only = true;
      return 0;
    case OPTION_LOGICAL:
      o->show.logical = true;
      return 0;
    case OPTION_NO_DEMANGLE:
      o->show.mangled = true;
      return 0;
    case OPTION_ADDRESSES:
      o->show.addresses = true;
      return 0;
    case OPTION_COLOR:
      o->show.color = parse_color (arg, state);
      return 0;
    case OPTION_JSON:
      o->json = true;
      return 0;
    case OPTION_VERBOSE:
      o->verbose = true;
      return 0;
    case 'n':
      o->show.max_frames
	  = (size_t) tool_number (arg, state, "number of frames");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static void
check_options (options *o, struct argp_state *state)
{
  bool repeat = o->repeat.tv_sec != 0 || o->repeat.tv_nsec != 0;

  if (o->pid == 0 && o->core == NULL)
    argp_error (state, "which process? give --pid=PID, or --core=FILE");
  if (o->core != NULL && (o->pid != 0 || repeat))
    argp_error (state, "--core and %s exclude each other",
		o->pid != 0 ? "--pid" : "--repeat");
  if (o->core == NULL && (o->exe != NULL || o->sysroot != NULL))
    argp_error (state, "%s is for cores",
		o->exe != NULL ? "--exe" : "--sysroot");
  if (o->native_only && (o->show.coroutines_only || o->snapshot.tasks))
    argp_error (state, "--native-only and %s exclude each other",
		o->snapshot.tasks ? "--tasks" : "--coroutines-only");
  o->snapshot.lists = !o->native_only;
}

/* Options about what is looked at.  */
static error_t
parse_target_option (int key, char *arg, struct argp_state *state)
{
  options *o = state->input;

  switch (key)
    {
    case 'p':
      o->pid = tool_number (arg, state, "process ID");
      return 0;
    case 't':
      o->snapshot.tid = tool_number (arg, state, "thread ID");
      return 0;
    case OPTION_CORE:
      o->core = arg;
      return 0;
    case OPTION_EXE:
      o->exe = arg;
      return 0;
    case OPTION_SYSROOT:
      o->sysroot = arg;
      return 0;
    case OPTION_DEBUGINFO_PATH:
      o->snapshot.debuginfo_path = arg;
      return 0;
    default:
      return parse_show_option (key, arg, state);
    }
}

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  options *o = state->input;

  switch (key)
    {
    case OPTION_TASKS:
      o->snapshot.tasks = true;
      return 0;
    case OPTION_REPEAT:
      o->repeat = parse_seconds (arg, state);
      return 0;
    case OPTION_MAX_NODES:
      o->snapshot.max_nodes
	  = (size_t) tool_number (arg, state, "number of nodes");
      return 0;
    case ARGP_KEY_ARG:
      argp_error (state, "unexpected `%s'; the process is given with --pid",
		  arg);
      return 0;
    case ARGP_KEY_END:
      check_options (o, state);
      return 0;
    default:
      return parse_target_option (key, arg, state);
    }
}

static const struct argp stack_argp
    = { .options = argp_options,
	.parser = parse_option,
	.args_doc = "-p PID\n--core=FILE",
	.doc = "Show the stacks of the threads of a process, or of one that "
	       "dumped core, with the coroutines that await." };

/* Whether something of S is missing.  */
static bool
is_incomplete (const snapshot *s)
{
  bool missing = (s->modules.incomplete || s->modules.loading
		  || s->tasks.num_cuts != 0);

  for (size_t i = 0; i < s->num_threads; i++)
    {
      const trace_thread *t = &s->threads[i];
      missing |= !t->thread.stopped || t->native.cut || t->native.num == 0;
      for (size_t k = 0; k < t->num_lists; k++)
	missing |= sframe_coro_stop_is_cut (t->lists[k].stop);
    }
  for (size_t i = 0; i < s->tasks.num; i++)
    missing |= sframe_coro_stop_is_cut (s->tasks.list[i].list.stop);
  return missing;
}

/* Tell of lists that are there but were not asked for.  */
static void
note_tasks (const modules *m)
{
  for (size_t i = 0; i < sframe_coro_index_num_chains (m->index); i++)
    {
      const sframe_coro_chain *c
	  = &sframe_coro_index_chain_at (m->index, i)->chain;
      if (trace_has_process_scope (c))
	{
	  tool_error ("note: chain \"%s\" has tasks of the whole process; "
		      "--tasks lists them", c->name);
	  return;
	}
    }
}

static void
print_verbose (const snapshot *s)
{
  size_t nodes = 0;

  for (size_t i = 0; i < s->num_threads; i++)
    for (size_t k = 0; k < s->threads[i].num_lists; k++)
      nodes += s->threads[i].lists[k].num;
  tool_error ("%s was stopped for %" PRIu64 ".%03" PRIu64 " ms in %u stop%s; "
	      "%zu threads, %zu nodes", process_name (s->process),
	      s->stopped_us / 1000, s->stopped_us % 1000, s->num_stops,
	      s->num_stops == 1 ? "" : "s", s->num_threads, nodes);
}

static int
show (const snapshot *s, const options *o)
{
  bool incomplete = is_incomplete (s);
  json_object *all;

  if (o->json)
    {
      all = json_object_new_object ();
      json_add_number (all, "version", 1);
      json_add_number (all, "pid", process_pid (s->process));
      json_add_string (all, "core", o->core);
      show_json (all, s, &o->show);
      if (o->core == NULL)
	json_add_number (all, "stopped_us", (int64_t) s->stopped_us);
      json_add_bool (all, "complete", !incomplete);
      json_print (all);
    }
  else
    show_text (s, &o->show);
  if (o->verbose && o->core == NULL)
    print_verbose (s);
  if (s->modules.num_sections == 0 && !s->modules.incomplete
      && !o->native_only)
    tool_error ("note: no module of %s has a section %s",
		process_name (s->process), SFRAME_CORO_SECTION_NAME);
  return incomplete ? TOOL_INCOMPLETE : TOOL_OK;
}

/* Take and show snapshots; return the exit status.  */
static int
run (snapshot *s, const options *o)
{
  bool repeat = o->repeat.tv_sec != 0 || o->repeat.tv_nsec != 0;
  int status;

  if (!snapshot_take (s, &o->snapshot))
    return TOOL_FAILED;
  status = show (s, o);
  if (!o->snapshot.tasks && !o->json && !o->native_only)
    note_tasks (&s->modules);
  while (repeat && fflush (stdout) == 0)
    {
      nanosleep (&o->repeat, NULL);
      /* That it ends is what is waited for.  */
      if (process_is_gone (s->process))
	break;
      if (!o->json)
	putchar ('\n');
      if (!snapshot_take (s, &o->snapshot))
	return process_is_gone (s->process) ? status : TOOL_FAILED;
      status = show (s, o);
    }
  return status;
}

int
stack_main (int argc, char **argv)
{
  options o = { .snapshot.max_nodes = DEFAULT_MAX_NODES };
  snapshot s = { 0 };
  int status = TOOL_FAILED;

  o.show.color = is_color_terminal ();
  argp_parse (&stack_argp, argc, argv, 0, NULL, &o);
  s.process = (o.core != NULL ? process_open_core (o.core, o.exe, o.sysroot)
			      : process_open (o.pid));
  if (s.process != NULL)
    status = run (&s, &o);
  snapshot_free (&s);
  process_free (s.process);
  return status;
}
