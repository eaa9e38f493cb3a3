/* Encoder: what goes in comes out again.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stdlib.h>

#include "unit.h"

#define MODELS 400

static void
open_section (sframe_coro_section *s, const unsigned char *bytes, size_t size,
	      const unit_model *m)
{
  ck_assert_int_eq (sframe_coro_section_open (s, bytes, size, m->address,
					      NULL),
		    SFRAME_CORO_OK);
  ck_assert_uint_eq (s->abi_arch, m->abi);
  ck_assert_uint_eq (s->swap,
		     unit_abi_is_big (m->abi) == impl_host_is_little ());
}

/* Whether functions of M of one kind overlap, PC by PC so to speak.  */
static bool
overlap (const unit_model *m)
{
  for (size_t i = 0; i < m->num_funcs; i++)
    for (size_t k = 0; k < i; k++)
      {
	const sframe_coro_func *a = &m->funcs[k].func, *b = &m->funcs[i].func;
	uint64_t first = b->start + (b->kind == SFRAME_CORO_FUNC_SITE
				     && b->size != 0);
	if (a->kind == b->kind && sframe_coro_func_covers (a, first))
	  return true;
      }
  return false;
}

START_TEST (round_trip)
{
  unit_random r = { (uint64_t) _i };
  unsigned sorted[2] = { 0, 0 };
  sframe_coro_section s;
  unit_model m;

  for (unsigned i = 0; i < MODELS; i++)
    {
      sframe_coro_block b = { 0 };
      size_t size;
      unsigned char *bytes;

      unit_model_make (&m, &r, unit_abis[_i], unit_next (&r) & -UINT64_C (8));
      bytes = unit_model_encode (&m, &size);
      ck_assert_uint_eq (size % 8, 0);
      open_section (&s, bytes, size, &m);
      ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, NULL),
			SFRAME_CORO_OK);
      ck_assert_uint_eq (b.header.length, size);
      /* Sorted they are, but a binary search needs more.  */
      ck_assert_uint_eq (b.header.flags,
			 overlap (&m) ? 0 : SFRAME_CORO_F_FUNCS_SORTED);
      sorted[!overlap (&m)]++;
      unit_model_expect (&m, &b);
      ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, NULL),
			SFRAME_CORO_ERR_NOT_FOUND);
      free (bytes);
    }
  ck_assert_uint_gt (sorted[0], MODELS / 50);
  ck_assert_uint_gt (sorted[1], MODELS / 4);
}
END_TEST

/* Blocks one after the other, zero bytes between them, before and behind.  */
START_TEST (concatenation)
{
  unit_random r = { (uint64_t) _i };

  for (unsigned i = 0; i < MODELS / 4; i++)
    {
      uint64_t address = unit_next (&r) & -UINT64_C (8);
      unsigned num = 1 + (unsigned) unit_below (&r, 4);
      unsigned char *all = malloc (1 << 17), *exact;
      size_t len = 8 * unit_below (&r, 3), size;
      sframe_coro_block b = { 0 };
      sframe_coro_section s;
      unit_model m[4];

      memset (all, 0, 1 << 17);
      for (unsigned k = 0; k < num; k++)
	{
	  unsigned char *bytes;
	  unit_model_make (&m[k], &r, unit_abis[_i], address + len);
	  bytes = unit_model_encode (&m[k], &size);
	  memcpy (all + len, bytes, size);
	  free (bytes);
	  len += size + 8 * unit_below (&r, 3);
	}
      /* The end need not be aligned.  */
      len += unit_below (&r, 8);
      exact = malloc (len);
      memcpy (exact, all, len);
      free (all);
      ck_assert_int_eq (sframe_coro_section_open (&s, exact, len, address,
						  NULL),
			SFRAME_CORO_OK);
      for (unsigned k = 0; k < num; k++)
	{
	  ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, NULL),
			    SFRAME_CORO_OK);
	  ck_assert_uint_eq (b.number, k);
	  ck_assert_uint_eq (address + b.offset, m[k].address);
	  unit_model_expect (&m[k], &b);
	}
      ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, NULL),
			SFRAME_CORO_ERR_NOT_FOUND);
      free (exact);
    }
}
END_TEST

/* The encoder may be used again, and the order of functions in the output
   does not depend on the order in which they came.  */
START_TEST (reproducible)
{
  unit_random r = { 77 };
  unsigned char *a, *b;
  size_t size_a, size_b;

  for (unsigned i = 0; i < MODELS; i++)
    {
      sframe_coro_encoder *e, *f;
      unit_model m;

      unit_model_make (&m, &r, unit_abis[_i], 0x4000);
      /* Equal starts, equal sizes.  */
      for (size_t k = 1; k < m.num_funcs; k++)
	if (unit_below (&r, 2) == 0)
	  {
	    m.funcs[k - 1].func.kind = SFRAME_CORO_FUNC_SITE;
	    m.funcs[k - 1].func.num = 0;
	    m.funcs[k].func = m.funcs[k - 1].func;
	    m.funcs[k].chain = (uint32_t) unit_below (&r, m.num_chains);
	  }
      e = unit_model_encoder (&m);
      for (size_t lo = 0, hi = m.num_funcs; lo + 1 < hi; lo++, hi--)
	{
	  unit_func t = m.funcs[lo];
	  m.funcs[lo] = m.funcs[hi - 1];
	  m.funcs[hi - 1] = t;
	}
      f = unit_model_encoder (&m);
      ck_assert_int_eq (sframe_coro_encoder_write (e, 64, &a, &size_a), 0);
      ck_assert_int_eq (sframe_coro_encoder_write (e, 64, &b, &size_b), 0);
      ck_assert_uint_eq (size_a, size_b);
      ck_assert_mem_eq (a, b, size_a);
      free (b);
      ck_assert_int_eq (sframe_coro_encoder_write (f, 64, &b, &size_b), 0);
      ck_assert_uint_eq (size_a, size_b);
      ck_assert_mem_eq (a, b, size_a);
      free (a);
      free (b);
      sframe_coro_encoder_free (e);
      sframe_coro_encoder_free (f);
    }
}
END_TEST

/* Records and names belong to the encoder once they are added.  */
START_TEST (copies)
{
  char name[] = "mine";
  sframe_coro_chain c = { .name = name, .num_heads = 1 };
  sframe_coro_func f = { .start = 0x40, .size = 8, .num = 1,
			 .kind = SFRAME_CORO_FUNC_SITE };
  sframe_coro_row row = { 1, 2, 1, -3 };
  sframe_coro_encoder *e = sframe_coro_encoder_new (SFRAME_CORO_ABI_AMD64_LE);
  sframe_coro_block b = { 0 };
  sframe_coro_section s;
  unsigned char *bytes;
  size_t size;

  c.head[0].kind = SFRAME_CORO_HEAD_GLOBAL;
  ck_assert_int_eq (sframe_coro_encoder_add_chain (e, &c, NULL), 0);
  ck_assert_int_eq (sframe_coro_encoder_add_func (e, &f, 0, &row, NULL, NULL),
		    0);
  memset (name, 'x', sizeof name - 1);
  memset (&c, 0xff, sizeof c);
  memset (&f, 0xff, sizeof f);
  memset (&row, 0xff, sizeof row);
  ck_assert_int_eq (sframe_coro_encoder_write (e, 0, &bytes, &size), 0);
  sframe_coro_encoder_free (e);
  ck_assert_int_eq (sframe_coro_section_open (&s, bytes, size, 0, NULL), 0);
  ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, NULL), 0);
  ck_assert_int_eq (sframe_coro_block_chain (&b, 0, &c, NULL), 0);
  ck_assert_str_eq (c.name, "mine");
  ck_assert_int_eq (sframe_coro_block_func (&b, 0, &f, NULL), 0);
  ck_assert_int_eq (sframe_coro_func_row (&b, &f, 0, &row, NULL), 0);
  ck_assert_int_eq (row.off, -3);
  free (bytes);
}
END_TEST

/* Chains that no section can hold.  */
static const struct
{
  uint8_t num_heads, num_tests, path_offs, head_offs;
  int err;
} chain_cases[] = {
  { 1, 0, 4, 4, SFRAME_CORO_OK },
  { 4, 4, 0, 0, SFRAME_CORO_OK },
  { 0, 0, 0, 0, SFRAME_CORO_ERR_INVAL },
  { 5, 0, 0, 0, SFRAME_CORO_ERR_INVAL },
  { 1, 5, 0, 0, SFRAME_CORO_ERR_INVAL },
  { 1, 0, 5, 0, SFRAME_CORO_ERR_INVAL },
  { 1, 0, 0, 5, SFRAME_CORO_ERR_INVAL },
};

START_TEST (chain_arguments)
{
  sframe_coro_chain c = { .num_heads = chain_cases[_i].num_heads,
			  .num_tests = chain_cases[_i].num_tests };
  sframe_coro_encoder *e = sframe_coro_encoder_new (SFRAME_CORO_ABI_AMD64_LE);

  c.path[7].given = 1;
  c.path[7].num_offs = chain_cases[_i].path_offs;
  c.head[0].path.given = 1;
  c.head[0].path.num_offs = chain_cases[_i].head_offs;
  ck_assert_int_eq (sframe_coro_encoder_add_chain (e, &c, NULL),
		    chain_cases[_i].err);
  sframe_coro_encoder_free (e);
}
END_TEST

/* Functions that no section can hold.  */
static const struct
{
  uint8_t kind;
  uint16_t num;
  uint32_t chain;
  bool rows, body, points;
  uint8_t path_offs;
  int err;
} func_cases[] = {
  { SFRAME_CORO_FUNC_SITE, 0, 0, false, false, false, 0, SFRAME_CORO_OK },
  { SFRAME_CORO_FUNC_SITE, 1, 0, true, false, false, 0, SFRAME_CORO_OK },
  { SFRAME_CORO_FUNC_SITE, 1, 0, false, true, true, 0,
    SFRAME_CORO_ERR_INVAL },
  { SFRAME_CORO_FUNC_SITE, 0, 1, false, false, false, 0,
    SFRAME_CORO_ERR_INVAL },
  { SFRAME_CORO_FUNC_BODY, 0, 0, false, true, false, 4, SFRAME_CORO_OK },
  { SFRAME_CORO_FUNC_BODY, 1, 0, false, true, true, 0, SFRAME_CORO_OK },
  { SFRAME_CORO_FUNC_BODY, 0, 0, false, false, false, 0,
    SFRAME_CORO_ERR_INVAL },
  { SFRAME_CORO_FUNC_BODY, 1, 0, true, true, false, 0,
    SFRAME_CORO_ERR_INVAL },
  { SFRAME_CORO_FUNC_BODY, 0, 0, false, true, false, 5,
    SFRAME_CORO_ERR_INVAL },
  { 0, 0, 0, true, true, true, 0, SFRAME_CORO_ERR_INVAL },
  { 3, 0, 0, true, true, true, 0, SFRAME_CORO_ERR_INVAL },
};

START_TEST (func_arguments)
{
  sframe_coro_chain c = { .num_heads = 1 };
  sframe_coro_func f = { .kind = func_cases[_i].kind,
			 .num = func_cases[_i].num };
  sframe_coro_row row = { 0 };
  sframe_coro_point point = { 0 };
  sframe_coro_body body = { .ip = { .given = 1 } };
  sframe_coro_encoder *e = sframe_coro_encoder_new (SFRAME_CORO_ABI_AMD64_LE);

  body.ip.num_offs = func_cases[_i].path_offs;
  ck_assert_int_eq (sframe_coro_encoder_add_chain (e, &c, NULL), 0);
  ck_assert_int_eq (
      sframe_coro_encoder_add_func (
	  e, &f, func_cases[_i].chain, func_cases[_i].rows ? &row : NULL,
	  func_cases[_i].body ? &body : NULL,
	  func_cases[_i].points ? &point : NULL),
      func_cases[_i].err);
  sframe_coro_encoder_free (e);
}
END_TEST

START_TEST (other_arguments)
{
  sframe_coro_encoder *e;
  unsigned char *bytes;
  size_t size;

  ck_assert_ptr_null (sframe_coro_encoder_new (0));
  ck_assert_ptr_null (sframe_coro_encoder_new (5));
  ck_assert_ptr_null (sframe_coro_encoder_new (-1));
  sframe_coro_encoder_free (NULL);
  e = sframe_coro_encoder_new (SFRAME_CORO_ABI_S390X_BE);
  for (uint64_t a = 1; a < 8; a++)
    ck_assert_int_eq (sframe_coro_encoder_write (e, a, &bytes, &size),
		      SFRAME_CORO_ERR_INVAL);
  /* A block without anything is a block.  */
  ck_assert_int_eq (sframe_coro_encoder_write (e, 0, &bytes, &size),
		    SFRAME_CORO_OK);
  ck_assert_uint_eq (size, 32);
  free (bytes);
  sframe_coro_encoder_free (e);
}
END_TEST

int
main (void)
{
  const unit_test tests[] = {
    { round_trip, 4 },
    { concatenation, 4 },
    { reproducible, 4 },
    { copies, 0 },
    { chain_arguments, ARRAY_SIZE (chain_cases) },
    { func_arguments, ARRAY_SIZE (func_cases) },
    { other_arguments, 0 },
  };
  return unit_run ("encode", tests, ARRAY_SIZE (tests));
}
