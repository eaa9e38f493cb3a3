/* libsframe-coro: where C libraries keep a thread's things.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   Freestanding.  See tls.c for the sources.  */

#ifndef SFRAME_CORO_LAYOUT_H
#define SFRAME_CORO_LAYOUT_H

#include "sframe-coro-api.h"

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
static inline const core_thread_layout *
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

#endif /* SFRAME_CORO_LAYOUT_H */
