/* What the unit tests share.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stdlib.h>

#include "unit.h"

/* Enough for a loaded machine under sanitizers; an endless loop still shows
   as a failure.  */
#define TIMEOUT_SECONDS 300

int
unit_run (const char *name, const unit_test *tests, size_t num)
{
  Suite *suite = suite_create (name);
  TCase *tcase = tcase_create (name);
  SRunner *runner = srunner_create (suite);
  int failed;

  tcase_set_timeout (tcase, TIMEOUT_SECONDS);
  for (size_t i = 0; i < num; i++)
    if (tests[i].rows > 0)
      tcase_add_loop_test (tcase, tests[i].test, 0, tests[i].rows);
    else
      tcase_add_test (tcase, tests[i].test);
  suite_add_tcase (suite, tcase);
  srunner_run_all (runner, CK_NORMAL);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number
   generators".  */
uint64_t
unit_next (unit_random *r)
{
  uint64_t z = r->state += UINT64_C (0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

uint64_t
unit_below (unit_random *r, uint64_t n)
{
  return unit_next (r) % n;
}

void
unit_put (unsigned char *p, unsigned width, bool big, uint64_t value)
{
  for (unsigned i = 0; i < width; i++)
    p[big ? width - 1 - i : i] = (unsigned char) (value >> (8 * i));
}

uint64_t
unit_get (const unsigned char *p, unsigned width, bool big)
{
  uint64_t value = 0;
  for (unsigned i = 0; i < width; i++)
    value |= (uint64_t) p[big ? width - 1 - i : i] << (8 * i);
  return value;
}

const int unit_abis[4] = { SFRAME_CORO_ABI_AARCH64_BE,
			   SFRAME_CORO_ABI_AARCH64_LE,
			   SFRAME_CORO_ABI_AMD64_LE, SFRAME_CORO_ABI_S390X_BE };

bool
unit_abi_is_big (int abi)
{
  return abi == SFRAME_CORO_ABI_AARCH64_BE || abi == SFRAME_CORO_ABI_S390X_BE;
}

/* The section written by hand.  */

static void
put_list (const unit_hand *h, size_t at, const uint64_t (*fields)[3],
	  size_t num)
{
  for (size_t i = 0; i < num; i++)
    unit_put (h->bytes + at + fields[i][0], (unsigned) fields[i][1], h->big,
	      fields[i][2]);
}

/* Write fields, each given as offset, width, value, at section offset AT.  */
#define PUT(AT, ...)                                                          \
  do                                                                          \
    {                                                                         \
      const uint64_t fields[][3] = { __VA_ARGS__ };                           \
      put_list (h, AT, fields, ARRAY_SIZE (fields));                          \
    }                                                                         \
  while (0)

/* What a PC-relative field at section offset FIELD holds that means TARGET,
   an offset from the section's start.  */
static uint64_t
rel (size_t field, uint64_t target)
{
  return target - field;
}

static void
hand_header (const unit_hand *h)
{
  PUT (0, { 0, 2, 0xdec0 }, { 2, 1, 1 }, { 3, 1, 1 },
       { 4, 1, (uint64_t) h->abi }, { 5, 1, h->header_size },
       { 6, 1, h->chain_size }, { 7, 1, h->func_size }, { 8, 4, h->size },
       { 12, 4, 2 }, { 16, 4, 4 }, { 20, 4, HAND_DATA_LEN },
       { 24, 4, HAND_STRINGS_LEN }, { 28, 4, 0 });
}

static void
hand_chains (const unit_hand *h)
{
  const uint64_t none = 0xffffffff;
  size_t c = h->chain[0];

  PUT (c, { 0, 4, 1 }, { 4, 4, 0x1 }, { 8, 1, 4 }, { 9, 1, 2 }, { 10, 1, 1 },
       { 11, 1, 3 }, { 12, 1, 0 }, { 13, 1, 3 }, { 14, 2, 0 }, { 16, 4, 100 },
       { 20, 4, 0 }, { 24, 8, rel (c + 24, HAND_SENTINEL) },
       { 32, 4, HAND_HEADS_0 }, { 36, 4, HAND_TESTS }, { 40, 4, none },
       { 44, 4, HAND_PATH_B }, { 48, 4, HAND_PATH_A }, { 52, 4, HAND_PATH_C },
       { 56, 4, none }, { 60, 4, none }, { 64, 4, none }, { 68, 4, none },
       { 72, 8, 0 });
  c = h->chain[1];
  PUT (c, { 0, 4, 11 }, { 4, 4, 0xe }, { 8, 1, 2 }, { 9, 1, 0 }, { 10, 1, 4 },
       { 11, 1, 2 }, { 12, 1, 2 }, { 13, 1, 0 }, { 14, 2, 1 }, { 16, 4, 0 },
       { 20, 4, (uint32_t) -16 }, { 24, 8, 0xfeedfacecafef00d },
       { 32, 4, HAND_HEADS_1 }, { 36, 4, none }, { 40, 4, HAND_PATH_A },
       { 44, 4, HAND_PATH_C }, { 48, 4, HAND_PATH_B }, { 52, 4, none },
       { 56, 4, HAND_PATH_D }, { 60, 4, HAND_PATH_E }, { 64, 4, HAND_PATH_A },
       { 68, 4, HAND_PATH_C }, { 72, 8, 0 });
}

static void
hand_funcs (const unit_hand *h)
{
  /* Start, size, chain, data, num, kind.  */
  static const uint64_t funcs[4][6]
      = { { 0x2000, 5, 0, 0xffffffff, 0, 1 },
	  { 0x2100, 32, 1, HAND_ROWS, 2, 1 },
	  { 0x2200, 64, 0, HAND_BODY, 2, 2 },
	  { 0x2300, 0, 1, 0xffffffff, 0, 1 } };

  for (size_t i = 0; i < 4; i++)
    {
      size_t f = h->func[i];
      PUT (f, { 0, 8, rel (f, funcs[i][0]) },
	   { 8, 8, rel (f + 8, h->chain[funcs[i][2]]) },
	   { 16, 4, funcs[i][1] }, { 20, 4, funcs[i][3] },
	   { 24, 2, funcs[i][4] }, { 26, 1, funcs[i][5] }, { 27, 1, 0 },
	   { 28, 4, 0 });
    }
}

static void
hand_heads (const unit_hand *h)
{
  const uint64_t none = 0xffffffff;
  size_t d = h->data + HAND_HEADS_0;

  PUT (d, { 0, 1, 1 }, { 1, 1, 0 }, { 2, 2, 0 }, { 4, 4, HAND_PATH_A },
       { 8, 8, rel (d + 8, HAND_STUB) }, { 16, 8, 0 });
  PUT (d + 24, { 0, 1, 2 }, { 1, 1, 0 }, { 2, 2, 0 }, { 4, 4, HAND_PATH_B },
       { 8, 8, (uint64_t) -24 }, { 16, 8, 0 });
  d += 48;
  PUT (d, { 0, 1, 3 }, { 1, 1, 0 }, { 2, 2, 0 }, { 4, 4, HAND_PATH_E },
       { 8, 8, rel (d + 8, HAND_SLOT) }, { 16, 8, 0 });
  d += 24;
  PUT (d, { 0, 1, 4 }, { 1, 1, 0 }, { 2, 2, 0 }, { 4, 4, none },
       { 8, 8, rel (d + 8, HAND_GLOBAL) }, { 16, 8, 0 });
  d = h->data + HAND_HEADS_1;
  PUT (d, { 0, 1, 5 }, { 1, 1, 1 }, { 2, 2, 0 }, { 4, 4, HAND_PATH_C },
       { 8, 8, rel (d + 8, HAND_KEY) }, { 16, 8, 0xffffffff });
  PUT (d + 24, { 0, 1, 6 }, { 1, 1, 0 }, { 2, 2, 0 }, { 4, 4, HAND_PATH_D },
       { 8, 8, 0 }, { 16, 8, 0 });
}

static void
hand_data (const unit_hand *h)
{
  size_t d = h->data;

  PUT (d + HAND_TESTS, { 0, 1, 1 }, { 1, 1, 2 }, { 2, 1, 3 }, { 3, 1, 0 },
       { 4, 4, (uint32_t) -4 }, { 8, 8, 0xff00 }, { 16, 8, 0x1200 },
       { 24, 1, 2 }, { 25, 1, 8 }, { 26, 1, 4 }, { 27, 1, 0 }, { 28, 4, 0 },
       { 32, 8, UINT64_MAX }, { 40, 8, 8 });
  PUT (d + HAND_PATH_A, { 0, 1, 1 }, { 1, 1, 0 }, { 2, 2, 0 }, { 4, 4, 0 });
  PUT (d + HAND_PATH_B, { 0, 1, 2 }, { 1, 1, 1 }, { 2, 2, 0 }, { 4, 4, 32 },
       { 8, 4, (uint32_t) -8 }, { 12, 4, (uint32_t) -16 });
  PUT (d + HAND_PATH_C, { 0, 1, 1 }, { 1, 1, 0 }, { 2, 2, 0 }, { 4, 4, 8 });
  PUT (d + HAND_PATH_D, { 0, 1, 0 }, { 1, 1, 1 }, { 2, 2, 0 }, { 4, 4, 24 });
  PUT (d + HAND_PATH_E, { 0, 1, 4 }, { 1, 1, 0 }, { 2, 2, 0 },
       { 4, 4, (uint32_t) -8 }, { 8, 4, 16 }, { 12, 4, (uint32_t) -24 },
       { 16, 4, 32 });
  PUT (d + HAND_ROWS, { 0, 4, 0 }, { 4, 2, 0x8000 }, { 6, 2, 0 },
       { 8, 4, (uint32_t) -24 }, { 12, 4, 16 }, { 16, 2, 3 }, { 18, 2, 1 },
       { 20, 4, 40 });
  PUT (d + HAND_BODY, { 0, 4, HAND_PATH_C }, { 4, 4, HAND_PATH_A },
       { 8, 4, (uint32_t) -2 }, { 12, 1, 2 }, { 13, 1, 0 }, { 14, 2, 0 });
  PUT (d + HAND_POINTS, { 0, 4, 2 }, { 4, 4, 12 }, { 8, 4, 4 },
       { 12, 4, 63 });
}

void
unit_hand_make (unit_hand *h)
{
  size_t used;

  h->big = unit_abi_is_big (h->abi);
  if (h->header_size == 0)
    h->header_size = 32;
  if (h->chain_size == 0)
    h->chain_size = 80;
  if (h->func_size == 0)
    h->func_size = 32;
  for (size_t i = 0; i < 2; i++)
    h->chain[i] = h->header_size + i * h->chain_size;
  for (size_t i = 0; i < 4; i++)
    h->func[i] = h->chain[1] + h->chain_size + i * h->func_size;
  h->data = h->func[3] + h->func_size;
  h->strings = h->data + HAND_DATA_LEN;
  used = h->strings + HAND_STRINGS_LEN;
  h->size = (used + 7) & -(size_t) 8;
  h->bytes = malloc (h->size);
  ck_assert_ptr_nonnull (h->bytes);
  memset (h->bytes, 0xa5, h->data);
  memset (h->bytes + h->data, 0, h->size - h->data);
  hand_header (h);
  hand_chains (h);
  hand_funcs (h);
  hand_heads (h);
  hand_data (h);
  memcpy (h->bytes + h->strings, "\0demo.task\0py", HAND_STRINGS_LEN);
}

void
unit_hand_free (unit_hand *h)
{
  free (h->bytes);
  h->bytes = NULL;
}

/* Generated contents.  */

static sframe_coro_path
make_path (unit_random *r)
{
  sframe_coro_path p = { 0 };

  if (unit_below (r, 4) == 0)
    return p;
  p.given = 1;
  p.num_offs = (uint8_t) unit_below (r, SFRAME_CORO_MAX_PATH_OFFS + 1);
  for (unsigned i = 0; i < p.num_offs; i++)
    p.off[i] = (int32_t) unit_next (r);
  if (unit_below (r, 2) == 0)
    p.adjust = (int32_t) unit_next (r);
  return p;
}

static sframe_coro_head
make_head (unit_random *r)
{
  sframe_coro_head h = { 0 };

  h.kind = (uint8_t) (1 + unit_below (r, SFRAME_CORO_HEAD_FRAME));
  h.flags = (uint8_t) unit_below (r, 2);
  h.value = h.kind == SFRAME_CORO_HEAD_FRAME ? 0 : unit_next (r);
  h.invalid = h.flags != 0 ? unit_next (r) : 0;
  h.path = make_path (r);
  return h;
}

static sframe_coro_test
make_test (unit_random *r)
{
  sframe_coro_test t = { 0 };

  t.kind = (uint8_t) (1 + unit_below (r, 2));
  t.width = (uint8_t) (1u << unit_below (r, 4));
  t.actions = (uint8_t) (1 + unit_below (r, 7));
  t.off = (int32_t) unit_next (r);
  t.mask = unit_next (r);
  t.value = unit_next (r);
  return t;
}

static void
make_chain (unit_random *r, sframe_coro_chain *c, char *name)
{
  size_t len = unit_below (r, 20);

  for (size_t i = 0; i < len; i++)
    name[i] = (char) ('a' + unit_below (r, 26));
  name[len] = 0;
  memset (c, 0, sizeof *c);
  c->name = name;
  c->flags = (uint32_t) unit_below (r, 16);
  c->num_heads = (uint8_t) (1 + unit_below (r, SFRAME_CORO_MAX_HEADS));
  c->num_tests = (uint8_t) unit_below (r, SFRAME_CORO_MAX_TESTS + 1);
  c->ip_kind = (uint8_t) unit_below (r, SFRAME_CORO_IP_COOKIE + 1);
  c->end_kind = (uint8_t) unit_below (r, SFRAME_CORO_END_ADDRESS + 1);
  c->roots = (uint8_t) unit_below (r, SFRAME_CORO_ROOTS_BY_TP + 1);
  c->ptr_align_log2 = (uint8_t) unit_below (r, 13);
  c->language = (uint16_t) unit_next (r);
  c->max_depth = (uint32_t) unit_next (r);
  c->root_frame_off = (int32_t) unit_next (r);
  c->end_value = unit_next (r);
  for (unsigned i = 0; i < c->num_heads; i++)
    c->head[i] = make_head (r);
  for (unsigned i = 0; i < c->num_tests; i++)
    c->test[i] = make_test (r);
  for (unsigned i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    c->path[i] = make_path (r);
}

static void
make_func (unit_random *r, unit_func *f, uint32_t num_chains, uint64_t start,
	   uint32_t max_size)
{
  memset (f, 0, sizeof *f);
  f->chain = (uint32_t) unit_below (r, num_chains);
  f->func.start = start;
  f->func.kind = (uint8_t) (1 + unit_below (r, 2));
  f->func.size = (uint32_t) (unit_next (r) & max_size);
  if (f->func.kind == SFRAME_CORO_FUNC_BODY && f->func.size == 0)
    f->func.size = 1;
  f->func.num = (uint16_t) unit_below (r, 6);
  if (f->func.kind == SFRAME_CORO_FUNC_BODY)
    {
      f->body.next = make_path (r);
      f->body.ip = make_path (r);
      f->body.index_off = (int32_t) unit_next (r);
      f->body.index_size = (uint8_t) (1u << unit_below (r, 4) & 15);
    }
  for (unsigned i = 0; i < f->func.num; i++)
    {
      f->rows[i] = (sframe_coro_row){ (uint32_t) unit_next (r),
				      (uint16_t) unit_next (r),
				      (uint16_t) unit_next (r),
				      (int32_t) unit_next (r) };
      f->points[i] = (sframe_coro_point){ (uint32_t) unit_next (r),
					  (uint32_t) unit_next (r) };
    }
}

void
unit_model_make (unit_model *m, unit_random *r, int abi, uint64_t address)
{
  /* Sizes that fit between the starts, in some of the models.  */
  static const uint32_t max_sizes[] = { 0, 1, 63, 1023, UINT32_MAX };
  uint32_t max_size = max_sizes[unit_below (r, ARRAY_SIZE (max_sizes))];
  uint64_t start = unit_next (r);

  m->abi = abi;
  m->address = address;
  m->num_chains = 1 + unit_below (r, ARRAY_SIZE (m->chains));
  m->num_funcs = unit_below (r, ARRAY_SIZE (m->funcs) + 1);
  for (size_t i = 0; i < m->num_chains; i++)
    make_chain (r, &m->chains[i], m->names[i]);
  /* Starts ascend, and do not wrap around.  */
  start >>= 1;
  for (size_t i = 0; i < m->num_funcs; i++)
    {
      start += 64 + unit_below (r, 1 << 20);
      make_func (r, &m->funcs[i], (uint32_t) m->num_chains, start, max_size);
    }
}

sframe_coro_encoder *
unit_model_encoder (const unit_model *m)
{
  sframe_coro_encoder *e = sframe_coro_encoder_new (m->abi);

  ck_assert_ptr_nonnull (e);
  for (size_t i = 0; i < m->num_chains; i++)
    {
      uint32_t index = UINT32_MAX;
      ck_assert_int_eq (sframe_coro_encoder_add_chain (e, &m->chains[i],
						       &index),
			SFRAME_CORO_OK);
      ck_assert_uint_eq (index, i);
    }
  /* Last function first: the encoder sorts.  */
  for (size_t i = m->num_funcs; i-- > 0;)
    {
      const unit_func *f = &m->funcs[i];
      ck_assert_int_eq (sframe_coro_encoder_add_func (e, &f->func, f->chain,
						      f->rows, &f->body,
						      f->points),
			SFRAME_CORO_OK);
    }
  return e;
}

unsigned char *
unit_model_encode (const unit_model *m, size_t *size)
{
  sframe_coro_encoder *e = unit_model_encoder (m);
  unsigned char *bytes, *exact;

  ck_assert_int_eq (sframe_coro_encoder_write (e, m->address, &bytes, size),
		    SFRAME_CORO_OK);
  sframe_coro_encoder_free (e);
  exact = malloc (*size);
  ck_assert_ptr_nonnull (exact);
  memcpy (exact, bytes, *size);
  free (bytes);
  return exact;
}

static void
expect_path (const sframe_coro_path *want, const sframe_coro_path *got)
{
  ck_assert_uint_eq (want->given, got->given);
  ck_assert_uint_eq (want->num_offs, got->num_offs);
  ck_assert_int_eq (want->adjust, got->adjust);
  for (unsigned i = 0; i < SFRAME_CORO_MAX_PATH_OFFS; i++)
    ck_assert_int_eq (want->off[i], got->off[i]);
}

static void
expect_chain (const sframe_coro_chain *want, const sframe_coro_chain *got)
{
#define SAME(FIELD) ck_assert_uint_eq (want->FIELD, got->FIELD)
  ck_assert_str_eq (want->name, got->name);
  SAME (flags);
  SAME (num_heads);
  SAME (num_tests);
  SAME (ip_kind);
  SAME (end_kind);
  SAME (roots);
  SAME (ptr_align_log2);
  SAME (language);
  SAME (max_depth);
  ck_assert_int_eq (want->root_frame_off, got->root_frame_off);
  SAME (end_value);
  for (unsigned i = 0; i < SFRAME_CORO_MAX_HEADS; i++)
    {
      SAME (head[i].kind);
      SAME (head[i].flags);
      SAME (head[i].value);
      SAME (head[i].invalid);
      expect_path (&want->head[i].path, &got->head[i].path);
    }
  for (unsigned i = 0; i < SFRAME_CORO_MAX_TESTS; i++)
    {
      SAME (test[i].kind);
      SAME (test[i].width);
      SAME (test[i].actions);
      ck_assert_int_eq (want->test[i].off, got->test[i].off);
      SAME (test[i].mask);
      SAME (test[i].value);
    }
  for (unsigned i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    expect_path (&want->path[i], &got->path[i]);
}

static void
expect_func (const sframe_coro_block *b, uint32_t i, const unit_func *f)
{
  const sframe_coro_func *want = &f->func;
  sframe_coro_func func, *got = &func;
  sframe_coro_body body;
  sframe_coro_point point;
  sframe_coro_row row;

  ck_assert_int_eq (sframe_coro_block_func (b, i, got, NULL), SFRAME_CORO_OK);
  SAME (start);
  SAME (size);
  SAME (kind);
  SAME (num);
#undef SAME
  ck_assert_uint_eq (func.chain, b->section->address
				     + impl_chain_offset (b, f->chain));
  for (uint32_t k = 0; k < want->num; k++)
    if (want->kind == SFRAME_CORO_FUNC_SITE)
      {
	ck_assert_int_eq (sframe_coro_func_row (b, got, k, &row, NULL),
			  SFRAME_CORO_OK);
	ck_assert_mem_eq (&row, &f->rows[k], sizeof row);
      }
    else
      {
	ck_assert_int_eq (sframe_coro_func_point (b, got, k, &point, NULL),
			  SFRAME_CORO_OK);
	ck_assert_mem_eq (&point, &f->points[k], sizeof point);
      }
  if (want->kind == SFRAME_CORO_FUNC_SITE)
    return;
  ck_assert_int_eq (sframe_coro_func_body (b, got, &body, NULL),
		    SFRAME_CORO_OK);
  expect_path (&f->body.next, &body.next);
  expect_path (&f->body.ip, &body.ip);
  ck_assert_int_eq (f->body.index_off, body.index_off);
  ck_assert_uint_eq (f->body.index_size, body.index_size);
}

void
unit_model_expect (const unit_model *m, const sframe_coro_block *b)
{
  sframe_coro_chain c;

  ck_assert_uint_eq (b->header.num_chains, m->num_chains);
  ck_assert_uint_eq (b->header.num_funcs, m->num_funcs);
  for (uint32_t i = 0; i < m->num_chains; i++)
    {
      memset (&c, 0xa5, sizeof c);
      ck_assert_int_eq (sframe_coro_block_chain (b, i, &c, NULL),
			SFRAME_CORO_OK);
      ck_assert_uint_eq (c.address,
			 b->section->address + impl_chain_offset (b, i));
      ck_assert_uint_eq (c.abi_arch, m->abi);
      ck_assert_uint_eq (c.swap,
			 unit_abi_is_big (m->abi) == impl_host_is_little ());
      expect_chain (&m->chains[i], &c);
    }
  for (uint32_t i = 0; i < m->num_funcs; i++)
    expect_func (b, i, &m->funcs[i]);
}

int
unit_memory_read (void *arg, uint64_t address, void *buf, size_t len)
{
  unit_memory *m = arg;

  if (++m->reads == m->fail_at)
    return -1;
  for (size_t i = 0; i < m->num; i++)
    {
      const unit_piece *p = &m->pieces[i];
      uint64_t off = address - p->address;
      if (off < p->size && len <= p->size - off)
	{
	  memcpy (buf, (const unsigned char *) p->bytes + off, len);
	  return 0;
	}
    }
  return -1;
}
