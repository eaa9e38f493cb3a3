/* Fuzzer: bytes as a section.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "exercise.h"

extern int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  static FILE *out;

  if (out == NULL)
    out = fopen ("/dev/null", "w");
  exercise_section (bytes, size, out);
  return 0;
}
