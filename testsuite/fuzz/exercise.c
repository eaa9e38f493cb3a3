/* Call everything that takes a section from elsewhere.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "exercise-parts.h"

#define ADDRESS UINT64_C (0x10000)

static bool
is_code (void *arg, uint64_t address, uint64_t size)
{
  (void) arg;
  return address >= 0x1000 && size < 0x100000;
}

static int
count (void *arg, const sframe_coro_finding *f)
{
  size_t *size = arg;

  /* A bad reference is reported where it leads.  */
  REQUIRE (f->where.offset <= *size || f->error == SFRAME_CORO_ERR_BAD_OFFSET);
  REQUIRE (f->where.record != NULL);
  REQUIRE (f->error > 0 && f->error < SFRAME_CORO_NUM_ERRORS);
  return 0;
}

static void
exercise_func (const sframe_coro_block *b, const sframe_coro_func *f)
{
  sframe_coro_where where = { 0 };
  sframe_coro_body body;
  sframe_coro_point point;
  sframe_coro_row row;
  /* The first ones and the last.  */
  uint32_t some = f->num < 4 ? f->num : 4;

  for (uint32_t i = 0; i < some; i++)
    {
      uint32_t k = i == 3 ? f->num - 1u : i;
      int err = (f->kind == SFRAME_CORO_FUNC_SITE
		     ? sframe_coro_func_row (b, f, k, &row, &where)
		     : sframe_coro_func_point (b, f, k, &point, &where));
      /* A function that was decoded has its rows and points.  */
      REQUIRE (err == SFRAME_CORO_OK);
    }
  sframe_coro_func_body (b, f, &body, &where);
}

static void
exercise_block (const sframe_coro_block *b)
{
  tile image = { b->section->bytes, b->section->size, 0 };
  tile nothing = { NULL, 0, 0 };
  sframe_coro_where where = { 0 };
  sframe_coro_chain c, again;
  sframe_coro_func f;

  for (uint32_t i = 0; i < b->header.num_chains; i++)
    if (sframe_coro_block_chain (b, i, &c, &where) == SFRAME_CORO_OK)
      {
	REQUIRE (strlen (c.name) < b->section->size);
	REQUIRE (sframe_coro_section_chain_at (b->section, c.address, &again)
		 == SFRAME_CORO_OK);
	REQUIRE (sframe_coro_chain_equal (&c, &again));
	exercise_walk_once (&c, &image, (unsigned) (i + c.address / 8)
					    % NUM_WHICH);
	exercise_walk_once (&c, &nothing, NUM_WHICH - 1);
      }
  for (uint32_t i = 0; i < b->header.num_funcs; i++)
    if (sframe_coro_block_func (b, i, &f, &where) == SFRAME_CORO_OK)
      exercise_func (b, &f);
}

static int
read_register (void *arg, unsigned regno, uint64_t *value)
{
  (void) arg;
  *value = 0x8000 + 8 * regno;
  return regno < 16 ? 0 : -1;
}

/* The rows of F for every PC near it.  */
static void
exercise_rows (const sframe_coro_index *x, const sframe_coro_func *f,
	       const sframe_coro_memory *memory, uint64_t *head)
{
  sframe_coro_row row;

  for (uint64_t pc = f->start - 1; pc != f->start + 4; pc++)
    if (sframe_coro_index_row (x, f, pc, &row) == SFRAME_CORO_OK)
      {
	REQUIRE (row.pc_off <= pc - f->start);
	sframe_coro_row_head (&row, false, memory, 0x8000, read_register, NULL,
			      head);
      }
}

#define MAX_ROOTS 5

/* Walk the roots of the chains in X, in memory like T.  */
static void
exercise_roots (const sframe_coro_index *x, tile *t, const uint64_t *head)
{
  sframe_coro_memory memory = { exercise_read_tile, t };
  sframe_coro_thread thread = { 0x7000, 1, SFRAME_CORO_LIBC_GLIBC };
  sframe_coro_bodies bodies = sframe_coro_index_bodies (x);
  sframe_coro_walker walker = { &memory, &thread, NULL, &bodies, head };

  sframe_coro_node *nodes = malloc (MAX_NODES * sizeof *nodes);
  sframe_coro_root *roots = malloc (MAX_ROOTS * sizeof *roots);
  uint64_t base;
  size_t num;

  REQUIRE (nodes != NULL && roots != NULL);
  for (size_t i = 0; i < sframe_coro_index_num_chains (x); i++)
    {
      const sframe_coro_chain *c = &sframe_coro_index_chain_at (x, i)->chain;
      sframe_coro_stop stop
	  = sframe_coro_walk_roots (c, &walker, nodes, MAX_NODES, roots,
				    MAX_ROOTS, &num, &base);
      exercise_expect_roots (roots, num, MAX_ROOTS, MAX_NODES, stop);
    }
  free (nodes);
  free (roots);
}

static void
exercise_index (const sframe_coro_section *s)
{
  tile image = { s->bytes, s->size, 0 };
  sframe_coro_memory memory = { exercise_read_tile, &image };
  uint64_t head = 0;
  sframe_coro_index *x = sframe_coro_index_new ();
  sframe_coro_where where = { 0 };
  const sframe_coro_func *f;
  sframe_coro_func in_section;

  REQUIRE (x != NULL);
  sframe_coro_index_add (x, s, NULL, &where);
  sframe_coro_index_finish (x);
  for (size_t i = 0; i < sframe_coro_index_num_funcs (x) && i < 64; i++)
    {
      size_t chain, cursor = 0, matches = 0;
      const sframe_coro_func *g = sframe_coro_index_func_at (x, i, &chain);
      uint64_t pc = g->start + g->size / 2 + (g->size != 0);

      REQUIRE (chain == SIZE_MAX || chain < sframe_coro_index_num_chains (x));
      while ((f = sframe_coro_index_find (x, pc, g->kind, &cursor, &chain))
	     != NULL)
	{
	  REQUIRE (sframe_coro_func_covers (f, pc));
	  REQUIRE (++matches <= sframe_coro_index_num_funcs (x));
	}
      if (sframe_coro_func_covers (g, pc))
	REQUIRE (matches > 0);
      exercise_rows (x, g, &memory, &head);
      if (sframe_coro_section_find (s, pc, g->kind, &in_section)
	  == SFRAME_CORO_OK)
	REQUIRE (sframe_coro_func_covers (&in_section, pc));
    }
  exercise_roots (x, &image, head != 0 ? &head : NULL);
  sframe_coro_index_free (x);
}

void
exercise_section (const unsigned char *bytes, size_t size, FILE *out)
{
  tile image = { bytes, size, 0 };
  sframe_coro_module_facts facts
      = { is_code, exercise_read_tile, &image, false, true, 64, 16 };
  sframe_coro_where where = { 0 };
  sframe_coro_block b = { 0 };
  sframe_coro_section s;
  long errors;
  int err, first;

  errors = sframe_coro_validate (bytes, size, ADDRESS, &facts, count, &size);
  first = sframe_coro_section_open (&s, bytes, size, ADDRESS, &where);
  if (first != SFRAME_CORO_OK)
    {
      REQUIRE (errors == 1);
      REQUIRE (where.offset < size);
      return;
    }
  while ((err = sframe_coro_section_next_block (&s, &b, &where))
	 == SFRAME_CORO_OK)
    {
      REQUIRE (b.strings + b.header.strings_len <= size);
      exercise_block (&b);
    }
  exercise_index (&s);
  if (out != NULL)
    {
      err = sframe_coro_section_dump (&s, out, NULL);
      /* What cannot be dumped is not valid.  */
      REQUIRE (err == SFRAME_CORO_OK || errors > 0);
    }
}
