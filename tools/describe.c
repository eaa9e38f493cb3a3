/* sframe-coro: telling the sampler what a process is made of.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cfi-rows.h"
#include "describe.h"
#include "proc.h"
#include "tool.h"
#include "trace.h"

#if defined __x86_64__
#define HOST_ABI SFRAME_CORO_ABI_AMD64_LE
#elif defined __aarch64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HOST_ABI SFRAME_CORO_ABI_AARCH64_LE
#elif defined __aarch64__
#define HOST_ABI SFRAME_CORO_ABI_AARCH64_BE
#else
#define HOST_ABI SFRAME_CORO_ABI_S390X_BE
#endif

/* The table of a module, for all processes that have it.  */
typedef struct table
{
  char *name; /* Build ID, or path.  */
  sampler_mapping where; /* `base' is an address in the file.  */
} table;

/* A chain, in all processes that have its module.  */
typedef struct numbered
{
  char *module;
  uint64_t address; /* In the file.  */
} numbered;

struct describer
{
  sampling *sampling;
  profile_sink sink;
  table *tables;
  size_t num_tables;
  numbered *numbers;
  size_t num_numbers;
  uint64_t *addresses; /* For each number of a chain that the sampler
			  uses, its address.  */
  size_t num_addresses;
  uint32_t generation;
  uint64_t end; /* Of recording.  */
  unsigned no_room;
  bool good; /* The sink takes more.  */
};

describer *
describer_new (sampling *s, profile_sink sink)
{
  describer *d = tool_calloc (1, sizeof *d);
  *d = (describer){ .sampling = s, .sink = sink, .end = UINT64_MAX,
		    .good = true };
  return d;
}

void
describer_set_end (describer *d, uint64_t end)
{
  d->end = end;
}

void
describer_free (describer *d)
{
  if (d == NULL)
    return;
  for (size_t i = 0; i < d->num_tables; i++)
    free (d->tables[i].name);
  for (size_t i = 0; i < d->num_numbers; i++)
    free (d->numbers[i].module);
  free (d->tables);
  free (d->numbers);
  free (d->addresses);
  free (d);
}

unsigned
describer_no_room (const describer *d)
{
  return d->no_room;
}

/* Tables.  */

/* What tells module M from others, to be freed.  */
static char *
module_name (const module *m)
{
  if (m->build_id == NULL || m->build_id_size == 0)
    return tool_strdup (m->path);
  return tool_hex (m->build_id, m->build_id_size);
}

/* The table of module M; NULL if none has been made.  */
static const table *
find_table (const describer *d, const module *m)
{
  char *name = module_name (m);
  const table *found = NULL;

  for (size_t i = 0; i < d->num_tables && found == NULL; i++)
    if (strcmp (d->tables[i].name, name) == 0)
      found = &d->tables[i];
  free (name);
  return found;
}

/* Make the table of module M.  It may have no rows.  */
static void
make_table (describer *d, const module *m)
{
  table *t;
  cfi_rows rows;

  if ((d->num_tables & (d->num_tables - 1)) == 0)
    d->tables
	= tool_realloc (d->tables, d->num_tables ? d->num_tables * 2 : 1,
			sizeof *d->tables);
  t = &d->tables[d->num_tables++];
  *t = (table){ .name = module_name (m) };
  rows = cfi_rows_read (m->elf, d->end);
  t->where.base = rows.base;
  if (rows.num != 0 && !sampling_add_table (d->sampling, &rows, &t->where))
    d->no_room++;
  free (rows.list);
}

/* The module that mapping MAP of P is code of; NULL if there is none that can be
   read.  */
static const module *
code_module (const description *p, const mapping *map)
{
  const module *m
      = map->executable ? modules_find (&p->modules, map->start) : NULL;

  return m != NULL && m->elf != NULL ? m : NULL;
}

/* The mappings of P for the sampler, to be freed; *NUM says how many.  Tables
   that are still to be made are left out.  */
static sampler_mapping *
make_mappings (describer *d, const description *p, uint32_t *num,
	       bool *missing)
{
  const mappings *maps = process_mappings (p->process);
  sampler_mapping *list = tool_calloc (maps->num, sizeof *list);

  *num = 0;
  *missing = false;
  for (size_t i = 0; i < maps->num; i++)
    {
      const mapping *map = &maps->list[i];
      const module *m = code_module (p, map);
      sampler_mapping *to = &list[*num];
      const table *t;

      if (m == NULL)
	continue;
      if (*num == SAMPLER_MAX_MAPPINGS)
	{
	  d->no_room++;
	  break;
	}
      t = find_table (d, m);
      if (t != NULL)
	*to = t->where;
      else
	*missing = true;
      to->start = map->start;
      to->end = map->end;
      to->base += m->bias;
      ++*num;
    }
  return list;
}

/* Chains.  */

/* Fill in head number I of C, which is chain number CHAIN of P's index.  What
   the program itself keeps, the sampler reads each time.  */
static void
resolve_head (const description *p, size_t chain, unsigned i, sampler_chain *c)
{
  sframe_coro_tls_ref *ref = &c->ref[i];
  const module *m
      = sframe_coro_index_chain_at (p->modules.index, chain)->module;
  modules_head head;
  int err = modules_find_head (&p->modules, p->process, chain, i, &head);

  c->resolved[i] = SAMPLER_HEAD_UNRESOLVED;
  /* What is not there as a whole has no lists yet.  */
  if (m->loading)
    err = SFRAME_CORO_ERR_NO_TLS;
  if (err == SFRAME_CORO_ERR_NO_TLS)
    c->resolved[i] = SAMPLER_HEAD_NOWHERE;
  if (err != SFRAME_CORO_OK)
    return;
  *ref = (sframe_coro_tls_ref){ .tp_offset = head.offset };
  c->resolved[i] = SAMPLER_HEAD_RESOLVED;
  if (head.kind == MODULES_HEAD_DTV)
    *ref = (sframe_coro_tls_ref){ .dynamic = true,
				  .module_id = head.module_id,
				  .offset = (uint64_t) head.offset,
				  .generation = head.generation };
}

/* Add row number K of site F of a chain to LIST, which has room, at *NUM.  Where
   it overlaps with one before, which begins earlier, that ends.  */
static void
add_site (const sframe_coro_index *x, const sframe_coro_func *f, unsigned k,
	  sampler_site *list, uint32_t *num)
{
  sampler_site *t = &list[*num];
  uint32_t least = f->size != 0; /* The call itself.  */
  sframe_coro_row next;

  *t = (sampler_site){ .last = f->start + f->size };
  sframe_coro_index_row_at (x, f, k, &t->row);
  t->first = f->start + (t->row.pc_off > least ? t->row.pc_off : least);
  if (sframe_coro_index_row_at (x, f, k + 1, &next) == SFRAME_CORO_OK
      && f->start + next.pc_off <= t->last)
    t->last = f->start + next.pc_off - 1;
  t->row.base = (t->row.base == SFRAME_CORO_BASE_CFA
		   ? SAMPLER_REGISTER_CFA
		   : cfi_rows_register (t->row.base));
  /* A row may be for no return address at all.  */
  if (t->first > t->last)
    return;
  while (*num != 0 && list[*num - 1].first >= t->first)
    --*num;
  list[*num] = *t;
  if (*num != 0 && list[*num - 1].last >= list[*num].first)
    list[*num - 1].last = list[*num].first - 1;
  ++*num;
}

/* Make the sites of C, which is chain number CHAIN of P's index and has a FRAME
   head; TO->sites is to be freed.  */
static void
make_sites (describer *d, const description *p, size_t chain,
	    sampling_process *to, sampler_chain *c)
{
  const sframe_coro_index *x = p->modules.index;
  uint32_t first = to->entry.num_sites, num = 0;

  for (size_t i = 0; i < sframe_coro_index_num_funcs (x); i++)
    {
      size_t of;
      const sframe_coro_func *f = sframe_coro_index_func_at (x, i, &of);

      if (f->kind != SFRAME_CORO_FUNC_SITE || of != chain)
	continue;
      if (f->num > SAMPLER_MAX_SITES - first - num)
	{
	  d->no_room++;
	  break;
	}
      to->sites = tool_realloc (to->sites, first + num + f->num + 1,
				sizeof *to->sites);
      for (unsigned k = 0; k < f->num; k++)
	add_site (x, f, k, to->sites + first, &num);
    }
  c->first_site = first;
  c->num_sites = num;
  to->entry.num_sites += num;
}

/* The first of the NUM CHAINS that has the rules of chain number NUM.  */
static uint32_t
find_group (const sampler_chain *chains, uint32_t num)
{
  for (uint32_t i = 0; i < num; i++)
    if (sframe_coro_chain_equal (&chains[i].rules, &chains[num].rules))
      return i;
  return num;
}

/* The chains of P for the sampler, to be freed; their sites go to PLACE.  Lists
   of the whole process are in no thread's stack.  */
static sampler_chain *
make_chains (describer *d, description *p, sampling_process *place)
{
  size_t num = sframe_coro_index_num_chains (p->modules.index);
  sampler_chain *list
      = tool_calloc (num < SAMPLER_MAX_CHAINS ? num : SAMPLER_MAX_CHAINS,
		     sizeof *list);

  p->num_chains = 0;
  p->unresolved = false;
  for (size_t i = 0; i < num; i++)
    {
      const sframe_coro_chain *c
	  = &sframe_coro_index_chain_at (p->modules.index, i)->chain;
      sampler_chain *to = &list[p->num_chains];

      if (trace_has_process_scope (c))
	continue;
      if (p->num_chains == SAMPLER_MAX_CHAINS)
	{
	  d->no_room++;
	  break;
	}
      to->rules = *c;
      to->rules.name = NULL;
      to->group = find_group (list, (uint32_t) p->num_chains);
      for (unsigned h = 0; h < c->num_heads; h++)
	{
	  resolve_head (p, i, h, to);
	  p->unresolved |= to->resolved[h] != SAMPLER_HEAD_RESOLVED;
	}
      if (trace_has_frame_head (c))
	make_sites (d, p, i, place, to);
      p->index_of[p->num_chains] = i;
      p->group[p->num_chains++] = to->group;
    }
  return list;
}

/* Give chain I of P's index its number in profiles.  */
static void
number_chain (describer *d, description *p, size_t i)
{
  const sframe_coro_index_chain *c
      = sframe_coro_index_chain_at (p->modules.index, i);
  const module *m = c->module;
  uint64_t address = c->chain.address - m->bias;
  char *name = module_name (m);
  profile_event e = { .kind = PROFILE_CHAIN };

  for (size_t k = 0; k < d->num_numbers; k++)
    if (d->numbers[k].address == address
	&& strcmp (d->numbers[k].module, name) == 0)
      {
	p->numbers[i] = (uint32_t) k;
	free (name);
	return;
      }
  d->numbers
      = tool_realloc (d->numbers, d->num_numbers + 1, sizeof *d->numbers);
  d->numbers[d->num_numbers] = (numbered){ name, address };
  p->numbers[i] = (uint32_t) d->num_numbers++;
  e.chain = (profile_chain){ .number = p->numbers[i],
			     .language = c->chain.language,
			     .name = c->chain.name };
  d->good &= d->sink.put (d->sink.arg, &e);
}

/* Bodies.  */

/* Tell of all BODY functions of P; return how many there are.  */
static uint32_t
tell_bodies (describer *d, const description *p)
{
  const sframe_coro_index *x = p->modules.index;
  sframe_coro_bodies bodies = sframe_coro_index_bodies (x);
  uint32_t num = 0;
  bool good = true;

  for (size_t i = 0; i < sframe_coro_index_num_funcs (x); i++)
    {
      const sframe_coro_func *f = sframe_coro_index_func_at (x, i, NULL);
      const sframe_coro_body_rules *r;

      if (f->kind != SFRAME_CORO_FUNC_BODY
	  || (r = bodies.find (bodies.arg, f->start)) == NULL)
	continue;
      num++;
      good &= sampling_add_body (d->sampling, (uint32_t) p->pid, r);
      for (size_t k = 0; k < r->num_points; k++)
	{
	  sframe_coro_point point;
	  memcpy (&point, r->points + k * sizeof point, sizeof point);
	  good &= sampling_add_point (d->sampling, (uint32_t) p->pid, r->start,
				      point.index, r->start + point.pc_off);
	}
    }
  d->no_room += !good;
  return num;
}

/* Processes.  */

/* Note the addresses of the chains that have numbers from FIRST on.  */
static void
note_addresses (describer *d, const description *p, const sampler_chain *chains,
		uint32_t first)
{
  size_t end = first + p->num_chains;

  if (end > d->num_addresses)
    {
      d->addresses = tool_realloc (d->addresses, end, sizeof *d->addresses);
      d->num_addresses = end;
    }
  for (size_t i = 0; i < p->num_chains; i++)
    d->addresses[first + i] = chains[i].rules.address;
}

/* Fill in the PID name space of process PID, if that is not ours.  */
static void
set_name_space (sampler_process *e, pid_t pid)
{
  struct stat own, its;
  char path[32];

  snprintf (path, sizeof path, "/proc/%d/ns/pid", pid);
  if (stat ("/proc/self/ns/pid", &own) != 0 || stat (path, &its) != 0
      || (own.st_ino == its.st_ino && own.st_dev == its.st_dev))
    return;
  e->ns_dev = its.st_dev;
  e->ns_ino = its.st_ino;
}

/* Tell the sampler all that there is to P.  */
static void
tell (describer *d, description *p)
{
  sampling_process to = { 0 };
  const core_thread_layout *layout
      = core_layout (HOST_ABI, p->modules.libc);
  sampler_mapping *maps = make_mappings (d, p, &to.entry.num_mappings,
					 &p->tables_missing);
  sampler_chain *chains = make_chains (d, p, &to);
  uint32_t first;

  set_name_space (&to.entry, p->pid);
  to.entry.num_bodies = tell_bodies (d, p);
  to.entry.num_chains = (uint32_t) p->num_chains;
  to.entry.generation = ++d->generation;
  to.entry.has_layout = layout != NULL;
  if (layout != NULL)
    to.entry.layout = *layout;
  to.mappings = maps;
  to.chains = chains;
  if (sampling_set_process (d->sampling, (uint32_t) p->pid, &to, &first))
    {
      p->generation = to.entry.generation;
      note_addresses (d, p, chains, first);
    }
  else
    d->no_room++;
  free (maps);
  free (chains);
  free (to.sites);
}

static void
forget (description *p)
{
  functions_free (p->functions);
  if (p->process != NULL)
    modules_free (&p->modules);
  process_free (p->process);
  free (p->index_of);
  free (p->group);
  free (p->numbers);
  *p = (description){ .pid = p->pid };
}

bool
describe (describer *d, description *p)
{
  size_t num;
  bool read;

  /* What is known of one that has ended serves what is still to come.  */
  if (proc_live_thread (p->pid) == 0)
    return d->good;
  forget (p);
  /* It may end meanwhile, and is looked at more than once: complaints are of no
     use.  */
  tool_be_quiet (true);
  p->process = process_open (p->pid);
  read = (p->process != NULL
	  && modules_read (&p->modules, p->process, NULL));
  tool_be_quiet (false);
  if (!read)
    {
      forget (p);
      return d->good;
    }
  p->functions = functions_new (&p->modules);
  p->incomplete = p->modules.incomplete;
  num = sframe_coro_index_num_chains (p->modules.index);
  p->index_of = tool_calloc (num, sizeof *p->index_of);
  p->group = tool_calloc (num, sizeof *p->group);
  p->numbers = tool_calloc (num, sizeof *p->numbers);
  for (size_t i = 0; i < num; i++)
    number_chain (d, p, i);
  tell (d, p);
  return d->good;
}

bool
describe_table (describer *d, description *p)
{
  const mappings *maps;

  if (!p->tables_missing)
    return false;
  maps = process_mappings (p->process);
  for (size_t i = 0; i < maps->num; i++)
    {
      const module *m = code_module (p, &maps->list[i]);

      if (m == NULL || find_table (d, m) != NULL)
	continue;
      make_table (d, m);
      break;
    }
  tell (d, p);
  return p->tables_missing;
}

/* Whether mapping I of M is of a file of which code is mapped.  */
static bool
is_of_module (const mappings *m, size_t i)
{
  if (!mapping_is_file (&m->list[i]))
    return false;
  for (size_t k = 0; k < m->num; k++)
    if (m->list[k].executable
	&& mapping_same_file (&m->list[i], &m->list[k]))
      return true;
  return false;
}

/* The first mapping of M from I on that is of a module.  */
static size_t
next_of_module (const mappings *m, size_t i)
{
  while (i < m->num && !is_of_module (m, i))
    i++;
  return i;
}

/* Whether modules are mapped in another way than they were when P was read: in
   the midst of loading one, parts of it are not there yet.  */
static bool
has_changed (const description *p)
{
  const mappings *then = process_mappings (p->process);
  mappings now;
  char path[32];
  size_t i, k;
  bool same = true;

  snprintf (path, sizeof path, "/proc/%d/maps", p->pid);
  if (!mappings_read (&now, path))
    return false;
  i = next_of_module (then, 0);
  k = next_of_module (&now, 0);
  while (same && i < then->num && k < now.num)
    {
      const mapping *x = &then->list[i], *y = &now.list[k];

      same = x->start == y->start && x->end == y->end
	     && x->offset == y->offset && mapping_same_file (x, y);
      i = next_of_module (then, i + 1);
      k = next_of_module (&now, k + 1);
    }
  same &= i >= then->num && k >= now.num;
  mappings_free (&now);
  return !same;
}

bool
describe_again (describer *d, description *p)
{
  if (p->process == NULL)
    return false;
  if (has_changed (p))
    {
      describe (d, p);
      return true;
    }
  process_forget (p->process);
  modules_refresh (&p->modules, p->process);
  tell (d, p);
  return false;
}

void
describe_nothing (describer *d, description *p)
{
  sampling_drop_process (d->sampling, (uint32_t) p->pid);
  forget (p);
}

size_t
describe_find_chain (const describer *d, const description *p, uint32_t number)
{
  size_t num;

  if (p->process == NULL || number >= d->num_addresses)
    return SIZE_MAX;
  num = sframe_coro_index_num_chains (p->modules.index);
  for (size_t i = 0; i < num; i++)
    if (sframe_coro_index_chain_at (p->modules.index, i)->chain.address
	== d->addresses[number])
      return i;
  return SIZE_MAX;
}
