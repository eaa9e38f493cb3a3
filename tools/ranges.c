/* sframe-coro: arrays that are sorted by address.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include "ranges.h"

int
ranges_compare (const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

/* Element number I: its address, and what is behind that.  */
static const uint64_t *
element (const void *list, size_t size, size_t i)
{
  return (const void *) ((const char *) list + i * size);
}

size_t
ranges_up_to (const void *list, size_t num, size_t size, uint64_t address)
{
  size_t lo = 0, hi = num;

  while (lo < hi)
    {
      size_t mid = lo + (hi - lo) / 2;
      if (*element (list, size, mid) <= address)
	lo = mid + 1;
      else
	hi = mid;
    }
  return lo;
}

void *
ranges_find (const void *list, size_t num, size_t size, uint64_t address)
{
  size_t n = ranges_up_to (list, num, size, address);
  const uint64_t *range = n != 0 ? element (list, size, n - 1) : NULL;

  return range != NULL && address < range[1] ? (void *) range : NULL;
}
