/* sframe-coro: a snapshot of another program's memory.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   What is read is kept, in pages: reading takes one call for many words, and
   what was read once can be read again after the program went on.  */

#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Where memory comes from: read the NUM pieces at REMOTE into those at LOCAL,
   each as long as its counterpart, in order.  Return how many bytes were read
   before the first piece that cannot be, which may be read in part.  NUM is
   at most IOV_MAX.  */
typedef size_t (*memory_source_fn) (void *arg, const struct iovec *local,
				    const struct iovec *remote, size_t num);

typedef struct memory memory;

/* A memory of which nothing is known yet; free it with memory_free, which
   takes NULL as well.  ARG is for SOURCE.  */
extern memory *memory_new (memory_source_fn source, void *arg);
extern void memory_free (memory *m);

/* Take memory for what is going to be read now, so that reading takes no time for
   that.  */
extern void memory_prepare (memory *m);

/* A sframe_coro_read_fn with a memory for ARG.  */
extern int memory_read (void *arg, uint64_t address, void *buf, size_t len);

typedef struct memory_range
{
  uint64_t start, end;
} memory_range;

/* Read all of the NUM RANGES, which do not overlap, in as few calls as
   possible, and keep them until memory_forget.  Those that cannot be read are
   left out.  */
extern void memory_keep (memory *m, const memory_range *ranges, size_t num);

/* From now on nothing is read that is not known yet.  */
extern void memory_freeze (memory *m);

/* Forget all, and read again.  */
extern void memory_forget (memory *m);

/* The first address since the last call that was asked for, and not known
   after memory_freeze; 0 if there was none.  */
extern uint64_t memory_missed (memory *m);

#endif /* MEMORY_H */
