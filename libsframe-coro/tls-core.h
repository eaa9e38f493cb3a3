/* libsframe-coro: where C libraries keep a thread's things, for every reader
   alike.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   Freestanding, on top of walk-core.h.  See tls.c for the sources.  */

#ifndef SFRAME_CORO_TLS_CORE_H
#define SFRAME_CORO_TLS_CORE_H

#include "walk-core.h"

/* Offsets are from the thread pointer.  With variant I the C library's part of
   a thread control block ends at the thread pointer, so what glibc has at its
   start moves with its size (1856 bytes in 2.36, 1824 in 2.41 and 2.43): it is
   searched for, between two offsets, from the higher one down.

   The DTV is an array of entries indexed by module ID, of which the first word
   is the address of the thread's block.  A thread's values of pthread keys are
   in blocks, to which an array of pointers leads.  */
typedef struct core_thread_layout
{
  int32_t dtv;		  /* Pointer to the DTV.  */
  uint32_t dtv_entry;	  /* Bytes of an entry.  */
  int32_t dtv_count;	  /* In the DTV, the word with the number of
			     entries.  */
  uint32_t dtv_has_generation; /* Entry 0 is the generation.  */
  int32_t keys, keys_end; /* Array of pointers to blocks of keys; where a
			     search ends.  */
  uint32_t key_max;	  /* Keys there can be.  */
  uint32_t key_block;	  /* Keys of a block.  */
  uint32_t key_entry;	  /* Bytes of an entry in a block ...  */
  uint32_t key_value;	  /* ... and where the value is in it.  */
  uint32_t key_own;	  /* If not 0, the first block is this far before the
			     array, and so tells it from anything else.  */
} core_thread_layout;

/* glibc: dtv_t is 16 bytes, dtv[-1].counter the length, dtv[0].counter the
   generation.  Keys come 32 to a block, each with a sequence number, the first
   block (specific_1stblock) directly before the array (specific).
   musl: dtv[0] is the length; blocks exist from the start.  The one block of
   keys (tsd) is an array of the values.  */
#define CORE_GLIBC(DTV, KEYS, KEYS_END)                                       \
  {                                                                           \
    DTV, 16, -16, 1, KEYS, KEYS_END, 1024, 32, 16, 8, 512                     \
  }
#define CORE_MUSL(DTV, KEYS)                                                  \
  {                                                                           \
    DTV, 8, 0, 0, KEYS, KEYS, 128, 128, 8, 0, 0                               \
  }

/* The layout of LIBC on ABI_ARCH; NULL if it is not known.  */
CORE const core_thread_layout *
core_layout (int abi_arch, sframe_coro_libc libc)
{
  static const core_thread_layout glibc[] = {
    [SFRAME_CORO_ABI_AARCH64_BE] = CORE_GLIBC (0, -256, -2560),
    [SFRAME_CORO_ABI_AARCH64_LE] = CORE_GLIBC (0, -256, -2560),
    [SFRAME_CORO_ABI_AMD64_LE] = CORE_GLIBC (8, 1296, 1296),
    [SFRAME_CORO_ABI_S390X_BE] = CORE_GLIBC (8, 784, 784),
  };
  static const core_thread_layout musl[] = {
    [SFRAME_CORO_ABI_AARCH64_BE] = CORE_MUSL (-8, -88),
    [SFRAME_CORO_ABI_AARCH64_LE] = CORE_MUSL (-8, -88),
    [SFRAME_CORO_ABI_AMD64_LE] = CORE_MUSL (8, 128),
    [SFRAME_CORO_ABI_S390X_BE] = CORE_MUSL (8, 128),
  };

  if (abi_arch < SFRAME_CORO_ABI_AARCH64_BE
      || abi_arch > SFRAME_CORO_ABI_S390X_BE)
    return NULL;
  if (libc == SFRAME_CORO_LIBC_GLIBC)
    return &glibc[abi_arch];
  return libc == SFRAME_CORO_LIBC_MUSL ? &musl[abi_arch] : NULL;
}

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

/* The value of KEY, which is less than L's maximum, in BLOCKS.  A thread that
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
