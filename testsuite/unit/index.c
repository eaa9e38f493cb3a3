/* Index and search in sections: against looking at every function.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stdlib.h>

#include "unit.h"

#define SECTIONS 3
#define BLOCKS 3
#define FUNCS 24
#define ADDRESS UINT64_C (0x10000)
#define CODE UINT64_C (0x400000)

/* A function by itself, for looking at every one.  */
typedef struct known
{
  sframe_coro_func func;
  size_t chain; /* Of those in the index.  */
  bool seen;
} known;

typedef struct world
{
  unsigned char *bytes[SECTIONS];
  size_t size[SECTIONS];
  sframe_coro_section section[SECTIONS];
  known known[SECTIONS * BLOCKS * FUNCS];
  size_t num_known, num_chains;
  sframe_coro_index *index;
} world;

/* How crowded the code is.  */
typedef struct density
{
  const char *what;
  uint64_t span;    /* Functions start in it.  */
  uint64_t size;    /* They are no longer.  */
  uint64_t most;    /* One of eight may be as long as this.  */
} density;

static const density densities[] = {
  { "sparse", 100000, 16, 16 },  { "touching", 400, 8, 8 },
  { "crowded", 60, 20, 40 },	 { "nested", 1000, 10, 1000 },
  { "all at one place", 1, 3, 3 }, { "size 0", 50, 0, 1 },
  { "at the end of addresses", 1000, 100, UINT32_MAX },
};

static sframe_coro_func
make_func (unit_random *r, const density *d)
{
  sframe_coro_func f = { 0 };

  f.kind = (uint8_t) (1 + unit_below (r, 2));
  f.start = CODE + unit_below (r, d->span);
  if (strcmp (d->what, "at the end of addresses") == 0)
    f.start = UINT64_MAX - unit_below (r, d->span);
  f.size = (uint32_t) unit_below (r, d->size + 1);
  if (unit_below (r, 8) == 0)
    f.size = (uint32_t) unit_below (r, d->most + 1);
  return f;
}

/* Append a block to section number I of W, which begins at BASE.  */
static void
add_block (world *w, size_t i, uint64_t base, unit_random *r,
	   const density *d)
{
  sframe_coro_chain c = { .num_heads = 1, .name = "" };
  size_t num_chains = 1 + unit_below (r, 3), num = unit_below (r, FUNCS), size;
  sframe_coro_encoder *e = sframe_coro_encoder_new (SFRAME_CORO_ABI_AMD64_LE);
  sframe_coro_body body = { 0 };
  unsigned char *bytes;

  c.head[0].kind = SFRAME_CORO_HEAD_GLOBAL;
  for (size_t k = 0; k < num_chains; k++)
    ck_assert_int_eq (sframe_coro_encoder_add_chain (e, &c, NULL), 0);
  for (size_t k = 0; k < num; k++)
    {
      known *n = &w->known[w->num_known++];
      uint32_t chain = (uint32_t) unit_below (r, num_chains);
      n->func = make_func (r, d);
      n->chain = w->num_chains + chain;
      ck_assert_int_eq (sframe_coro_encoder_add_func (e, &n->func, chain, NULL,
						      &body, NULL),
			0);
    }
  w->num_chains += num_chains;
  ck_assert_int_eq (sframe_coro_encoder_write (e, base + w->size[i], &bytes,
					       &size),
		    0);
  sframe_coro_encoder_free (e);
  w->bytes[i] = realloc (w->bytes[i], w->size[i] + size);
  memcpy (w->bytes[i] + w->size[i], bytes, size);
  w->size[i] += size;
  free (bytes);
}

static void
make_world (world *w, unit_random *r, const density *d)
{
  memset (w, 0, sizeof *w);
  w->index = sframe_coro_index_new ();
  for (size_t i = 0; i < SECTIONS; i++)
    {
      uint64_t base = ADDRESS * (i + 1);
      for (size_t k = unit_below (r, BLOCKS + 1); k-- > 0;)
	add_block (w, i, base, r, d);
      ck_assert_int_eq (sframe_coro_section_open (&w->section[i], w->bytes[i],
						  w->size[i], base, NULL),
			SFRAME_CORO_OK);
      ck_assert_int_eq (sframe_coro_index_add (w->index, &w->section[i],
					       &w->section[i], NULL),
			SFRAME_CORO_OK);
    }
  ck_assert_int_eq (sframe_coro_index_finish (w->index), SFRAME_CORO_OK);
  ck_assert_uint_eq (sframe_coro_index_num_funcs (w->index), w->num_known);
  ck_assert_uint_eq (sframe_coro_index_num_chains (w->index), w->num_chains);
}

static void
free_world (world *w)
{
  sframe_coro_index_free (w->index);
  for (size_t i = 0; i < SECTIONS; i++)
    free (w->bytes[i]);
}

/* A function of W that equals F, refers to CHAIN and has not been given yet.  */
static known *
take (world *w, const sframe_coro_func *f, size_t chain)
{
  for (size_t i = 0; i < w->num_known; i++)
    {
      known *n = &w->known[i];
      if (!n->seen && n->func.start == f->start && n->func.size == f->size
	  && n->func.kind == f->kind && n->chain == chain)
	return n;
    }
  return NULL;
}

/* All that the index finds for PC, from the greatest start down, is all there
   is.  */
static void
expect_found (world *w, uint64_t pc, int kind)
{
  const sframe_coro_func *f;
  uint64_t last = UINT64_MAX;
  size_t cursor = 0, chain;

  for (size_t i = 0; i < w->num_known; i++)
    w->known[i].seen = false;
  while ((f = sframe_coro_index_find (w->index, pc, kind, &cursor, &chain))
	 != NULL)
    {
      known *n = take (w, f, chain);
      ck_assert_ptr_nonnull (n);
      n->seen = true;
      ck_assert_uint_le (f->start, last);
      last = f->start;
    }
  /* The end stays the end.  */
  ck_assert_ptr_null (sframe_coro_index_find (w->index, pc, kind, &cursor,
					      NULL));
  for (size_t i = 0; i < w->num_known; i++)
    ck_assert (w->known[i].seen
	       == (w->known[i].func.kind == kind
		   && sframe_coro_func_covers (&w->known[i].func, pc)));
}

/* The search in sections finds a function if there is one.  */
static void
expect_section_find (const world *w, uint64_t pc, int kind)
{
  bool in_index = false, found = false;
  sframe_coro_func f;

  for (size_t i = 0; i < SECTIONS; i++)
    {
      int err = sframe_coro_section_find (&w->section[i], pc, kind, &f);
      if (err == SFRAME_CORO_OK)
	{
	  found = true;
	  ck_assert (f.kind == kind && sframe_coro_func_covers (&f, pc));
	}
      else
	ck_assert_int_eq (err, SFRAME_CORO_ERR_NOT_FOUND);
    }
  for (size_t i = 0; i < w->num_known; i++)
    in_index |= (w->known[i].func.kind == kind
		 && sframe_coro_func_covers (&w->known[i].func, pc));
  ck_assert (found == in_index);
}

START_TEST (stabbing)
{
  const density *d = &densities[_i];
  unit_random r = { (uint64_t) _i };
  world w;

  for (unsigned i = 0; i < 20; i++)
    {
      make_world (&w, &r, d);
      for (unsigned k = 0; k < 100; k++)
	{
	  /* Near a start, near an end, or anywhere.  */
	  uint64_t pc = CODE - 2 + unit_below (&r, d->span + d->size + 4);
	  int kind = 1 + (int) unit_below (&r, 2);

	  if (w.num_known != 0 && unit_below (&r, 3) != 0)
	    {
	      const sframe_coro_func *f
		  = &w.known[unit_below (&r, w.num_known)].func;
	      pc = (f->start + (unit_below (&r, 2) ? f->size : 0)
		    + unit_below (&r, 3) - 1);
	    }
	  expect_found (&w, pc, kind);
	  expect_section_find (&w, pc, kind);
	}
      expect_found (&w, 0, 1);
      expect_found (&w, UINT64_MAX, 2);
      free_world (&w);
    }
}
END_TEST

START_TEST (in_order)
{
  unit_random r = { 3 };
  world w;

  for (unsigned i = 0; i < 50; i++)
    {
      const sframe_coro_func *f, *last = NULL;
      size_t chain, num;

      make_world (&w, &r, &densities[2]);
      num = sframe_coro_index_num_funcs (w.index);
      for (size_t k = 0; k < num; k++)
	{
	  known *n;
	  f = sframe_coro_index_func_at (w.index, k, &chain);
	  ck_assert_ptr_eq (f, sframe_coro_index_func_at (w.index, k, NULL));
	  n = take (&w, f, chain);
	  ck_assert_ptr_nonnull (n);
	  n->seen = true;
	  ck_assert (last == NULL || last->start <= f->start);
	  last = f;
	}
      ck_assert_ptr_null (sframe_coro_index_func_at (w.index, num, &chain));
      free_world (&w);
    }
}
END_TEST

START_TEST (chains)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE, .address = ADDRESS };
  sframe_coro_index *x = sframe_coro_index_new ();
  const sframe_coro_index_chain *c;
  sframe_coro_section s;
  int module;
  size_t chain;

  unit_hand_make (&h);
  ck_assert_int_eq (sframe_coro_section_open (&s, h.bytes, h.size, h.address,
					      NULL),
		    0);
  ck_assert_int_eq (sframe_coro_index_add (x, &s, &module, NULL), 0);
  ck_assert_int_eq (sframe_coro_index_finish (x), 0);
  ck_assert_uint_eq (sframe_coro_index_num_chains (x), 2);
  for (size_t i = 0; i < 2; i++)
    {
      c = sframe_coro_index_chain_at (x, i);
      ck_assert_ptr_eq (c->module, &module);
      ck_assert_uint_eq (c->chain.address, ADDRESS + h.chain[i]);
      ck_assert_str_eq (c->chain.name, i == 0 ? "demo.task" : "py");
    }
  ck_assert_ptr_null (sframe_coro_index_chain_at (x, 2));
  ck_assert_uint_eq (sframe_coro_index_num_funcs (x), 4);
  for (size_t i = 0; i < 4; i++)
    {
      ck_assert_ptr_nonnull (sframe_coro_index_func_at (x, i, &chain));
      ck_assert_uint_eq (chain, i % 2);
    }
  sframe_coro_index_free (x);

  /* A reference to what is no chain.  */
  x = sframe_coro_index_new ();
  unit_put (h.bytes + h.func[3] + 8, 8, false, 0);
  ck_assert_int_eq (sframe_coro_index_add (x, &s, NULL, NULL), 0);
  ck_assert_int_eq (sframe_coro_index_finish (x), 0);
  ck_assert_ptr_nonnull (sframe_coro_index_func_at (x, 3, &chain));
  ck_assert_uint_eq (chain, SIZE_MAX);
  sframe_coro_index_free (x);
  unit_hand_free (&h);
}
END_TEST

/* Only what is damaged is left out, and it is said where that is.  */
START_TEST (damaged)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_S390X_BE, .address = ADDRESS };
  sframe_coro_index *x = sframe_coro_index_new ();
  sframe_coro_where where = { 0 };
  sframe_coro_section s;

  unit_hand_make (&h);
  h.bytes[h.func[2] + 26] = 9;
  ck_assert_int_eq (sframe_coro_section_open (&s, h.bytes, h.size, h.address,
					      NULL),
		    0);
  ck_assert_int_eq (sframe_coro_index_add (x, &s, NULL, &where),
		    SFRAME_CORO_ERR_BAD_KIND);
  ck_assert_uint_eq (where.offset, h.func[2] + 26);
  ck_assert_int_eq (sframe_coro_index_finish (x), 0);
  ck_assert_uint_eq (sframe_coro_index_num_chains (x), 2);
  ck_assert_uint_eq (sframe_coro_index_num_funcs (x), 3);
  sframe_coro_index_free (x);

  x = sframe_coro_index_new ();
  h.bytes[h.chain[1] + 10] = 9;
  ck_assert_int_eq (sframe_coro_index_add (x, &s, NULL, &where),
		    SFRAME_CORO_ERR_BAD_KIND);
  ck_assert_int_eq (sframe_coro_index_finish (x), 0);
  ck_assert_uint_eq (sframe_coro_index_num_chains (x), 1);
  ck_assert_uint_eq (sframe_coro_index_num_funcs (x), 3);
  sframe_coro_index_free (x);
  unit_hand_free (&h);
}
END_TEST

START_TEST (empty)
{
  sframe_coro_index *x = sframe_coro_index_new ();
  size_t cursor = 0;

  ck_assert_int_eq (sframe_coro_index_finish (x), 0);
  ck_assert_ptr_null (sframe_coro_index_find (x, 1, 1, &cursor, NULL));
  ck_assert_ptr_null (sframe_coro_index_find (x, 1, 1, &cursor, NULL));
  ck_assert_ptr_null (sframe_coro_index_func_at (x, 0, NULL));
  ck_assert_ptr_null (sframe_coro_index_chain_at (x, 0));
  sframe_coro_index_free (x);
  sframe_coro_index_free (NULL);
}
END_TEST

/* The map of chain addresses, with keys that collide.  */
START_TEST (map)
{
  impl_map m = { 0 };

  ck_assert_uint_eq (impl_map_get (&m, 0), SIZE_MAX);
  for (uint64_t i = 0; i < 5000; i++)
    ck_assert (impl_map_put (&m, i << 44, (size_t) i));
  for (uint64_t i = 0; i < 5000; i++)
    {
      ck_assert (impl_map_put (&m, i << 44, 0));
      ck_assert_uint_eq (impl_map_get (&m, i << 44), i);
      ck_assert_uint_eq (impl_map_get (&m, (i << 44) + 1), SIZE_MAX);
    }
  impl_map_free (&m);
  ck_assert_uint_eq (impl_map_get (&m, 0), SIZE_MAX);
}
END_TEST

int
main (void)
{
  const unit_test tests[] = {
    { stabbing, ARRAY_SIZE (densities) },
    { in_order, 0 },
    { chains, 0 },
    { damaged, 0 },
    { empty, 0 },
    { map, 0 },
  };
  return unit_run ("index", tests, ARRAY_SIZE (tests));
}
