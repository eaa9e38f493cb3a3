/* sframe-coro: printing the stacks of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "show.h"
#include "symbol.h"
#include "tool.h"

/* Wider columns do not move what is to the right of them.  */
#define MAX_COLUMN 44

/* What there is to say about one entry of the spliced stack.  */
typedef struct entry
{
  const sframe_coro_native *native; /* NULL: a node only.  */
  const sframe_coro_node *node;	    /* NULL: a native frame only.  */
  const sframe_coro_chain *chain;   /* Of node.  */
  uint32_t flags;		    /* SFRAME_CORO_SPLICED_*.  */
  function function;
  const char *symbol; /* NULL: not known.  */
  const char *file;   /* NULL: the line is not known.  */
  int line;
  bool is_inlined;
  bool is_site;
  bool is_task; /* Of a list of the process.  */
  bool is_signal; /* Nobody's function: where a handler returns to.  */
} entry;

/* Set the line of E to that of the instruction at ADDRESS of F, if there is
   one.  */
static void
set_line (entry *e, functions *fs, const function *f, uint64_t address)
{
  size_t num;
  const level *levels = functions_levels (fs, f, address, &num);

  if (levels->file == NULL)
    return;
  e->file = levels->file;
  e->line = levels->line;
}

/* Set what E->node executes.  */
static void
locate_node (entry *e, functions *fs)
{
  bool is_code = (e->chain->ip_kind != SFRAME_CORO_IP_NONE
		  && e->chain->ip_kind != SFRAME_CORO_IP_COOKIE
		  && e->node->ip != 0);
  uint64_t address
      = (e->node->ip
	 - (e->chain->ip_kind == SFRAME_CORO_IP_RETURN_ADDRESS));

  if (!is_code)
    return;
  e->function = functions_find (fs, address);
  e->symbol = e->function.symbol;
  /* Where in its function a coroutine awaits is told by its suspend point, not
     by the entry of the function.  */
  if (e->node->resume_pc != 0)
    address = e->node->resume_pc;
  else if (e->chain->ip_kind == SFRAME_CORO_IP_FUNCTION_ENTRY)
    return;
  set_line (e, fs, &e->function, address);
}

static void
locate_native (entry *e, const trace_frame *frame)
{
  e->function = frame->function;
  e->symbol = frame->name;
  e->file = frame->file;
  e->line = frame->line;
  e->is_inlined = frame->inlined;
  e->is_site = frame->site;
  e->is_signal
      = functions_is_trampoline (&frame->function, e->native->pc);
}

/* E is native and a node that awaits: without optimisation g++ gives the line
   of the function to what calls the next coroutine.  A suspend point is
   better.  */
static void
locate_point (entry *e, functions *fs)
{
  function f;

  if (e->node->resume_pc == 0 || (e->flags & SFRAME_CORO_SPLICED_RUNNING))
    return;
  f = functions_find (fs, e->node->resume_pc);
  set_line (e, fs, &f, e->node->resume_pc);
}

static entry
make_entry (const snapshot *s, const trace_thread *t, size_t i)
{
  const sframe_coro_spliced *spliced = &t->entries[i];
  entry e = { .flags = spliced->flags };

  if (spliced->list != SFRAME_CORO_NO_INDEX)
    {
      const trace_list *l = &t->lists[spliced->list];
      e.node = &l->nodes[spliced->node];
      e.chain = trace_chain (&s->modules, l);
    }
  if (spliced->native == SFRAME_CORO_NO_INDEX)
    locate_node (&e, s->functions);
  else
    {
      e.native = &t->natives[spliced->native];
      locate_native (&e, &t->frames[spliced->native]);
      if (e.node != NULL)
	locate_point (&e, s->functions);
    }
  return e;
}

/* Node number I of a list of the process.  */
static entry
make_task_entry (const snapshot *s, const trace_list *l, size_t i)
{
  entry e = { .node = &l->nodes[i], .is_task = true };

  e.chain = trace_chain (&s->modules, l);
  locate_node (&e, s->functions);
  return e;
}

/* The entries of a stack that are shown.  */
typedef struct selection
{
  size_t *list; /* Their numbers.  */
  size_t num;
  size_t left_out; /* How many more there are than are wanted.  */
} selection;

static bool
is_node (const trace_thread *t, size_t i)
{
  return t->entries[i].list != SFRAME_CORO_NO_INDEX;
}

/* The first entry of T from number I on that is a node; else how many there
   are.  */
static size_t
next_node (const trace_thread *t, size_t i)
{
  while (i < t->num_entries && !is_node (t, i))
    i++;
  return i;
}

/* Whether entry I of T is a native frame, and no node, at a resume site.  */
static bool
is_plain_site (const trace_thread *t, size_t i)
{
  return !is_node (t, i) && t->frames[t->entries[i].native].site;
}

static selection
select_entries (const trace_thread *t, const show_options *o)
{
  selection s = { .list = tool_calloc (t->num_entries, sizeof *s.list) };
  size_t below;

  for (size_t i = 0; i < t->num_entries; i++)
    {
      if (o->logical && is_plain_site (t, i)
	  && (below = next_node (t, i)) < t->num_entries)
	i = below;
      if (o->coroutines_only && !is_node (t, i))
	continue;
      if (o->max_frames != 0 && s.num == o->max_frames)
	s.left_out++;
      else
	s.list[s.num++] = i;
    }
  return s;
}

/* A thread and a native frame of it.  */
typedef struct location
{
  const trace_thread *thread;
  size_t native;
} location;

/* Find the native frame that ADDRESS is in the stack of.  */
static bool
find_frame (const snapshot *s, uint64_t address, location *l)
{
  for (size_t i = 0; i < s->num_threads; i++)
    {
      const trace_thread *t = &s->threads[i];
      if (!t->thread.has_registers || address < process_sp (&t->thread))
	continue;
      for (size_t k = 0; k < t->num_natives; k++)
	if ((t->natives[k].flags & SFRAME_CORO_NATIVE_CFA)
	    && address < t->natives[k].cfa)
	  {
	    *l = (location){ t, k };
	    return true;
	  }
    }
  return false;
}

/* The number of the entry that has native frame NATIVE of T.  */
static size_t
entry_of_native (const trace_thread *t, size_t native)
{
  for (size_t i = 0; i < t->num_entries; i++)
    if (t->entries[i].native == native)
      return i;
  return 0;
}

static char *
entry_name (const entry *e, const show_options *o)
{
  if (e->is_signal)
    return tool_strdup ("<signal handler called>");
  if (e->symbol != NULL)
    return (o->mangled ? tool_strdup (e->symbol)
		       : symbol_display (e->symbol));
  if (e->native != NULL)
    return tool_printf ("0x%016" PRIx64, e->native->pc);
  return (e->node->ip != 0 ? tool_printf ("0x%016" PRIx64, e->node->ip)
			   : tool_strdup ("(no code address)"));
}

static const char *
state_name (const entry *e)
{
  if (e->is_task)
    return "task";
  return e->flags & SFRAME_CORO_SPLICED_RUNNING ? "running" : "awaiting";
}

static char *
chain_name (const sframe_coro_chain *c)
{
  return (c->name[0] != 0 ? tool_strdup (c->name)
			  : tool_printf ("chain@0x%" PRIx64, c->address));
}

/* Text.  */

/* Colours, as ECMA-48 has them.  */
#define PLAIN "\033[0m"
#define BOLD "\033[1m"
#define RED "\033[31m"
#define GREEN "\033[32m"
#define CYAN "\033[36m"

static void
print_in (const show_options *o, const char *color, const char *text)
{
  if (o->color && color != NULL)
    printf ("%s%s" PLAIN, color, text);
  else
    fputs (text, stdout);
}

typedef struct row
{
  size_t number;
  uint64_t address;
  char *name, *place, *remark;
  const char *color; /* NULL: none.  */
} row;

/* The second column: where the entry is in the source, else in which
   module.  */
static char *
place (const entry *e)
{
  const char *state = e->is_task ? "" : state_name (e);
  const module *mod = e->function.module;

  if (e->native == NULL && e->file == NULL)
    return tool_strdup (state);
  if (e->file != NULL)
    return tool_printf ("%s%sat %s:%d", e->native == NULL ? state : "",
			e->native == NULL && !e->is_task ? " " : "",
			tool_basename (e->file), e->line);
  return (mod != NULL ? tool_printf ("in %s", tool_basename (mod->path))
		      : tool_strdup ("in no known module"));
}

/* The third column: which node the entry is.  */
static char *
remark (const entry *e)
{
  char *chain, *s;

  if (e->node == NULL)
    return tool_strdup ("");
  if (e->native != NULL && (e->flags & SFRAME_CORO_SPLICED_RUNNING))
    return tool_strdup ("coroutine, running");
  chain = chain_name (e->chain);
  s = tool_printf ("%s[%s:%" PRIu32 "]%s",
		   e->native != NULL ? "coroutine, awaiting " : "", chain,
		   e->node->index,
		   e->flags & SFRAME_CORO_SPLICED_NO_SITE
		       ? ", no resume site in this stack"
		       : "");
  free (chain);
  return s;
}

static row
make_row (const entry *e, size_t number, const show_options *o)
{
  row r = { .number = number,
	    .name = entry_name (e, o),
	    .place = place (e),
	    .remark = remark (e) };

  tool_make_printable (r.name);
  tool_make_printable (r.place);
  tool_make_printable (r.remark);
  if (e->native != NULL)
    r.address = e->native->pc;
  else
    r.address = e->node->resume_pc != 0 ? e->node->resume_pc : e->node->ip;
  if (e->node != NULL)
    r.color = e->flags & SFRAME_CORO_SPLICED_RUNNING ? GREEN : CYAN;
  return r;
}

static int
width (size_t len, int so_far)
{
  return len > MAX_COLUMN || (int) len < so_far ? so_far : (int) len;
}

static int
num_digits (size_t n)
{
  int digits = 1;
  while (n >= 10)
    {
      n /= 10;
      digits++;
    }
  return digits;
}

static void
print_name (const row *r, int column, const show_options *o)
{
  int len = (int) strlen (r->name);

  print_in (o, r->color, r->name);
  printf ("%*s  ", len < column ? column - len : 0, "");
}

static void
print_rows (const row *rows, size_t num, const show_options *o)
{
  int digits = num_digits (num ? rows[num - 1].number : 0);
  int names = 0, places = 0;

  for (size_t i = 0; i < num; i++)
    {
      names = width (strlen (rows[i].name), names);
      if (rows[i].remark[0] != 0)
	places = width (strlen (rows[i].place), places);
    }
  for (size_t i = 0; i < num; i++)
    {
      printf ("  #%-*zu ", digits, rows[i].number);
      if (o->addresses)
	printf ("0x%016" PRIx64 " ", rows[i].address);
      print_name (&rows[i], names, o);
      if (rows[i].remark[0] != 0)
	printf ("%-*s  %s\n", places, rows[i].place, rows[i].remark);
      else
	printf ("%s\n", rows[i].place);
    }
}

/* Print the NUM ROWS, and free what they hold.  */
static void
finish_rows (row *rows, size_t num, size_t left_out, const show_options *o)
{
  print_rows (rows, num, o);
  if (left_out != 0)
    printf ("  (%zu more)\n", left_out);
  for (size_t i = 0; i < num; i++)
    {
      free (rows[i].name);
      free (rows[i].place);
      free (rows[i].remark);
    }
  free (rows);
}

/* Say that list L was not followed to its end.  */
static void
print_cut (const snapshot *s, const trace_list *l, const show_options *o)
{
  char *name = chain_name (trace_chain (&s->modules, l));
  char *text = tool_printf ("  (%s cut after %zu node%s: %s)\n", name, l->num,
			    l->num == 1 ? "" : "s",
			    sframe_coro_stop_text (l->stop));
  print_in (o, RED, text);
  free (text);
  free (name);
}

/* Say who waits for list L, if that is known.  */
static void
print_blocked (const snapshot *s, const trace_list *l)
{
  char *name;
  location where;

  if (l->blocked == 0 || !find_frame (s, l->blocked, &where))
    return;
  name = chain_name (trace_chain (&s->modules, l));
  printf ("  (%s is waited for at #%zu of thread %d)\n", name,
	  entry_of_native (where.thread, where.native),
	  where.thread->thread.tid);
  free (name);
}

static void
print_ends (const snapshot *s, const trace_thread *t, const show_options *o)
{
  if (t->native.cut)
    puts ("  (more native frames than are shown)");
  if (t->native.error != NULL)
    printf ("  (native unwinding ended here: %s)\n", t->native.error);
  for (size_t i = 0; i < t->num_lists; i++)
    {
      if (sframe_coro_stop_is_cut (t->lists[i].stop))
	print_cut (s, &t->lists[i], o);
      print_blocked (s, &t->lists[i]);
    }
}

static void
print_thread (const snapshot *s, const trace_thread *t, const show_options *o)
{
  selection entries = select_entries (t, o);
  row *rows = tool_calloc (entries.num, sizeof *rows);
  char *title = tool_printf ("thread %d \"%s\":", t->thread.tid,
			     t->thread.comm);

  print_in (o, BOLD, title);
  putchar ('\n');
  if (!t->thread.stopped)
    puts ("  (could not be stopped)");
  for (size_t i = 0; i < entries.num; i++)
    {
      entry e = make_entry (s, t, entries.list[i]);
      rows[i] = make_row (&e, entries.list[i], o);
    }
  finish_rows (rows, entries.num, entries.left_out, o);
  print_ends (s, t, o);
  free (title);
  free (entries.list);
}

static void
print_task (const snapshot *s, const trace_task *task, size_t number,
	    const show_options *o)
{
  const trace_list *l = &task->list;
  size_t num = l->num;
  char *chain = chain_name (trace_chain (&s->modules, l));
  char *title = tool_printf ("task %zu of %s:", number, chain);
  row *rows;

  if (o->max_frames != 0 && num > o->max_frames)
    num = o->max_frames;
  rows = tool_calloc (num, sizeof *rows);
  print_in (o, BOLD, title);
  putchar ('\n');
  for (size_t i = 0; i < num; i++)
    {
      entry e = make_task_entry (s, l, i);
      rows[i] = make_row (&e, i, o);
    }
  finish_rows (rows, num, l->num - num, o);
  if (sframe_coro_stop_is_cut (l->stop))
    print_cut (s, l, o);
  free (title);
  free (chain);
}

/* Whether tasks A and B are of the same chain.  */
static bool
same_chain (const trace_task *a, const trace_task *b)
{
  return a->list.chain == b->list.chain;
}

void
show_text (const snapshot *s, const show_options *o)
{
  size_t number = 0;

  for (size_t i = 0; i < s->num_threads; i++)
    print_thread (s, &s->threads[i], o);
  for (size_t i = 0; i < s->tasks.num; i++)
    {
      const trace_task *t = &s->tasks.list[i];
      number = i != 0 && same_chain (t, t - 1) ? number + 1 : 0;
      print_task (s, t, number, o);
    }
  for (size_t i = 0; i < s->tasks.num_cuts; i++)
    {
      const trace_list *l = &s->tasks.cuts[i];
      char *name = chain_name (trace_chain (&s->modules, l));
      printf ("(there are more tasks of %s: %s)\n", name,
	      sframe_coro_stop_text (l->stop));
      free (name);
    }
}

/* JSON.  */

static json_object *
node_json (const entry *e)
{
  json_object *o = json_object_new_object ();
  char *chain = chain_name (e->chain);

  json_add_string (o, "chain", chain);
  json_add_number (o, "index", e->node->index);
  json_add_string (o, "state", state_name (e));
  json_add_address (o, "address", e->node->address);
  if (!(e->node->flags & SFRAME_CORO_NODE_NO_IP))
    json_add_address (o, "ip", e->node->ip);
  if (e->chain->path[SFRAME_CORO_PATH_AUX].given)
    json_add_address (o, "aux", e->node->aux);
  if (e->node->resume_pc != 0)
    json_add_address (o, "resume_pc", e->node->resume_pc);
  json_add_bool (o, "final",
		 (e->node->flags & SFRAME_CORO_NODE_ALT_IP) != 0);
  json_add_bool (o, "has_site",
		 (e->flags & SFRAME_CORO_SPLICED_NO_SITE) == 0);
  free (chain);
  return o;
}

static void
add_native_json (json_object *o, const entry *e)
{
  json_add_address (o, "pc", e->native->pc);
  if (e->native->flags & SFRAME_CORO_NATIVE_CFA)
    json_add_address (o, "cfa", e->native->cfa);
  json_add_bool (o, "inlined", e->is_inlined);
  json_add_bool (o, "signal", e->is_signal);
  json_add_bool (o, "site", e->is_site);
}

static json_object *
entry_json (const entry *e, size_t i)
{
  json_object *o = json_object_new_object ();

  json_add_number (o, "number", (int64_t) i);
  json_add_bool (o, "native", e->native != NULL);
  if (e->native != NULL)
    add_native_json (o, e);
  if (e->symbol != NULL)
    {
      char *name = symbol_display (e->symbol);
      json_add_string (o, "function", name);
      json_add_string (o, "symbol", e->symbol);
      free (name);
    }
  if (e->function.bounded)
    json_add_address (o, "start", e->function.start);
  if (e->function.module != NULL)
    json_add_string (o, "module", e->function.module->path);
  json_add_string (o, "file", e->file);
  if (e->file != NULL)
    json_add_number (o, "line", e->line);
  if (e->node != NULL)
    json_add (o, "coroutine", node_json (e));
  return o;
}

/* Add why list L ended to O.  */
static void
add_stop_json (json_object *o, const trace_list *l)
{
  json_add_bool (o, "cut", sframe_coro_stop_is_cut (l->stop));
  json_add_string (o, "stop", sframe_coro_stop_text (l->stop));
}

static void
add_chain_json (json_object *o, const snapshot *s, const trace_list *l)
{
  char *chain = chain_name (trace_chain (&s->modules, l));

  json_add_string (o, "chain", chain);
  free (chain);
}

/* What waits for list L.  */
static json_object *
blocked_json (const snapshot *s, const trace_list *l)
{
  json_object *o = json_object_new_object ();
  location where;

  json_add_address (o, "root", l->blocked);
  if (find_frame (s, l->blocked, &where))
    {
      json_add_number (o, "tid", where.thread->thread.tid);
      json_add_number (
	  o, "frame",
	  (int64_t) entry_of_native (where.thread, where.native));
    }
  return o;
}

static json_object *
list_json (const snapshot *s, const trace_list *l)
{
  json_object *o = json_object_new_object ();

  add_chain_json (o, s, l);
  json_add_number (o, "nodes", (int64_t) l->num);
  add_stop_json (o, l);
  if (l->blocked != 0)
    json_add (o, "blocked", blocked_json (s, l));
  return o;
}

static json_object *
thread_json (const snapshot *s, const trace_thread *t, const show_options *opt)
{
  json_object *o = json_object_new_object ();
  json_object *frames, *lists;
  selection entries = select_entries (t, opt);

  json_add_number (o, "tid", t->thread.tid);
  json_add_string (o, "name", t->thread.comm);
  json_add_bool (o, "stopped", t->thread.stopped);
  frames = json_add_array (o, "frames");
  for (size_t i = 0; i < entries.num; i++)
    {
      entry e = make_entry (s, t, entries.list[i]);
      json_object_array_add (frames, entry_json (&e, entries.list[i]));
    }
  json_add_number (o, "frames_left_out", (int64_t) entries.left_out);
  free (entries.list);
  lists = json_add_array (o, "lists");
  for (size_t i = 0; i < t->num_lists; i++)
    json_object_array_add (lists, list_json (s, &t->lists[i]));
  json_add_bool (o, "native_cut", t->native.cut);
  json_add_string (o, "unwind_error", t->native.error);
  return o;
}

static json_object *
task_json (const snapshot *s, const trace_task *t, const show_options *opt)
{
  json_object *o = json_object_new_object (), *frames;
  size_t num = t->list.num;

  if (opt->max_frames != 0 && num > opt->max_frames)
    num = opt->max_frames;
  add_chain_json (o, s, &t->list);
  json_add_address (o, "address", t->address);
  frames = json_add_array (o, "frames");
  for (size_t i = 0; i < num; i++)
    {
      entry e = make_task_entry (s, &t->list, i);
      json_object_array_add (frames, entry_json (&e, i));
    }
  json_add_number (o, "frames_left_out", (int64_t) (t->list.num - num));
  add_stop_json (o, &t->list);
  return o;
}

void
show_json (json_object *all, const snapshot *s, const show_options *o)
{
  json_object *threads = json_add_array (all, "threads"), *tasks;

  for (size_t i = 0; i < s->num_threads; i++)
    json_object_array_add (threads, thread_json (s, &s->threads[i], o));
  if (!s->has_tasks)
    return;
  tasks = json_add_array (all, "tasks");
  for (size_t i = 0; i < s->tasks.num; i++)
    json_object_array_add (tasks, task_json (s, &s->tasks.list[i], o));
}
