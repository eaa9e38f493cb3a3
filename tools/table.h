/* sframe-coro: numbers for keys.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys are bytes; each gets a number when it comes for the first time, from 0
   up.  A zeroed table is an empty one.  */
typedef struct table
{
  struct htab *hash;
  struct table_entry **entries; /* By number.  */
  size_t num, room;
} table;

/* The number of the SIZE bytes at KEY.  */
extern uint32_t table_number (table *t, const void *key, size_t size);
/* The same for a string, with its end.  */
extern uint32_t table_string (table *t, const char *s);

/* Whether KEY is there, and in *NUMBER its number.  */
extern bool table_find (const table *t, const void *key, size_t size,
			uint32_t *number);

/* The key with number N; valid as long as the table.  */
extern const void *table_key (const table *t, uint32_t n);

extern void table_free (table *t);

/* Make room in ARRAY, of *ROOM elements of SIZE bytes, for NUM; new elements
   are zero.  Return where it is now.  */
extern void *table_grow (void *array, size_t *room, size_t num, size_t size);

#endif /* TABLE_H */
