/* Fuzzer: one that must fail, so that failures are known to be seen.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stddef.h>
#include <stdint.h>

extern int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  volatile uint8_t beyond;

  if (size >= 3)
    beyond = bytes[size];
  (void) beyond;
  return 0;
}
