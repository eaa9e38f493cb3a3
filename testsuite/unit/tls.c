/* Thread-local storage: stubs, descriptors and DTVs in memory made by hand.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Instruction bytes are those of the "Intel 64 and IA-32 Architectures
   Software Developer's Manual", volume 2:
     48 c7 c0 imm32  MOV RAX, imm32 (C7 /0, sign-extended)
     48 8b 05 rel32  MOV RAX, [RIP + rel32] (8B /r, mod 00, r/m 101)
     48 8d 05 rel32  LEA RAX, [RIP + rel32] (8D /r)
   and are what linkers make of `leaq SYM@tlsdesc(%rip), %rax': "RFC: TLS
   descriptors for x86", section 3.5.  Those of AArch64 and s390x are copied
   from what the linkers named next to them wrote: testsuite/cross.  */

#include <pthread.h>

#include "unit.h"

#define STUB UINT64_C (0x401000)
#define DATA UINT64_C (0x404000)
#define ARG UINT64_C (0x405000)
#define TP UINT64_C (0x7ffff7d80740)
#define DTV UINT64_C (0x7ffff7d81000)

#define GLIBC SFRAME_CORO_LIBC_GLIBC

/* The memory of a program: a stub, the data it refers to, what a descriptor's
   argument points to, the thread control block, and the DTV.  */
typedef struct program
{
  unsigned char stub[12];
  uint64_t data[4], arg[3], tcb[4], dtv[16];
  unit_piece pieces[5];
  unit_memory at;
  sframe_coro_memory memory;
} program;

static void
start_program (program *p)
{
  memset (p, 0, sizeof *p);
  p->pieces[0] = (unit_piece){ STUB, p->stub, sizeof p->stub };
  p->pieces[1] = (unit_piece){ DATA, p->data, sizeof p->data };
  p->pieces[2] = (unit_piece){ ARG, p->arg, sizeof p->arg };
  p->pieces[3] = (unit_piece){ TP, p->tcb, sizeof p->tcb };
  p->pieces[4] = (unit_piece){ DTV, p->dtv, sizeof p->dtv };
  p->at = (unit_memory){ .pieces = p->pieces, .num = 5 };
  p->memory = (sframe_coro_memory){ unit_memory_read, &p->at };
}

/* Write the stub: three bytes and a 32-bit number, then a call through the
   descriptor, ff 10, or the no-operation that linkers put in its place.  */
static void
put_stub (program *p, unsigned a, unsigned b, unsigned c, uint32_t number)
{
  static const unsigned char call[] = { 0xff, 0x10, 0x66, 0x90 };

  p->stub[0] = (unsigned char) a;
  p->stub[1] = (unsigned char) b;
  p->stub[2] = (unsigned char) c;
  unit_put (p->stub + 3, 4, false, number);
  memcpy (p->stub + 7, call, sizeof call);
}

static uint32_t
rel32 (uint64_t target)
{
  return (uint32_t) (target - (STUB + 7));
}

static int
read_stub (program *p, sframe_coro_libc libc, sframe_coro_tls_ref *ref)
{
  memset (ref, 0xa5, sizeof *ref);
  return sframe_coro_tls_stub_read (SFRAME_CORO_ABI_AMD64_LE, false, libc,
				    &p->memory, STUB, ref);
}

START_TEST (stub_immediate)
{
  static const int64_t offsets[] = { -8, -4096, INT32_MIN, 64 };
  sframe_coro_tls_ref ref;
  program p;

  start_program (&p);
  for (size_t i = 0; i < ARRAY_SIZE (offsets); i++)
    {
      put_stub (&p, 0x48, 0xc7, 0xc0, (uint32_t) offsets[i]);
      ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_UNKNOWN, &ref), 0);
      ck_assert (!ref.dynamic);
      ck_assert_int_eq (ref.tp_offset, offsets[i]);
    }
}
END_TEST

START_TEST (stub_word)
{
  sframe_coro_tls_ref ref;
  program p;

  start_program (&p);
  p.data[2] = (uint64_t) INT64_C (-0x123456789a8);
  put_stub (&p, 0x48, 0x8b, 0x05, rel32 (DATA + 16));
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_UNKNOWN, &ref), 0);
  ck_assert (!ref.dynamic);
  ck_assert_int_eq (ref.tp_offset, INT64_C (-0x123456789a8));

  /* Backwards, and out of what is there.  */
  p.pieces[1].address = STUB - 0x1000;
  put_stub (&p, 0x48, 0x8b, 0x05, rel32 (STUB - 0x1000 + 16));
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_UNKNOWN, &ref), 0);
  ck_assert_int_eq (ref.tp_offset, INT64_C (-0x123456789a8));
  put_stub (&p, 0x48, 0x8b, 0x05, rel32 (STUB - 0x1000 + 25));
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_UNKNOWN, &ref),
		    SFRAME_CORO_ERR_UNREADABLE);
}
END_TEST

static void
check_same_ref (const sframe_coro_tls_ref *a, const sframe_coro_tls_ref *b)
{
  ck_assert (a->dynamic == b->dynamic);
  ck_assert_int_eq (a->tp_offset, b->tp_offset);
  ck_assert_uint_eq (a->module_id, b->module_id);
  ck_assert_uint_eq (a->offset, b->offset);
  ck_assert_uint_eq (a->generation, b->generation);
}

/* What is at DATA read as a descriptor, without the stub, is the same as
   EXPECTED with error ERR.  */
static void
check_descriptor (program *p, sframe_coro_libc libc, int err,
		  const sframe_coro_tls_ref *expected)
{
  sframe_coro_tls_ref ref;

  memset (&ref, 0xa5, sizeof ref);
  ck_assert_int_eq (sframe_coro_tls_descriptor_read (
			SFRAME_CORO_ABI_AMD64_LE, false, libc, &p->memory,
			DATA, &ref),
		    err);
  if (err == SFRAME_CORO_OK)
    check_same_ref (&ref, expected);
}

/* A descriptor is two words, the second is what matters: glibc's
   sysdeps/x86_64/dl-tlsdesc.h, musl's src/internal/dynlink.h.  */
START_TEST (descriptor_static)
{
  sframe_coro_tls_ref ref;
  program p;

  start_program (&p);
  p.data[0] = 0x7fff12345678; /* The resolver.  */
  p.data[1] = (uint64_t) INT64_C (-72);
  put_stub (&p, 0x48, 0x8d, 0x05, rel32 (DATA));
  for (int libc = 0; libc <= SFRAME_CORO_LIBC_MUSL; libc++)
    {
      ck_assert_int_eq (read_stub (&p, (sframe_coro_libc) libc, &ref), 0);
      ck_assert (!ref.dynamic);
      ck_assert_int_eq (ref.tp_offset, -72);
      check_descriptor (&p, (sframe_coro_libc) libc, 0, &ref);
    }
}
END_TEST

START_TEST (descriptor_dynamic)
{
  sframe_coro_tls_ref ref;
  program p;

  start_program (&p);
  p.data[1] = ARG;
  p.arg[0] = 3;
  p.arg[1] = 0x40;
  p.arg[2] = 7;
  put_stub (&p, 0x48, 0x8d, 0x05, rel32 (DATA));
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_GLIBC, &ref), 0);
  ck_assert (ref.dynamic);
  ck_assert_uint_eq (ref.module_id, 3);
  ck_assert_uint_eq (ref.offset, 0x40);
  ck_assert_uint_eq (ref.generation, 7);
  check_descriptor (&p, SFRAME_CORO_LIBC_GLIBC, 0, &ref);
  /* musl keeps no generation there, and the word may not be readable.  */
  p.pieces[2].size = 16;
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_MUSL, &ref), 0);
  ck_assert (ref.dynamic);
  ck_assert_uint_eq (ref.module_id, 3);
  ck_assert_uint_eq (ref.offset, 0x40);
  ck_assert_uint_eq (ref.generation, 0);
  check_descriptor (&p, SFRAME_CORO_LIBC_MUSL, 0, &ref);
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_GLIBC, &ref),
		    SFRAME_CORO_ERR_UNREADABLE);
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_UNKNOWN, &ref),
		    SFRAME_CORO_ERR_NO_LIBC);
  check_descriptor (&p, SFRAME_CORO_LIBC_GLIBC, SFRAME_CORO_ERR_UNREADABLE,
		    NULL);
  check_descriptor (&p, SFRAME_CORO_LIBC_UNKNOWN, SFRAME_CORO_ERR_NO_LIBC,
		    NULL);
}
END_TEST

START_TEST (stub_bad)
{
  static const unsigned char codes[][3] = {
    { 0, 0, 0 },	  { 0x48, 0, 0 },	{ 0x49, 0xc7, 0xc0 },
    { 0x48, 0xc7, 0xc1 }, { 0x48, 0x8b, 0x0d }, { 0x48, 0x8d, 0x3d },
    { 0x66, 0x48, 0x8d }, { 0x48, 0x8d, 0x85 }, { 0x48, 0x89, 0x05 },
  };
  sframe_coro_tls_ref ref;
  program p;

  start_program (&p);
  for (size_t i = 0; i < ARRAY_SIZE (codes); i++)
    {
      put_stub (&p, codes[i][0], codes[i][1], codes[i][2], rel32 (DATA));
      ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_GLIBC, &ref),
			SFRAME_CORO_ERR_BAD_STUB);
    }
  p.pieces[0].size = 6;
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_GLIBC, &ref),
		    SFRAME_CORO_ERR_UNREADABLE);
  for (int abi = 0; abi <= 5; abi += 5)
    ck_assert_int_eq (sframe_coro_tls_stub_read (abi, true,
						 SFRAME_CORO_LIBC_GLIBC,
						 &p.memory, STUB, &ref),
		      SFRAME_CORO_ERR_UNSUPPORTED);
}
END_TEST

/* No machine, and one that has no descriptors.  */
START_TEST (descriptor_unsupported)
{
  static const int abis[] = { 0, SFRAME_CORO_ABI_S390X_BE, 5, -1 };
  sframe_coro_tls_ref ref;
  program p;

  start_program (&p);
  for (size_t i = 0; i < ARRAY_SIZE (abis); i++)
    ck_assert_int_eq (sframe_coro_tls_descriptor_read (
			  abis[i], true, GLIBC, &p.memory, DATA, &ref),
		      SFRAME_CORO_ERR_UNSUPPORTED);
}
END_TEST

/* Every read that fails makes the whole fail.  */
START_TEST (each_read)
{
  sframe_coro_tls_ref ref;
  uint64_t address;
  program p;
  size_t reads;

  start_program (&p);
  p.data[1] = ARG;
  p.arg[0] = 1;
  p.tcb[1] = DTV + 16;
  p.dtv[0] = 4;
  p.dtv[4] = 0x5000;
  put_stub (&p, 0x48, 0x8d, 0x05, rel32 (DATA));
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_GLIBC, &ref), 0);
  reads = p.at.reads;
  ck_assert_uint_ge (reads, 5);
  for (p.at.fail_at = 1; p.at.fail_at <= reads; p.at.fail_at++)
    {
      sframe_coro_tls_ref r;
      p.at.reads = 0;
      ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_GLIBC, &r),
			SFRAME_CORO_ERR_UNREADABLE);
    }
  sframe_coro_thread thread = { TP, 1, SFRAME_CORO_LIBC_GLIBC };
  for (p.at.fail_at = 1;; p.at.fail_at++)
    {
      int err;
      p.at.reads = 0;
      err = sframe_coro_tls_address (&ref, SFRAME_CORO_ABI_AMD64_LE, false,
				     &p.memory, &thread, &address);
      if (p.at.reads < p.at.fail_at)
	{
	  ck_assert_int_eq (err, SFRAME_CORO_OK);
	  break;
	}
      ck_assert_int_eq (err, SFRAME_CORO_ERR_UNREADABLE);
    }
  ck_assert_uint_gt (p.at.fail_at, 4);
}
END_TEST

/* glibc (nptl, sysdeps/generic/dl-dtv.h): the word at TP + 8 points to the
   second of 16-byte entries; that before it has the number of modules there is
   room for, itself the generation, entry I the block of module I, -1 if it is
   not allocated.  musl (src/internal/pthread_impl.h): 8-byte entries, the
   first is the number of modules.  */
typedef struct dtv_case
{
  const char *what;
  sframe_coro_libc libc;
  uint64_t module, generation;
  uint64_t dtv[8]; /* From where TP points to on, without what is before.  */
  uint64_t count;  /* glibc: what is before.  */
  int err;
  uint64_t block;
} dtv_case;

#define MUSL SFRAME_CORO_LIBC_MUSL
#define UNALLOCATED UINT64_MAX

static const dtv_case dtv_cases[] = {
  { "there", GLIBC, 2, 3, { 3, 0, 1, 1, 0x9000, 0x9000 }, 14, 0, 0x9000 },
  { "newer than asked", GLIBC, 2, 3, { 9, 0, 1, 1, 0x9000 }, 14, 0, 0x9000 },
  { "last one", GLIBC, 3, 0, { 0, 0, 1, 0, 1, 0, 0x9000 }, 3, 0, 0x9000 },
  { "not allocated", GLIBC, 2, 3, { 3, 0, 1, 0, UNALLOCATED }, 14,
    SFRAME_CORO_ERR_NO_TLS, 0 },
  { "null", GLIBC, 2, 3, { 3, 0, 1, 0, 0 }, 14, SFRAME_CORO_ERR_NO_TLS, 0 },
  { "short", GLIBC, 3, 0, { 0, 0, 1, 0, 1, 0, 0x9000 }, 2,
    SFRAME_CORO_ERR_NO_TLS, 0 },
  { "empty", GLIBC, 1, 0, { 0, 0, 0x9000 }, 0, SFRAME_CORO_ERR_NO_TLS, 0 },
  { "stale", GLIBC, 2, 4, { 3, 0, 1, 0, 0x9000 }, 14, SFRAME_CORO_ERR_NO_TLS,
    0 },
  { "no module", GLIBC, 0, 0, { 3, 0, 1, 0, 0x9000 }, 14,
    SFRAME_CORO_ERR_NO_TLS, 0 },
  { "huge module", GLIBC, UINT64_MAX / 16 + 2, 0, { 3, 0, 1, 0, 0x9000 }, 14,
    SFRAME_CORO_ERR_NO_TLS, 0 },
  { "huge count", GLIBC, UINT64_C (1) << 59, 0, { 3, 0, 1 }, UINT64_MAX,
    SFRAME_CORO_ERR_UNREADABLE, 0 },
  { "there", MUSL, 2, 0, { 2, 0x8000, 0x9000 }, 0, 0, 0x9000 },
  { "first", MUSL, 1, 0, { 2, 0x8000, 0x9000 }, 0, 0, 0x8000 },
  { "short", MUSL, 3, 0, { 2, 0x8000, 0x9000, 0xa000 }, 0,
    SFRAME_CORO_ERR_NO_TLS, 0 },
  { "null", MUSL, 2, 0, { 2, 0x8000, 0 }, 0, SFRAME_CORO_ERR_NO_TLS, 0 },
};

START_TEST (dtv)
{
  const dtv_case *c = &dtv_cases[_i];
  sframe_coro_tls_ref ref = { .dynamic = true,
			      .module_id = c->module,
			      .offset = 0x40,
			      .generation = c->generation };
  sframe_coro_thread thread = { TP, 1, c->libc };
  uint64_t address = 0;
  program p;

  start_program (&p);
  p.tcb[1] = DTV + 16;
  p.dtv[0] = c->count;
  memcpy (p.dtv + 2, c->dtv, sizeof c->dtv);
  ck_assert_msg (sframe_coro_tls_address (&ref, SFRAME_CORO_ABI_AMD64_LE,
					  false, &p.memory, &thread, &address)
		     == c->err,
		 "%s", c->what);
  if (c->err == SFRAME_CORO_OK)
    ck_assert_uint_eq (address, c->block + 0x40);
}
END_TEST

START_TEST (address_static)
{
  sframe_coro_tls_ref ref = { .tp_offset = -80 };
  sframe_coro_thread thread = { TP, 0, SFRAME_CORO_LIBC_UNKNOWN };
  uint64_t address;
  program p;

  start_program (&p);
  for (unsigned i = 0; i < 4; i++)
    {
      ck_assert_int_eq (sframe_coro_tls_address (&ref, unit_abis[i], true,
						 &p.memory, &thread, &address),
			SFRAME_CORO_OK);
      ck_assert_uint_eq (address, TP - 80);
    }
  ck_assert_uint_eq (p.at.reads, 0);
  ref.dynamic = true;
  ref.module_id = 1;
  ck_assert_int_eq (sframe_coro_tls_address (&ref, SFRAME_CORO_ABI_AMD64_LE,
					     false, &p.memory, &thread,
					     &address),
		    SFRAME_CORO_ERR_NO_LIBC);
  thread.libc = SFRAME_CORO_LIBC_GLIBC;
  for (int abi = 0; abi <= 5; abi += 5)
    ck_assert_int_eq (sframe_coro_tls_address (&ref, abi, true, &p.memory,
					       &thread, &address),
		      SFRAME_CORO_ERR_UNSUPPORTED);
}
END_TEST

/* Heads, up to the address of the variable.  */
typedef struct head_case
{
  const char *what;
  int kind;
  uint64_t value;
  int block_kind; /* -1: no block is given.  */
  int64_t tp_offset;
  uint64_t slot; /* Of a TP_SLOT head.  */
  int err;
  uint64_t address;
} head_case;

static const head_case head_cases[] = {
  { "negative", SFRAME_CORO_HEAD_TLS_OFFSET, (uint64_t) -24, -1, 0, 0, 0,
    TP - 24 },
  { "negative, whatever the block", SFRAME_CORO_HEAD_TLS_OFFSET,
    (uint64_t) -24, SFRAME_CORO_TLS_STATIC, -4096, 0, 0, TP - 24 },
  { "static", SFRAME_CORO_HEAD_TLS_OFFSET, 24, SFRAME_CORO_TLS_STATIC, -4096,
    0, 0, TP - 4096 + 24 },
  { "zero", SFRAME_CORO_HEAD_TLS_OFFSET, 0, SFRAME_CORO_TLS_STATIC, -4096, 0,
    0, TP - 4096 },
  { "dynamic", SFRAME_CORO_HEAD_TLS_OFFSET, 24, SFRAME_CORO_TLS_DYNAMIC, 0, 0,
    0, 0x9000 + 24 },
  { "unknown block", SFRAME_CORO_HEAD_TLS_OFFSET, 24, SFRAME_CORO_TLS_UNKNOWN,
    0, 0, SFRAME_CORO_ERR_NO_LIBC, 0 },
  { "no block", SFRAME_CORO_HEAD_TLS_OFFSET, 24, -1, 0, 0,
    SFRAME_CORO_ERR_NO_LIBC, 0 },
  { "slot", SFRAME_CORO_HEAD_TP_SLOT, DATA, -1, 0, (uint64_t) -48, 0,
    TP - 48 },
  { "slot, variant I", SFRAME_CORO_HEAD_TP_SLOT, DATA, -1, 0, 16, 0, TP + 16 },
  { "slot not filled in", SFRAME_CORO_HEAD_TP_SLOT, DATA, -1, 0, 0,
    SFRAME_CORO_ERR_NO_TLS, 0 },
  { "slot not readable", SFRAME_CORO_HEAD_TP_SLOT, 0x1000, -1, 0, 0,
    SFRAME_CORO_ERR_UNREADABLE, 0 },
  { "global", SFRAME_CORO_HEAD_GLOBAL, 0x123450, -1, 0, 0, 0, 0x123450 },
  { "stub", SFRAME_CORO_HEAD_TLS_STUB, STUB, -1, 0, 0, 0, TP - 88 },
  { "no stub", SFRAME_CORO_HEAD_TLS_STUB, DATA, -1, 0, 0x8d48,
    SFRAME_CORO_ERR_BAD_STUB, 0 },
  { "frame", SFRAME_CORO_HEAD_FRAME, 0, -1, 0, 0, SFRAME_CORO_ERR_UNSUPPORTED,
    0 },
  { "unknown kind", 99, 0, -1, 0, 0, SFRAME_CORO_ERR_UNSUPPORTED, 0 },
};

START_TEST (head_base)
{
  const head_case *c = &head_cases[_i];
  sframe_coro_chain chain = { .abi_arch = SFRAME_CORO_ABI_AMD64_LE };
  sframe_coro_head head = { .kind = (uint8_t) c->kind, .value = c->value };
  sframe_coro_tls_block block = { .tp_offset = c->tp_offset, .module_id = 2 };
  sframe_coro_thread thread = { TP, 1, SFRAME_CORO_LIBC_GLIBC };
  uint64_t address = 0;
  program p;

  start_program (&p);
  put_stub (&p, 0x48, 0xc7, 0xc0, (uint32_t) -88);
  p.data[0] = c->slot;
  p.tcb[1] = DTV + 16;
  p.dtv[0] = 4;
  p.dtv[6] = 0x9000;
  block.kind = (sframe_coro_tls_kind) c->block_kind;
  ck_assert_msg (sframe_coro_head_base (&chain, &head, &p.memory, &thread,
					c->block_kind < 0 ? NULL : &block,
					&address)
		     == c->err,
		 "%s", c->what);
  if (c->err == SFRAME_CORO_OK)
    ck_assert_uint_eq (address, c->address);
}
END_TEST

/* No variable is where the thread pointer points to: that is what stands in
   the place of an offset before the loader has filled it in, and for a weak
   symbol that nobody defines.  */
START_TEST (offset_zero)
{
  sframe_coro_chain chain = { .abi_arch = SFRAME_CORO_ABI_AMD64_LE };
  sframe_coro_head head = { .kind = SFRAME_CORO_HEAD_TLS_STUB,
			    .value = STUB };
  sframe_coro_thread thread = { TP, 1, SFRAME_CORO_LIBC_GLIBC };
  uint64_t address;
  program p;

  start_program (&p);
  put_stub (&p, 0x48, 0x8b, 0x05, rel32 (DATA));
  ck_assert_int_eq (sframe_coro_head_base (&chain, &head, &p.memory, &thread,
					   NULL, &address),
		    SFRAME_CORO_ERR_NO_TLS);
  put_stub (&p, 0x48, 0x8d, 0x05, rel32 (DATA));
  ck_assert_int_eq (sframe_coro_head_base (&chain, &head, &p.memory, &thread,
					   NULL, &address),
		    SFRAME_CORO_ERR_NO_TLS);
}
END_TEST

/* A big-endian program, whose words are the other way round.  */
START_TEST (swapped_slot)
{
  bool swap = impl_host_is_little ();
  sframe_coro_chain chain = { .abi_arch = SFRAME_CORO_ABI_S390X_BE,
			      .swap = swap };
  sframe_coro_head head = { .kind = SFRAME_CORO_HEAD_TP_SLOT, .value = DATA };
  sframe_coro_thread thread = { TP, 1, SFRAME_CORO_LIBC_UNKNOWN };
  uint64_t address;
  program p;

  start_program (&p);
  unit_put ((unsigned char *) p.data, 8, true, (uint64_t) -16);
  ck_assert_int_eq (sframe_coro_head_base (&chain, &head, &p.memory, &thread,
					   NULL, &address),
		    SFRAME_CORO_OK);
  ck_assert_uint_eq (address, TP - 16);
}
END_TEST

/* Without a function that reads, the calling process itself is meant.  */
START_TEST (own_process)
{
  sframe_coro_memory own = { NULL, NULL };
  sframe_coro_chain chain = { .abi_arch = SFRAME_CORO_ABI_AMD64_LE };
  uint64_t word = (uint64_t) -32, address;
  sframe_coro_head head = { .kind = SFRAME_CORO_HEAD_TP_SLOT,
			    .value = (uintptr_t) &word };
  sframe_coro_thread thread = { TP, 1, SFRAME_CORO_LIBC_UNKNOWN };
  const sframe_coro_memory *ways[] = { NULL, &own };

  for (size_t i = 0; i < 2; i++)
    {
      ck_assert_int_eq (sframe_coro_head_base (&chain, &head, ways[i], &thread,
					       NULL, &address),
			SFRAME_CORO_OK);
      ck_assert_uint_eq (address, TP - 32);
    }
}
END_TEST

/* Programs of other machines: words in their byte order, code as bytes.  */
typedef struct cross
{
  bool big, swap;
  unsigned char code[32], words[64], function[12], arg[24];
  unit_piece pieces[4];
  unit_memory at;
  sframe_coro_memory memory;
} cross;

#define FUNCTION UINT64_C (0x7f0000003ff8)

/* Place WORDS at ADDRESS, where the stub leads to.  */
static void
start_cross (cross *p, int abi, uint64_t stub, const unsigned char *code,
	     size_t len, uint64_t words)
{
  memset (p, 0, sizeof *p);
  p->big = unit_abi_is_big (abi);
  p->swap = p->big == impl_host_is_little ();
  memcpy (p->code, code, len);
  p->pieces[0] = (unit_piece){ stub, p->code, len };
  p->pieces[1] = (unit_piece){ words, p->words, 16 };
  p->pieces[2] = (unit_piece){ FUNCTION, p->function, 12 };
  p->pieces[3] = (unit_piece){ ARG, p->arg, 24 };
  p->at = (unit_memory){ .pieces = p->pieces, .num = 4 };
  p->memory = (sframe_coro_memory){ unit_memory_read, &p->at };
}

static void
put_word (const cross *p, unsigned char *at, uint64_t value)
{
  unit_put (at, 8, p->big, value);
}

static int
read_cross (cross *p, int abi, sframe_coro_libc libc, uint64_t stub,
	    sframe_coro_tls_ref *ref)
{
  memset (ref, 0xa5, sizeof *ref);
  return sframe_coro_tls_stub_read (abi, p->swap, libc, &p->memory, stub, ref);
}

static const int aarch64s[]
  = { SFRAME_CORO_ABI_AARCH64_LE, SFRAME_CORO_ABI_AARCH64_BE };

/* A stub as a linker left it: an offset, or where it leads to.  */
typedef struct stub_case
{
  const char *what;
  uint64_t stub;
  uint32_t code[4];
  int64_t offset;      /* If not 0.  */
  uint64_t word;       /* If not 0: where the word with the offset is.  */
  uint64_t descriptor; /* If not 0: where a descriptor is.  */
} stub_case;

#define NOP 0xd503201f
#define BLR_X1 0xd63f0020

static const stub_case aarch64_stubs[] = {
  { "ld, gold, lld, mold: -static", 0x4006f8,
    { 0xd2a00000, 0xf2800d00, NOP, NOP }, 0x68, 0, 0 },
  { "ld 2.40: -no-pie, other library", 0x4006c8,
    { 0xf00000e0, 0xf947ec00, NOP, NOP }, 0, 0x41ffd8, 0 },
  { "ld 2.47: -pie, other library", 0x7f8,
    { 0xf00000e0, 0xf947e800, NOP, NOP }, 0, 0x1ffd0, 0 },
  { "ld 2.40: -shared, accessed by initial-exec too", 0x6a8,
    { 0xf00000e0, 0xf947e000, NOP, NOP }, 0, 0x1ffc0, 0 },
  { "ld 2.47: -shared", 0x698, { 0x90000100, 0xf9401801, 0x9100c000, BLR_X1 },
    0, 0, 0x20030 },
  { "gold 1.16: -shared", 0x798,
    { 0x90000100, 0xf9400801, 0x91004000, BLR_X1 }, 0, 0, 0x20010 },
  { "lld 19: -shared", 0x107b8, { 0x90000080, 0xf9450001, 0x91280000, BLR_X1 },
    0, 0, 0x20a00 },
  { "mold 1.10: -shared", 0x107f8,
    { 0x90000080, 0xf9450801, 0x91284000, BLR_X1 }, 0, 0, 0x20a10 },
  /* As the instruction set has them.  */
  { "both halves", 0x400000, { 0xd2a24680, 0xf28acf00, NOP, NOP }, 0x12345678,
    0, 0 },
  { "greatest", 0x400000, { 0xd2bfffe0, 0xf29fffe0, NOP, NOP }, 0xffffffff, 0,
    0 },
  { "what is left comes last", 0x400000, { NOP, NOP, 0xd2a00000, 0xf2800d00 },
    0x68, 0, 0 },
  { "in the middle, across a page", 0x400ffc,
    { NOP, 0xb0000000, 0xf9400400, NOP }, 0, 0x402008, 0 },
  { "backwards", 0x400100, { 0xf0ffffe0, 0xf97ffc01, 0x913fe000, BLR_X1 }, 0,
    0, 0x3ffff8 + 0x7000 },
};

START_TEST (stub_aarch64)
{
  const stub_case *c = &aarch64_stubs[_i];
  unsigned char code[16];

  for (unsigned i = 0; i < 4; i++)
    unit_put (code + 4 * i, 4, false, c->code[i]);
  for (size_t i = 0; i < ARRAY_SIZE (aarch64s); i++)
    {
      sframe_coro_tls_ref ref;
      cross p;

      start_cross (&p, aarch64s[i], c->stub, code, 16,
		   c->word != 0 ? c->word : c->descriptor);
      put_word (&p, p.words, c->word != 0 ? 0x1234567890 : FUNCTION);
      put_word (&p, p.words + 8, 0x30);
      unit_put (p.function, 4, false, 0xf9400400); /* ldr x0, [x0, #8]  */
      unit_put (p.function + 4, 4, false, 0xd65f03c0); /* ret  */
      ck_assert_msg (read_cross (&p, aarch64s[i], SFRAME_CORO_LIBC_UNKNOWN,
				 c->stub, &ref)
			 == 0,
		     "%s", c->what);
      ck_assert (!ref.dynamic);
      ck_assert_int_eq (ref.tp_offset, c->word != 0	    ? 0x1234567890
				       : c->descriptor != 0 ? 0x30
							    : c->offset);
    }
}
END_TEST

static const uint32_t aarch64_bad[][4] = {
  { 0, 0, 0, 0 },
  { NOP, NOP, NOP, NOP },
  { NOP, NOP, NOP, 0xd2a00000 },
  { 0xd2a00001, 0xf2800d00, NOP, NOP },		/* movz x1  */
  { 0xd2a00000, 0xf2800d01, NOP, NOP },		/* movk x1  */
  { 0x92a00000, 0xf2800d00, NOP, NOP },		/* movn  */
  { 0x52a00000, 0xf2800d00, NOP, NOP },		/* movz w0  */
  { 0xd2c00000, 0xf2800d00, NOP, NOP },		/* lsl #32  */
  { 0xd2a00000, 0xf2a00d00, NOP, NOP },		/* movk lsl #16  */
  { 0xd2a00000, NOP, 0xf2800d00, NOP },
  { 0x10000000, 0xf9400400, NOP, NOP },		/* adr  */
  { 0x90000001, 0xf9400421, NOP, NOP },		/* x1  */
  { 0x90000000, 0xb9400400, NOP, NOP },		/* ldr w0  */
  { 0x90000000, 0xf9400420, NOP, NOP },		/* from x1  */
  { 0x90000000, 0xf9400402, 0x91000000, BLR_X1 }, /* ldr x2  */
  { 0x90000000, 0x91000000, NOP, NOP },
  /* gold 1.16 for big-endian: instructions the wrong way round, which does
     not run either.  */
  { 0x0000a0d2, 0x000480f2, 0x1f2003d5, 0x1f2003d5 },
};

START_TEST (stub_aarch64_bad)
{
  unsigned char code[16];
  sframe_coro_tls_ref ref;
  cross p;

  for (unsigned i = 0; i < 4; i++)
    unit_put (code + 4 * i, 4, false, aarch64_bad[_i][i]);
  for (size_t i = 0; i < ARRAY_SIZE (aarch64s); i++)
    {
      start_cross (&p, aarch64s[i], 0x400000, code, 16, 0x500000);
      ck_assert_int_eq (read_cross (&p, aarch64s[i], GLIBC, 0x400000, &ref),
			SFRAME_CORO_ERR_BAD_STUB);
      p.pieces[0].size = 15;
      ck_assert_int_eq (read_cross (&p, aarch64s[i], GLIBC, 0x400000, &ref),
			SFRAME_CORO_ERR_UNREADABLE);
    }
}
END_TEST

/* glibc: sysdeps/aarch64/dl-tlsdesc.S; musl: src/ldso/aarch64/tlsdesc.s.  */
typedef struct descriptor_case
{
  const char *what;
  uint32_t code[3]; /* Of the function; none: it is null.  */
  uint64_t arg;
  sframe_coro_libc libc;
  int err;
  bool dynamic;
} descriptor_case;

#define LOAD 0xf9400400
#define RET 0xd65f03c0
#define BTI 0xd503245f
#define PUSH 0xa9be0fe2 /* stp x2, x3, [sp, #-32]!  */

static const descriptor_case descriptor_cases[] = {
  { "static", { LOAD, RET, 0 }, 0x30, GLIBC, 0, false },
  { "static, landing pad", { BTI, LOAD, RET }, 0x30, GLIBC, 0, false },
  { "static, glibc 2.36", { NOP, LOAD, RET }, 0x30, GLIBC, 0, false },
  { "static, like a pointer", { LOAD, RET, 0 }, ARG, MUSL, 0, false },
  { "dynamic", { PUSH, LOAD, RET }, ARG, GLIBC, 0, true },
  { "dynamic, landing pad", { BTI, PUSH, LOAD }, ARG, MUSL, 0, true },
  { "dynamic, unknown", { PUSH, LOAD, RET }, ARG, SFRAME_CORO_LIBC_UNKNOWN,
    SFRAME_CORO_ERR_NO_LIBC, true },
  { "dynamic, astray", { PUSH, LOAD, RET }, ARG + 0x10000, GLIBC,
    SFRAME_CORO_ERR_UNREADABLE, true },
  { "weak", { PUSH, LOAD, RET }, 8, GLIBC, 0, false },
  { "not relocated", { 0, 0, 0 }, 0, GLIBC, 0, false },
};

START_TEST (descriptor_aarch64)
{
  static const unsigned char code[16]
    = { 0x00, 0x01, 0x00, 0x90, 0x01, 0x08, 0x40, 0xf9,
	0x00, 0x40, 0x00, 0x91, 0x20, 0x00, 0x3f, 0xd6 };
  const descriptor_case *c = &descriptor_cases[_i];

  for (size_t i = 0; i < ARRAY_SIZE (aarch64s); i++)
    {
      sframe_coro_tls_ref ref, alone;
      cross p;
      int err;

      start_cross (&p, aarch64s[i], 0x798, code, 16, 0x20010);
      put_word (&p, p.words, c->code[0] == 0 ? 0 : FUNCTION);
      put_word (&p, p.words + 8, c->arg);
      for (unsigned k = 0; k < 3; k++)
	unit_put (p.function + 4 * k, 4, false, c->code[k]);
      for (unsigned k = 0; k < 3; k++)
	put_word (&p, p.arg + 8 * k, k + 5);
      /* The end of a page.  */
      if (c->code[0] != BTI && c->code[0] != NOP)
	p.pieces[2].size = 8;
      err = read_cross (&p, aarch64s[i], c->libc, 0x798, &ref);
      ck_assert_msg (err == c->err, "%s", c->what);
      memset (&alone, 0xa5, sizeof alone);
      ck_assert_int_eq (sframe_coro_tls_descriptor_read (
			    aarch64s[i], p.swap, c->libc, &p.memory, 0x20010,
			    &alone),
			err);
      if (err != SFRAME_CORO_OK)
	continue;
      check_same_ref (&alone, &ref);
      ck_assert (ref.dynamic == c->dynamic);
      ck_assert_int_eq (ref.tp_offset,
			c->code[0] == LOAD || c->code[1] == LOAD
			    ? (c->dynamic || c->arg == 8 ? 0 : (int64_t) c->arg)
			    : 0);
      ck_assert_uint_eq (ref.module_id, c->dynamic ? 5 : 0);
      ck_assert_uint_eq (ref.offset, c->dynamic ? 6 : 0);
      ck_assert_uint_eq (ref.generation,
			 c->dynamic && c->libc == GLIBC ? 7 : 0);
    }
}
END_TEST

/* The call in the stub of s390x, and the literal.  */
typedef struct s390x_case
{
  const char *what;
  uint64_t stub;
  uint32_t got;	     /* Operand of the first instruction.  */
  unsigned char call[6];
  uint64_t literal;
  uint64_t words; /* Where they lead to; 0: nowhere.  */
  bool dynamic;
} s390x_case;

#define BRCL { 0xc0, 0x04, 0, 0, 0, 0 }
#define LG { 0xe3, 0x22, 0xc0, 0, 0, 0x04 }

static const s390x_case s390x_cases[] = {
  { "ld 2.40: -static", 0x1000980, 0x46110, BRCL, (uint64_t) -128, 0, false },
  { "gold 1.16: -no-pie", 0x80000678, 0xccc, BRCL, (uint64_t) -16, 0, false },
  { "ld 2.40: -no-pie, other library", 0x10006f8, 0xc64, LG, 0x30, 0x1001ff0,
    false },
  { "gold 1.16: -pie, other library", 0x7e8, 0xc14, LG, 0x58, 0x2068, false },
  { "lld 19: -pie, other library", 0x17c0, 0x960, LG, 0x40, 0x2ac0, false },
  { "ld 2.40: -shared", 0x6f0, 0xc54, { 0xc0, 0xe5, 0xff, 0xff, 0xff, 0x8e },
    0x38, 0x1fd0, true },
  { "gold 1.16: -shared", 0x820, 0xbf4,
    { 0xc0, 0xe5, 0xff, 0xff, 0xff, 0x8e }, 0x48, 0x2050, true },
  { "lld 19: -shared", 0x1720, 0x968, { 0xc0, 0xe5, 0, 0, 0, 0x82 }, 0x38,
    0x2a28, true },
  { "mold 1.10: -no-pie, other library", 0x201740, 0x910,
    { 0xc0, 0xe5, 0xff, 0xff, 0xff, 0x1a }, 0x28, 0x202988, true },
  /* As the instruction set has them.  */
  { "backwards", 0x10000000, 0xfffff000, LG, (uint64_t) -16, 0xfffdff0,
    false },
};

static void
s390x_stub (unsigned char code[32], const s390x_case *c)
{
  memset (code, 0x07, 32);
  code[0] = code[1] = 0xc0;
  unit_put (code + 2, 4, true, c->got);
  code[6] = 0xc4;
  code[7] = 0x28;
  unit_put (code + 8, 4, true, 9);
  memcpy (code + 12, c->call, 6);
  unit_put (code + 24, 8, true, c->literal);
}

START_TEST (stub_s390x)
{
  const s390x_case *c = &s390x_cases[_i];
  unsigned char code[32];
  sframe_coro_tls_ref ref;
  cross p;
  size_t reads;

  s390x_stub (code, c);
  start_cross (&p, SFRAME_CORO_ABI_S390X_BE, c->stub, code, 32, c->words);
  put_word (&p, p.words, c->dynamic ? 3 : (uint64_t) -80);
  put_word (&p, p.words + 8, 24);
  ck_assert_msg (read_cross (&p, SFRAME_CORO_ABI_S390X_BE,
			     SFRAME_CORO_LIBC_UNKNOWN, c->stub, &ref)
		     == 0,
		 "%s", c->what);
  ck_assert (ref.dynamic == c->dynamic);
  ck_assert_int_eq (ref.tp_offset, c->dynamic	   ? 0
				   : c->words != 0 ? -80
						   : (int64_t) c->literal);
  ck_assert_uint_eq (ref.module_id, c->dynamic ? 3 : 0);
  ck_assert_uint_eq (ref.offset, c->dynamic ? 24 : 0);
  ck_assert_uint_eq (ref.generation, 0);

  reads = p.at.reads;
  for (p.at.fail_at = 1; p.at.fail_at <= reads; p.at.fail_at++)
    {
      p.at.reads = 0;
      ck_assert_int_eq (read_cross (&p, SFRAME_CORO_ABI_S390X_BE, GLIBC,
				    c->stub, &ref),
			SFRAME_CORO_ERR_UNREADABLE);
    }
}
END_TEST

/* One byte that decides is another one.  */
START_TEST (stub_s390x_bad)
{
  static const struct
  {
    unsigned which, offset;
  } bytes[] = { { 0, 0 },  { 0, 1 },  { 0, 6 },	 { 0, 7 },  { 0, 12 },
		{ 0, 13 }, { 0, 14 }, { 0, 17 }, { 2, 12 }, { 2, 13 },
		{ 2, 14 }, { 2, 15 }, { 2, 16 }, { 2, 17 }, { 5, 12 },
		{ 5, 13 } };
  unsigned char code[32];
  sframe_coro_tls_ref ref;
  cross p;

  for (size_t i = 0; i < ARRAY_SIZE (bytes); i++)
    {
      const s390x_case *c = &s390x_cases[bytes[i].which];
      s390x_stub (code, c);
      code[bytes[i].offset] ^= 0x02;
      start_cross (&p, SFRAME_CORO_ABI_S390X_BE, c->stub, code, 32, c->words);
      ck_assert_int_eq (read_cross (&p, SFRAME_CORO_ABI_S390X_BE, GLIBC,
				    c->stub, &ref),
			SFRAME_CORO_ERR_BAD_STUB);
    }
}
END_TEST

/* Where each C library has the pointer to the DTV and, of the array of
   pointers to its keys, word 0: offsets from the thread pointer, measured.  */
typedef struct tcb_case
{
  int abi;
  sframe_coro_libc libc;
  int dtv, keys;
} tcb_case;

static const tcb_case tcb_cases[] = {
  { SFRAME_CORO_ABI_AMD64_LE, GLIBC, 8, 1296 },
  { SFRAME_CORO_ABI_AARCH64_LE, GLIBC, 0, 784 - 1856 }, /* 2.36  */
  { SFRAME_CORO_ABI_AARCH64_LE, GLIBC, 0, 784 - 1824 }, /* 2.41, 2.43  */
  { SFRAME_CORO_ABI_AARCH64_BE, GLIBC, 0, 784 - 1824 },
  { SFRAME_CORO_ABI_S390X_BE, GLIBC, 8, 784 },
  { SFRAME_CORO_ABI_AMD64_LE, MUSL, 8, 128 },
  { SFRAME_CORO_ABI_AARCH64_LE, MUSL, -8, 112 - 200 },
  { SFRAME_CORO_ABI_AARCH64_BE, MUSL, -8, 112 - 200 },
  { SFRAME_CORO_ABI_S390X_BE, MUSL, 8, 128 },
};

/* A thread: what is around the thread pointer, a DTV with 3 modules, a second
   block of keys, and the word with the key.  */
#define BELOW 2560
#define BLOCK UINT64_C (0x7ffff7000000)

typedef struct tcb
{
  bool big;
  unsigned char around[4608], dtv[80], block[1024], key[4];
  unit_piece pieces[4];
  unit_memory at;
  sframe_coro_memory memory;
  sframe_coro_chain chain;
  sframe_coro_thread thread;
} tcb;

static void
start_tcb (tcb *t, const tcb_case *c)
{
  memset (t, 0, sizeof *t);
  t->big = unit_abi_is_big (c->abi);
  t->pieces[0] = (unit_piece){ TP - BELOW, t->around, sizeof t->around };
  t->pieces[1] = (unit_piece){ DTV, t->dtv, sizeof t->dtv };
  t->pieces[2] = (unit_piece){ BLOCK, t->block, sizeof t->block };
  t->pieces[3] = (unit_piece){ DATA, t->key, sizeof t->key };
  t->at = (unit_memory){ .pieces = t->pieces, .num = 4 };
  t->memory = (sframe_coro_memory){ unit_memory_read, &t->at };
  t->chain.abi_arch = (uint8_t) c->abi;
  t->chain.swap = t->big == impl_host_is_little ();
  t->thread = (sframe_coro_thread){ TP, 1, c->libc };
  unit_put (t->around + BELOW + c->dtv, 8, t->big, DTV + 16);
}

START_TEST (dtv_everywhere)
{
  const tcb_case *c = &tcb_cases[_i];
  bool glibc = c->libc == GLIBC;
  sframe_coro_tls_ref ref
    = { .dynamic = true, .module_id = 3, .offset = 0x18, .generation = 0 };
  uint64_t address = 0;
  tcb t;

  start_tcb (&t, c);
  ref.generation = glibc ? 5 : 0;
  unit_put (t.dtv + (glibc ? 0 : 16), 8, t.big, 3);
  if (glibc)
    unit_put (t.dtv + 16, 8, t.big, 5);
  unit_put (t.dtv + 16 + 3 * (glibc ? 16 : 8), 8, t.big, 0x9000);
  ck_assert_int_eq (sframe_coro_tls_address (&ref, c->abi, t.chain.swap,
					     &t.memory, &t.thread, &address),
		    SFRAME_CORO_OK);
  ck_assert_uint_eq (address, 0x9018);
  ref.module_id = 4;
  ck_assert_int_eq (sframe_coro_tls_address (&ref, c->abi, t.chain.swap,
					     &t.memory, &t.thread, &address),
		    SFRAME_CORO_ERR_NO_TLS);
}
END_TEST

/* Make VALUE that of KEY in T.  */
static void
set_key (tcb *t, const tcb_case *c, uint32_t key, uint64_t value)
{
  unsigned char *keys = t->around + BELOW + c->keys;

  if (c->libc == MUSL)
    {
      unit_put (keys, 8, t->big, BLOCK);
      unit_put (t->block + 8 * key, 8, t->big, value);
      return;
    }
  unit_put (keys, 8, t->big, TP + c->keys - 512);
  if (key < 32)
    unit_put (keys - 512 + 16 * key + 8, 8, t->big, value);
  else
    {
      unit_put (keys + key / 32 * 8, 8, t->big, BLOCK);
      unit_put (t->block + 16 * (key % 32) + 8, 8, t->big, value);
    }
}

static int
key_base (tcb *t, uint32_t key, uint64_t *base)
{
  sframe_coro_head head = { .kind = SFRAME_CORO_HEAD_PTHREAD_KEY,
			    .flags = SFRAME_CORO_HEAD_F_INVALID,
			    .value = DATA,
			    .invalid = UINT64_MAX };

  unit_put (t->key, 4, t->big, key);
  *base = 1;
  return sframe_coro_head_base (&t->chain, &head, &t->memory, &t->thread, NULL,
				base);
}

START_TEST (keys)
{
  static const uint32_t some[] = { 0, 1, 31, 32, 33, 63, 64, 100, 127, 1023 };
  const tcb_case *c = &tcb_cases[_i];
  uint64_t base;
  size_t reads;
  tcb t;

  for (size_t i = 0; i < ARRAY_SIZE (some); i++)
    {
      uint32_t key = some[i];

      start_tcb (&t, c);
      if (key > 127 && c->libc == MUSL)
	continue;
      set_key (&t, c, key, 0xabc0 + key);
      ck_assert_int_eq (key_base (&t, key, &base), SFRAME_CORO_OK);
      ck_assert_uint_eq (base, 0xabc0 + key);
      reads = t.at.reads;
      for (t.at.fail_at = 1; t.at.fail_at <= reads; t.at.fail_at++)
	{
	  t.at.reads = 0;
	  ck_assert_int_eq (key_base (&t, key, &base),
			    SFRAME_CORO_ERR_UNREADABLE);
	}
    }
}
END_TEST

START_TEST (keys_absent)
{
  const tcb_case *c = &tcb_cases[_i];
  bool glibc = c->libc == GLIBC;
  sframe_coro_head head = { .kind = SFRAME_CORO_HEAD_PTHREAD_KEY,
			    .value = DATA };
  uint64_t base;
  tcb t;

  /* Nothing set: glibc has got no array that could be known for one.  */
  start_tcb (&t, c);
  ck_assert_int_eq (key_base (&t, 5, &base),
		    glibc ? SFRAME_CORO_ERR_UNSUPPORTED
			  : SFRAME_CORO_ERR_NO_TLS);
  /* Others are set; and the second block of keys is absent.  */
  set_key (&t, c, 3, 0x1000);
  ck_assert_int_eq (key_base (&t, 5, &base), SFRAME_CORO_ERR_NO_TLS);
  ck_assert_int_eq (key_base (&t, 40, &base), SFRAME_CORO_ERR_NO_TLS);
  /* Not created; but the number is one if it is not said to mean that.  */
  ck_assert_int_eq (key_base (&t, UINT32_MAX, &base), SFRAME_CORO_ERR_NO_TLS);
  ck_assert_int_eq (sframe_coro_head_base (&t.chain, &head, &t.memory,
					   &t.thread, NULL, &base),
		    SFRAME_CORO_ERR_BAD_VALUE);
  ck_assert_int_eq (key_base (&t, glibc ? 1024 : 128, &base),
		    SFRAME_CORO_ERR_BAD_VALUE);
  t.thread.libc = SFRAME_CORO_LIBC_UNKNOWN;
  ck_assert_int_eq (key_base (&t, 3, &base), SFRAME_CORO_ERR_NO_LIBC);
  t.pieces[3].size = 3;
  ck_assert_int_eq (key_base (&t, 3, &base), SFRAME_CORO_ERR_UNREADABLE);
}
END_TEST

/* The C library of this machine, with keys of the first and a later block.  */
START_TEST (keys_own)
{
#if defined __GLIBC__ && defined __x86_64__
  sframe_coro_chain chain = { .abi_arch = SFRAME_CORO_ABI_AMD64_LE };
  sframe_coro_thread thread
    = { (uintptr_t) __builtin_thread_pointer (), 0, GLIBC };
  pthread_key_t made[80];
  uint64_t base;

  for (size_t i = 0; i < ARRAY_SIZE (made); i++)
    {
      ck_assert_int_eq (pthread_key_create (&made[i], NULL), 0);
      if (i % 3 == 0)
	ck_assert_int_eq (pthread_setspecific (made[i], &made[i]), 0);
    }
  ck_assert_uint_gt (made[79], 64);
  for (size_t i = 0; i < ARRAY_SIZE (made); i++)
    {
      sframe_coro_head head = { .kind = SFRAME_CORO_HEAD_PTHREAD_KEY,
				.value = (uintptr_t) &made[i] };
      int err = sframe_coro_head_base (&chain, &head, NULL, &thread, NULL,
				       &base);

      ck_assert_int_eq (err, i % 3 == 0 ? SFRAME_CORO_OK
					: SFRAME_CORO_ERR_NO_TLS);
      if (i % 3 == 0)
	ck_assert_uint_eq (base, (uintptr_t) &made[i]);
    }
  for (size_t i = 0; i < ARRAY_SIZE (made); i++)
    pthread_key_delete (made[i]);
#endif
}
END_TEST

/* With variant I nothing of a module is below the thread pointer.  */
START_TEST (offset_variant)
{
  sframe_coro_head head = { .kind = SFRAME_CORO_HEAD_TLS_OFFSET };
  sframe_coro_tls_block block = { SFRAME_CORO_TLS_STATIC, 16, 0 };
  sframe_coro_thread thread = { TP, 1, GLIBC };
  uint64_t address;

  for (unsigned i = 0; i < 4; i++)
    {
      sframe_coro_chain chain = { .abi_arch = (uint8_t) unit_abis[i] };
      bool above = (unit_abis[i] == SFRAME_CORO_ABI_AARCH64_LE
		    || unit_abis[i] == SFRAME_CORO_ABI_AARCH64_BE);

      head.value = (uint64_t) -24;
      ck_assert_int_eq (sframe_coro_head_base (&chain, &head, NULL, &thread,
					       NULL, &address),
			above ? SFRAME_CORO_ERR_BAD_VALUE : SFRAME_CORO_OK);
      if (!above)
	ck_assert_uint_eq (address, TP - 24);
      head.value = 24;
      ck_assert_int_eq (sframe_coro_head_base (&chain, &head, NULL, &thread,
					       &block, &address),
			SFRAME_CORO_OK);
      ck_assert_uint_eq (address, TP + 40);
    }
}
END_TEST

int
main (void)
{
  const unit_test tests[] = {
    { stub_immediate, 0 },
    { stub_word, 0 },
    { descriptor_static, 0 },
    { descriptor_dynamic, 0 },
    { stub_bad, 0 },
    { descriptor_unsupported, 0 },
    { each_read, 0 },
    { dtv, ARRAY_SIZE (dtv_cases) },
    { address_static, 0 },
    { head_base, ARRAY_SIZE (head_cases) },
    { offset_zero, 0 },
    { swapped_slot, 0 },
    { own_process, 0 },
    { stub_aarch64, ARRAY_SIZE (aarch64_stubs) },
    { stub_aarch64_bad, ARRAY_SIZE (aarch64_bad) },
    { descriptor_aarch64, ARRAY_SIZE (descriptor_cases) },
    { stub_s390x, ARRAY_SIZE (s390x_cases) },
    { stub_s390x_bad, 0 },
    { dtv_everywhere, ARRAY_SIZE (tcb_cases) },
    { keys, ARRAY_SIZE (tcb_cases) },
    { keys_absent, ARRAY_SIZE (tcb_cases) },
    { keys_own, 0 },
    { offset_variant, 0 },
  };
  return unit_run ("tls", tests, ARRAY_SIZE (tests));
}
