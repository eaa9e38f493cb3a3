/* libsframe-coro: reading memory, as walk-core.h wants it.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#ifndef SFRAME_CORO_LOAD_H
#define SFRAME_CORO_LOAD_H

#include "impl.h"

/* MEMORY if it is another process's, else NULL: the caller's own lists are
   trusted, no read can fail, and a walk costs what following pointers does.  */
static inline const sframe_coro_memory *
impl_foreign (const sframe_coro_memory *memory)
{
  return memory != NULL && memory->read != NULL ? memory : NULL;
}

static inline __attribute__ ((always_inline)) bool
core_load (const sframe_coro_memory *memory, uint64_t address, void *buf,
	   size_t len)
{
  if (memory == NULL)
    {
      memcpy (buf, (const void *) (uintptr_t) address, len);
      return true;
    }
  return memory->read (memory->arg, address, buf, len) == 0;
}

#endif /* SFRAME_CORO_LOAD_H */
