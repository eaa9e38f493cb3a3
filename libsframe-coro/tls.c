/* libsframe-coro: where a thread's copy of a variable is.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   Sources: "ELF Handling For Thread-Local Storage" (U. Drepper) for variants,
   DTV, and the general-dynamic sequence of s390x; "RFC: TLS descriptors for
   x86" (A. Oliva) and "ELF for the Arm 64-bit Architecture" for descriptors
   and the relaxed sequences; "ELF Application Binary Interface s390x
   Supplement".  What linkers make of the sequences and where C libraries keep
   things was measured: testsuite/cross/README.  Nothing here runs code of the
   program: reads only.  */

#include "load.h"
#include "tls-core.h"

/* In the functions that are static, MEMORY is as impl_foreign gives it.  */

/* Read the module and the offset in its block at ADDRESS, and, if there is
   one, the DTV generation from which on a thread's entry is that of this
   module.  */
static int
read_index (bool has_generation, bool swap, const sframe_coro_memory *memory,
	    uint64_t address, sframe_coro_tls_ref *ref)
{
  ref->dynamic = true;
  if (!core_load_word (memory, swap, address, &ref->module_id)
      || !core_load_word (memory, swap, address + 8, &ref->offset)
      || (has_generation
	  && !core_load_word (memory, swap, address + 16, &ref->generation)))
    return SFRAME_CORO_ERR_UNREADABLE;
  return SFRAME_CORO_OK;
}

/* What the argument of a TLS descriptor for a dynamic block points to.  */
static int
read_argument (sframe_coro_libc libc, bool swap,
	       const sframe_coro_memory *memory, uint64_t arg,
	       sframe_coro_tls_ref *ref)
{
  if (libc == SFRAME_CORO_LIBC_UNKNOWN)
    return SFRAME_CORO_ERR_NO_LIBC;
  return read_index (libc == SFRAME_CORO_LIBC_GLIBC, swap, memory, arg, ref);
}

/* Immediates in code have the byte order of the instruction set.  */
static uint32_t
code_le32 (const unsigned char *p)
{
  return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t) p[3] << 24;
}

static uint32_t
code_be32 (const unsigned char *p)
{
  return p[3] | p[2] << 8 | p[1] << 16 | (uint32_t) p[0] << 24;
}

/* The TLS descriptor at ADDRESS: a function, then its argument.  What glibc
   and musl put there for a module with static TLS is the offset from the
   thread pointer, which is not positive here (variant II: the blocks lie
   below it).  */
static int
read_descriptor_x86_64 (sframe_coro_libc libc, bool swap,
			const sframe_coro_memory *memory, uint64_t address,
			sframe_coro_tls_ref *ref)
{
  uint64_t arg;

  if (!core_load_word (memory, swap, address + 8, &arg))
    return SFRAME_CORO_ERR_UNREADABLE;
  if ((int64_t) arg > 0)
    return read_argument (libc, swap, memory, arg, ref);
  ref->tp_offset = (int64_t) arg;
  return SFRAME_CORO_OK;
}

/* The sequence `leaq SYM@tlsdesc(%rip), %rax; call *SYM@tlscall(%rax)' as the
   linker leaves it.  Its first instruction is seven bytes long in all forms:
   mov $imm32, %rax (local exec); mov rel32(%rip), %rax (initial exec);
   lea rel32(%rip), %rax (a descriptor).  Linkers for x32 may drop REX.W, we
   have no x32 here.  */
static int
read_stub_x86_64 (sframe_coro_libc libc, bool swap,
		  const sframe_coro_memory *memory, uint64_t address,
		  sframe_coro_tls_ref *ref)
{
  unsigned char code[7];
  int32_t imm;

  if (!core_load (memory, address, code, sizeof code))
    return SFRAME_CORO_ERR_UNREADABLE;
  if (code[0] != 0x48)
    return SFRAME_CORO_ERR_BAD_STUB;
  imm = (int32_t) code_le32 (code + 3);
  if (code[1] == 0xc7 && code[2] == 0xc0)
    {
      ref->tp_offset = imm;
      return SFRAME_CORO_OK;
    }
  address += sizeof code + (int64_t) imm;
  if (code[1] == 0x8b && code[2] == 0x05)
    return core_read_offset (swap, memory, address, ref);
  if (code[1] == 0x8d && code[2] == 0x05)
    return read_descriptor_x86_64 (libc, swap, memory, address, ref);
  return SFRAME_CORO_ERR_BAD_STUB;
}

#define AARCH64_NOP 0xd503201f
#define AARCH64_HINT_MASK 0xfffff01f /* Of `nop', `bti c' and their like.  */
#define AARCH64_RET 0xd65f03c0
#define AARCH64_LDR_X0_X0_8 0xf9400400

/* Whether the function at ADDRESS does nothing but return the second word of
   the descriptor that X0 points to.  */
static int
returns_argument_aarch64 (const sframe_coro_memory *memory, uint64_t address,
			  bool *yes)
{
  unsigned char code[12];
  unsigned i;

  /* A landing pad may come first, or a `nop' in its place.  The third
     instruction is of the function only then; two may end their page.  */
  if (!core_load (memory, address, code, 8))
    return SFRAME_CORO_ERR_UNREADABLE;
  i = (code_le32 (code) & AARCH64_HINT_MASK) == AARCH64_NOP ? 4 : 0;
  if (i != 0 && !core_load (memory, address + 8, code + 8, 4))
    return SFRAME_CORO_ERR_UNREADABLE;
  *yes = (code_le32 (code + i) == AARCH64_LDR_X0_X0_8
	  && code_le32 (code + i + 4) == AARCH64_RET);
  return SFRAME_CORO_OK;
}

/* No pointer has a value below this one.  */
#define FIRST_PAGE 4096

/* On AArch64 the argument of a descriptor is positive in any case (variant I:
   the blocks lie above the thread pointer), and where a program is linked at
   a low address and its heap comes right behind it, the size does not tell
   offset and pointer apart either.  The function does: for a static block
   both C libraries have one which loads the argument and returns.  That of
   glibc for a weak symbol nobody defines has its addend for an argument.  */
static int
read_descriptor_aarch64 (sframe_coro_libc libc, bool swap,
			 const sframe_coro_memory *memory, uint64_t address,
			 sframe_coro_tls_ref *ref)
{
  uint64_t function, arg;
  bool is_static = false;
  int err;

  if (!core_load_word (memory, swap, address, &function)
      || !core_load_word (memory, swap, address + 8, &arg))
    return SFRAME_CORO_ERR_UNREADABLE;
  /* The loader has not been here yet.  */
  if (function == 0)
    return SFRAME_CORO_OK;
  err = returns_argument_aarch64 (memory, function, &is_static);
  if (err != SFRAME_CORO_OK)
    return err;
  if (is_static)
    ref->tp_offset = (int64_t) arg;
  else if (arg >= FIRST_PAGE)
    return read_argument (libc, swap, memory, arg, ref);
  return SFRAME_CORO_OK;
}

/* What is done with the result of two instructions.  */
typedef enum stub_form
{
  FORM_OFFSET,	  /* It is the offset from the thread pointer.  */
  FORM_WORD,	  /* It is the address of a word with that offset.  */
  FORM_DESCRIPTOR, /* It is the address of a TLS descriptor.  */
  FORM_INDEX	  /* It is the address of module ID and offset.  */
} stub_form;

/* The sequence `adrp x0, :tlsdesc:SYM; ldr x1, [x0, :tlsdesc_lo12:SYM];
   add x0, x0, :tlsdesc_lo12:SYM; blr x1' as the linker leaves it: two
   instructions tell the form, those replaced by `nop' come before or behind.
   Instructions are little-endian in big-endian programs too.  */
typedef struct aarch64_pair
{
  uint32_t first, first_mask, second, second_mask;
  stub_form form;
} aarch64_pair;

static const aarch64_pair aarch64_pairs[] = {
  /* movz x0, #hi, lsl #16; movk x0, #lo */
  { 0xd2a00000, 0xffe0001f, 0xf2800000, 0xffe0001f, FORM_OFFSET },
  /* adrp x0, page; ldr x0, [x0, #lo] */
  { 0x90000000, 0x9f00001f, 0xf9400000, 0xffc003ff, FORM_WORD },
  /* adrp x0, page; ldr x1, [x0, #lo] */
  { 0x90000000, 0x9f00001f, 0xf9400001, 0xffc003ff, FORM_DESCRIPTOR },
};

/* What the pair FIRST, SECOND of FORM at ADDRESS computes.  */
static uint64_t
aarch64_result (stub_form form, uint32_t first, uint32_t second,
		uint64_t address)
{
  uint64_t page;

  if (form == FORM_OFFSET)
    return (uint64_t) (first >> 5 & 0xffff) << 16 | (second >> 5 & 0xffff);
  /* 21 bits, the lower two apart, count pages.  */
  page = (uint64_t) (first >> 5 & 0x7ffff) << 2 | (first >> 29 & 3);
  page = (page ^ UINT64_C (0x100000)) - UINT64_C (0x100000);
  return ((address & ~UINT64_C (0xfff)) + (page << 12)
	  + (uint64_t) (second >> 10 & 0xfff) * 8);
}

static int
read_stub_aarch64 (sframe_coro_libc libc, bool swap,
		   const sframe_coro_memory *memory, uint64_t address,
		   sframe_coro_tls_ref *ref)
{
  unsigned char code[16];
  unsigned i = 0;

  if (!core_load (memory, address, code, sizeof code))
    return SFRAME_CORO_ERR_UNREADABLE;
  while (i < 8 && code_le32 (code + i) == AARCH64_NOP)
    i += 4;
  for (size_t k = 0; k < sizeof aarch64_pairs / sizeof *aarch64_pairs; k++)
    {
      const aarch64_pair *p = &aarch64_pairs[k];
      uint32_t first = code_le32 (code + i), second = code_le32 (code + i + 4);
      uint64_t result;

      if ((first & p->first_mask) != p->first
	  || (second & p->second_mask) != p->second)
	continue;
      result = aarch64_result (p->form, first, second, address + i);
      if (p->form == FORM_DESCRIPTOR)
	return read_descriptor_aarch64 (libc, swap, memory, result, ref);
      if (p->form == FORM_WORD)
	return core_read_offset (swap, memory, result, ref);
      ref->tp_offset = (int64_t) result;
      return SFRAME_CORO_OK;
    }
  return SFRAME_CORO_ERR_BAD_STUB;
}

/* s390x has no descriptors.  The stub is the general-dynamic sequence

      larl %r12, _GLOBAL_OFFSET_TABLE_
      lgrl %r2, literal
      brasl %r14, __tls_get_offset@PLT:tls_gdcall:SYM
      literal: .quad SYM@TLSGD

   of which the linker changes the call and the literal, together.  The
   literal is the offset from the thread pointer, or an offset in the GOT.  */
typedef struct s390x_call
{
  unsigned char code[6];
  unsigned len; /* Bytes that tell it.  */
  stub_form form;
} s390x_call;

static const s390x_call s390x_calls[] = {
  { { 0xc0, 0x04, 0, 0, 0, 0 }, 6, FORM_OFFSET }, /* brcl 0, . */
  { { 0xe3, 0x22, 0xc0, 0, 0, 0x04 }, 6, FORM_WORD }, /* lg %r2, 0(%r2,%r12) */
  { { 0xc0, 0xe5 }, 2, FORM_INDEX }, /* brasl %r14, __tls_get_offset@plt */
};

static int
read_stub_s390x (sframe_coro_libc libc, bool swap,
		 const sframe_coro_memory *memory, uint64_t address,
		 sframe_coro_tls_ref *ref)
{
  unsigned char code[18];
  uint64_t got, literal;

  (void) libc;
  if (!core_load (memory, address, code, sizeof code))
    return SFRAME_CORO_ERR_UNREADABLE;
  if (code[0] != 0xc0 || code[1] != 0xc0 || code[6] != 0xc4 || code[7] != 0x28)
    return SFRAME_CORO_ERR_BAD_STUB;
  /* Distances count halfwords from the start of the instruction.  */
  got = address + 2 * (int64_t) (int32_t) code_be32 (code + 2);
  literal = address + 6 + 2 * (int64_t) (int32_t) code_be32 (code + 8);
  for (size_t k = 0; k < sizeof s390x_calls / sizeof *s390x_calls; k++)
    {
      const s390x_call *c = &s390x_calls[k];

      if (memcmp (code + 12, c->code, c->len) != 0)
	continue;
      if (c->form == FORM_OFFSET)
	return core_read_offset (swap, memory, literal, ref);
      if (!core_load_word (memory, swap, literal, &literal))
	return SFRAME_CORO_ERR_UNREADABLE;
      if (c->form == FORM_WORD)
	return core_read_offset (swap, memory, got + literal, ref);
      return read_index (false, swap, memory, got + literal, ref);
    }
  return SFRAME_CORO_ERR_BAD_STUB;
}

/* Reads what is at an address into a reference.  */
typedef int reader (sframe_coro_libc libc, bool swap,
		    const sframe_coro_memory *memory, uint64_t address,
		    sframe_coro_tls_ref *ref);

static reader *const stub_readers[] = {
  [SFRAME_CORO_ABI_AARCH64_BE] = read_stub_aarch64,
  [SFRAME_CORO_ABI_AARCH64_LE] = read_stub_aarch64,
  [SFRAME_CORO_ABI_AMD64_LE] = read_stub_x86_64,
  [SFRAME_CORO_ABI_S390X_BE] = read_stub_s390x,
};

static reader *const descriptor_readers[] = {
  [SFRAME_CORO_ABI_AARCH64_BE] = read_descriptor_aarch64,
  [SFRAME_CORO_ABI_AARCH64_LE] = read_descriptor_aarch64,
  [SFRAME_CORO_ABI_AMD64_LE] = read_descriptor_x86_64,
  [SFRAME_CORO_ABI_S390X_BE] = NULL,
};

/* The one of READERS, an entry for each ABI that is known, for ABI_ARCH, or
   NULL.  */
static reader *
reader_for (reader *const *readers, int abi_arch)
{
  bool big;
  return impl_abi_known (abi_arch, &big) ? readers[abi_arch] : NULL;
}

int
sframe_coro_tls_stub_read (int abi_arch, bool swap, sframe_coro_libc libc,
			   const sframe_coro_memory *memory, uint64_t address,
			   sframe_coro_tls_ref *ref)
{
  reader *read = reader_for (stub_readers, abi_arch);

  *ref = (sframe_coro_tls_ref){ 0 };
  if (read == NULL)
    return SFRAME_CORO_ERR_UNSUPPORTED;
  return read (libc, swap, impl_foreign (memory), address, ref);
}

int
sframe_coro_tls_descriptor_read (int abi_arch, bool swap,
				 sframe_coro_libc libc,
				 const sframe_coro_memory *memory,
				 uint64_t address, sframe_coro_tls_ref *ref)
{
  reader *read = reader_for (descriptor_readers, abi_arch);

  *ref = (sframe_coro_tls_ref){ 0 };
  if (read == NULL)
    return SFRAME_CORO_ERR_UNSUPPORTED;
  return read (libc, swap, impl_foreign (memory), address, ref);
}

/* C libraries whose layout is known, by ABI.  */
static const core_thread_layout *
layout_of (int abi_arch, sframe_coro_libc libc, int *err)
{
  const core_thread_layout *l = core_layout (abi_arch, libc);

  *err = (l != NULL ? SFRAME_CORO_OK
	  : libc == SFRAME_CORO_LIBC_UNKNOWN ? SFRAME_CORO_ERR_NO_LIBC
					     : SFRAME_CORO_ERR_UNSUPPORTED);
  return l;
}

int
sframe_coro_tls_address (const sframe_coro_tls_ref *ref, int abi_arch,
			 bool swap, const sframe_coro_memory *memory,
			 const sframe_coro_thread *thread, uint64_t *address)
{
  const core_thread_layout *l = NULL;
  int err = SFRAME_CORO_OK;

  if (ref->dynamic)
    l = layout_of (abi_arch, thread->libc, &err);
  if (err != SFRAME_CORO_OK)
    return err;
  return core_tls_address (impl_foreign (memory), swap, l, ref, thread->tp,
			   address);
}

/* The offset of a TLS_OFFSET head: negative from the thread pointer, else in
   the block of the module.  The sign tells them apart with variant II, where
   blocks lie below the thread pointer.  With variant I (AArch64) what is below
   is the C library's, and an offset from the thread pointer cannot be
   expressed; no linker for it makes one.  */
static int
offset_ref (int abi_arch, int64_t value, const sframe_coro_tls_block *block,
	    sframe_coro_tls_ref *ref)
{
  *ref = (sframe_coro_tls_ref){ .tp_offset = value };
  if (value < 0)
    return (abi_arch == SFRAME_CORO_ABI_AARCH64_BE
		|| abi_arch == SFRAME_CORO_ABI_AARCH64_LE
	      ? SFRAME_CORO_ERR_BAD_VALUE
	      : SFRAME_CORO_OK);
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

/* Find in *BLOCKS the array of pointers to blocks of keys.  Not there though
   it must be: another version of the C library.  */
static int
find_key_blocks (const core_thread_layout *l, bool swap,
		 const sframe_coro_memory *memory, uint64_t tp,
		 uint64_t *blocks)
{
  for (int off = l->keys; off >= l->keys_end; off -= 8)
    {
      int err = core_are_key_blocks (memory, swap, l, tp + off);
      *blocks = tp + off;
      if (err != SFRAME_CORO_ERR_NOT_FOUND)
	return err;
    }
  return SFRAME_CORO_ERR_UNSUPPORTED;
}

/* The base of a PTHREAD_KEY head.  */
static int
key_base (const sframe_coro_chain *c, const sframe_coro_head *head,
	  const sframe_coro_memory *memory, const sframe_coro_thread *thread,
	  uint64_t *base)
{
  const core_thread_layout *l;
  uint64_t blocks;
  uint32_t key;
  int err = core_read_key (memory, c->swap, head, &key);

  if (err != SFRAME_CORO_OK)
    return err;
  l = layout_of (c->abi_arch, thread->libc, &err);
  if (err != SFRAME_CORO_OK)
    return err;
  err = find_key_blocks (l, c->swap, memory, thread->tp, &blocks);
  if (err != SFRAME_CORO_OK)
    return err;
  return core_key_value (memory, c->swap, l, blocks, key, base);
}

int
sframe_coro_head_base (const sframe_coro_chain *c,
		       const sframe_coro_head *head,
		       const sframe_coro_memory *memory,
		       const sframe_coro_thread *thread,
		       const sframe_coro_tls_block *block, uint64_t *address)
{
  sframe_coro_tls_ref ref = { 0 };
  int err;

  memory = impl_foreign (memory);
  switch (head->kind)
    {
    case SFRAME_CORO_HEAD_GLOBAL:
      *address = head->value;
      return SFRAME_CORO_OK;
    case SFRAME_CORO_HEAD_PTHREAD_KEY:
      return key_base (c, head, memory, thread, address);
    case SFRAME_CORO_HEAD_TLS_STUB:
      err = sframe_coro_tls_stub_read (c->abi_arch, c->swap, thread->libc,
				       memory, head->value, &ref);
      break;
    case SFRAME_CORO_HEAD_TLS_OFFSET:
      err = offset_ref (c->abi_arch, (int64_t) head->value, block, &ref);
      break;
    case SFRAME_CORO_HEAD_TP_SLOT:
      err = core_read_offset (c->swap, memory, head->value, &ref);
      break;
    default:
      return SFRAME_CORO_ERR_UNSUPPORTED;
    }
  if (err != SFRAME_CORO_OK)
    return err;
  return sframe_coro_tls_address (&ref, c->abi_arch, c->swap, memory, thread,
				  address);
}
