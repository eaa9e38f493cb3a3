/* Benchmark: an index of many functions, against sorting and searching their
   addresses with the C library.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "bench.h"

#include "sframe-coro-api.h"

#define NUM_BLOCKS 100 /* As linkers leave them, in no order.  */
#define NUM_PCS 65536
#define SPACING 64

typedef struct functions
{
  size_t num;
  unsigned char *bytes[NUM_BLOCKS];
  sframe_coro_section sections[NUM_BLOCKS];
  sframe_coro_index *index;
  uint64_t *starts, *sorted;
  uint64_t pcs[NUM_PCS];
} functions;

static void
must (int ok)
{
  if (!ok)
    {
      fprintf (stderr, "index: cannot prepare\n");
      exit (1);
    }
}

/* Section number I has each NUM_BLOCKSth function.  */
static void
make_section (functions *f, size_t i)
{
  sframe_coro_encoder *e = sframe_coro_encoder_new (SFRAME_CORO_ABI_AMD64_LE);
  sframe_coro_chain chain = { .name = "bench", .num_heads = 1 };
  uint64_t address = 0x10000000 + i * 0x10000000;
  uint32_t number;
  size_t size;

  chain.head[0].kind = SFRAME_CORO_HEAD_GLOBAL;
  chain.path[SFRAME_CORO_PATH_NEXT]
      = (sframe_coro_path){ .given = 1, .num_offs = 1 };
  must (e != NULL
	&& sframe_coro_encoder_add_chain (e, &chain, &number) == 0);
  for (size_t k = i; k < f->num; k += NUM_BLOCKS)
    {
      sframe_coro_func func = { .start = f->sorted[k], .size = SPACING / 2,
				.kind = SFRAME_CORO_FUNC_SITE };

      must (sframe_coro_encoder_add_func (e, &func, number, NULL, NULL, NULL)
	    == 0);
    }
  must (sframe_coro_encoder_write (e, address, &f->bytes[i], &size) == 0
	&& sframe_coro_section_open (&f->sections[i], f->bytes[i], size,
				     address, NULL)
	       == 0);
  sframe_coro_encoder_free (e);
}

static void
build (void *arg)
{
  functions *f = arg;

  sframe_coro_index_free (f->index);
  f->index = sframe_coro_index_new ();
  must (f->index != NULL);
  for (size_t i = 0; i < NUM_BLOCKS; i++)
    must (sframe_coro_index_add (f->index, &f->sections[i], NULL, NULL) == 0);
  must (sframe_coro_index_finish (f->index) == 0);
}

static int
compare (const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return (x > y) - (x < y);
}

/* Addresses alone, in the order in which the sections have them.  */
static void
sort (void *arg)
{
  functions *f = arg;

  memcpy (f->sorted, f->starts, f->num * sizeof *f->sorted);
  qsort (f->sorted, f->num, sizeof *f->sorted, compare);
}

static void
find (void *arg)
{
  functions *f = arg;

  for (size_t i = 0; i < NUM_PCS; i++)
    {
      size_t cursor = 0;
      const sframe_coro_func *func
	  = sframe_coro_index_find (f->index, f->pcs[i], SFRAME_CORO_FUNC_SITE,
				    &cursor, NULL);
      must (func != NULL);
      BENCH_USE (func);
    }
}

static void
search (void *arg)
{
  functions *f = arg;

  for (size_t i = 0; i < NUM_PCS; i++)
    {
      uint64_t start = f->pcs[i] / SPACING * SPACING;
      const void *found
	  = bsearch (&start, f->sorted, f->num, sizeof *f->sorted, compare);
      must (found != NULL);
      BENCH_USE (found);
    }
}

/* NUM functions; they are not in an index yet.  */
static functions *
prepare (size_t num)
{
  functions *f = calloc (1, sizeof *f);
  uint64_t state = UINT64_C (0x853c49e6748fea9b);

  must (f != NULL);
  f->num = num;
  f->starts = malloc (num * sizeof *f->starts);
  f->sorted = malloc (num * sizeof *f->sorted);
  must (f->starts != NULL && f->sorted != NULL);
  for (size_t i = 0; i < num; i++)
    f->sorted[i] = 0x400000000 + i * SPACING;
  for (size_t i = 0, n = 0; i < NUM_BLOCKS; i++)
    for (size_t k = i; k < num; k += NUM_BLOCKS)
      f->starts[n++] = f->sorted[k];
  for (size_t i = 0; i < NUM_PCS; i++)
    f->pcs[i] = f->sorted[bench_random (&state) % num] + 1
		+ bench_random (&state) % (SPACING / 2);
  for (size_t i = 0; i < NUM_BLOCKS; i++)
    make_section (f, i);
  return f;
}

static void
measure (size_t num)
{
  functions *f = prepare (num);
  char what[64];

  snprintf (what, sizeof what, "index %zu functions (each)", num);
  bench_ratio (what, build, (double) num, "qsort of addresses", sort,
	       (double) num, f, 0);
  snprintf (what, sizeof what, "look a PC up among %zu", num);
  bench_ratio (what, find, NUM_PCS, "bsearch of addresses", search, NUM_PCS,
	       f, 0);
  sframe_coro_index_free (f->index);
  for (size_t i = 0; i < NUM_BLOCKS; i++)
    free (f->bytes[i]);
  free (f->starts);
  free (f->sorted);
  free (f);
}

/* Without arguments print ratios; with those of bench_counted look all PCs up
   TIMES times among as many functions as SIZE.  */
int
main (int argc, char **argv)
{
  if (argc == 4)
    {
      functions *f = prepare (strtoul (argv[2], NULL, 10));
      unsigned long times = strtoul (argv[3], NULL, 10);

      build (f);
      for (unsigned long i = 0; i < times; i++)
	bench_counted (argv, find, search, f);
      return 0;
    }
  for (size_t num = 1000; num <= 1000000; num *= 10)
    measure (num);
  return 0;
}
