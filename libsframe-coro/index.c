/* libsframe-coro: all functions and chains of a process, searchable.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include <stdlib.h>

#include "impl.h"

/* A function, and what keeps searches short: the number, plus one, of the next
   function before it that goes on to a greater PC than it, or 0.  Where this
   one ends before the PC that is looked for, all in between do.  What a search
   looks at comes first and fits a cache line.  */
typedef struct entry
{
  sframe_coro_func func;
  size_t longer;
  size_t chain;
  const unsigned char *rows; /* Of a site.  */
  bool swap;
} entry;

/* Numbers in ascending order, and above them, again and again, each FANOUTth
   of the level below, until these are at most FANOUT: a search compares with
   FANOUT neighbours on each level, one cache line, of which none has to wait
   for another.  Behind the numbers of a level come, up to a multiple of FANOUT,
   such as are greater than any.  */
#define FANOUT 8
#define MAX_LEVELS 22 /* 3 bits each.  */
#define LINE (FANOUT * sizeof (uint64_t))

typedef struct ladder
{
  void *memory;	  /* To be freed.  */
  uint64_t *keys; /* Of level 0; aligned to LINE.  NULL: not made.  */
  size_t num;	  /* Of them.  */
  unsigned num_levels;
  size_t level[MAX_LEVELS]; /* Where each begins, in KEYS.  */
} ladder;

/* What functions are sorted by.  */
typedef struct sort_key
{
  uint64_t start;
  size_t func;
} sort_key;

struct sframe_coro_index
{
  sframe_coro_index_chain *chains;
  size_t num_chains, room_chains;
  entry *funcs;
  ladder func_starts;
  size_t num_funcs, room_funcs;
  sframe_coro_body_rules *bodies;
  ladder body_starts;
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

/* Make room in L for NUM keys, and lay the levels out.  */
static bool
ladder_alloc (ladder *l, size_t num)
{
  size_t total = 0, n = num;

  *l = (ladder){ .num = num };
  do
    {
      l->level[l->num_levels++] = total;
      n = n / FANOUT + (n % FANOUT != 0);
      total += n * FANOUT;
    }
  while (n > 1);
  if (total > (SIZE_MAX - LINE) / sizeof *l->keys)
    return false;
  l->memory = malloc (total * sizeof *l->keys + LINE);
  if (l->memory == NULL)
    return false;
  l->keys = (uint64_t *) (((uintptr_t) l->memory + LINE - 1) & -LINE);
  return true;
}

/* The keys of level 0 of L are there: fill in what is behind and above.  */
static void
ladder_raise (ladder *l)
{
  size_t n = l->num;

  for (unsigned i = 0; i < l->num_levels; i++)
    {
      uint64_t *keys = l->keys + l->level[i];

      for (; n % FANOUT != 0; n++)
	keys[n] = UINT64_MAX;
      n /= FANOUT;
      if (i + 1 < l->num_levels)
	for (size_t k = 0; k < n; k++)
	  l->keys[l->level[i + 1] + k] = keys[k * FANOUT];
    }
}

static void
ladder_free (ladder *l)
{
  free (l->memory);
  *l = (ladder){ 0 };
}

/* The number of keys of L that are at most KEY.  No branch depends on what is
   compared, which nobody could predict.  */
static size_t
ladder_count (const ladder *l, uint64_t key)
{
  size_t at = 0;

  if (l->num == 0 || key < l->keys[0])
    return 0;
  if (key == UINT64_MAX)
    return l->num;
  for (unsigned i = l->num_levels; i-- > 0;)
    {
      const uint64_t *keys = l->keys + l->level[i] + at * FANOUT;
      size_t n = 0;

#pragma GCC unroll 8
      for (unsigned k = 1; k < FANOUT; k++)
	n += keys[k] <= key;
      at = at * FANOUT + n;
    }
  return at + 1;
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
  ladder_free (&x->func_starts);
  free (x->bodies);
  ladder_free (&x->body_starts);
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

  ladder_free (&x->func_starts);
  ladder_free (&x->body_starts);
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

/* Order of functions that start at the same address.  */
static bool
is_before (const sframe_coro_func *a, const sframe_coro_func *b)
{
  if (a->size != b->size)
    return a->size < b->size;
  if (a->kind != b->kind)
    return a->kind < b->kind;
  return a->chain < b->chain;
}

static inline bool
key_before (const entry *funcs, const sort_key *a, const sort_key *b)
{
  if (a->start != b->start)
    return a->start < b->start;
  return is_before (&funcs[a->func].func, &funcs[b->func].func);
}

/* The end of the run of KEYS, NUM in all, that begins at number I and is in
   order.  */
static size_t
run_end (const entry *funcs, const sort_key *keys, size_t i, size_t num)
{
  if (i < num)
    i++;
  while (i < num && !key_before (funcs, &keys[i], &keys[i - 1]))
    i++;
  return i;
}

/* Merge the runs from A to B and from there to END into TO.  */
static void
merge (const entry *funcs, const sort_key *a, const sort_key *b,
       const sort_key *end, sort_key *to)
{
  const sort_key *mid = b;

  while (a < mid && b < end)
    {
      bool second = key_before (funcs, b, a);
      *to++ = second ? *b : *a;
      b += second;
      a += !second;
    }
  memcpy (to, a, (size_t) (mid - a) * sizeof *a);
  memcpy (to + (mid - a), b, (size_t) (end - b) * sizeof *b);
}

/* Sort the NUM keys at KEYS, with room for as many at SPARE; return which of
   both has them then.  Blocks and sections are sorted as a rule, so there are
   few runs to merge.  */
static sort_key *
sort_keys (const entry *funcs, sort_key *keys, sort_key *spare, size_t num)
{
  for (;;)
    {
      sort_key *from = keys;
      size_t i = 0, mid = run_end (funcs, from, 0, num), end;

      if (mid == num)
	return keys;
      for (; i < num; i = end)
	{
	  mid = run_end (funcs, from, i, num);
	  end = run_end (funcs, from, mid, num);
	  merge (funcs, from + i, from + mid, from + end, spare + i);
	}
      keys = spare;
      spare = from;
    }
}

/* Put the functions of X in the order of KEYS.  */
static bool
reorder (sframe_coro_index *x, const sort_key *keys)
{
  entry *sorted = malloc (x->num_funcs * sizeof *sorted);

  if (sorted == NULL)
    return false;
  for (size_t i = 0; i < x->num_funcs; i++)
    sorted[i] = x->funcs[keys[i].func];
  free (x->funcs);
  x->funcs = sorted;
  x->room_funcs = x->num_funcs;
  return true;
}

static bool
sort_funcs (sframe_coro_index *x)
{
  size_t num = x->num_funcs;
  sort_key *keys, *sorted;
  bool ok = true;

  if (num == 0)
    return true;
  if (num > SIZE_MAX / 2 / sizeof *keys)
    return false;
  keys = malloc (2 * num * sizeof *keys);
  if (keys == NULL)
    return false;
  for (size_t i = 0; i < num; i++)
    keys[i] = (sort_key){ x->funcs[i].func.start, i };
  sorted = sort_keys (x->funcs, keys, keys + num, num);
  for (size_t i = 0; i < num && ok; i++)
    if (sorted[i].func != i)
      {
	ok = reorder (x, sorted);
	break;
      }
  free (keys);
  return ok;
}

static int
compare_bodies (const void *va, const void *vb)
{
  const sframe_coro_body_rules *a = va, *b = vb;

  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return a->points < b->points ? -1 : a->points > b->points;
}

/* Bind each function to its chain, which may be in a section that was added
   later.  Neighbours have the same, as a rule.  */
static void
bind_chains (sframe_coro_index *x)
{
  uint64_t address = 0;
  size_t chain = SIZE_MAX;

  for (size_t i = 0; i < x->num_funcs; i++)
    {
      entry *e = &x->funcs[i];
      if (i == 0 || e->func.chain != address)
	{
	  address = e->func.chain;
	  chain = impl_map_get (&x->by_address, address);
	}
      e->chain = chain;
    }
}

/* Set what leads each function to a longer one, and its key.  */
static void
link_longer (sframe_coro_index *x)
{
  for (size_t i = 0; i < x->num_funcs; i++)
    {
      entry *e = &x->funcs[i];
      uint64_t last = impl_func_last (&e->func);

      e->longer = i;
      while (e->longer != 0
	     && impl_func_last (&x->funcs[e->longer - 1].func) <= last)
	e->longer = x->funcs[e->longer - 1].longer;
      x->func_starts.keys[i] = e->func.start;
    }
}

int
sframe_coro_index_finish (sframe_coro_index *x)
{
  ladder_free (&x->func_starts);
  ladder_free (&x->body_starts);
  bind_chains (x);
  if (!sort_funcs (x) || !ladder_alloc (&x->func_starts, x->num_funcs)
      || !ladder_alloc (&x->body_starts, x->num_bodies))
    {
      ladder_free (&x->func_starts);
      ladder_free (&x->body_starts);
      return SFRAME_CORO_ERR_NOMEM;
    }
  link_longer (x);
  ladder_raise (&x->func_starts);
  if (x->num_bodies != 0)
    qsort (x->bodies, x->num_bodies, sizeof *x->bodies, compare_bodies);
  for (size_t i = 0; i < x->num_bodies; i++)
    x->body_starts.keys[i] = x->bodies[i].start;
  ladder_raise (&x->body_starts);
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

const sframe_coro_func *
sframe_coro_index_find (const sframe_coro_index *x, uint64_t pc, int kind,
			size_t *cursor, size_t *chain)
{
  size_t i = *cursor;

  if (i == SIZE_MAX)
    return NULL;
  if (i == 0)
    i = ladder_count (&x->func_starts, pc);
  while (i > 0)
    {
      const entry *e = &x->funcs[i - 1];
      bool ends = impl_func_last (&e->func) < pc;
      i = ends ? e->longer : i - 1;
      if (ends || e->func.kind != kind
	  || !sframe_coro_func_covers (&e->func, pc))
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
sframe_coro_index_row_at (const sframe_coro_index *x,
			  const sframe_coro_func *f, unsigned i,
			  sframe_coro_row *row)
{
  const entry *e = (const entry *) f; /* Its first member.  */

  (void) x;
  if (f->kind != SFRAME_CORO_FUNC_SITE || i >= f->num)
    return SFRAME_CORO_ERR_NOT_FOUND;
  impl_record_load (&impl_row_record, e->swap, e->rows + i * sizeof *row,
		    sizeof *row, row);
  return SFRAME_CORO_OK;
}

int
sframe_coro_index_row (const sframe_coro_index *x, const sframe_coro_func *f,
		       uint64_t pc, sframe_coro_row *row)
{
  int err = SFRAME_CORO_ERR_NOT_FOUND;
  sframe_coro_row r;

  for (unsigned i = 0;
       sframe_coro_index_row_at (x, f, i, &r) == SFRAME_CORO_OK
       && r.pc_off <= pc - f->start;
       i++)
    {
      *row = r;
      err = SFRAME_CORO_OK;
    }
  return err;
}

static const sframe_coro_body_rules *
find_body (void *arg, uint64_t ip)
{
  const sframe_coro_index *x = arg;
  /* The first of those that start there.  */
  size_t i = ip != 0 ? ladder_count (&x->body_starts, ip - 1) : 0;

  return (i < x->body_starts.num && x->bodies[i].start == ip ? &x->bodies[i]
							     : NULL);
}

sframe_coro_bodies
sframe_coro_index_bodies (const sframe_coro_index *x)
{
  return (sframe_coro_bodies){ find_body, (void *) x };
}
