/* Thread-local storage: stubs, descriptors and DTVs in memory made by hand.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Instruction bytes are those of the "Intel 64 and IA-32 Architectures
   Software Developer's Manual", volume 2:
     48 c7 c0 imm32  MOV RAX, imm32 (C7 /0, sign-extended)
     48 8b 05 rel32  MOV RAX, [RIP + rel32] (8B /r, mod 00, r/m 101)
     48 8d 05 rel32  LEA RAX, [RIP + rel32] (8D /r)
   and are what linkers make of `leaq SYM@tlsdesc(%rip), %rax': "RFC: TLS
   descriptors for x86", section 3.5.  */

#include "unit.h"

#define STUB UINT64_C (0x401000)
#define DATA UINT64_C (0x404000)
#define ARG UINT64_C (0x405000)
#define TP UINT64_C (0x7ffff7d80740)
#define DTV UINT64_C (0x7ffff7d81000)

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
  /* musl keeps no generation there, and the word may not be readable.  */
  p.pieces[2].size = 16;
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_MUSL, &ref), 0);
  ck_assert (ref.dynamic);
  ck_assert_uint_eq (ref.module_id, 3);
  ck_assert_uint_eq (ref.offset, 0x40);
  ck_assert_uint_eq (ref.generation, 0);
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_GLIBC, &ref),
		    SFRAME_CORO_ERR_UNREADABLE);
  ck_assert_int_eq (read_stub (&p, SFRAME_CORO_LIBC_UNKNOWN, &ref),
		    SFRAME_CORO_ERR_NO_LIBC);
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
  ck_assert_int_eq (sframe_coro_tls_stub_read (SFRAME_CORO_ABI_S390X_BE, true,
					       SFRAME_CORO_LIBC_GLIBC,
					       &p.memory, STUB, &ref),
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

#define GLIBC SFRAME_CORO_LIBC_GLIBC
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
  ck_assert_int_eq (sframe_coro_tls_address (&ref, SFRAME_CORO_ABI_S390X_BE,
					     true, &p.memory, &thread,
					     &address),
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

int
main (void)
{
  const unit_test tests[] = {
    { stub_immediate, 0 },
    { stub_word, 0 },
    { descriptor_static, 0 },
    { descriptor_dynamic, 0 },
    { stub_bad, 0 },
    { each_read, 0 },
    { dtv, ARRAY_SIZE (dtv_cases) },
    { address_static, 0 },
    { head_base, ARRAY_SIZE (head_cases) },
    { offset_zero, 0 },
    { swapped_slot, 0 },
    { own_process, 0 },
  };
  return unit_run ("tls", tests, ARRAY_SIZE (tests));
}
