/* Call everything that takes bytes from elsewhere.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stdlib.h>
#include <string.h>

#include "exercise.h"

#define ADDRESS UINT64_C (0x10000)
#define MAX_NODES 64

/* Unlike an assertion, this is never compiled away.  */
#define REQUIRE(COND)                                                         \
  do                                                                          \
    {                                                                         \
      if (!(COND))                                                            \
	{                                                                     \
	  fprintf (stderr, "%s:%d: %s\n", __FILE__, __LINE__, #COND);         \
	  abort ();                                                           \
	}                                                                     \
    }                                                                         \
  while (0)

/* Memory that is everywhere the same few bytes.  */
typedef struct tile
{
  const unsigned char *bytes;
  size_t size;
  size_t reads;
} tile;

static int
read_tile (void *arg, uint64_t address, void *buf, size_t len)
{
  tile *t = arg;
  unsigned char *to = buf;

  t->reads++;
  if (t->size == 0)
    return -1;
  for (size_t i = 0; i < len; i++)
    to[i] = t->bytes[(size_t) ((address + i) % t->size)];
  return 0;
}

/* The most reads that one node can take: two for each test; IP, the other IP,
   second word and next, four loads each.  */
#define READS_PER_NODE (2 * SFRAME_CORO_MAX_TESTS + 16)

static void
expect_nodes (const sframe_coro_node *nodes, size_t num, size_t max,
	      sframe_coro_stop stop)
{
  REQUIRE (num <= max);
  REQUIRE (stop < SFRAME_CORO_NUM_STOPS);
  for (size_t i = 0; i < num; i++)
    {
      REQUIRE (nodes[i].index == i);
      REQUIRE (nodes[i].address != 0 && nodes[i].address % 8 == 0);
      /* Each node once, cyclic or not.  */
      for (size_t k = 0; k < i; k++)
	REQUIRE (nodes[i].address != nodes[k].address);
    }
}

void
exercise_walk (const sframe_coro_chain *c, const unsigned char *bytes,
	       size_t size)
{
  static const size_t maxima[] = { 0, 1, 7, MAX_NODES };
  tile t = { bytes, size, 0 };
  sframe_coro_memory memory = { read_tile, &t };
  sframe_coro_thread thread = { 0x7000, 1, SFRAME_CORO_LIBC_GLIBC };
  sframe_coro_tls_block block = { SFRAME_CORO_TLS_DYNAMIC, 0, 1 };

  for (size_t i = 0; i < sizeof maxima / sizeof *maxima; i++)
    {
      size_t max = maxima[i], num;
      /* From the heap, so that a sanitizer sees the end.  */
      sframe_coro_node *nodes = malloc (max * sizeof *nodes + 1);
      uint64_t base;
      sframe_coro_stop stop;

      REQUIRE (nodes != NULL);
      t.reads = 0;
      stop = sframe_coro_walk_list (c, &memory, 0x8000 + 8 * i, nodes, max,
				    &num);
      expect_nodes (nodes, num, max, stop);
      REQUIRE (t.reads <= READS_PER_NODE * (max + 1));
      thread.libc = (sframe_coro_libc) (i % 3);
      stop = sframe_coro_walk (c, &memory, &thread, i % 2 ? &block : NULL,
			       nodes, max, &num, &base);
      expect_nodes (nodes, num, max, stop);
      free (nodes);
    }
}

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
	exercise_walk (&c, b->section->bytes, b->section->size);
	exercise_walk (&c, NULL, 0);
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
  sframe_coro_memory memory = { read_tile, t };
  sframe_coro_thread thread = { 0x7000, 1, SFRAME_CORO_LIBC_GLIBC };
  sframe_coro_bodies bodies = sframe_coro_index_bodies (x);
  sframe_coro_walker walker = { &memory, &thread, NULL, &bodies, head };

  for (size_t i = 0; i < sframe_coro_index_num_chains (x); i++)
    {
      sframe_coro_node *nodes = malloc (MAX_NODES * sizeof *nodes);
      sframe_coro_root *roots = malloc (MAX_ROOTS * sizeof *roots);
      size_t num = 0, nodes_seen = 0;
      sframe_coro_stop stop;
      uint64_t base;

      REQUIRE (nodes != NULL && roots != NULL);
      stop = sframe_coro_walk_roots (&sframe_coro_index_chain_at (x, i)->chain,
				     &walker, nodes, MAX_NODES, roots,
				     MAX_ROOTS, &num, &base);
      REQUIRE (num <= MAX_ROOTS && stop < SFRAME_CORO_NUM_STOPS);
      for (size_t k = 0; k < num; k++)
	{
	  REQUIRE (roots[k].num == 0 || roots[k].first == nodes_seen);
	  nodes_seen += roots[k].num;
	}
      REQUIRE (nodes_seen <= MAX_NODES);
      free (nodes);
      free (roots);
    }
}

static void
exercise_index (const sframe_coro_section *s)
{
  tile image = { s->bytes, s->size, 0 };
  sframe_coro_memory memory = { read_tile, &image };
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
      = { is_code, read_tile, &image, false, true, 64, 16 };
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

static bool
is_site (void *arg, size_t chain, const sframe_coro_native *native)
{
  (void) arg;
  return (native->pc >> chain & 1) != 0;
}

#define MAX_NATIVES 40
#define MAX_LISTS 8
#define MAX_LIST 16

/* Bytes to decide by; zeros when they are used up.  */
typedef struct choices
{
  const unsigned char *bytes;
  size_t size;
} choices;

static unsigned
choose (choices *c, unsigned n)
{
  if (c->size == 0)
    return 0;
  c->size--;
  return *c->bytes++ % n;
}

void
exercise_splice (const unsigned char *bytes, size_t size)
{
  choices c = { bytes, size };
  sframe_coro_native natives[MAX_NATIVES] = { 0 };
  static sframe_coro_node nodes[MAX_LISTS][MAX_LIST];
  sframe_coro_list lists[MAX_LISTS] = { 0 };
  const sframe_coro_splice_ops ops = { .is_site = is_site };
  size_t num_natives = choose (&c, MAX_NATIVES);
  size_t num_lists = choose (&c, MAX_LISTS), need, num, native = 0, shown = 0;
  sframe_coro_spliced *out;

  for (size_t i = 0; i < num_natives; i++)
    {
      sframe_coro_native *n = &natives[i];
      n->pc = choose (&c, 16);
      n->cfa = choose (&c, 4);
      n->flags = choose (&c, 8);
      n->func_start = choose (&c, 4);
      n->func_end = n->func_start + choose (&c, 3);
      n->node = choose (&c, 4) ? 0 : 8 * choose (&c, 9);
    }
  need = num_natives;
  for (size_t i = 0; i < num_lists; i++)
    {
      sframe_coro_list *l = &lists[i];
      *l = (sframe_coro_list){ choose (&c, 4), nodes[i],
			       choose (&c, MAX_LIST), choose (&c, 2),
			       choose (&c, 4) };
      need += l->num;
      for (size_t k = 0; k < l->num; k++)
	{
	  nodes[i][k] = (sframe_coro_node){ .address = 8 * choose (&c, 9),
					    .ip = choose (&c, 5),
					    .flags = choose (&c, 4),
					    .index = (uint32_t) k };
	  shown += !(nodes[i][k].flags & SFRAME_CORO_NODE_HIDDEN);
	}
    }
  out = malloc (need * sizeof *out + 1);
  REQUIRE (out != NULL);
  REQUIRE (sframe_coro_splice (natives, num_natives, lists, num_lists, &ops,
			       out, need, &num)
	   == SFRAME_CORO_OK);
  for (size_t i = 0; i < num; i++)
    {
      if (out[i].native != SFRAME_CORO_NO_INDEX)
	REQUIRE (out[i].native == native++);
      shown -= out[i].list != SFRAME_CORO_NO_INDEX;
    }
  REQUIRE (native == num_natives && shown == 0);
  free (out);
}
