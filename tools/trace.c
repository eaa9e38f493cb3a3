/* sframe-coro: the stacks of the threads of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "proc.h"
#include "tool.h"
#include "trace.h"

/* Lists.  */

/* Nodes of all lists of a process that are kept, whatever is asked for of
   one.  */
#define MAX_ALL_NODES (1 << 18)
#define MAX_TASKS 16384

bool
trace_has_process_scope (const sframe_coro_chain *c)
{
  return (c->flags & SFRAME_CORO_CHAIN_PROCESS_SCOPE) != 0;
}

const sframe_coro_chain *
trace_chain (const modules *m, const trace_list *l)
{
  return &sframe_coro_index_chain_at (m->index, l->chain)->chain;
}

/* Put chain I, whose head was found at BASE, in the group of an earlier one
   that is the same: a header-only runtime has a copy in each module.  BASES
   are those of the earlier chains.  Return whether there is one.  */
static bool
join_group (trace_thread *t, const modules *m, size_t i,
	    const uint64_t *bases)
{
  const sframe_coro_chain *c
      = &sframe_coro_index_chain_at (m->index, i)->chain;

  t->group[i] = i;
  if (bases[i] == 0)
    return false;
  for (size_t k = 0; k < i; k++)
    if (bases[k] == bases[i] && t->group[k] == k
	&& sframe_coro_chain_equal (
	    c, &sframe_coro_index_chain_at (m->index, k)->chain))
      {
	t->group[i] = k;
	return true;
      }
  return false;
}

/* What walking the chains of a thread takes.  */
typedef struct walking
{
  trace_collector *c;
  trace_thread *t;
  sframe_coro_memory memory;
  sframe_coro_thread thread;
  sframe_coro_bodies bodies;
  sframe_coro_node *nodes; /* Room for max_nodes.  */
  size_t max_nodes;
} walking;

/* A copy of L with nodes of its own.  */
static trace_list
copy_list (trace_collector *c, const trace_list *l)
{
  trace_list copy = *l;

  copy.nodes = tool_calloc (l->num, sizeof *l->nodes);
  if (l->num != 0)
    memcpy (copy.nodes, l->nodes, l->num * sizeof *l->nodes);
  c->nodes_left -= l->num;
  return copy;
}

static void
add_list (walking *w, const trace_list *l)
{
  trace_thread *t = w->t;

  t->lists = tool_realloc (t->lists, t->num_lists + 1, sizeof *t->lists);
  t->lists[t->num_lists++] = copy_list (w->c, l);
}

/* Walk the roots of chain I, as sframe_coro_walk_roots does, into the nodes of
   W; HEAD is for FRAME heads, or NULL.  */
static sframe_coro_stop
walk_roots (const walking *w, size_t i, const uint64_t *head,
	    sframe_coro_root *roots, size_t max_roots, size_t *num)
{
  trace_collector *c = w->c;
  const sframe_coro_index_chain *chain
      = sframe_coro_index_chain_at (c->modules->index, i);
  const module *mod = chain->module;
  sframe_coro_walker walker = { .memory = &w->memory,
				.thread = &w->thread,
				.block = &mod->tls,
				.bodies = &w->bodies,
				.frame_head = head };
  size_t max = c->nodes_left < w->max_nodes ? c->nodes_left : w->max_nodes;

  return sframe_coro_walk_roots (&chain->chain, &walker, w->nodes, max, roots,
				 max_roots, num, &c->bases[i]);
}

/* Where lists begin that the native frames tell of.  */
typedef struct at_frame
{
  uint64_t head;
  uint64_t frame; /* An address in the frame; 0: not known.  */
} at_frame;

/* Walk chain I, at the frame AT, or in general if that is NULL; return whether
   it has roots.  */
static bool
walk_chain (walking *w, size_t i, const at_frame *at)
{
  trace_collector *c = w->c;
  sframe_coro_root roots[SFRAME_CORO_DEFAULT_MAX_ROOTS];
  trace_list l = { .chain = i, .group = i };
  size_t num;
  sframe_coro_stop stop
      = walk_roots (w, i, at != NULL ? &at->head : NULL, roots,
		    SFRAME_CORO_DEFAULT_MAX_ROOTS, &num);

  if (at == NULL && join_group (w->t, c->modules, i, c->bases))
    return true;
  for (size_t k = 0; k < num; k++)
    {
      l.frame = at != NULL ? at->frame : roots[k].frame;
      l.nodes = w->nodes + roots[k].first;
      l.num = roots[k].num;
      l.stop = roots[k].stop;
      l.blocked = roots[k].blocked;
      if (l.num != 0 || sframe_coro_stop_is_cut (l.stop))
	add_list (w, &l);
    }
  /* That there are more roots, or what is in the way, is a list cut short.  */
  if (sframe_coro_stop_is_cut (stop))
    add_list (w, &(trace_list){ .chain = i, .group = i, .stop = stop });
  return num != 0;
}

/* Whether the module of chain I is there as a whole.  */
static bool
is_loaded (const trace_collector *c, size_t i)
{
  const module *mod
      = sframe_coro_index_chain_at (c->modules->index, i)->module;
  return !mod->loading;
}

bool
trace_has_frame_head (const sframe_coro_chain *c)
{
  for (unsigned i = 0; i < c->num_heads; i++)
    if (c->head[i].kind == SFRAME_CORO_HEAD_FRAME)
      return true;
  return false;
}

bool
trace_find_row (const modules *m, size_t chain, uint64_t pc,
		sframe_coro_row *row)
{
  const sframe_coro_func *f;
  size_t cursor = 0, of;

  while ((f = sframe_coro_index_find (m->index, pc, SFRAME_CORO_FUNC_SITE,
				      &cursor, &of)) != NULL)
    if (of == chain
	&& sframe_coro_index_row (m->index, f, pc, row) == SFRAME_CORO_OK)
      return true;
  return false;
}

/* Walk the lists of chain I, which has a FRAME head, that native frame N
   begins at one of its sites.  *LAST is the head of the one before: frames that
   give the same one share a list, with boundaries.  */
static void
walk_at (walking *w, size_t i, size_t n, uint64_t *last)
{
  const modules *m = w->c->modules;
  const sframe_coro_native *native = &w->t->native.natives[n];
  const sframe_coro_chain *c
      = &sframe_coro_index_chain_at (m->index, i)->chain;
  bool has_cfa = (native->flags & SFRAME_CORO_NATIVE_CFA) != 0;
  sframe_coro_row row;
  at_frame at = { .frame = has_cfa ? native->cfa - 1 : 0 };

  if (!(native->flags & SFRAME_CORO_NATIVE_RETURN_ADDRESS)
      || !trace_find_row (m, i, native->pc, &row)
      || (row.base == SFRAME_CORO_BASE_CFA && !has_cfa))
    return;
  if (sframe_coro_row_head (&row, c->swap, &w->memory, native->cfa,
			    unwind_register, &w->t->native.registers[n],
			    &at.head) == SFRAME_CORO_OK)
    {
      if (at.head != *last)
	walk_chain (w, i, &at);
      *last = at.head;
    }
  else
    add_list (w, &(trace_list){ .chain = i, .group = i, .frame = at.frame,
				.stop = SFRAME_CORO_STOP_UNREADABLE });
}

static walking
make_walking (trace_collector *c, trace_thread *t,
	      const process_thread *thread)
{
  pid_t tid = c->own_tids ? proc_own_tid (thread->tid) : thread->tid;

  return (walking){ .c = c,
		    .t = t,
		    .memory = { process_read, c->process },
		    .thread = { .tp = thread->tp,
				.tid = (uint64_t) tid,
				.libc = c->modules->libc },
		    .bodies = sframe_coro_index_bodies (c->modules->index),
		    .nodes = c->nodes,
		    .max_nodes = c->max_nodes };
}

static void
walk (trace_thread *t, trace_collector *c)
{
  size_t num = sframe_coro_index_num_chains (c->modules->index);
  walking w = make_walking (c, t, &t->thread);
  uint64_t last;

  t->group = tool_calloc (num, sizeof *t->group);
  for (size_t i = 0; i < num; i++)
    {
      const sframe_coro_chain *chain
	  = &sframe_coro_index_chain_at (c->modules->index, i)->chain;

      t->group[i] = i;
      c->bases[i] = 0;
      if (!t->thread.has_tp || !is_loaded (c, i)
	  || trace_has_process_scope (chain) || walk_chain (&w, i, NULL)
	  || !trace_has_frame_head (chain))
	continue;
      last = 0;
      for (size_t n = 0; n < t->native.num; n++)
	walk_at (&w, i, n, &last);
    }
}

static bool
selects_by_tid (const sframe_coro_chain *c)
{
  return c->roots == SFRAME_CORO_ROOTS_BY_TID;
}

/* Whether any chain of M HAS it.  */
static bool
any_chain (const modules *m, bool (*has) (const sframe_coro_chain *c))
{
  for (size_t i = 0; i < sframe_coro_index_num_chains (m->index); i++)
    if (has (&sframe_coro_index_chain_at (m->index, i)->chain))
      return true;
  return false;
}

void
trace_collector_init (trace_collector *c, process *p, size_t max_nodes)
{
  *c = (trace_collector){
    .process = p,
    .max_nodes = max_nodes,
    .max_tasks = MAX_TASKS,
    .nodes_left = max_nodes > MAX_ALL_NODES ? max_nodes : MAX_ALL_NODES,
    .lists = true
  };
  c->nodes = tool_calloc (max_nodes, sizeof *c->nodes);
}

void
trace_collector_begin (trace_collector *c, const modules *m)
{
  c->modules = m;
  c->registers = any_chain (m, trace_has_frame_head);
  c->own_tids = (process_core (c->process) == NULL
		 && any_chain (m, selects_by_tid));
  c->bases = tool_calloc (sframe_coro_index_num_chains (m->index),
			  sizeof *c->bases);
}

void
trace_collector_free (trace_collector *c)
{
  free (c->nodes);
  free (c->bases);
}

static void
unwind (trace_thread *t, const modules *m, bool registers)
{
  t->native = unwind_thread (m->dwfl, t->thread.tid, registers);
  t->unwound = true;
}

void
trace_collect (trace_thread *t, const process_thread *thread,
	       trace_collector *c, bool now)
{
  memset (t, 0, sizeof *t);
  t->thread = *thread;
  if (!thread->stopped)
    return;
  if (now || (c->lists && c->registers))
    unwind (t, c->modules, c->registers);
  if (c->lists)
    walk (t, c);
}

bool
trace_unwind (trace_thread *t, process *p, const modules *m)
{
  if (t->unwound || !t->thread.stopped)
    return true;
  process_missed (p);
  unwind (t, m, false);
  return !process_missed (p);
}

/* Tasks.  */

/* A thread by which the heads of lists of the process may be found: any.  */
static const process_thread *
any_thread (const process *p)
{
  for (size_t i = 0; i < process_num_threads (p); i++)
    if (process_thread_at (p, i)->has_tp)
      return process_thread_at (p, i);
  return NULL;
}

/* Whether chain I is one that was walked already, in another module.  */
static bool
is_repeated (const trace_collector *c, size_t i)
{
  const sframe_coro_index *x = c->modules->index;

  for (size_t k = 0; k < i; k++)
    if (c->bases[k] != 0 && c->bases[k] == c->bases[i]
	&& sframe_coro_chain_equal (&sframe_coro_index_chain_at (x, k)->chain,
				    &sframe_coro_index_chain_at (x, i)->chain))
      return true;
  return false;
}

static void
walk_tasks (trace_tasks *tasks, walking *w, size_t i, sframe_coro_root *roots)
{
  trace_collector *c = w->c;
  size_t num;
  sframe_coro_stop stop
      = walk_roots (w, i, NULL, roots, c->max_tasks, &num);

  if (is_repeated (c, i))
    return;
  tasks->list = tool_realloc (tasks->list, tasks->num + num,
			      sizeof *tasks->list);
  for (size_t k = 0; k < num; k++)
    {
      trace_list l = { .chain = i, .group = i, .stop = roots[k].stop,
		       .nodes = w->nodes + roots[k].first,
		       .num = roots[k].num };
      tasks->list[tasks->num++]
	  = (trace_task){ roots[k].address, copy_list (c, &l) };
    }
  if (!sframe_coro_stop_is_cut (stop))
    return;
  tasks->cuts = tool_realloc (tasks->cuts, tasks->num_cuts + 1,
			      sizeof *tasks->cuts);
  tasks->cuts[tasks->num_cuts++] = (trace_list){ .chain = i, .stop = stop };
}

void
trace_collect_tasks (trace_tasks *tasks, trace_collector *c)
{
  size_t num = sframe_coro_index_num_chains (c->modules->index);
  const process_thread *thread = any_thread (c->process);
  sframe_coro_root *roots;
  walking w;

  if (thread == NULL)
    return;
  w = make_walking (c, NULL, thread);
  /* The nodes of all tasks of a chain together.  */
  w.max_nodes = c->nodes_left;
  w.nodes = tool_calloc (w.max_nodes, sizeof *w.nodes);
  roots = tool_calloc (c->max_tasks, sizeof *roots);
  for (size_t i = 0; i < num; i++)
    {
      c->bases[i] = 0;
      if (is_loaded (c, i)
	  && trace_has_process_scope (
	      &sframe_coro_index_chain_at (c->modules->index, i)->chain))
	walk_tasks (tasks, &w, i, roots);
    }
  free (w.nodes);
  free (roots);
}

void
trace_free_tasks (trace_tasks *tasks)
{
  for (size_t i = 0; i < tasks->num; i++)
    free (tasks->list[i].list.nodes);
  free (tasks->list);
  free (tasks->cuts);
}

/* Splicing.  */

typedef struct splicer
{
  const trace_thread *thread;
  const modules *modules;
  functions *functions;
} splicer;

static bool
is_site (void *arg, size_t group, const sframe_coro_native *native)
{
  const splicer *s = arg;
  size_t cursor = 0, chain;

  /* A call is made once, however many functions are inlined around it.  */
  if ((native->flags & SFRAME_CORO_NATIVE_RETURN_ADDRESS) == 0
      || !s->thread->frames[native - s->thread->natives].innermost)
    return false;
  while (sframe_coro_index_find (s->modules->index, native->pc,
				 SFRAME_CORO_FUNC_SITE, &cursor, &chain)
	 != NULL)
    if (chain != SIZE_MAX && s->thread->group[chain] == group)
      return true;
  return false;
}

/* Whether IP is of a node that has lost its resume pointer: it is at its final
   suspend point then, and IP is the destroy pointer.  */
static bool
is_destroy_pointer (const trace_thread *t, uint64_t ip)
{
  for (size_t i = 0; i < t->num_lists; i++)
    for (size_t k = 0; k < t->lists[i].num; k++)
      if (t->lists[i].nodes[k].ip == ip
	  && (t->lists[i].nodes[k].flags & SFRAME_CORO_NODE_ALT_IP))
	return true;
  return false;
}

/* Whether native frame I was called at a site, of whichever chain.  */
static bool
is_above_site (const splicer *s, size_t i)
{
  return i + 1 < s->thread->num_natives && s->thread->frames[i + 1].site;
}

static bool
is_function (void *arg, uint64_t ip, const sframe_coro_native *native)
{
  const splicer *s = arg;
  size_t i = (size_t) (native - s->thread->natives);
  const trace_frame *frame = &s->thread->frames[i];
  const function *f = &frame->function;
  function of_ip = functions_find (s->functions, ip);
  bool is_destroy = is_destroy_pointer (s->thread, ip);
  bool same
      = functions_same_coroutine (s->functions, f, &of_ip, is_destroy);

  /* A coroutine may be inlined into its awaiter.  What is inlined into the
     coroutine itself, under its name, is what makes another like it.  */
  if (frame->inlined)
    return (!same && frame->name != NULL
	    && functions_is_inlined (&of_ip, frame->name));
  if (same)
    return true;
  /* Where there are no names, and the code of the destroy function tells
     nothing: what was called at the site, or took the place of that in tail
     calls, is the coroutine that runs.  */
  return (is_destroy && f->symbol == NULL && of_ip.symbol == NULL
	  && f->module == of_ip.module && is_above_site (s, i));
}

static const sframe_coro_splice_ops splice_ops
    = { .is_site = is_site, .is_function = is_function };

/* Add native frame N, which F is the function of, to T, and before it a copy
   for each function inlined into it.  */
static void
add_native (trace_thread *t, const sframe_coro_native *n, const function *f,
	    const level *levels, size_t num, bool site)
{
  size_t room = t->num_natives + num;

  t->natives = tool_realloc (t->natives, room, sizeof *t->natives);
  t->frames = tool_realloc (t->frames, room, sizeof *t->frames);
  for (size_t i = 0; i < num; i++)
    {
      t->natives[t->num_natives] = *n;
      t->frames[t->num_natives++] = (trace_frame){ .function = *f,
						    .name = levels[i].symbol,
						    .file = levels[i].file,
						    .line = levels[i].line,
						    .inlined = i + 1 != num,
						    .innermost = i == 0,
						    .site = site && i == 0 };
    }
}

/* Whether native frame N is at a site, of whichever chain.  */
static bool
is_any_site (const modules *m, const sframe_coro_native *n)
{
  size_t cursor = 0;

  return ((n->flags & SFRAME_CORO_NATIVE_RETURN_ADDRESS) != 0
	  && sframe_coro_index_find (m->index, n->pc, SFRAME_CORO_FUNC_SITE,
				     &cursor, NULL) != NULL);
}

static void
name_natives (trace_thread *t, const modules *m, functions *fs)
{
  for (size_t i = 0; i < t->native.num; i++)
    {
      sframe_coro_native *n = &t->native.natives[i];
      uint64_t address
	  = n->pc - ((n->flags & SFRAME_CORO_NATIVE_RETURN_ADDRESS) != 0);
      function f = functions_find (fs, address);
      size_t num_levels;
      const level *levels = functions_levels (fs, &f, address, &num_levels);

      if (f.bounded)
	{
	  n->func_start = f.start;
	  n->func_end = f.end;
	  n->flags |= SFRAME_CORO_NATIVE_FUNC;
	}
      add_native (t, n, &f, levels, num_levels, is_any_site (m, n));
    }
}

void
trace_splice (trace_thread *t, const modules *m, functions *fs)
{
  sframe_coro_list *lists = tool_calloc (t->num_lists, sizeof *lists);
  sframe_coro_splice_ops ops = splice_ops;
  splicer s = { t, m, fs };
  size_t max;

  name_natives (t, m, fs);
  max = t->num_natives;
  for (size_t i = 0; i < t->num_lists; i++)
    {
      const trace_list *l = &t->lists[i];
      uint32_t flags = trace_chain (m, l)->flags;
      lists[i] = (sframe_coro_list){
	.chain = l->group,
	.nodes = l->nodes,
	.num = l->num,
	.frame = l->frame,
	.head_is_running = (flags & SFRAME_CORO_CHAIN_HEAD_IS_RUNNING) != 0
      };
      max += l->num;
    }
  ops.arg = &s;
  t->entries = tool_calloc (max, sizeof *t->entries);
  sframe_coro_splice (t->natives, t->num_natives, lists, t->num_lists, &ops,
		      t->entries, max, &t->num_entries);
  free (lists);
}

void
trace_free (trace_thread *t)
{
  for (size_t i = 0; i < t->num_lists; i++)
    free (t->lists[i].nodes);
  free (t->lists);
  free (t->group);
  free (t->natives);
  free (t->frames);
  free (t->native.natives);
  free (t->native.registers);
  free (t->native.error);
  free (t->entries);
}
