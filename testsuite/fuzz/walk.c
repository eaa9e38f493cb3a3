/* Fuzzer: bytes as a chain, a thread and the memory they are walked in.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "exercise.h"

extern int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  exercise_lists (bytes, size);
  return 0;
}
