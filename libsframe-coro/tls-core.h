/* libsframe-coro: where C libraries keep a thread's things, for every reader
   alike.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   Freestanding, on top of walk-core.h.  See tls.c for the sources.  */

#ifndef SFRAME_CORO_TLS_CORE_H
#define SFRAME_CORO_TLS_CORE_H

#include "layout.h"
#include "walk-core.h"

/* The block of REF's module in the DTV at DTV.  A thread that has not met the
   module yet has a shorter or an older DTV, or no block in it.  */
CORE int
core_dtv_block (const sframe_coro_memory *memory, bool swap,
		const core_thread_layout *l, uint64_t dtv,
		const sframe_coro_tls_ref *ref, uint64_t *block)
{
  uint64_t count, generation;

  if (!core_load_word (memory, swap, dtv + l->dtv_count, &count))
    return SFRAME_CORO_ERR_UNREADABLE;
  if (ref->module_id == 0 || ref->module_id > count)
    return SFRAME_CORO_ERR_NO_TLS;
  if (l->dtv_has_generation)
    {
      if (!core_load_word (memory, swap, dtv, &generation))
	return SFRAME_CORO_ERR_UNREADABLE;
      if (generation < ref->generation)
	return SFRAME_CORO_ERR_NO_TLS;
    }
  if (!core_load_word (memory, swap, dtv + ref->module_id * l->dtv_entry,
		       block))
    return SFRAME_CORO_ERR_UNREADABLE;
  return (*block == 0 || *block == UINT64_MAX ? SFRAME_CORO_ERR_NO_TLS
					      : SFRAME_CORO_OK);
}

/* See sframe_coro_tls_address; L is asked only where REF is dynamic.  */
CORE int
core_tls_address (const sframe_coro_memory *memory, bool swap,
		  const core_thread_layout *l, const sframe_coro_tls_ref *ref,
		  uint64_t tp, uint64_t *address)
{
  uint64_t dtv, block;
  int err;

  if (!ref->dynamic)
    {
      /* No variable is where the thread pointer points: the word has not been
	 filled in yet, or the symbol is weak and not defined.  */
      if (ref->tp_offset == 0)
	return SFRAME_CORO_ERR_NO_TLS;
      *address = tp + ref->tp_offset;
      return SFRAME_CORO_OK;
    }
  if (!core_load_word (memory, swap, tp + l->dtv, &dtv))
    return SFRAME_CORO_ERR_UNREADABLE;
  err = core_dtv_block (memory, swap, l, dtv, ref, &block);
  if (err == SFRAME_CORO_OK)
    *address = block + ref->offset;
  return err;
}

/* The offset from the thread pointer that the word at SLOT holds, in REF.  */
CORE int
core_read_offset (bool swap, const sframe_coro_memory *memory, uint64_t slot,
		  sframe_coro_tls_ref *ref)
{
  uint64_t word;

  if (!core_load_word (memory, swap, slot, &word))
    return SFRAME_CORO_ERR_UNREADABLE;
  *ref = (sframe_coro_tls_ref){ .tp_offset = (int64_t) word };
  return SFRAME_CORO_OK;
}

/* The key of HEAD, a PTHREAD_KEY head.  */
CORE int
core_read_key (const sframe_coro_memory *memory, bool swap,
	       const sframe_coro_head *head, uint32_t *key)
{
  if (!core_load (memory, head->value, key, sizeof *key))
    return SFRAME_CORO_ERR_UNREADABLE;
  if (swap)
    *key = __builtin_bswap32 (*key);
  return ((head->flags & SFRAME_CORO_HEAD_F_INVALID) != 0
		  && *key == (uint32_t) head->invalid
	      ? SFRAME_CORO_ERR_NO_TLS
	      : SFRAME_CORO_OK);
}

/* Whether the array of pointers to blocks of keys is at BLOCKS:
   SFRAME_CORO_ERR_NOT_FOUND if not.  */
CORE int
core_are_key_blocks (const sframe_coro_memory *memory, bool swap,
		     const core_thread_layout *l, uint64_t blocks)
{
  uint64_t word;

  if (!core_load_word (memory, swap, blocks, &word))
    return SFRAME_CORO_ERR_UNREADABLE;
  return (l->key_own == 0 || word == blocks - l->key_own
	      ? SFRAME_CORO_OK
	      : SFRAME_CORO_ERR_NOT_FOUND);
}

/* The value of KEY in BLOCKS.  A thread that
   never set one has no block for it, or null.  glibc's sequence numbers are
   not looked at: they tell a value that was set before its key was deleted and
   created anew, but what they are to be compared with is private to the C
   library.  */
CORE int
core_key_value (const sframe_coro_memory *memory, bool swap,
		const core_thread_layout *l, uint64_t blocks, uint32_t key,
		uint64_t *value)
{
  uint64_t block;

  if (key >= l->key_max)
    return SFRAME_CORO_ERR_BAD_VALUE;
  if (!core_load_word (memory, swap, blocks + key / l->key_block * 8, &block))
    return SFRAME_CORO_ERR_UNREADABLE;
  if (block == 0)
    return SFRAME_CORO_ERR_NO_TLS;
  if (!core_load_word (memory, swap,
		       block + key % l->key_block * l->key_entry
			   + l->key_value,
		       value))
    return SFRAME_CORO_ERR_UNREADABLE;
  return *value == 0 ? SFRAME_CORO_ERR_NO_TLS : SFRAME_CORO_OK;
}

#endif /* SFRAME_CORO_TLS_CORE_H */
