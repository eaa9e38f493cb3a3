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
  bool is_signal; /* Nobody's function: where a handler returns to.  */
} entry;

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
  level *levels;

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
  functions_levels (&e->function, address, &levels);
  e->file = levels->file;
  e->line = levels->line;
  free (levels);
}

static void
locate_native (entry *e, const trace_frame *frame)
{
  e->function = frame->function;
  e->symbol = frame->name;
  e->file = frame->file;
  e->line = frame->line;
  e->is_inlined = frame->inlined;
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
  level *levels;

  if (e->node->resume_pc == 0 || (e->flags & SFRAME_CORO_SPLICED_RUNNING))
    return;
  f = functions_find (fs, e->node->resume_pc);
  functions_levels (&f, e->node->resume_pc, &levels);
  if (levels->file != NULL)
    {
      e->file = levels->file;
      e->line = levels->line;
    }
  free (levels);
}

static entry
make_entry (const trace_thread *t, const modules *m, functions *fs, size_t i)
{
  const sframe_coro_spliced *s = &t->entries[i];
  entry e = { .flags = s->flags };

  if (s->list != SFRAME_CORO_NO_INDEX)
    {
      const trace_list *l = &t->lists[s->list];
      e.node = &l->nodes[s->node];
      e.chain = trace_chain (m, l);
    }
  if (s->native == SFRAME_CORO_NO_INDEX)
    locate_node (&e, fs);
  else
    {
      e.native = &t->natives[s->native];
      locate_native (&e, &t->frames[s->native]);
      if (e.node != NULL)
	locate_point (&e, fs);
    }
  return e;
}

static char *
entry_name (const entry *e)
{
  if (e->is_signal)
    return tool_strdup ("<signal handler called>");
  if (e->symbol != NULL)
    return symbol_display (e->symbol);
  if (e->native != NULL)
    return tool_printf ("0x%016" PRIx64, e->native->pc);
  return (e->node->ip != 0 ? tool_printf ("0x%016" PRIx64, e->node->ip)
			   : tool_strdup ("(no code address)"));
}

static const char *
state_name (const entry *e)
{
  return e->flags & SFRAME_CORO_SPLICED_RUNNING ? "running" : "awaiting";
}

static char *
chain_name (const sframe_coro_chain *c)
{
  return (c->name[0] != 0 ? tool_strdup (c->name)
			  : tool_printf ("chain@0x%" PRIx64, c->address));
}

/* Text.  */

typedef struct row
{
  char *name, *place, *remark;
} row;

/* The second column: where the entry is in the source, else in which
   module.  */
static char *
place (const entry *e)
{
  const module *mod = e->function.module;

  if (e->native == NULL)
    return (e->file == NULL ? tool_strdup (state_name (e))
			    : tool_printf ("%s at %s:%d", state_name (e),
					   tool_basename (e->file), e->line));
  if (e->file != NULL)
    return tool_printf ("at %s:%d", tool_basename (e->file), e->line);
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
print_rows (const row *rows, size_t num)
{
  int digits = num_digits (num ? num - 1 : 0), names = 0, places = 0;

  for (size_t i = 0; i < num; i++)
    {
      names = width (strlen (rows[i].name), names);
      if (rows[i].remark[0] != 0)
	places = width (strlen (rows[i].place), places);
    }
  for (size_t i = 0; i < num; i++)
    {
      printf ("  #%-*zu %-*s  ", digits, i, names, rows[i].name);
      if (rows[i].remark[0] != 0)
	printf ("%-*s  %s\n", places, rows[i].place, rows[i].remark);
      else
	printf ("%s\n", rows[i].place);
    }
}

static void
print_ends (const trace_thread *t, const modules *m)
{
  if (t->native.cut)
    puts ("  (more native frames than are shown)");
  if (t->native.error != NULL)
    printf ("  (native unwinding ended here: %s)\n", t->native.error);
  for (size_t i = 0; i < t->num_lists; i++)
    if (sframe_coro_stop_is_cut (t->lists[i].stop))
      {
	char *name = chain_name (trace_chain (m, &t->lists[i]));
	printf ("  (%s cut after %zu node%s: %s)\n", name, t->lists[i].num,
		t->lists[i].num == 1 ? "" : "s",
		sframe_coro_stop_text (t->lists[i].stop));
	free (name);
      }
}

void
show_text (const trace_thread *t, const modules *m, functions *fs)
{
  row *rows = tool_calloc (t->num_entries, sizeof *rows);

  printf ("thread %d \"%s\":\n", t->thread->tid, t->thread->comm);
  if (!t->thread->stopped)
    puts ("  (could not be stopped)");
  for (size_t i = 0; i < t->num_entries; i++)
    {
      entry e = make_entry (t, m, fs, i);
      rows[i] = (row){ entry_name (&e), place (&e), remark (&e) };
    }
  print_rows (rows, t->num_entries);
  print_ends (t, m);
  for (size_t i = 0; i < t->num_entries; i++)
    {
      free (rows[i].name);
      free (rows[i].place);
      free (rows[i].remark);
    }
  free (rows);
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

static json_object *
entry_json (const entry *e, size_t i)
{
  json_object *o = json_object_new_object ();

  json_add_number (o, "number", (int64_t) i);
  json_add_bool (o, "native", e->native != NULL);
  if (e->native != NULL)
    {
      json_add_address (o, "pc", e->native->pc);
      if (e->native->flags & SFRAME_CORO_NATIVE_CFA)
	json_add_address (o, "cfa", e->native->cfa);
      json_add_bool (o, "inlined", e->is_inlined);
      json_add_bool (o, "signal", e->is_signal);
    }
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

static json_object *
list_json (const trace_list *l, const modules *m)
{
  json_object *o = json_object_new_object ();
  char *chain = chain_name (trace_chain (m, l));

  json_add_string (o, "chain", chain);
  json_add_number (o, "nodes", (int64_t) l->num);
  json_add_bool (o, "cut", sframe_coro_stop_is_cut (l->stop));
  json_add_string (o, "stop", sframe_coro_stop_text (l->stop));
  free (chain);
  return o;
}

json_object *
show_json (const trace_thread *t, const modules *m, functions *fs)
{
  json_object *o = json_object_new_object ();
  json_object *frames, *lists;

  json_add_number (o, "tid", t->thread->tid);
  json_add_string (o, "name", t->thread->comm);
  json_add_bool (o, "stopped", t->thread->stopped);
  frames = json_add_array (o, "frames");
  for (size_t i = 0; i < t->num_entries; i++)
    {
      entry e = make_entry (t, m, fs, i);
      json_object_array_add (frames, entry_json (&e, i));
    }
  lists = json_add_array (o, "lists");
  for (size_t i = 0; i < t->num_lists; i++)
    json_object_array_add (lists, list_json (&t->lists[i], m));
  json_add_bool (o, "native_cut", t->native.cut);
  json_add_string (o, "unwind_error", t->native.error);
  return o;
}
