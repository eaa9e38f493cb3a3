/* sframe-coro: the address spaces of processes, as events tell of them.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef SPACES_H
#define SPACES_H

#include <stdint.h>

#include "table.h"

typedef struct space_map
{
  uint64_t start, end; /* [start, end).  */
  uint64_t offset;     /* Of START, in the file.  */
  uint32_t module;     /* The caller's number.  */
} space_map;

typedef struct space
{
  space_map *maps; /* By address; they do not overlap.  */
  size_t num, room;
} space;

/* A zeroed one has no processes.  */
typedef struct spaces
{
  table pids;
  space *list; /* By number in `pids'.  */
  size_t room;
} spaces;

/* Map M in process PID, in the place of what is there.  */
extern void spaces_map (spaces *s, uint32_t pid, const space_map *m);
/* Process PID begins with a copy of what PARENT has.  */
extern void spaces_fork (spaces *s, uint32_t pid, uint32_t parent);
/* Process PID has nothing mapped.  */
extern void spaces_clear (spaces *s, uint32_t pid);
/* The map of process PID that ADDRESS is in, or NULL.  */
extern const space_map *spaces_find (const spaces *s, uint32_t pid,
				     uint64_t address);
extern void spaces_free (spaces *s);

#endif /* SPACES_H */
