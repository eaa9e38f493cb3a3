/* sframe-coro: the address spaces of processes, as events tell of them.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ranges.h"
#include "spaces.h"

static space *
space_of (spaces *s, uint32_t pid)
{
  uint32_t n = table_number (&s->pids, &pid, sizeof pid);

  s->list = table_grow (s->list, &s->room, n + 1u, sizeof *s->list);
  return &s->list[n];
}

/* The index of the first map that ends behind ADDRESS.  */
static size_t
first_behind (const space *a, uint64_t address)
{
  size_t n = ranges_up_to (a->maps, a->num, sizeof *a->maps, address);

  return n != 0 && a->maps[n - 1].end > address ? n - 1 : n;
}

/* Put NUM maps at NEW in the place of those with indices [FROM, TO).  */
static void
replace (space *a, size_t from, size_t to, const space_map *new, size_t num)
{
  size_t rest = a->num - to;

  a->maps
      = table_grow (a->maps, &a->room, from + num + rest, sizeof *a->maps);
  memmove (a->maps + from + num, a->maps + to, rest * sizeof *a->maps);
  memcpy (a->maps + from, new, num * sizeof *new);
  a->num = from + num + rest;
}

void
spaces_map (spaces *s, uint32_t pid, const space_map *m)
{
  space *a = space_of (s, pid);
  size_t from = first_behind (a, m->start), to = from, num = 0;
  space_map new[3];

  while (to < a->num && a->maps[to].start < m->end)
    to++;
  /* What is left of those that it covers in part.  */
  if (from < to && a->maps[from].start < m->start)
    {
      new[num] = a->maps[from];
      new[num++].end = m->start;
    }
  new[num++] = *m;
  if (from < to && a->maps[to - 1].end > m->end)
    {
      new[num] = a->maps[to - 1];
      new[num].offset += m->end - new[num].start;
      new[num++].start = m->end;
    }
  replace (a, from, to, new, num);
}

void
spaces_clear (spaces *s, uint32_t pid)
{
  space_of (s, pid)->num = 0;
}

void
spaces_fork (spaces *s, uint32_t pid, uint32_t parent)
{
  space *to;
  uint32_t n;

  if (pid == parent)
    return;
  spaces_clear (s, pid);
  /* Only now: it may move the list.  */
  if (!table_find (&s->pids, &parent, sizeof parent, &n))
    return;
  to = space_of (s, pid);
  if (s->list[n].num != 0)
    replace (to, 0, 0, s->list[n].maps, s->list[n].num);
}

const space_map *
spaces_find (const spaces *s, uint32_t pid, uint64_t address)
{
  const space *a;
  uint32_t n;
  size_t i;

  if (!table_find (&s->pids, &pid, sizeof pid, &n))
    return NULL;
  a = &s->list[n];
  i = first_behind (a, address);
  return (i < a->num && a->maps[i].start <= address ? &a->maps[i] : NULL);
}

void
spaces_free (spaces *s)
{
  for (size_t i = 0; i < s->pids.num; i++)
    free (s->list[i].maps);
  free (s->list);
  table_free (&s->pids);
}
