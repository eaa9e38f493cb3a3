/* sframe-coro: profiles, summed up.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "summary.h"
#include "tool.h"

/* What was found lately, since most samples are like others.  */

#define CACHE_SIZE 8192

typedef struct cached_place
{
  uint64_t address;
  uint32_t pid, chain, place;
  uint8_t kind, flags;
  bool listed, valid;
} cached_place;

typedef struct cached_node
{
  uint32_t parent, place, node; /* Node 0: nothing.  */
} cached_node;

typedef struct summary_cache
{
  bool has_places;
  cached_place places[CACHE_SIZE]; /* Void when maps or chains change.  */
  cached_node nodes[CACHE_SIZE];
} summary_cache;

static size_t
cache_slot (uint64_t a, uint64_t b)
{
  return (size_t) (((a * 31) ^ b) * UINT64_C (0x9e3779b97f4a7c15) >> 40)
	 % CACHE_SIZE;
}

static void
forget_places (summary *s)
{
  /* Maps often come many at a time.  */
  if (s->cache->has_places)
    memset (s->cache->places, 0, sizeof s->cache->places);
  s->cache->has_places = false;
}

/* Beginning and end.  */

summary *
summary_new (const profile_info *info)
{
  static const summary_node root = { SUMMARY_NONE, SUMMARY_NONE };
  summary *s = tool_calloc (1, sizeof *s);
  bool clock = (info->type == PERF_TYPE_SOFTWARE
		&& (info->config == PERF_COUNT_SW_CPU_CLOCK
		    || info->config == PERF_COUNT_SW_TASK_CLOCK));

  s->event = tool_strdup (info->event != NULL ? info->event : "");
  s->note = tool_strdup (info->note != NULL ? info->note : "");
  s->unit = clock ? "nanoseconds" : "count";
  s->frequency = info->frequency;
  table_number (&s->nodes, &root, sizeof root);
  s->cache = tool_calloc (1, sizeof *s->cache);
  return s;
}

void
summary_free (summary *s)
{
  table *tables[]
      = { &s->strings,	 &s->modules, &s->maps,	   &s->places,
	  &s->functions, &s->nodes,   &s->threads, &s->groups,
	  &s->chain_names, &s->current, &s->chain_numbers };

  for (size_t i = 0; i < s->places.num && i < s->names_room; i++)
    free (s->names[i].lines);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    table_free (tables[i]);
  spaces_free (&s->spaces);
  free (s->map_list);
  free (s->names);
  free (s->counts);
  free (s->chains);
  free (s->current_thread);
  free (s->chain_strings);
  free (s->cache);
  free (s->event);
  free (s->note);
  free (s);
}

/* Parts.  */

const char *
summary_string (const summary *s, uint32_t n)
{
  return n == SUMMARY_NONE ? "" : table_key (&s->strings, n);
}

const summary_module *
summary_module_at (const summary *s, uint32_t n)
{
  return table_key (&s->modules, n);
}

const summary_place *
summary_place_at (const summary *s, uint32_t n)
{
  return table_key (&s->places, n);
}

const summary_function *
summary_function_at (const summary *s, uint32_t n)
{
  return table_key (&s->functions, n);
}

const summary_node *
summary_node_at (const summary *s, uint32_t n)
{
  return table_key (&s->nodes, n);
}

const summary_thread *
summary_thread_at (const summary *s, uint32_t n)
{
  return table_key (&s->threads, n);
}

const summary_group *
summary_group_at (const summary *s, uint32_t n)
{
  return table_key (&s->groups, n);
}

const char *
summary_module_name (const summary *s, uint32_t n)
{
  const char *path;

  if (n == SUMMARY_NONE)
    return "";
  path = summary_string (s, summary_module_at (s, n)->path);
  return (strncmp (path, KERNEL_PREFIX, strlen (KERNEL_PREFIX)) == 0
	      ? "[kernel]"
	      : tool_basename (path));
}

uint32_t
summary_place_number (summary *s, const summary_place *p)
{
  uint32_t n = table_number (&s->places, p, sizeof *p);
  s->names = table_grow (s->names, &s->names_room, n + 1u, sizeof *s->names);
  return n;
}

uint32_t
summary_node_number (summary *s, uint32_t parent, uint32_t place)
{
  summary_node node = { parent, place };
  cached_node *c = &s->cache->nodes[cache_slot (parent, place)];

  if (c->node == 0 || c->parent != parent || c->place != place)
    *c = (cached_node){ parent, place,
			table_number (&s->nodes, &node, sizeof node) };
  return c->node;
}

uint32_t
summary_function_number (summary *s, const char *name, const char *symbol,
			 const char *file)
{
  summary_function f = { table_string (&s->strings, name),
			 table_string (&s->strings, symbol),
			 table_string (&s->strings, file) };
  return table_number (&s->functions, &f, sizeof f);
}

void
summary_add_line (summary_names *names, uint32_t function, uint32_t line)
{
  names->lines
      = tool_realloc (names->lines, names->num + 1, sizeof *names->lines);
  names->lines[names->num++] = (summary_line){ function, line };
}

static void
add_count (summary_count *to, summary_count count)
{
  to->samples += count.samples;
  to->weight += count.weight;
}

void
summary_count_stack (summary *s, uint32_t node, const summary_thread *t,
		     summary_count count)
{
  summary_group g = { node, table_number (&s->threads, t, sizeof *t) };
  uint32_t n = table_number (&s->groups, &g, sizeof g);

  s->counts
      = table_grow (s->counts, &s->counts_room, n + 1u, sizeof *s->counts);
  add_count (&s->counts[n], count);
  add_count (&s->total, count);
}

/* Threads.  */

static uint32_t *
current_thread (summary *s, uint32_t pid, uint32_t tid, bool *new)
{
  uint32_t key[2] = { pid, tid }, n;
  size_t before = s->current.num;

  n = table_number (&s->current, key, sizeof key);
  *new = s->current.num != before;
  s->current_thread = table_grow (s->current_thread, &s->current_room, n + 1u,
				  sizeof *s->current_thread);
  return &s->current_thread[n];
}

static void
set_comm (summary *s, uint32_t pid, uint32_t tid, uint32_t comm)
{
  summary_thread t = { pid, tid, comm };
  bool new;
  uint32_t *current = current_thread (s, pid, tid, &new);
  *current = table_number (&s->threads, &t, sizeof t);
}

/* The thread, which no event may have told of.  */
static const summary_thread *
thread_of (summary *s, uint32_t pid, uint32_t tid)
{
  bool new;
  uint32_t *current = current_thread (s, pid, tid, &new);

  if (new)
    {
      char name[16];
      snprintf (name, sizeof name, ":%u", tid);
      set_comm (s, pid, tid, table_string (&s->strings, name));
      current = current_thread (s, pid, tid, &new);
    }
  return summary_thread_at (s, *current);
}

static void
do_fork (summary *s, const profile_event *e)
{
  const summary_thread *parent
      = thread_of (s, e->fork.parent_pid, e->fork.parent_tid);

  set_comm (s, e->pid, e->tid, parent->comm);
  if (e->pid == e->fork.parent_pid)
    return;
  forget_places (s);
  spaces_fork (&s->spaces, e->pid, e->fork.parent_pid);
}

static void
do_comm (summary *s, const profile_event *e)
{
  set_comm (s, e->pid, e->tid, table_string (&s->strings, e->comm.name));
  if (!e->comm.exec)
    return;
  forget_places (s);
  spaces_clear (&s->spaces, e->pid);
}

/* Modules.  */

static uint32_t
module_number (summary *s, const profile_mmap *m)
{
  summary_module mod;

  memset (&mod, 0, sizeof mod);
  mod.path = table_string (&s->strings, m->path);
  mod.build_id_size = m->build_id_size;
  memcpy (mod.build_id, m->build_id, m->build_id_size);
  return table_number (&s->modules, &mod, sizeof mod);
}

static void
do_mmap (summary *s, const profile_event *e)
{
  const profile_mmap *m = &e->mmap;
  struct
  {
    uint64_t module, offset;
  } key = { module_number (s, m), m->offset };
  space_map map = { m->address, m->address + m->length, m->offset, 0 };

  if (m->length == 0)
    return;
  forget_places (s);
  if (map.end < map.start)
    map.end = UINT64_MAX;
  map.module = table_number (&s->maps, &key, sizeof key);
  s->map_list = table_grow (s->map_list, &s->maps_room, map.module + 1u,
			    sizeof *s->map_list);
  if (s->map_list[map.module].end == 0)
    s->map_list[map.module] = (summary_map){ (uint32_t) key.module, map.start,
					     map.end, map.offset };
  spaces_map (&s->spaces, e->pid, &map);
}

/* Chains.  */

static void
do_chain (summary *s, const profile_chain *c)
{
  uint32_t n;

  forget_places (s);
  n = table_number (&s->chain_numbers, &c->number, sizeof c->number);

  s->chain_strings = table_grow (s->chain_strings, &s->chain_strings_room,
				 n + 1u, sizeof *s->chain_strings);
  s->chain_strings[n] = table_string (&s->strings,
				      c->name[0] != 0 ? c->name : "(unnamed)");
}

/* The string number of the name of chain NUMBER.  */
static uint32_t
chain_string (summary *s, uint32_t number)
{
  char name[32];
  uint32_t n;

  if (table_find (&s->chain_numbers, &number, sizeof number, &n))
    return s->chain_strings[n];
  snprintf (name, sizeof name, "(chain %u)", number);
  return table_string (&s->strings, name);
}

static summary_chain *
chain_of (summary *s, uint32_t string)
{
  uint32_t n = table_number (&s->chain_names, &string, sizeof string);
  s->chains
      = table_grow (s->chains, &s->chains_room, n + 1u, sizeof *s->chains);
  return &s->chains[n];
}

void
summary_count_chain (summary *s, uint32_t string, summary_count count)
{
  summary_chain *c = chain_of (s, string);

  if (c->last != s->num_samples)
    add_count (&c->total, count);
  c->last = s->num_samples;
}

/* Add what sample E says of its lists.  */
static void
count_lists (summary *s, const profile_sample *p)
{
  summary_count count = { 1, p->period };

  for (size_t i = 0; i < p->num_lists; i++)
    {
      const profile_list *l = &p->lists[i];
      summary_chain *c = chain_of (s, chain_string (s, l->chain));

      c->lists++;
      c->nodes += l->num;
      if (l->stop < SFRAME_CORO_NUM_STOPS)
	c->stops[l->stop]++;
      summary_count_chain (s, chain_string (s, l->chain), count);
    }
  for (size_t i = 0; i < p->num_frames; i++)
    {
      const profile_frame *f = &p->frames[i];
      /* The frames of one list are together.  */
      if ((f->flags & PROFILE_FRAME_NO_SITE) != 0 && f->list < p->num_lists
	  && (i == 0 || f[-1].list != f->list
	      || (f[-1].flags & PROFILE_FRAME_NO_SITE) == 0))
	chain_of (s, chain_string (s, p->lists[f->list].chain))->no_site++;
    }
}

/* Samples.  */

static summary_place
place_of (summary *s, uint32_t pid, const profile_sample *p,
	  const profile_frame *f)
{
  uint64_t address
      = f->address - ((f->flags & PROFILE_FRAME_RETURN) && f->address != 0);
  bool code = (f->flags & PROFILE_FRAME_NOT_CODE) == 0 && f->address != 0;
  bool listed = f->list < p->num_lists;
  const space_map *map = NULL;
  summary_place place;

  memset (&place, 0, sizeof place);
  place.address = address;
  place.module = place.map = place.chain = SUMMARY_NONE;
  place.code = code;
  place.kind = f->kind == PROFILE_KERNEL     ? SUMMARY_KERNEL
	       : f->kind == PROFILE_AWAITING ? SUMMARY_AWAITING
	       : listed			     ? SUMMARY_RUNNING
					     : SUMMARY_NATIVE;
  if (listed)
    place.chain = chain_string (s, p->lists[f->list].chain);
  if (code)
    map = spaces_find (&s->spaces,
		       f->kind == PROFILE_KERNEL ? PROFILE_KERNEL_PID : pid,
		       address);
  if (map != NULL)
    {
      place.map = map->module;
      place.module = s->map_list[map->module].module;
      place.address = address - map->start + map->offset;
    }
  return place;
}

/* The number of the place of F.  */
static uint32_t
find_place (summary *s, uint32_t pid, const profile_sample *p,
	    const profile_frame *f)
{
  bool listed = f->list < p->num_lists;
  cached_place key
      = { .address = f->address,
	  .pid = pid,
	  .chain = listed ? p->lists[f->list].chain : 0,
	  .kind = f->kind,
	  .flags = f->flags & (PROFILE_FRAME_RETURN | PROFILE_FRAME_NOT_CODE),
	  .listed = listed,
	  .valid = true };
  cached_place *c
      = &s->cache->places[cache_slot (f->address + f->kind, pid)];

  if (!c->valid || c->address != key.address || c->pid != pid
      || c->chain != key.chain || c->kind != key.kind
      || c->flags != key.flags || c->listed != listed)
    {
      summary_place place = place_of (s, pid, p, f);
      key.place = summary_place_number (s, &place);
      *c = key;
      s->cache->has_places = true;
    }
  return c->place;
}

bool
summary_wants (const summary *s, const summary_thread *t)
{
  const summary_filter *f = &s->filter;
  return ((f->pid == 0 || f->pid == t->pid)
	  && (f->tid == 0 || f->tid == t->tid)
	  && (f->comm == NULL
	      || strcmp (f->comm, summary_string (s, t->comm)) == 0));
}

static void
do_sample (summary *s, const profile_event *e)
{
  const profile_sample *p = &e->sample;
  const summary_thread *t = thread_of (s, e->pid, e->tid);
  uint32_t node = 0;

  if (!summary_wants (s, t))
    {
      s->filtered++;
      return;
    }
  s->num_samples++;
  if (s->period == 0)
    s->period = p->period;
  if (e->time != 0 && (s->first == 0 || e->time < s->first))
    s->first = e->time;
  if (e->time > s->last)
    s->last = e->time;
  for (size_t i = p->num_frames; i-- != 0;)
    node = summary_node_number (s, node,
				find_place (s, e->pid, p, &p->frames[i]));
  summary_count_stack (s, node, t, (summary_count){ 1, p->period });
  if (p->cut < PROFILE_NUM_CUTS)
    s->cuts[p->cut]++;
  count_lists (s, p);
}

bool
summary_put (void *arg, const profile_event *e)
{
  summary *s = arg;

  switch (e->kind)
    {
    case PROFILE_COMM:
      do_comm (s, e);
      break;
    case PROFILE_FORK:
      do_fork (s, e);
      break;
    case PROFILE_MMAP:
      do_mmap (s, e);
      break;
    case PROFILE_CHAIN:
      do_chain (s, &e->chain);
      break;
    case PROFILE_SAMPLE:
      do_sample (s, e);
      break;
    case PROFILE_LOST:
      *(e->lost.samples ? &s->lost : &s->lost_events) += e->lost.num;
      break;
    case PROFILE_EXIT:
      break;
    }
  return true;
}
