/* Benchmark: opening a section and looking PCs up, against libsframe.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: sections CORO-FILE CORO-ADDRESS SFRAME-FILE SFRAME-ADDRESS

   The files are the contents of the two sections of one program, which
   describe the same functions.  */

#include "bench.h"

#include <sframe-api.h>

#include "sframe-coro-api.h"

#define NUM_PCS 65536
#define NUM_OPENS 2000
#define NUM_DECODES 20

typedef struct sections
{
  unsigned char *coro;
  char *sframe;
  size_t coro_size, sframe_size;
  uint64_t coro_address, sframe_address;
  sframe_coro_section section;
  sframe_coro_block block; /* That with the functions.  */
  sframe_coro_index *index;
  sframe_decoder_ctx *decoder;
  uint64_t *pcs;
} sections;

static void
must (int ok, const char *what)
{
  if (!ok)
    {
      fprintf (stderr, "sections: %s\n", what);
      exit (1);
    }
}

static void *
read_file (const char *name, size_t *size)
{
  FILE *f = fopen (name, "rb");
  long len = 0;
  void *bytes;

  must (f != NULL, name);
  must (fseek (f, 0, SEEK_END) == 0 && (len = ftell (f)) > 0, name);
  rewind (f);
  *size = (size_t) len;
  bytes = malloc (*size);
  must (bytes != NULL && fread (bytes, 1, *size, f) == *size, name);
  fclose (f);
  return bytes;
}

static void
open_section (void *arg)
{
  sections *s = arg;
  sframe_coro_section section;

  for (int i = 0; i < NUM_OPENS; i++)
    {
      must (sframe_coro_section_open (&section, s->coro, s->coro_size,
				      s->coro_address, NULL)
		== SFRAME_CORO_OK,
	    "cannot open");
      BENCH_USE (&section);
    }
}

/* The same, and the header of every block.  */
static void
open_blocks (void *arg)
{
  sections *s = arg;
  sframe_coro_section section;

  for (int i = 0; i < NUM_OPENS; i++)
    {
      sframe_coro_block block = { 0 };
      int err;

      must (sframe_coro_section_open (&section, s->coro, s->coro_size,
				      s->coro_address, NULL)
		== SFRAME_CORO_OK,
	    "cannot open");
      do
	err = sframe_coro_section_next_block (&section, &block, NULL);
      while (err == SFRAME_CORO_OK);
      must (err == SFRAME_CORO_ERR_NOT_FOUND, "damaged block");
      BENCH_USE (&block);
    }
}

static void
decode (void *arg)
{
  sections *s = arg;

  for (int i = 0; i < NUM_DECODES; i++)
    {
      int err;
      sframe_decoder_ctx *d = sframe_decode (s->sframe, s->sframe_size, &err);

      must (d != NULL, "sframe_decode failed");
      BENCH_USE (d);
      sframe_decoder_free (&d);
    }
}

static void
find_in_section (void *arg)
{
  sections *s = arg;
  sframe_coro_func f;

  for (int i = 0; i < NUM_PCS; i++)
    {
      must (sframe_coro_section_find (&s->section, s->pcs[i],
				      SFRAME_CORO_FUNC_BODY, &f)
		== SFRAME_CORO_OK,
	    "PC not found in the section");
      BENCH_USE (&f);
    }
}

static void
find_in_block (void *arg)
{
  sections *s = arg;
  sframe_coro_func f;

  for (int i = 0; i < NUM_PCS; i++)
    {
      must (sframe_coro_block_find (&s->block, s->pcs[i],
				    SFRAME_CORO_FUNC_BODY, &f)
		== SFRAME_CORO_OK,
	    "PC not found in the block");
      BENCH_USE (&f);
    }
}

static void
find_in_index (void *arg)
{
  sections *s = arg;

  for (int i = 0; i < NUM_PCS; i++)
    {
      size_t cursor = 0, chain;
      const sframe_coro_func *f
	  = sframe_coro_index_find (s->index, s->pcs[i],
				    SFRAME_CORO_FUNC_BODY, &cursor, &chain);

      must (f != NULL, "PC not found in the index");
      BENCH_USE (f);
    }
}

static void
find_fre (void *arg)
{
  sections *s = arg;
  sframe_frame_row_entry row;

  for (int i = 0; i < NUM_PCS; i++)
    {
      must (sframe_find_fre (s->decoder,
			     (int64_t) (s->pcs[i] - s->sframe_address), &row)
		== 0,
	    "PC not found by sframe_find_fre");
      BENCH_USE (&row);
    }
}

/* PCs inside functions, each byte of them as likely as any other.  */
static void
choose_pcs (sections *s)
{
  size_t num = sframe_coro_index_num_funcs (s->index);
  const sframe_coro_func *last
      = sframe_coro_index_func_at (s->index, num - 1, NULL);
  uint64_t first = sframe_coro_index_func_at (s->index, 0, NULL)->start;
  uint64_t state = UINT64_C (0x853c49e6748fea9b);

  s->pcs = malloc (NUM_PCS * sizeof *s->pcs);
  must (s->pcs != NULL, "out of memory");
  for (size_t i = 0; i < NUM_PCS;)
    {
      size_t cursor = 0;

      s->pcs[i] = first
		  + bench_random (&state) % (last->start + last->size - first);
      i += sframe_coro_index_find (s->index, s->pcs[i], SFRAME_CORO_FUNC_BODY,
				   &cursor, NULL)
	   != NULL;
    }
}

static void
prepare (sections *s)
{
  int err;

  must (sframe_coro_section_open (&s->section, s->coro, s->coro_size,
				  s->coro_address, NULL)
	    == SFRAME_CORO_OK,
	"cannot open");
  do
    must (sframe_coro_section_next_block (&s->section, &s->block, NULL)
	      == SFRAME_CORO_OK,
	  "no block with functions");
  while (s->block.header.num_funcs == 0);
  s->index = sframe_coro_index_new ();
  must (s->index != NULL
	    && sframe_coro_index_add (s->index, &s->section, NULL, NULL)
		   == SFRAME_CORO_OK
	    && sframe_coro_index_finish (s->index) == SFRAME_CORO_OK,
	"cannot index");
  s->decoder = sframe_decode (s->sframe, s->sframe_size, &err);
  must (s->decoder != NULL, "sframe_decode failed");
  must (sframe_decoder_get_num_fidx (s->decoder)
	    == sframe_coro_index_num_funcs (s->index),
	"the sections describe different functions");
  choose_pcs (s);
}

int
main (int argc, char **argv)
{
  sections s = { 0 };

  must (argc == 5, "four arguments, please");
  s.coro = read_file (argv[1], &s.coro_size);
  s.coro_address = strtoull (argv[2], NULL, 16);
  s.sframe = read_file (argv[3], &s.sframe_size);
  s.sframe_address = strtoull (argv[4], NULL, 16);
  prepare (&s);

  bench_ratio ("open a section", open_section, NUM_OPENS, "sframe_decode",
	       decode, NUM_DECODES, &s, 1. / 20);
  bench_ratio ("open it and all its blocks", open_blocks, NUM_OPENS,
	       "sframe_decode", decode, NUM_DECODES, &s, 1. / 20);
  bench_ratio ("look a PC up in a section", find_in_section, NUM_PCS,
	       "sframe_find_fre", find_fre, NUM_PCS, &s, 1. / 2);
  bench_ratio ("look a PC up in its block", find_in_block, NUM_PCS,
	       "sframe_find_fre", find_fre, NUM_PCS, &s, 1. / 2);
  bench_ratio ("look a PC up in an index", find_in_index, NUM_PCS,
	       "sframe_find_fre", find_fre, NUM_PCS, &s, 1. / 2);

  sframe_decoder_free (&s.decoder);
  sframe_coro_index_free (s.index);
  free (s.pcs);
  free (s.coro);
  free (s.sframe);
  return 0;
}
