/* What the unit tests share.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef UNIT_H
#define UNIT_H

#include <check.h>

#include "../../libsframe-coro/impl.h"

#define ARRAY_SIZE(A) (sizeof (A) / sizeof *(A))

/* Tests to run; `rows' is the number of rows of the table that the test is
   driven by, its case number is `_i' then; 0 for a single case.  */
typedef struct unit_test
{
  const TTest *test;
  int rows;
} unit_test;

/* Run NUM tests as suite NAME; the exit status.  */
extern int unit_run (const char *name, const unit_test *tests, size_t num);

/* Deterministic numbers.  */
typedef struct unit_random
{
  uint64_t state;
} unit_random;

extern uint64_t unit_next (unit_random *r);
extern uint64_t unit_below (unit_random *r, uint64_t n);

/* Write or read WIDTH bytes in the given byte order, one by one.  */
extern void unit_put (unsigned char *p, unsigned width, bool big,
		      uint64_t value);
extern uint64_t unit_get (const unsigned char *p, unsigned width, bool big);

extern const int unit_abis[4];
extern bool unit_abi_is_big (int abi);

/* A section written byte by byte, at the offsets that the specification
   gives: neither the encoder nor the tables of fields have a part in it.  It
   has every kind of record, and a validator finds nothing wrong with it.  */
typedef struct unit_hand
{
  int abi;
  bool big;
  uint64_t address;
  /* Entry sizes; 0: those of this version.  What is appended is not zero.  */
  unsigned header_size, chain_size, func_size;

  unsigned char *bytes; /* Exactly `size' of them, from malloc.  */
  size_t size;
  size_t chain[2], func[4], data, strings;
} unit_hand;

/* Offsets of records in the data area of a unit_hand.  */
enum
{
  HAND_HEADS_0 = 0,   /* TLS_STUB, TLS_OFFSET, TP_SLOT, GLOBAL.  */
  HAND_HEADS_1 = 96,  /* PTHREAD_KEY, FRAME.  */
  HAND_TESTS = 144,   /* VALUE, EQUAL.  */
  HAND_PATH_A = 192,  /* 0 */
  HAND_PATH_B = 200,  /* 32, -8, adjust=-16 */
  HAND_PATH_C = 216,  /* 8 */
  HAND_PATH_D = 224,  /* adjust=24 */
  HAND_PATH_E = 232,  /* -8, 16, -24, 32 */
  HAND_ROWS = 252,    /* Two.  */
  HAND_BODY = 276,
  HAND_POINTS = 292,  /* Two.  */
  HAND_DATA_LEN = 308,
  HAND_STRINGS_LEN = 14
};

/* Addresses, relative to that of the section.  */
enum
{
  HAND_STUB = 0x3000,
  HAND_SLOT = 0x5000,
  HAND_GLOBAL = 0x5010,
  HAND_KEY = 0x5020,
  HAND_SENTINEL = 0x5030,
  HAND_CODE = 0x2000,
  HAND_CODE_END = 0x4000
};

/* Fill in the rest of HAND from its first members.  */
extern void unit_hand_make (unit_hand *hand);
extern void unit_hand_free (unit_hand *hand);

/* Generated contents of a block.  */
typedef struct unit_func
{
  sframe_coro_func func;
  uint32_t chain;
  sframe_coro_row rows[5];
  sframe_coro_body body;
  sframe_coro_point points[5];
} unit_func;

typedef struct unit_model
{
  int abi;
  uint64_t address;
  size_t num_chains, num_funcs;
  sframe_coro_chain chains[4];
  char names[4][24];
  unit_func funcs[12];
} unit_model;

/* Make contents, functions in order of start, to be mapped at ADDRESS.  */
extern void unit_model_make (unit_model *m, unit_random *r, int abi,
			     uint64_t address);
extern sframe_coro_encoder *unit_model_encoder (const unit_model *m);
/* Encode M into exactly *SIZE bytes from malloc.  */
extern unsigned char *unit_model_encode (const unit_model *m, size_t *size);
/* Fail the test unless block B holds M.  */
extern void unit_model_expect (const unit_model *m,
			       const sframe_coro_block *b);

/* Memory made of pieces; reading anything else fails.  */
typedef struct unit_piece
{
  uint64_t address;
  const void *bytes;
  size_t size;
} unit_piece;

typedef struct unit_memory
{
  const unit_piece *pieces;
  size_t num;
  size_t reads;	  /* Counted.  */
  size_t fail_at; /* The read that fails, from 1; 0: none.  */
} unit_memory;

extern int unit_memory_read (void *arg, uint64_t address, void *buf,
			     size_t len);

#endif /* UNIT_H */
