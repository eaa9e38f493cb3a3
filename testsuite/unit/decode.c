/* Decoder: the values in a section whose bytes were laid down one by one.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stdlib.h>

#include "unit.h"

#define ADDRESS UINT64_C (0x7f0000010000)

static void
open_hand (const unit_hand *h, sframe_coro_section *s, sframe_coro_block *b)
{
  memset (b, 0, sizeof *b);
  ck_assert_int_eq (sframe_coro_section_open (s, h->bytes, h->size,
					      h->address, NULL),
		    SFRAME_CORO_OK);
  ck_assert_int_eq (sframe_coro_section_next_block (s, b, NULL),
		    SFRAME_CORO_OK);
}

static void
expect_path (const sframe_coro_path *p, int num, const int32_t *off,
	     int32_t adjust)
{
  ck_assert_uint_eq (p->given, 1);
  ck_assert_uint_eq (p->num_offs, num);
  for (int i = 0; i < num; i++)
    ck_assert_int_eq (p->off[i], off[i]);
  ck_assert_int_eq (p->adjust, adjust);
}

#define PATH(P, NUM, ADJUST, ...)                                             \
  expect_path (&(P), NUM, (const int32_t[]){ __VA_ARGS__ }, ADJUST)
#define PATH_A(P) PATH (P, 1, 0, 0)
#define PATH_B(P) PATH (P, 2, -16, 32, -8)
#define PATH_C(P) PATH (P, 1, 0, 8)
#define PATH_D(P) PATH (P, 0, 24, 0)
#define PATH_E(P) PATH (P, 4, 0, -8, 16, -24, 32)

static void
expect_header (const unit_hand *h, const sframe_coro_block *b)
{
  ck_assert_uint_eq (b->header.magic, 0xdec0);
  ck_assert_uint_eq (b->header.version, 1);
  ck_assert_uint_eq (b->header.flags, 1);
  ck_assert_uint_eq (b->header.abi_arch, h->abi);
  ck_assert_uint_eq (b->header.length, h->size);
  ck_assert_uint_eq (b->header.num_chains, 2);
  ck_assert_uint_eq (b->header.num_funcs, 4);
  ck_assert_uint_eq (b->offset, 0);
  ck_assert_uint_eq (b->chains, h->chain[0]);
  ck_assert_uint_eq (b->funcs, h->func[0]);
  ck_assert_uint_eq (b->data, h->data);
  ck_assert_uint_eq (b->strings, h->strings);
}

static void
expect_chain_0 (const unit_hand *h, const sframe_coro_chain *c)
{
  ck_assert_uint_eq (c->address, h->address + h->chain[0]);
  ck_assert_str_eq (c->name, "demo.task");
  ck_assert_uint_eq (c->flags, SFRAME_CORO_CHAIN_HEAD_IS_RUNNING);
  ck_assert_uint_eq (c->abi_arch, h->abi);
  ck_assert_uint_eq (c->swap, h->big == impl_host_is_little ());
  ck_assert_uint_eq (c->num_heads, 4);
  ck_assert_uint_eq (c->num_tests, 2);
  ck_assert_uint_eq (c->ip_kind, SFRAME_CORO_IP_FUNCTION_ENTRY);
  ck_assert_uint_eq (c->end_kind, SFRAME_CORO_END_ADDRESS);
  ck_assert_uint_eq (c->end_value, h->address + HAND_SENTINEL);
  ck_assert_uint_eq (c->roots, SFRAME_CORO_ROOTS_NONE);
  ck_assert_uint_eq (c->ptr_align_log2, 3);
  ck_assert_uint_eq (c->language, 0);
  ck_assert_uint_eq (c->max_depth, 100);
  ck_assert_int_eq (c->root_frame_off, 0);
  for (unsigned i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    ck_assert_uint_eq (c->path[i].given, i >= 1 && i <= 3);
  PATH_B (c->path[SFRAME_CORO_PATH_NEXT]);
  PATH_A (c->path[SFRAME_CORO_PATH_IP]);
  PATH_C (c->path[SFRAME_CORO_PATH_IP_ALT]);
  ck_assert_uint_eq (c->head[0].kind, SFRAME_CORO_HEAD_TLS_STUB);
  ck_assert_uint_eq (c->head[0].value, h->address + HAND_STUB);
  PATH_A (c->head[0].path);
  ck_assert_uint_eq (c->head[1].kind, SFRAME_CORO_HEAD_TLS_OFFSET);
  ck_assert_int_eq ((int64_t) c->head[1].value, -24);
  PATH_B (c->head[1].path);
  ck_assert_uint_eq (c->head[2].kind, SFRAME_CORO_HEAD_TP_SLOT);
  ck_assert_uint_eq (c->head[2].value, h->address + HAND_SLOT);
  PATH_E (c->head[2].path);
  ck_assert_uint_eq (c->head[3].kind, SFRAME_CORO_HEAD_GLOBAL);
  ck_assert_uint_eq (c->head[3].value, h->address + HAND_GLOBAL);
  ck_assert_uint_eq (c->head[3].path.given, 0);
  for (unsigned i = 0; i < 4; i++)
    ck_assert_uint_eq (c->head[i].flags, 0);
  ck_assert_uint_eq (c->test[0].kind, SFRAME_CORO_TEST_VALUE);
  ck_assert_uint_eq (c->test[0].width, 2);
  ck_assert_uint_eq (c->test[0].actions,
		     SFRAME_CORO_ACT_HIDE | SFRAME_CORO_ACT_BOUNDARY);
  ck_assert_int_eq (c->test[0].off, -4);
  ck_assert_uint_eq (c->test[0].mask, 0xff00);
  ck_assert_uint_eq (c->test[0].value, 0x1200);
  ck_assert_uint_eq (c->test[1].kind, SFRAME_CORO_TEST_EQUAL);
  ck_assert_uint_eq (c->test[1].width, 8);
  ck_assert_uint_eq (c->test[1].actions, SFRAME_CORO_ACT_STOP);
  ck_assert_int_eq (c->test[1].off, 0);
  ck_assert_uint_eq (c->test[1].mask, UINT64_MAX);
  ck_assert_uint_eq (c->test[1].value, 8);
}

static void
expect_chain_1 (const unit_hand *h, const sframe_coro_chain *c)
{
  ck_assert_uint_eq (c->address, h->address + h->chain[1]);
  ck_assert_str_eq (c->name, "py");
  ck_assert_uint_eq (c->flags, SFRAME_CORO_CHAIN_PROCESS_SCOPE
				   | SFRAME_CORO_CHAIN_ROOT_FRAME
				   | SFRAME_CORO_CHAIN_IP_PTRAUTH);
  ck_assert_uint_eq (c->num_heads, 2);
  ck_assert_uint_eq (c->num_tests, 0);
  ck_assert_uint_eq (c->ip_kind, SFRAME_CORO_IP_COOKIE);
  ck_assert_uint_eq (c->end_kind, SFRAME_CORO_END_VALUE);
  ck_assert_uint_eq (c->end_value, UINT64_C (0xfeedfacecafef00d));
  ck_assert_uint_eq (c->roots, SFRAME_CORO_ROOTS_BY_TID);
  ck_assert_uint_eq (c->ptr_align_log2, 0);
  ck_assert_uint_eq (c->language, SFRAME_CORO_LANG_PYTHON);
  ck_assert_uint_eq (c->max_depth, 0);
  ck_assert_int_eq (c->root_frame_off, -16);
  PATH_A (c->path[SFRAME_CORO_PATH_TOP]);
  PATH_C (c->path[SFRAME_CORO_PATH_NEXT]);
  PATH_B (c->path[SFRAME_CORO_PATH_IP]);
  ck_assert_uint_eq (c->path[SFRAME_CORO_PATH_IP_ALT].given, 0);
  PATH_D (c->path[SFRAME_CORO_PATH_AUX]);
  PATH_E (c->path[SFRAME_CORO_PATH_ROOT_NEXT]);
  PATH_A (c->path[SFRAME_CORO_PATH_ROOT_KEY]);
  PATH_C (c->path[SFRAME_CORO_PATH_BLOCKED]);
  ck_assert_uint_eq (c->head[0].kind, SFRAME_CORO_HEAD_PTHREAD_KEY);
  ck_assert_uint_eq (c->head[0].flags, SFRAME_CORO_HEAD_F_INVALID);
  ck_assert_uint_eq (c->head[0].value, h->address + HAND_KEY);
  ck_assert_uint_eq (c->head[0].invalid, 0xffffffff);
  PATH_C (c->head[0].path);
  ck_assert_uint_eq (c->head[1].kind, SFRAME_CORO_HEAD_FRAME);
  ck_assert_uint_eq (c->head[1].value, 0);
  PATH_D (c->head[1].path);
}

static void
expect_funcs (const unit_hand *h, const sframe_coro_block *b)
{
  static const struct
  {
    uint64_t start;
    uint32_t size;
    unsigned chain, kind, num;
    size_t data;
  } want[] = { { 0x2000, 5, 0, SFRAME_CORO_FUNC_SITE, 0, 0 },
	       { 0x2100, 32, 1, SFRAME_CORO_FUNC_SITE, 2, HAND_ROWS },
	       { 0x2200, 64, 0, SFRAME_CORO_FUNC_BODY, 2, HAND_BODY },
	       { 0x2300, 0, 1, SFRAME_CORO_FUNC_SITE, 0, 0 } };

  for (uint32_t i = 0; i < 4; i++)
    {
      sframe_coro_func f;
      ck_assert_int_eq (sframe_coro_block_func (b, i, &f, NULL),
			SFRAME_CORO_OK);
      ck_assert_uint_eq (f.start, h->address + want[i].start);
      ck_assert_uint_eq (f.chain, h->address + h->chain[want[i].chain]);
      ck_assert_uint_eq (f.size, want[i].size);
      ck_assert_uint_eq (f.kind, want[i].kind);
      ck_assert_uint_eq (f.num, want[i].num);
      ck_assert_uint_eq (f.data, want[i].data ? h->data + want[i].data : 0);
    }
}

static void
expect_func_data (const sframe_coro_block *b)
{
  sframe_coro_func f;
  sframe_coro_row row;
  sframe_coro_body body;
  sframe_coro_point point;

  ck_assert_int_eq (sframe_coro_block_func (b, 1, &f, NULL), 0);
  ck_assert_int_eq (sframe_coro_func_row (b, &f, 0, &row, NULL), 0);
  ck_assert_uint_eq (row.pc_off, 0);
  ck_assert_uint_eq (row.base, SFRAME_CORO_BASE_CFA);
  ck_assert_uint_eq (row.flags, 0);
  ck_assert_int_eq (row.off, -24);
  ck_assert_int_eq (sframe_coro_func_row (b, &f, 1, &row, NULL), 0);
  ck_assert_uint_eq (row.pc_off, 16);
  ck_assert_uint_eq (row.base, 3);
  ck_assert_uint_eq (row.flags, SFRAME_CORO_ROW_IN_REGISTER);
  ck_assert_int_eq (row.off, 40);
  ck_assert_int_eq (sframe_coro_func_row (b, &f, 2, &row, NULL),
		    SFRAME_CORO_ERR_NOT_FOUND);
  ck_assert_int_eq (sframe_coro_func_body (b, &f, &body, NULL),
		    SFRAME_CORO_ERR_NOT_FOUND);
  ck_assert_int_eq (sframe_coro_func_point (b, &f, 0, &point, NULL),
		    SFRAME_CORO_ERR_NOT_FOUND);

  ck_assert_int_eq (sframe_coro_block_func (b, 2, &f, NULL), 0);
  ck_assert_int_eq (sframe_coro_func_body (b, &f, &body, NULL), 0);
  PATH_C (body.next);
  PATH_A (body.ip);
  ck_assert_int_eq (body.index_off, -2);
  ck_assert_uint_eq (body.index_size, 2);
  ck_assert_int_eq (sframe_coro_func_point (b, &f, 0, &point, NULL), 0);
  ck_assert_uint_eq (point.index, 2);
  ck_assert_uint_eq (point.pc_off, 12);
  ck_assert_int_eq (sframe_coro_func_point (b, &f, 1, &point, NULL), 0);
  ck_assert_uint_eq (point.index, 4);
  ck_assert_uint_eq (point.pc_off, 63);
  ck_assert_int_eq (sframe_coro_func_point (b, &f, 2, &point, NULL),
		    SFRAME_CORO_ERR_NOT_FOUND);
  ck_assert_int_eq (sframe_coro_func_row (b, &f, 0, &row, NULL),
		    SFRAME_CORO_ERR_NOT_FOUND);
}

static void
expect_hand (const unit_hand *h)
{
  sframe_coro_section s;
  sframe_coro_block b;
  sframe_coro_chain c;
  sframe_coro_func f;

  open_hand (h, &s, &b);
  expect_header (h, &b);
  ck_assert_int_eq (sframe_coro_block_chain (&b, 0, &c, NULL), 0);
  expect_chain_0 (h, &c);
  ck_assert_int_eq (sframe_coro_block_chain (&b, 1, &c, NULL), 0);
  expect_chain_1 (h, &c);
  ck_assert_int_eq (sframe_coro_block_chain (&b, 2, &c, NULL),
		    SFRAME_CORO_ERR_NOT_FOUND);
  expect_funcs (h, &b);
  expect_func_data (&b);
  ck_assert_int_eq (sframe_coro_block_func (&b, 4, &f, NULL),
		    SFRAME_CORO_ERR_NOT_FOUND);
  ck_assert_int_eq (sframe_coro_block_func (&b, UINT32_MAX, &f, NULL),
		    SFRAME_CORO_ERR_NOT_FOUND);
  ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, NULL),
		    SFRAME_CORO_ERR_NOT_FOUND);
}

START_TEST (by_hand)
{
  unit_hand h = { .abi = unit_abis[_i], .address = ADDRESS };
  unit_hand_make (&h);
  expect_hand (&h);
  unit_hand_free (&h);
}
END_TEST

/* Later versions append fields; what follows the known ones is skipped.  */
START_TEST (appended_fields)
{
  static const unsigned sizes[][3] = { { 40, 80, 32 }, { 32, 88, 32 },
				       { 32, 80, 40 }, { 248, 248, 248 } };
  unit_hand h = { .abi = unit_abis[_i % 4],
		  .address = ADDRESS,
		  .header_size = sizes[_i / 4][0],
		  .chain_size = sizes[_i / 4][1],
		  .func_size = sizes[_i / 4][2] };
  unit_hand_make (&h);
  expect_hand (&h);
  unit_hand_free (&h);
}
END_TEST

START_TEST (unaligned_buffer)
{
  unit_hand h = { .abi = unit_abis[_i], .address = ADDRESS };
  unsigned char *room, *bytes;

  unit_hand_make (&h);
  bytes = h.bytes;
  for (size_t off = 1; off < 8; off++)
    {
      room = malloc (h.size + off);
      memcpy (room + off, bytes, h.size);
      h.bytes = room + off;
      expect_hand (&h);
      free (room);
    }
  free (bytes);
}
END_TEST

/* The address of the section may be anything: sums wrap around.  */
START_TEST (addresses_wrap)
{
  static const uint64_t addresses[] = { 0, 8, UINT64_C (0xfffffffffffff000),
					UINT64_MAX - 7 };
  unit_hand h = { .abi = unit_abis[_i % 4], .address = addresses[_i / 4] };
  unit_hand_make (&h);
  expect_hand (&h);
  unit_hand_free (&h);
}
END_TEST

START_TEST (empty)
{
  static const unsigned char zeros[64];
  sframe_coro_section s;
  sframe_coro_func f;
  sframe_coro_chain c;

  for (size_t size = 0; size <= sizeof zeros; size++)
    {
      sframe_coro_block b = { 0 };
      ck_assert_int_eq (sframe_coro_section_open (&s, size ? zeros : NULL,
						  size, ADDRESS, NULL),
			SFRAME_CORO_OK);
      ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, NULL),
			SFRAME_CORO_ERR_NOT_FOUND);
      ck_assert_int_eq (sframe_coro_section_find (&s, ADDRESS, 1, &f),
			SFRAME_CORO_ERR_NOT_FOUND);
      ck_assert_int_eq (sframe_coro_section_chain_at (&s, ADDRESS, &c),
			SFRAME_CORO_ERR_NOT_FOUND);
    }
  ck_assert_int_eq (sframe_coro_section_open (&s, NULL, 1, 0, NULL),
		    SFRAME_CORO_ERR_INVAL);
}
END_TEST

/* A field changed so that decoding must fail, and where that is noticed.  */
typedef enum subject
{
  BLOCK,
  CHAIN,
  FUNC,
  BODY
} subject;

typedef struct damage
{
  subject subject;
  unsigned index;    /* Of the subject.  */
  bool in_data;	     /* The field is in the data area.  */
  size_t field;	     /* Offset in the subject's record, or in the area.  */
  unsigned width;
  uint64_t value;
  int err;
  const char *record, *name; /* As reported.  */
  size_t at; /* Offset reported, counted alike for that record.  */
} damage;

static const damage damages[] = {
#define HEADER(OFF, WIDTH, VALUE, ERR, NAME)                                  \
  { BLOCK, 0, false, OFF, WIDTH, VALUE, SFRAME_CORO_ERR_##ERR, "header", NAME, OFF }
  HEADER (0, 2, 0xdee2, BAD_MAGIC, "magic"),
  HEADER (2, 1, 0, BAD_VERSION, "version"),
  HEADER (2, 1, 2, BAD_VERSION, "version"),
  HEADER (4, 1, 0, BAD_ABI, "abi_arch"),
  HEADER (4, 1, 5, BAD_ABI, "abi_arch"),
  HEADER (5, 1, 24, BAD_HEADER, "header_size"),
  HEADER (5, 1, 33, BAD_HEADER, "header_size"),
  HEADER (6, 1, 72, BAD_HEADER, "chain_size"),
  HEADER (6, 1, 84, BAD_HEADER, "chain_size"),
  HEADER (7, 1, 24, BAD_HEADER, "func_size"),
  HEADER (7, 1, 0, BAD_HEADER, "func_size"),
  HEADER (8, 4, 0, BAD_HEADER, "length"),
  HEADER (8, 4, 636, BAD_HEADER, "length"),
  HEADER (8, 4, 24, BAD_HEADER, "length"),
  HEADER (8, 4, 0xfffffff8, TRUNCATED, "length"),
  HEADER (8, 4, 656, TRUNCATED, "length"),
  HEADER (12, 4, 0xffffffff, BAD_LENGTH, "num_chains"),
  HEADER (12, 4, 8, BAD_LENGTH, "num_chains"),
  HEADER (16, 4, 0xffffffff, BAD_LENGTH, "num_funcs"),
  HEADER (16, 4, 0x08000000, BAD_LENGTH, "num_funcs"),
  HEADER (20, 4, 306, BAD_HEADER, "data_len"),
  HEADER (20, 4, 0xfffffffc, BAD_LENGTH, "data_len"),
  HEADER (24, 4, 0xffffffff, BAD_LENGTH, "strings_len"),
  HEADER (24, 4, 23, BAD_LENGTH, "strings_len"),

#define IN_CHAIN(I, OFF, WIDTH, VALUE, ERR, NAME)                             \
  { CHAIN, I, false, OFF, WIDTH, VALUE, SFRAME_CORO_ERR_##ERR, "chain", NAME, OFF }
  IN_CHAIN (0, 0, 4, 14, BAD_STRING, "name"),
  IN_CHAIN (1, 0, 4, 0xffffffff, BAD_STRING, "name"),
  IN_CHAIN (0, 8, 1, 0, BAD_COUNT, "num_heads"),
  IN_CHAIN (1, 8, 1, 5, BAD_COUNT, "num_heads"),
  IN_CHAIN (1, 9, 1, 5, BAD_COUNT, "num_tests"),
  IN_CHAIN (0, 10, 1, 5, BAD_KIND, "ip_kind"),
  IN_CHAIN (0, 11, 1, 4, BAD_KIND, "end_kind"),
  IN_CHAIN (0, 12, 1, 4, BAD_KIND, "roots"),
  IN_CHAIN (1, 13, 1, 13, BAD_VALUE, "ptr_align_log2"),

#define IN_DATA(SUBJECT, I, BASE, OFF, WIDTH, VALUE, ERR, RECORD, NAME)       \
  { SUBJECT, I, true, BASE + OFF, WIDTH, VALUE, SFRAME_CORO_ERR_##ERR, RECORD, NAME, \
    BASE + OFF }
  IN_DATA (CHAIN, 0, HAND_HEADS_0, 0, 1, 0, BAD_KIND, "head", "kind"),
  IN_DATA (CHAIN, 1, HAND_HEADS_1, 0, 1, 7, BAD_KIND, "head", "kind"),
  IN_DATA (CHAIN, 0, HAND_TESTS, 0, 1, 0, BAD_KIND, "test", "kind"),
  IN_DATA (CHAIN, 0, HAND_TESTS, 1, 1, 0, BAD_VALUE, "test", "width"),
  IN_DATA (CHAIN, 0, HAND_TESTS, 1, 1, 3, BAD_VALUE, "test", "width"),
  IN_DATA (CHAIN, 0, HAND_TESTS, 1, 1, 16, BAD_VALUE, "test", "width"),
  IN_DATA (CHAIN, 0, HAND_TESTS + 24, 0, 1, 3, BAD_KIND, "test", "kind"),
  IN_DATA (CHAIN, 0, HAND_PATH_B, 0, 1, 5, BAD_COUNT, "path", "num_offs"),
  IN_DATA (CHAIN, 1, HAND_PATH_E, 0, 1, 255, BAD_COUNT, "path", "num_offs"),

  /* References into the data area; reported is the field that has them.  */
#define REFERENCE(SUBJECT, I, FIELD, VALUE, NAME)                             \
  { SUBJECT, I, false, FIELD, 4, VALUE, SFRAME_CORO_ERR_BAD_OFFSET, "chain",  \
    NAME, FIELD }
  REFERENCE (CHAIN, 0, 32, 4, "heads"),
  REFERENCE (CHAIN, 1, 32, HAND_DATA_LEN - 4, "heads"),
  REFERENCE (CHAIN, 1, 32, 0xfffffff8, "heads"),
  REFERENCE (CHAIN, 0, 36, HAND_TESTS + 4, "tests"),
  REFERENCE (CHAIN, 0, 36, 296, "tests"),
  REFERENCE (CHAIN, 0, 44, HAND_DATA_LEN, "path"),
  REFERENCE (CHAIN, 0, 44, HAND_PATH_B + 2, "path"),
  REFERENCE (CHAIN, 1, 68, 0xfffffffe, "path"),

#define IN_FUNC(I, OFF, WIDTH, VALUE, ERR, NAME)                              \
  { FUNC, I, false, OFF, WIDTH, VALUE, SFRAME_CORO_ERR_##ERR, "function", NAME, OFF }
  IN_FUNC (0, 26, 1, 0, BAD_KIND, "kind"),
  IN_FUNC (2, 26, 1, 3, BAD_KIND, "kind"),
  IN_FUNC (1, 20, 4, HAND_ROWS + 2, BAD_OFFSET, "data"),
  IN_FUNC (1, 20, 4, HAND_DATA_LEN - 20, BAD_OFFSET, "data"),
  IN_FUNC (1, 20, 4, 0xfffffffc, BAD_OFFSET, "data"),
  { FUNC, 1, false, 24, 2, 6, SFRAME_CORO_ERR_BAD_OFFSET, "function", "data",
    20 },
  { FUNC, 2, false, 24, 2, 3, SFRAME_CORO_ERR_BAD_OFFSET, "function", "data",
    20 },
  { FUNC, 3, false, 24, 2, 1, SFRAME_CORO_ERR_BAD_OFFSET, "function", "data",
    20 },
  IN_DATA (BODY, 2, HAND_BODY, 12, 1, 3, BAD_VALUE, "body", "index_size"),
  IN_DATA (BODY, 2, HAND_BODY, 12, 1, 16, BAD_VALUE, "body", "index_size"),
  { BODY, 2, true, HAND_BODY, 4, HAND_DATA_LEN, SFRAME_CORO_ERR_BAD_OFFSET,
    "body", "next", HAND_BODY },
  { BODY, 2, true, HAND_BODY + 4, 4, 2, SFRAME_CORO_ERR_BAD_OFFSET, "body",
    "ip", HAND_BODY + 4 },
};

/* Decode what D is about.  */
static int
decode (const damage *d, const sframe_coro_block *b, sframe_coro_where *where)
{
  sframe_coro_chain c;
  sframe_coro_func f;
  sframe_coro_body body;
  int err;

  if (d->subject == CHAIN)
    return sframe_coro_block_chain (b, d->index, &c, where);
  err = sframe_coro_block_func (b, d->index, &f, where);
  if (d->subject == FUNC || err != SFRAME_CORO_OK)
    return err;
  return sframe_coro_func_body (b, &f, &body, where);
}

static int
open_and_decode (const damage *d, const unit_hand *h, sframe_coro_where *where)
{
  sframe_coro_section s;
  sframe_coro_block b;

  if (d->subject == BLOCK)
    return sframe_coro_section_open (&s, h->bytes, h->size, h->address, where);
  open_hand (h, &s, &b);
  return decode (d, &b, where);
}

/* Section offset of the record of D that is called NAME.  */
static size_t
record_offset (const unit_hand *h, const damage *d, const char *name)
{
  if (strcmp (name, "header") == 0)
    return 0;
  if (strcmp (name, "chain") == 0)
    return h->chain[d->index];
  return strcmp (name, "function") == 0 ? h->func[d->index] : h->data;
}

START_TEST (damaged)
{
  static const char *const subjects[]
      = { "header", "chain", "function", "function" };
  const damage *d = &damages[_i];

  for (unsigned a = 0; a < 4; a++)
    {
      unit_hand h = { .abi = unit_abis[a], .address = ADDRESS };
      sframe_coro_where where = { 0 };
      size_t at;

      unit_hand_make (&h);
      at = record_offset (&h, d, d->in_data ? "data" : subjects[d->subject]);
      unit_put (h.bytes + at + d->field, d->width, h.big, d->value);
      ck_assert_int_eq (open_and_decode (d, &h, &where), d->err);
      /* Without WHERE the result is the same.  */
      ck_assert_int_eq (open_and_decode (d, &h, NULL), d->err);
      ck_assert_str_eq (where.record, d->record);
      if (d->name == NULL)
	ck_assert_ptr_null (where.field);
      else
	ck_assert_str_eq (where.field, d->name);
      ck_assert_uint_eq (where.offset,
			 record_offset (&h, d, d->record) + d->at);
      ck_assert_uint_eq (where.block, 0);
      unit_hand_free (&h);
    }
}
END_TEST

/* Reserved fields and flags mean nothing to a reader of this version.  */
START_TEST (reserved_ignored)
{
  static const struct
  {
    int area; /* 0 header, 1 chain, 2 function, 3 data.  */
    size_t field;
    unsigned width;
  } reserved[] = { { 0, 28, 4 },
		   { 1, 72, 8 },
		   { 2, 27, 1 },
		   { 2, 28, 4 },
		   { 3, HAND_HEADS_0 + 2, 2 },
		   { 3, HAND_TESTS + 3, 1 },
		   { 3, HAND_PATH_A + 2, 2 },
		   { 3, HAND_BODY + 13, 1 },
		   { 3, HAND_BODY + 14, 2 } };
  unit_hand h = { .abi = unit_abis[_i], .address = ADDRESS };

  unit_hand_make (&h);
  for (size_t i = 0; i < ARRAY_SIZE (reserved); i++)
    {
      const size_t areas[] = { 0, h.chain[0], h.func[0], h.data };
      unit_put (h.bytes + areas[reserved[i].area] + reserved[i].field,
		reserved[i].width, h.big, UINT64_MAX);
    }
  /* Unknown path flags: all but the one that is known.  */
  h.bytes[h.data + HAND_PATH_A + 1] = 0xfe;
  h.bytes[h.data + HAND_PATH_B + 1] = 0xff;
  expect_hand (&h);
  unit_hand_free (&h);
}
END_TEST

/* A damaged second block does not spoil the first.  */
START_TEST (second_block)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE, .address = ADDRESS };
  unit_hand g = { .abi = SFRAME_CORO_ABI_AARCH64_LE, .address = ADDRESS };
  sframe_coro_where where = { 0 };
  sframe_coro_section s;
  sframe_coro_block b = { 0 };
  unsigned char *all;

  unit_hand_make (&h);
  unit_hand_make (&g);
  all = calloc (1, h.size + 16 + g.size);
  memcpy (all, h.bytes, h.size);
  memcpy (all + h.size + 16, g.bytes, g.size);
  ck_assert_int_eq (sframe_coro_section_open (&s, all, h.size + 16 + g.size,
					      ADDRESS, &where),
		    SFRAME_CORO_OK);
  ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, &where),
		    SFRAME_CORO_OK);
  ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, &where),
		    SFRAME_CORO_ERR_BAD_ABI);
  ck_assert_uint_eq (where.offset, h.size + 16 + 4);
  ck_assert_uint_eq (where.block, 1);
  ck_assert_str_eq (where.field, "abi_arch");

  /* Something else than zeros between them.  */
  for (size_t i = 0; i < 16; i++)
    {
      all[h.size + i] = 1;
      memset (&b, 0, sizeof b);
      ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, &where),
			SFRAME_CORO_OK);
      ck_assert_int_ne (sframe_coro_section_next_block (&s, &b, &where),
			SFRAME_CORO_OK);
      ck_assert_uint_eq (where.offset & -(size_t) 8, h.size + (i & 8));
      all[h.size + i] = 0;
    }
  free (all);
  unit_hand_free (&h);
  unit_hand_free (&g);
}
END_TEST

/* A few bytes at the end that are no block, and not zero either.  */
START_TEST (odd_end)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE, .address = ADDRESS };

  unit_hand_make (&h);
  for (size_t more = 1; more < 32; more++)
    {
      sframe_coro_where where = { 0 };
      sframe_coro_section s;
      sframe_coro_block b = { 0 };
      unsigned char *all = calloc (1, h.size + more);

      memcpy (all, h.bytes, h.size);
      all[h.size + more - 1] = 0xc0;
      ck_assert_int_eq (sframe_coro_section_open (&s, all, h.size + more,
						  ADDRESS, NULL),
			SFRAME_CORO_OK);
      ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, NULL),
			SFRAME_CORO_OK);
      ck_assert_int_eq (sframe_coro_section_next_block (&s, &b, &where),
			SFRAME_CORO_ERR_TRUNCATED);
      ck_assert_uint_eq (where.offset, h.size + ((more - 1) & -(size_t) 8));
      free (all);
    }
  unit_hand_free (&h);
}
END_TEST

/* The string area ends without a zero byte: names in it that have one before
   the end are fine.  */
START_TEST (string_edge)
{
  unit_hand h = { .abi = unit_abis[_i], .address = ADDRESS };
  sframe_coro_section s;
  sframe_coro_block b;
  sframe_coro_chain c;

  unit_hand_make (&h);
  unit_put (h.bytes + 24, 4, h.big, HAND_STRINGS_LEN - 1);
  open_hand (&h, &s, &b);
  ck_assert_int_eq (sframe_coro_block_chain (&b, 0, &c, NULL), 0);
  ck_assert_str_eq (c.name, "demo.task");
  ck_assert_int_eq (sframe_coro_block_chain (&b, 1, &c, NULL),
		    SFRAME_CORO_ERR_BAD_STRING);
  unit_put (h.bytes + 24, 4, h.big, 0);
  open_hand (&h, &s, &b);
  ck_assert_int_eq (sframe_coro_block_chain (&b, 0, &c, NULL),
		    SFRAME_CORO_ERR_BAD_STRING);
  unit_hand_free (&h);
}
END_TEST

START_TEST (chain_at)
{
  unit_hand h = { .abi = unit_abis[_i % 4],
		  .address = ADDRESS,
		  .chain_size = _i < 4 ? 80 : 96 };
  sframe_coro_section s;
  sframe_coro_block b;
  sframe_coro_chain c;

  unit_hand_make (&h);
  open_hand (&h, &s, &b);
  for (uint64_t a = 0; a < h.size + 16; a++)
    {
      int err = sframe_coro_section_chain_at (&s, ADDRESS + a, &c);
      if (a == h.chain[0] || a == h.chain[1])
	{
	  ck_assert_int_eq (err, SFRAME_CORO_OK);
	  ck_assert_uint_eq (c.address, ADDRESS + a);
	}
      else
	ck_assert_int_eq (err, SFRAME_CORO_ERR_NOT_FOUND);
    }
  ck_assert_int_eq (sframe_coro_section_chain_at (&s, ADDRESS - 8, &c),
		    SFRAME_CORO_ERR_NOT_FOUND);
  unit_hand_free (&h);
}
END_TEST

START_TEST (covers)
{
  static const struct
  {
    int kind;
    uint64_t start;
    uint32_t size;
    uint64_t pc;
    bool covers;
  } cases[] = {
    { SFRAME_CORO_FUNC_SITE, 100, 5, 100, false },
    { SFRAME_CORO_FUNC_SITE, 100, 5, 101, true },
    { SFRAME_CORO_FUNC_SITE, 100, 5, 105, true },
    { SFRAME_CORO_FUNC_SITE, 100, 5, 106, false },
    { SFRAME_CORO_FUNC_SITE, 100, 5, 99, false },
    { SFRAME_CORO_FUNC_SITE, 100, 0, 99, false },
    { SFRAME_CORO_FUNC_SITE, 100, 0, 100, true },
    { SFRAME_CORO_FUNC_SITE, 100, 0, 101, false },
    { SFRAME_CORO_FUNC_BODY, 100, 5, 99, false },
    { SFRAME_CORO_FUNC_BODY, 100, 5, 100, true },
    { SFRAME_CORO_FUNC_BODY, 100, 5, 104, true },
    { SFRAME_CORO_FUNC_BODY, 100, 5, 105, false },
    { SFRAME_CORO_FUNC_BODY, 100, 0, 100, false },
    { SFRAME_CORO_FUNC_SITE, 0, UINT32_MAX, UINT32_MAX, true },
    { SFRAME_CORO_FUNC_SITE, 0, UINT32_MAX, UINT64_C (1) << 32, false },
    /* Functions do not wrap around.  */
    { SFRAME_CORO_FUNC_SITE, UINT64_MAX - 1, 8, UINT64_MAX, true },
    { SFRAME_CORO_FUNC_SITE, UINT64_MAX - 1, 8, 0, false },
    { SFRAME_CORO_FUNC_BODY, UINT64_MAX - 1, 8, UINT64_MAX, true },
    { SFRAME_CORO_FUNC_BODY, UINT64_MAX - 1, 8, 2, false },
  };

  for (size_t i = 0; i < ARRAY_SIZE (cases); i++)
    {
      sframe_coro_func f = { .kind = (uint8_t) cases[i].kind,
			     .start = cases[i].start,
			     .size = cases[i].size };
      ck_assert_msg (sframe_coro_func_covers (&f, cases[i].pc)
			 == cases[i].covers,
		     "case %zu", i);
    }
}
END_TEST

START_TEST (texts)
{
  for (int i = 0; i < SFRAME_CORO_NUM_ERRORS; i++)
    {
      ck_assert_uint_gt (strlen (sframe_coro_errmsg (i)), 0);
      for (int k = 0; k < i; k++)
	ck_assert_str_ne (sframe_coro_errmsg (i), sframe_coro_errmsg (k));
    }
  ck_assert_str_eq (sframe_coro_errmsg (SFRAME_CORO_ERR_BAD_MAGIC),
		    "not a .sframe_coro block");
  ck_assert_str_eq (sframe_coro_errmsg (-1), "unknown error");
  ck_assert_str_eq (sframe_coro_errmsg (SFRAME_CORO_NUM_ERRORS),
		    "unknown error");
  ck_assert_str_eq (sframe_coro_stop_text (SFRAME_CORO_STOP_CYCLE),
		    "the list is cyclic");
  ck_assert_str_eq (sframe_coro_stop_text (-1), "unknown reason");
  ck_assert_str_eq (sframe_coro_stop_text (SFRAME_CORO_NUM_STOPS),
		    "unknown reason");
  ck_assert_uint_gt (strlen (sframe_coro_version ()), 0);
}
END_TEST

int
main (void)
{
  const unit_test tests[] = {
    { by_hand, 4 },
    { appended_fields, 16 },
    { unaligned_buffer, 4 },
    { addresses_wrap, 16 },
    { empty, 0 },
    { damaged, ARRAY_SIZE (damages) },
    { reserved_ignored, 4 },
    { second_block, 0 },
    { odd_end, 0 },
    { string_edge, 4 },
    { chain_at, 8 },
    { covers, 0 },
    { texts, 0 },
  };
  return unit_run ("decode", tests, ARRAY_SIZE (tests));
}
