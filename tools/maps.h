/* sframe-coro: what is mapped into a process, or was into one that dumped core.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MAPS_H
#define MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mapping
{
  uint64_t start, end; /* [start, end).  */
  uint64_t offset;     /* Of start, in the file; bytes.  */
  uint64_t device, inode; /* Of the file; 0 where they are not known.  */
  bool readable, executable;
  bool deleted;	    /* The file has no name any more.  */
  const char *name; /* The file's, absolute; "[stack]" and such; or "".  */
} mapping;

typedef struct mappings
{
  mapping *list; /* By address.  */
  size_t num;
  char *text; /* What the names are in.  */
  char *read; /* The LEN bytes that were read; NULL: it was no file of maps.  */
  size_t len;
} mappings;

/* Read PATH, which is a /proc/PID/maps.  False if that cannot be, or is empty:
   errno tells why, 0 if it is empty.  Free with mappings_free.  */
extern bool mappings_read (mappings *m, const char *path);

/* Read PATH anew into M, which was read from it before; *CODE_CHANGED is set to
   whether code is not as before, see mappings_same_code.  M is not changed
   after a failure.  */
extern bool mappings_update (mappings *m, const char *path,
			     bool *code_changed);
extern void mappings_free (mappings *m);

/* The mapping that ADDRESS is in, or NULL.  */
extern const mapping *mappings_find (const mappings *m, uint64_t address);

/* Whether M is of a file.  */
extern bool mapping_is_file (const mapping *m);

/* Whether A and B are of the same file.  */
extern bool mapping_same_file (const mapping *a, const mapping *b);

/* Whether A and B map the code of the same files to the same addresses; other
   mappings do not matter.  */
extern bool mappings_same_code (const mappings *a, const mappings *b);

#endif /* MAPS_H */
