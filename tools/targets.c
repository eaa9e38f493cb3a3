/* sframe-coro: the processes that are sampled.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "describe.h"
#include "maps.h"
#include "proc.h"
#include "stacks.h"
#include "targets.h"
#include "tool.h"

/* A process that maps code is looked at again after these, in ms: the dynamic
   linker has more to do when it has mapped a library.  Where a head cannot be
   located, the last one is repeated.  */
static const unsigned delays_ms[] = { 0, 1, 2, 4, 8, 16, 100, 1000 };
#define NUM_DELAYS (sizeof delays_ms / sizeof *delays_ms)

/* How often it is tried to read a process that could not be read.  */
#define MAX_TRIES 10

/* How long targets are looked at before samples are taken out again.  */
#define REFRESH_BUDGET_NS UINT64_C (50000000)

/* How long a process is kept when its first thread has ended.  */
#define EXIT_DELAY_NS UINT64_C (500000000)

typedef struct target
{
  description d;
  bool changed;	 /* Other code is mapped.  */
  bool exited;	 /* Its first thread has ended, others may run.  */
  bool due_known;
  uint64_t due;	 /* When it is to be looked at, CLOCK_MONOTONIC, ns.  */
  unsigned tries; /* Since it changed.  */
  uint64_t told; /* When a table was made for it last, ns.  */
} target;

struct targets
{
  sampling *sampling;
  profile_sink sink;
  describer *describer;
  bool all;
  uint64_t period;
  target **list; /* By pid.  */
  size_t num, room;
  stack stack;
  targets_counts counts;
  uint64_t end; /* Of recording.  */
};

targets *
targets_new (sampling *s, profile_sink sink, bool all, uint64_t period)
{
  targets *t = tool_calloc (1, sizeof *t);
  *t = (targets){ .sampling = s,
		  .sink = sink,
		  .all = all,
		  .period = period,
		  .end = UINT64_MAX,
		  .describer = describer_new (s, sink) };
  return t;
}

void
targets_set_end (targets *t, uint64_t end)
{
  t->end = end;
  describer_set_end (t->describer, end);
}

static void
free_target (targets *t, target *p)
{
  describe_nothing (t->describer, &p->d);
  free (p);
}

void
targets_free (targets *t)
{
  if (t == NULL)
    return;
  for (size_t i = 0; i < t->num; i++)
    free_target (t, t->list[i]);
  free (t->list);
  describer_free (t->describer);
  stack_free (&t->stack);
  free (t);
}

const targets_counts *
targets_count (const targets *t)
{
  return &t->counts;
}

/* The list of targets.  */

/* Where PID is in the list, or has to be.  */
static size_t
place_of (const targets *t, pid_t pid)
{
  size_t lo = 0, hi = t->num;

  while (lo < hi)
    {
      size_t mid = lo + (hi - lo) / 2;
      if (t->list[mid]->d.pid < pid)
	lo = mid + 1;
      else
	hi = mid;
    }
  return lo;
}

static target *
find_target (const targets *t, pid_t pid)
{
  size_t i = place_of (t, pid);
  return i < t->num && t->list[i]->d.pid == pid ? t->list[i] : NULL;
}

static target *
add_target (targets *t, pid_t pid)
{
  size_t i = place_of (t, pid);
  target *p;

  if (i < t->num && t->list[i]->d.pid == pid)
    return t->list[i];
  if (t->num == t->room)
    {
      t->room = t->room ? t->room * 2 : 16;
      t->list = tool_realloc (t->list, t->room, sizeof *t->list);
    }
  memmove (t->list + i + 1, t->list + i, (t->num - i) * sizeof *t->list);
  t->num++;
  p = t->list[i] = tool_calloc (1, sizeof *p);
  p->d.pid = pid;
  return p;
}

static void
remove_target (targets *t, pid_t pid)
{
  size_t i = place_of (t, pid);

  if (i == t->num || t->list[i]->d.pid != pid)
    return;
  free_target (t, t->list[i]);
  t->num--;
  memmove (t->list + i, t->list + i + 1, (t->num - i) * sizeof *t->list);
}

/* Look at P again, as soon as can be.  */
static void
note_change (target *p)
{
  p->changed = p->due_known = true;
  p->tries = 0;
  p->due = tool_now_ns ();
}

/* Processes that run already.  */

static bool
put (targets *t, const profile_event *e)
{
  return t->sink.put (t->sink.arg, e);
}

/* Put the name of thread TID of PID.  */
typedef struct naming
{
  targets *targets;
  pid_t pid;
  bool good;
} naming;

static bool
put_comm (void *arg, pid_t tid)
{
  naming *n = arg;
  char name[64];
  profile_event e = { .kind = PROFILE_COMM,
		      .pid = (uint32_t) n->pid,
		      .tid = (uint32_t) tid };

  if (proc_read (name, sizeof name, "/proc/%d/task/%d/comm", n->pid, tid) == 0)
    return true;
  name[strcspn (name, "\n")] = 0;
  e.comm.name = name;
  n->good = put (n->targets, &e);
  return n->good;
}

static bool
put_maps (targets *t, pid_t pid)
{
  mappings maps;
  char path[32];
  bool good = true;

  snprintf (path, sizeof path, "/proc/%d/maps", pid);
  if (!mappings_read (&maps, path))
    return true;
  for (size_t i = 0; good && i < maps.num; i++)
    {
      const mapping *m = &maps.list[i];
      profile_event e = { .kind = PROFILE_MMAP,
			  .pid = (uint32_t) pid,
			  .tid = (uint32_t) pid };

      if (!m->executable)
	continue;
      e.mmap = (profile_mmap){ .address = m->start,
			       .length = m->end - m->start,
			       .offset = m->offset,
			       .major = major (m->device),
			       .minor = minor (m->device),
			       .inode = m->inode,
			       .prot = PROT_READ | PROT_EXEC,
			       .flags = MAP_PRIVATE,
			       .path = m->name[0] != 0 ? m->name : "//anon" };
      good = put (t, &e);
    }
  mappings_free (&maps);
  return good;
}

bool
targets_add (targets *t, pid_t pid)
{
  naming n = { t, pid, true };

  if (!t->all)
    note_change (add_target (t, pid));
  proc_each_thread (pid, put_comm, &n);
  return n.good && put_maps (t, pid);
}

bool
targets_add_all (targets *t)
{
  DIR *dir = opendir ("/proc");
  struct dirent *e;
  bool good = true;

  while (good && dir != NULL && (e = readdir (dir)) != NULL)
    if (isdigit ((unsigned char) e->d_name[0]))
      good = targets_add (t, atoi (e->d_name));
  if (dir != NULL)
    closedir (dir);
  return good;
}

/* Events.  */

/* A process begins: with its parent's code.  */
static void
take_fork (targets *t, const profile_event *e)
{
  if (e->pid == e->fork.parent_pid)
    return;
  /* The number may be that of one that has ended.  */
  remove_target (t, (pid_t) e->pid);
  if (!t->all)
    note_change (add_target (t, (pid_t) e->pid));
}

bool
targets_event (targets *t, const profile_event *e)
{
  pid_t pid = (pid_t) (e->kind == PROFILE_FORK ? e->fork.parent_pid : e->pid);
  target *p = find_target (t, pid);

  if (e->kind == PROFILE_LOST)
    return put (t, e);
  if (p == NULL && !t->all)
    return true;
  if (e->kind == PROFILE_FORK)
    take_fork (t, e);
  if (p != NULL && e->kind == PROFILE_COMM && e->comm.exec)
    {
      describe_nothing (t->describer, &p->d);
      note_change (p);
    }
  if (p != NULL && e->kind == PROFILE_MMAP)
    note_change (p);
  if (p != NULL && e->kind == PROFILE_EXIT && e->pid == e->tid)
    {
      p->exited = p->due_known = true;
      p->due = tool_now_ns () + EXIT_DELAY_NS;
    }
  return put (t, e);
}

/* Samples.  */

static void
count (targets_counts *c, const stack *k)
{
  c->samples++;
  c->with_lists += k->num_lists != 0 || k->cut_lists;
  c->cut_natives += k->cut != PROFILE_CUT_NONE;
  c->cut_lists += k->cut_lists;
  c->no_site += k->no_site;
}

bool
targets_sample (targets *t, const sample *s)
{
  const sampler_header *h = s->header;
  target *p = find_target (t, (pid_t) h->pid);
  profile_event e = { .kind = PROFILE_SAMPLE,
		      .time = h->time,
		      .pid = h->pid,
		      .tid = h->tid,
		      .cpu = h->cpu };

  if (p == NULL)
    {
      p = add_target (t, (pid_t) h->pid);
      /* This program shows itself without.  */
      if (p->d.pid != getpid ())
	note_change (p);
    }
  stack_make (&t->stack, t->describer, &p->d, s);
  count (&t->counts, &t->stack);
  e.sample = (profile_sample){ .period = t->period,
			       .frames = t->stack.frames,
			       .num_frames = t->stack.num_frames,
			       .lists = t->stack.lists,
			       .num_lists = t->stack.num_lists,
			       .cut = t->stack.cut };
  return put (t, &e);
}

/* Looking again.  */

/* Look at P; if it is gone, free it.  */
static void
refresh (targets *t, target *p)
{
  if (p->exited && proc_live_thread (p->d.pid) == 0)
    {
      remove_target (t, p->d.pid);
      return;
    }
  if (p->changed)
    describe (t->describer, &p->d);
  else if (describe_again (t->describer, &p->d))
    p->tries = 0;
  t->counts.incomplete += p->changed && p->d.incomplete;
  p->tries++;
  /* What could not be read may be in the middle of a change.  */
  p->changed = p->d.process == NULL && p->tries < MAX_TRIES;
  p->due_known = (p->changed
		  || (p->d.process != NULL
		      && (p->tries < NUM_DELAYS || p->d.unresolved)));
  if (p->due_known)
    p->due = tool_now_ns ()
	     + UINT64_C (1000000)
		   * delays_ms[p->tries < NUM_DELAYS ? p->tries
						     : NUM_DELAYS - 1];
}

/* The target that has been due for the longest time at NOW, NULL if none is; when
   the next one will be in *NEXT.  */
static target *
longest_due (const targets *t, uint64_t now, uint64_t *next)
{
  target *first = NULL;

  *next = UINT64_MAX;
  for (size_t i = 0; i < t->num; i++)
    {
      target *p = t->list[i];

      if (!p->due_known)
	continue;
      if (p->due < *next)
	*next = p->due;
      if (p->due <= now && (first == NULL || p->due < first->due))
	first = p;
    }
  return first;
}

/* Make a table for the target that got one the longest time ago; true if there
   are more to make.  */
static bool
refresh_table (targets *t)
{
  target *first = NULL;
  size_t num = 0;

  for (size_t i = 0; i < t->num; i++)
    if (t->list[i]->d.tables_missing)
      {
	num++;
	if (first == NULL || t->list[i]->told < first->told)
	  first = t->list[i];
      }
  if (first == NULL)
    return false;
  first->told = tool_now_ns ();
  return describe_table (t->describer, &first->d) || num > 1;
}

int
targets_refresh (targets *t)
{
  uint64_t now = tool_now_ns (), next;
  uint64_t end = now + REFRESH_BUDGET_NS;
  bool more = false;
  target *p;

  if (end > t->end)
    end = t->end;
  /* First what the lists of all processes need, which is little.  */
  while ((p = longest_due (t, now, &next)) != NULL && tool_now_ns () < end)
    refresh (t, p);
  if (p == NULL && tool_now_ns () < end)
    more = refresh_table (t);
  t->counts.no_room = describer_no_room (t->describer);
  if (next == UINT64_MAX && !more)
    return -1;
  now = tool_now_ns ();
  return next <= now || more ? 0 : (int) ((next - now) / 1000000) + 1;
}
