/* Fuzzer: bytes as a chain and the memory it is walked in.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "exercise.h"

extern int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  sframe_coro_section s;
  sframe_coro_block b = { 0 };
  sframe_coro_chain c;

  /* A section, and memory that begins with it.  */
  if (sframe_coro_section_open (&s, bytes, size, 0x10000, NULL)
	  != SFRAME_CORO_OK
      || sframe_coro_section_next_block (&s, &b, NULL) != SFRAME_CORO_OK)
    return 0;
  for (uint32_t i = 0; i < b.header.num_chains; i++)
    if (sframe_coro_block_chain (&b, i, &c, NULL) == SFRAME_CORO_OK)
      for (size_t from = 0; from < size; from += size / 4 + 1)
	exercise_walk (&c, bytes + from, size - from);
  return 0;
}
