/* Fuzzer: bytes as a section.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#define _GNU_SOURCE
#include "exercise.h"

extern int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

static ssize_t
drop (void *cookie, const char *text, size_t len)
{
  (void) cookie;
  (void) text;
  return (ssize_t) len;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  static FILE *out;

  if (out == NULL)
    out = fopencookie (NULL, "w", (cookie_io_functions_t){ .write = drop });
  exercise_section (bytes, size, out);
  return 0;
}
