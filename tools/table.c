/* sframe-coro: numbers for keys.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <libiberty/hashtab.h>

#include "table.h"
#include "tool.h"

typedef struct table_entry
{
  const void *key; /* Behind the entry, but for one that is only looked for.  */
  uint32_t size;
  hashval_t hash;
  uint32_t number;
} table_entry;

static hashval_t
hash_entry (const void *p)
{
  return ((const table_entry *) p)->hash;
}

static int
equal_entries (const void *p, const void *q)
{
  const table_entry *a = p, *b = q;
  return (a->hash == b->hash && a->size == b->size
	  && memcmp (a->key, b->key, a->size) == 0);
}

/* Multiply and shift, eight bytes at a time: most keys have just those.  The
   factor is a prime near 2^64 divided by the golden ratio.  */
static hashval_t
hash_bytes (const void *key, size_t size)
{
  const unsigned char *p = key;
  uint64_t h = size, word;

  for (; size != 0; size -= size < 8 ? size : 8, p += 8)
    {
      word = 0;
      memcpy (&word, p, size < 8 ? size : 8);
      h = (h ^ word) * UINT64_C (0x9e3779b97f4a7c15);
      h ^= h >> 32;
    }
  return (hashval_t) h;
}

static table_entry
probe (const void *key, size_t size)
{
  return (table_entry){ .key = key,
			.size = (uint32_t) size,
			.hash = hash_bytes (key, size) };
}

static table_entry *
new_entry (const table_entry *p, size_t number)
{
  table_entry *e;

  if (number >= UINT32_MAX)
    {
      tool_error ("too many different stacks");
      exit (TOOL_FAILED);
    }
  e = tool_calloc (1, sizeof *e + p->size);
  *e = *p;
  e->key = memcpy (e + 1, p->key, p->size);
  e->number = (uint32_t) number;
  return e;
}

uint32_t
table_number (table *t, const void *key, size_t size)
{
  table_entry p = probe (key, size);
  void **slot;

  if (t->hash == NULL)
    t->hash = htab_create (64, hash_entry, equal_entries, NULL);
  slot = htab_find_slot_with_hash (t->hash, &p, p.hash, INSERT);
  if (*slot == NULL)
    {
      *slot = new_entry (&p, t->num);
      t->entries = table_grow (t->entries, &t->room, t->num + 1,
			       sizeof *t->entries);
      t->entries[t->num++] = *slot;
    }
  return ((table_entry *) *slot)->number;
}

uint32_t
table_string (table *t, const char *s)
{
  return table_number (t, s, strlen (s) + 1);
}

bool
table_find (const table *t, const void *key, size_t size, uint32_t *number)
{
  table_entry p = probe (key, size), *e;

  if (t->hash == NULL
      || (e = htab_find_with_hash (t->hash, &p, p.hash)) == NULL)
    return false;
  *number = e->number;
  return true;
}

const void *
table_key (const table *t, uint32_t n)
{
  return t->entries[n]->key;
}

void
table_free (table *t)
{
  for (size_t i = 0; i < t->num; i++)
    free (t->entries[i]);
  free (t->entries);
  if (t->hash != NULL)
    htab_delete (t->hash);
  memset (t, 0, sizeof *t);
}

void *
table_grow (void *array, size_t *room, size_t num, size_t size)
{
  size_t old = *room, more;

  if (num <= old)
    return array;
  more = old < 8 ? 16 : old * 2;
  if (more < num)
    more = num;
  array = tool_realloc (array, more, size);
  memset ((char *) array + old * size, 0, (more - old) * size);
  *room = more;
  return array;
}
