/* libsframe-coro: all functions and chains of a process, searchable.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include <stdlib.h>

#include "impl.h"

/* A function, and what keeps searches short: the number, plus one, of the next
   function before it that goes on to a greater PC than it, or 0.  Where this
   one ends before the PC that is looked for, all in between do.  */
typedef struct entry
{
  sframe_coro_func func;
  size_t chain;
  uint64_t last;
  size_t longer;
  const unsigned char *rows; /* Of a site.  */
  bool swap;
} entry;

struct sframe_coro_index
{
  sframe_coro_index_chain *chains;
  size_t num_chains, room_chains;
  entry *funcs;
  uint64_t *starts; /* Of the functions, close together for the search.  */
  size_t num_funcs, room_funcs;
  sframe_coro_body_rules *bodies;
  size_t num_bodies, room_bodies;
  impl_map by_address;
};

static inline size_t
map_hash (const impl_map *m, uint64_t key)
{
  key = (key ^ key >> 32) * UINT64_C (0x9e3779b97f4a7c15);
  return (size_t) (key >> 32) & (m->capacity - 1);
}

static impl_map_slot *
map_slot (const impl_map *m, uint64_t key)
{
  size_t i = map_hash (m, key);
  while (m->slots[i].value != 0 && m->slots[i].key != key)
    i = (i + 1) & (m->capacity - 1);
  return &m->slots[i];
}

bool
impl_map_put (impl_map *m, uint64_t key, size_t value)
{
  impl_map_slot *slot;

  if (m->num * 2 >= m->capacity)
    {
      impl_map bigger = { .capacity = m->capacity ? m->capacity * 2 : 16 };
      bigger.slots = calloc (bigger.capacity, sizeof *bigger.slots);
      if (bigger.slots == NULL)
	return false;
      for (size_t i = 0; i < m->capacity; i++)
	if (m->slots[i].value != 0)
	  *map_slot (&bigger, m->slots[i].key) = m->slots[i];
      bigger.num = m->num;
      free (m->slots);
      *m = bigger;
    }
  slot = map_slot (m, key);
  if (slot->value == 0)
    {
      *slot = (impl_map_slot){ key, value + 1 };
      m->num++;
    }
  return true;
}

size_t
impl_map_get (const impl_map *m, uint64_t key)
{
  return m->num == 0 ? SIZE_MAX : map_slot (m, key)->value - 1;
}

void
impl_map_free (impl_map *m)
{
  free (m->slots);
  *m = (impl_map){ 0 };
}

sframe_coro_index *
sframe_coro_index_new (void)
{
  return calloc (1, sizeof (sframe_coro_index));
}

void
sframe_coro_index_free (sframe_coro_index *x)
{
  if (x == NULL)
    return;
  impl_map_free (&x->by_address);
  free (x->chains);
  free (x->funcs);
  free (x->starts);
  free (x->bodies);
  free (x);
}

bool
impl_grow (void **array, size_t num, size_t *room, size_t size)
{
  size_t want;
  void *p;

  if (num < *room)
    return true;
  want = *room ? *room * 2 : 16;
  p = realloc (*array, want * size);
  if (p == NULL)
    return false;
  *array = p;
  *room = want;
  return true;
}

static int
add_chain (sframe_coro_index *x, const sframe_coro_block *b, uint32_t i,
	   void *module, sframe_coro_where *where)
{
  sframe_coro_index_chain *c;
  int err;

  if (!impl_grow ((void **) &x->chains, x->num_chains, &x->room_chains,
		  sizeof *x->chains))
    return SFRAME_CORO_ERR_NOMEM;
  c = &x->chains[x->num_chains];
  err = sframe_coro_block_chain (b, i, &c->chain, where);
  if (err != SFRAME_CORO_OK)
    return err;
  c->module = module;
  if (!impl_map_put (&x->by_address, c->chain.address, x->num_chains))
    return SFRAME_CORO_ERR_NOMEM;
  x->num_chains++;
  return SFRAME_CORO_OK;
}

/* Keep what BODY F of B says of its nodes.  */
static int
add_body (sframe_coro_index *x, const sframe_coro_block *b,
	  const sframe_coro_func *f, sframe_coro_where *where)
{
  sframe_coro_body_rules *r;
  int err;

  if (!impl_grow ((void **) &x->bodies, x->num_bodies, &x->room_bodies,
		  sizeof *x->bodies))
    return SFRAME_CORO_ERR_NOMEM;
  r = &x->bodies[x->num_bodies];
  err = sframe_coro_func_body (b, f, &r->body, where);
  if (err == SFRAME_CORO_ERR_NOT_FOUND)
    return SFRAME_CORO_OK;
  if (err != SFRAME_CORO_OK)
    return err;
  r->start = f->start;
  r->points = b->section->bytes + f->data + sizeof (sframe_coro_body_entry);
  r->num_points = f->num;
  r->swap = b->section->swap;
  x->num_bodies++;
  return SFRAME_CORO_OK;
}

static int
add_func (sframe_coro_index *x, const sframe_coro_block *b, uint32_t i,
	  sframe_coro_where *where)
{
  entry *e;
  int err;

  if (!impl_grow ((void **) &x->funcs, x->num_funcs, &x->room_funcs,
		  sizeof *x->funcs))
    return SFRAME_CORO_ERR_NOMEM;
  e = &x->funcs[x->num_funcs];
  err = sframe_coro_block_func (b, i, &e->func, where);
  if (err != SFRAME_CORO_OK)
    return err;
  e->rows = b->section->bytes + e->func.data;
  e->swap = b->section->swap;
  x->num_funcs++;
  /* What a wrong body says is lost, the function is not.  */
  if (e->func.kind == SFRAME_CORO_FUNC_BODY)
    err = add_body (x, b, &e->func, where);
  return err;
}

/* Keep ERR, found AT, in *FIRST and *WHERE unless there is an earlier one;
   return it.  */
static int
first_error (int err, const sframe_coro_where *at, int *first,
	     sframe_coro_where *where)
{
  if (err != SFRAME_CORO_OK && *first == SFRAME_CORO_OK)
    {
      *first = err;
      if (where != NULL)
	*where = *at;
    }
  return err;
}

int
sframe_coro_index_add (sframe_coro_index *x, const sframe_coro_section *s,
		       void *module, sframe_coro_where *where)
{
  sframe_coro_where at = { 0 };
  int err, first = SFRAME_CORO_OK;
  sframe_coro_block b;

  free (x->starts);
  x->starts = NULL;
  memset (&b, 0, sizeof b);
  while ((err = sframe_coro_section_next_block (s, &b, &at))
	 == SFRAME_CORO_OK)
    {
      for (uint32_t i = 0; i < b.header.num_chains; i++)
	if (first_error (add_chain (x, &b, i, module, &at), &at, &first, where)
	    == SFRAME_CORO_ERR_NOMEM)
	  return SFRAME_CORO_ERR_NOMEM;
      for (uint32_t i = 0; i < b.header.num_funcs; i++)
	if (first_error (add_func (x, &b, i, &at), &at, &first, where)
	    == SFRAME_CORO_ERR_NOMEM)
	  return SFRAME_CORO_ERR_NOMEM;
    }
  if (err != SFRAME_CORO_ERR_NOT_FOUND)
    first_error (err, &at, &first, where);
  return first;
}

static int
compare (const void *va, const void *vb)
{
  const sframe_coro_func *a = &((const entry *) va)->func;
  const sframe_coro_func *b = &((const entry *) vb)->func;

  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  return a->chain < b->chain ? -1 : a->chain > b->chain;
}

static int
compare_bodies (const void *va, const void *vb)
{
  const sframe_coro_body_rules *a = va, *b = vb;

  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return a->points < b->points ? -1 : a->points > b->points;
}

int
sframe_coro_index_finish (sframe_coro_index *x)
{
  if (x->num_bodies != 0)
    qsort (x->bodies, x->num_bodies, sizeof *x->bodies, compare_bodies);
  if (x->num_funcs != 0)
    qsort (x->funcs, x->num_funcs, sizeof *x->funcs, compare);
  free (x->starts);
  x->starts = malloc ((x->num_funcs + 1) * sizeof *x->starts);
  if (x->starts == NULL)
    return SFRAME_CORO_ERR_NOMEM;
  for (size_t i = 0; i < x->num_funcs; i++)
    {
      entry *e = &x->funcs[i];
      x->starts[i] = e->func.start;
      e->last = impl_func_last (&e->func);
      e->longer = i;
      while (e->longer != 0 && x->funcs[e->longer - 1].last <= e->last)
	e->longer = x->funcs[e->longer - 1].longer;
      e->chain = impl_map_get (&x->by_address, e->func.chain);
    }
  return SFRAME_CORO_OK;
}

size_t
sframe_coro_index_num_chains (const sframe_coro_index *x)
{
  return x->num_chains;
}

const sframe_coro_index_chain *
sframe_coro_index_chain_at (const sframe_coro_index *x, size_t i)
{
  return i < x->num_chains ? &x->chains[i] : NULL;
}

size_t
sframe_coro_index_num_funcs (const sframe_coro_index *x)
{
  return x->num_funcs;
}

const sframe_coro_func *
sframe_coro_index_func_at (const sframe_coro_index *x, size_t i,
			   size_t *chain)
{
  if (i >= x->num_funcs)
    return NULL;
  if (chain != NULL)
    *chain = x->funcs[i].chain;
  return &x->funcs[i].func;
}

/* The number of functions that start at or before PC.  No branch depends on
   the comparison, which nobody could predict.  */
static size_t
num_up_to (const sframe_coro_index *x, uint64_t pc)
{
  const uint64_t *at = x->starts;
  size_t n = x->starts != NULL ? x->num_funcs : 0;

  while (n > 1)
    {
      size_t half = n / 2;
      at += (at[half - 1] <= pc) * half;
      n -= half;
    }
  return (size_t) (at - x->starts) + (n != 0 && *at <= pc);
}

const sframe_coro_func *
sframe_coro_index_find (const sframe_coro_index *x, uint64_t pc, int kind,
			size_t *cursor, size_t *chain)
{
  size_t i = *cursor;

  if (i == SIZE_MAX)
    return NULL;
  if (i == 0)
    i = num_up_to (x, pc);
  while (i > 0)
    {
      const entry *e = &x->funcs[i - 1];
      i = e->last < pc ? e->longer : i - 1;
      if (e->func.kind != kind || !sframe_coro_func_covers (&e->func, pc))
	continue;
      *cursor = i == 0 ? SIZE_MAX : i;
      if (chain != NULL)
	*chain = e->chain;
      return &e->func;
    }
  *cursor = SIZE_MAX;
  return NULL;
}

int
sframe_coro_index_row (const sframe_coro_index *x, const sframe_coro_func *f,
		       uint64_t pc, sframe_coro_row *row)
{
  const entry *e = (const entry *) f; /* Its first member.  */
  int err = SFRAME_CORO_ERR_NOT_FOUND;
  sframe_coro_row r;

  (void) x;
  if (f->kind != SFRAME_CORO_FUNC_SITE)
    return err;
  for (unsigned i = 0; i < f->num; i++)
    {
      impl_record_load (&impl_row_record, e->swap, e->rows + i * sizeof r,
			sizeof r, &r);
      if (r.pc_off > pc - f->start)
	break;
      *row = r;
      err = SFRAME_CORO_OK;
    }
  return err;
}

static const sframe_coro_body_rules *
find_body (void *arg, uint64_t ip)
{
  const sframe_coro_index *x = arg;
  size_t lo = 0, hi = x->num_bodies;

  while (lo < hi)
    {
      size_t mid = lo + (hi - lo) / 2;
      if (x->bodies[mid].start < ip)
	lo = mid + 1;
      else
	hi = mid;
    }
  return (lo < x->num_bodies && x->bodies[lo].start == ip ? &x->bodies[lo]
							  : NULL);
}

sframe_coro_bodies
sframe_coro_index_bodies (const sframe_coro_index *x)
{
  return (sframe_coro_bodies){ find_body, (void *) x };
}
