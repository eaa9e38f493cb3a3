/* sframe-coro: arrays that are sorted by address.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   An array is at LIST and has NUM elements of SIZE bytes.  Each begins with an
   address, a uint64_t; if it has a range of them, [start, end), the end is
   next.  */

#ifndef RANGES_H
#define RANGES_H

#include <stddef.h>
#include <stdint.h>

/* Order by address, for qsort and its like.  */
extern int ranges_compare (const void *a, const void *b);

/* How many elements begin at or before ADDRESS.  */
extern size_t ranges_up_to (const void *list, size_t num, size_t size,
			    uint64_t address);

/* The element whose range ADDRESS is in, or NULL.  Ranges do not overlap.  */
extern void *ranges_find (const void *list, size_t num, size_t size,
			  uint64_t address);

#endif /* RANGES_H */
