/* libsframe-coro: where a thread's copy of a variable is.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   Sources: "ELF Handling For Thread-Local Storage" (U. Drepper) for variants
   and DTV; "RFC: TLS descriptors for x86" (A. Oliva) for the descriptors and
   the relaxed sequences; measured on glibc 2.36 and 2.43 and on musl 1.2.3
   and 1.2.6.  Nothing here runs code of the program: reads only.  */

#include "impl.h"

static bool
load (const sframe_coro_memory *memory, uint64_t address, void *buf,
      size_t len)
{
  if (memory == NULL || memory->read == NULL)
    {
      memcpy (buf, (const void *) (uintptr_t) address, len);
      return true;
    }
  return memory->read (memory->arg, address, buf, len) == 0;
}

static bool
load_word (const sframe_coro_memory *memory, bool swap, uint64_t address,
	   uint64_t *value)
{
  if (!load (memory, address, value, sizeof *value))
    return false;
  if (swap)
    *value = __builtin_bswap64 (*value);
  return true;
}

/* Read the TLS descriptor at ADDRESS: the function, then its argument.  What
   glibc and musl put there for a module with static TLS is the offset from
   the thread pointer, which is not positive where the TLS blocks lie below
   it (variant II).  Otherwise it points to the module ID and the offset in
   its block; glibc adds the DTV generation from which on a thread's entry is
   that of this module.  */
static int
read_descriptor (sframe_coro_libc libc, bool swap,
		 const sframe_coro_memory *memory, uint64_t address,
		 sframe_coro_tls_ref *ref)
{
  uint64_t arg, index[3] = { 0, 0, 0 };
  unsigned n = libc == SFRAME_CORO_LIBC_GLIBC ? 3 : 2;

  if (!load_word (memory, swap, address + 8, &arg))
    return SFRAME_CORO_ERR_UNREADABLE;
  if ((int64_t) arg <= 0)
    {
      ref->tp_offset = (int64_t) arg;
      return SFRAME_CORO_OK;
    }
  if (libc == SFRAME_CORO_LIBC_UNKNOWN)
    return SFRAME_CORO_ERR_NO_LIBC;
  for (unsigned i = 0; i < n; i++)
    if (!load_word (memory, swap, arg + 8 * i, &index[i]))
      return SFRAME_CORO_ERR_UNREADABLE;
  ref->dynamic = true;
  ref->module_id = index[0];
  ref->offset = index[1];
  ref->generation = index[2];
  return SFRAME_CORO_OK;
}

/* The sequence `leaq SYM@tlsdesc(%rip), %rax; call *SYM@tlscall(%rax)' as the
   linker leaves it.  Its first instruction is seven bytes long in all forms:
   mov $imm32, %rax (local exec); mov rel32(%rip), %rax (initial exec);
   lea rel32(%rip), %rax (a descriptor).  Linkers for x32 may drop REX.W, we
   have no x32 here.  */
static int
read_stub_x86_64 (sframe_coro_libc libc, const sframe_coro_memory *memory,
		  uint64_t address, sframe_coro_tls_ref *ref)
{
  unsigned char code[7];
  uint64_t word;
  int32_t imm;

  if (!load (memory, address, code, sizeof code))
    return SFRAME_CORO_ERR_UNREADABLE;
  if (code[0] != 0x48)
    return SFRAME_CORO_ERR_BAD_STUB;
  imm = (int32_t) (code[3] | code[4] << 8 | code[5] << 16
		   | (uint32_t) code[6] << 24);
  if (code[1] == 0xc7 && code[2] == 0xc0)
    {
      ref->tp_offset = imm;
      return SFRAME_CORO_OK;
    }
  address += sizeof code + (int64_t) imm;
  if (code[1] == 0x8b && code[2] == 0x05)
    {
      if (!load_word (memory, false, address, &word))
	return SFRAME_CORO_ERR_UNREADABLE;
      ref->tp_offset = (int64_t) word;
      return SFRAME_CORO_OK;
    }
  if (code[1] == 0x8d && code[2] == 0x05)
    return read_descriptor (libc, false, memory, address, ref);
  return SFRAME_CORO_ERR_BAD_STUB;
}

int
sframe_coro_tls_stub_read (int abi_arch, bool swap, sframe_coro_libc libc,
			   const sframe_coro_memory *memory, uint64_t address,
			   sframe_coro_tls_ref *ref)
{
  (void) swap;
  *ref = (sframe_coro_tls_ref){ 0 };
  if (abi_arch != SFRAME_CORO_ABI_AMD64_LE)
    return SFRAME_CORO_ERR_UNSUPPORTED;
  return read_stub_x86_64 (libc, memory, address, ref);
}

/* The DTV of a C library: an array of entries indexed by module ID, of which
   the first word is the address of the thread's block.  */
typedef struct dtv_layout
{
  int tp_offset;	 /* Where the thread control block points to it.  */
  unsigned entry;	 /* Bytes of an entry.  */
  int count_offset;	 /* Word with the number of entries.  */
  bool count_is_before;	 /* ... is part of the entry before the first.  */
  bool has_generation;	 /* Entry 0 is the generation.  */
} dtv_layout;

static const dtv_layout *
dtv_of (int abi_arch, sframe_coro_libc libc)
{
  /* glibc: dtv_t is 16 bytes, dtv[-1].counter the length, dtv[0].counter the
     generation.  musl: dtv[0] is the length; blocks exist from the start.  */
  static const dtv_layout glibc_x86_64 = { 8, 16, -16, true, true };
  static const dtv_layout musl_x86_64 = { 8, 8, 0, false, false };

  if (abi_arch != SFRAME_CORO_ABI_AMD64_LE)
    return NULL;
  if (libc == SFRAME_CORO_LIBC_GLIBC)
    return &glibc_x86_64;
  return libc == SFRAME_CORO_LIBC_MUSL ? &musl_x86_64 : NULL;
}

int
sframe_coro_tls_address (const sframe_coro_tls_ref *ref, int abi_arch,
			 bool swap, const sframe_coro_memory *memory,
			 const sframe_coro_thread *thread, uint64_t *address)
{
  const dtv_layout *l;
  uint64_t dtv, count, generation, block;

  if (!ref->dynamic)
    {
      /* No variable is where the thread pointer points: the word has not been
	 filled in yet, or the symbol is weak and not defined.  */
      if (ref->tp_offset == 0)
	return SFRAME_CORO_ERR_NO_TLS;
      *address = thread->tp + ref->tp_offset;
      return SFRAME_CORO_OK;
    }
  l = dtv_of (abi_arch, thread->libc);
  if (l == NULL)
    return (thread->libc == SFRAME_CORO_LIBC_UNKNOWN
		? SFRAME_CORO_ERR_NO_LIBC
		: SFRAME_CORO_ERR_UNSUPPORTED);
  if (!load_word (memory, swap, thread->tp + l->tp_offset, &dtv)
      || !load_word (memory, swap, dtv + l->count_offset, &count))
    return SFRAME_CORO_ERR_UNREADABLE;
  /* A thread that has not met the module yet has a shorter or an older DTV,
     or no block in it.  */
  if (ref->module_id == 0 || ref->module_id > count)
    return SFRAME_CORO_ERR_NO_TLS;
  if (l->has_generation)
    {
      if (!load_word (memory, swap, dtv, &generation))
	return SFRAME_CORO_ERR_UNREADABLE;
      if (generation < ref->generation)
	return SFRAME_CORO_ERR_NO_TLS;
    }
  if (!load_word (memory, swap, dtv + ref->module_id * l->entry, &block))
    return SFRAME_CORO_ERR_UNREADABLE;
  if (block == 0 || block == UINT64_MAX)
    return SFRAME_CORO_ERR_NO_TLS;
  *address = block + ref->offset;
  return SFRAME_CORO_OK;
}

/* A TLS_OFFSET head: negative from the thread pointer, else in the block.  */
static int
offset_ref (int64_t value, const sframe_coro_tls_block *block,
	    sframe_coro_tls_ref *ref)
{
  *ref = (sframe_coro_tls_ref){ .tp_offset = value };
  if (value < 0)
    return SFRAME_CORO_OK;
  if (block == NULL || block->kind == SFRAME_CORO_TLS_UNKNOWN)
    return SFRAME_CORO_ERR_NO_LIBC;
  if (block->kind == SFRAME_CORO_TLS_STATIC)
    ref->tp_offset = block->tp_offset + value;
  else
    {
      ref->dynamic = true;
      ref->module_id = block->module_id;
      ref->offset = (uint64_t) value;
    }
  return SFRAME_CORO_OK;
}

int
sframe_coro_head_base (const sframe_coro_chain *c,
		       const sframe_coro_head *head,
		       const sframe_coro_memory *memory,
		       const sframe_coro_thread *thread,
		       const sframe_coro_tls_block *block, uint64_t *address)
{
  sframe_coro_tls_ref ref = { 0 };
  uint64_t word = 0;
  int err;

  switch (head->kind)
    {
    case SFRAME_CORO_HEAD_GLOBAL:
      *address = head->value;
      return SFRAME_CORO_OK;
    case SFRAME_CORO_HEAD_TLS_STUB:
      err = sframe_coro_tls_stub_read (c->abi_arch, c->swap, thread->libc,
				       memory, head->value, &ref);
      break;
    case SFRAME_CORO_HEAD_TLS_OFFSET:
      err = offset_ref ((int64_t) head->value, block, &ref);
      break;
    case SFRAME_CORO_HEAD_TP_SLOT:
      err = (load_word (memory, c->swap, head->value, &word)
		 ? SFRAME_CORO_OK
		 : SFRAME_CORO_ERR_UNREADABLE);
      ref.tp_offset = (int64_t) word;
      break;
    default:
      return SFRAME_CORO_ERR_UNSUPPORTED;
    }
  if (err != SFRAME_CORO_OK)
    return err;
  return sframe_coro_tls_address (&ref, c->abi_arch, c->swap, memory, thread,
				  address);
}
