/* sframe-coro-target.c - what .sframe_coro must know of the target.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A target is supported if it is in here.  Each defines TARGET_ABI, what its
   operands look like, and how a TLS variable is accessed.

   Nothing goes through md_assemble: the result must not depend on the mode,
   the syntax or the instruction sets that the file is in.  */

#include "as.h"
#include "safe-ctype.h"
#include "gen-sframe-coro.h"

#ifdef SFRAME_CORO_ELF

#if defined TC_I386 || defined TC_AARCH64 || defined TC_S390

static void
put_bytes (const unsigned char *bytes, size_t size)
{
  memcpy (frag_more (size), bytes, size);
}

/* Let the SIZE bytes at OFFSET, counted back from here, refer to SYM + ADD.  */

static void
fix_at (int offset, int size, symbolS *sym, offsetT add, bool pcrel,
	bfd_reloc_code_real_type reloc)
{
  fix_new (frag_now, frag_now_fix () + offset, size, sym, add, pcrel, reloc);
}

#endif

#if defined TC_I386

#define TARGET_ABI SFRAME_CORO_ABI_AMD64_LE
#define TARGET_TLS_OFFSET BFD_RELOC_X86_64_DTPOFF64

const struct sframe_coro_target sframe_coro_target
  /* %rbx, %rbp, %rsp, %r12 to %r15.  */
  = { 15, 0xf0c8, true, "+-", true };

void
sframe_coro_target_stub (symbolS *sym)
{
  static const unsigned char code[] =
    {
      0x48, 0x8d, 0x05, 0, 0, 0, 0,	/* leaq SYM@tlsdesc(%rip), %rax  */
      0xff, 0x10			/* call *SYM@tlscall(%rax)  */
    };

  put_bytes (code, sizeof code);
  fix_at (-6, 4, sym, 0, true, BFD_RELOC_X86_64_GOTPC32_TLSDESC);
  fix_at (-2, 0, sym, 0, false, BFD_RELOC_X86_64_TLSDESC_CALL);
}

#elif defined TC_AARCH64

#define TARGET_ABI \
  (target_big_endian ? SFRAME_CORO_ABI_AARCH64_BE : SFRAME_CORO_ABI_AARCH64_LE)

const struct sframe_coro_target sframe_coro_target
  /* x19 to x29, sp.  */
  = { 31, 0xbff80000, false, ",", false };

void
sframe_coro_target_stub (symbolS *sym)
{
  /* Instructions are little-endian on both.  */
  static const unsigned char code[] =
    {
      0x00, 0x00, 0x00, 0x90,	/* adrp x0, :tlsdesc:SYM  */
      0x01, 0x00, 0x40, 0xf9,	/* ldr x1, [x0, :tlsdesc_lo12:SYM]  */
      0x00, 0x00, 0x00, 0x91,	/* add x0, x0, :tlsdesc_lo12:SYM  */
      0x20, 0x00, 0x3f, 0xd6	/* .tlsdesccall SYM; blr x1  */
    };

  mapping_state (MAP_INSN);
  put_bytes (code, sizeof code);
  fix_at (-16, 4, sym, 0, true, BFD_RELOC_AARCH64_TLSDESC_ADR_PAGE21);
  fix_at (-12, 4, sym, 0, false, BFD_RELOC_AARCH64_TLSDESC_LD64_LO12);
  fix_at (-8, 4, sym, 0, false, BFD_RELOC_AARCH64_TLSDESC_ADD_LO12);
  fix_at (-4, 4, sym, 0, false, BFD_RELOC_AARCH64_TLSDESC_CALL);
}

#elif defined TC_S390

#define TARGET_ABI SFRAME_CORO_ABI_S390X_BE
#define TARGET_TLS_OFFSET BFD_RELOC_390_TLS_LDO64

const struct sframe_coro_target sframe_coro_target
  /* %r6 to %r13, %r15.  */
  = { 15, 0xbfc0, true, NULL, true };

/* There are no TLS descriptors.  This is the general-dynamic sequence, with the
   literal that it loads behind it.  */

void
sframe_coro_target_stub (symbolS *sym)
{
  static const unsigned char code[] =
    {
      0xc0, 0xc0, 0, 0, 0, 0,	/* larl %r12, _GLOBAL_OFFSET_TABLE_  */
      0xc4, 0x28, 0, 0, 0, 9,	/* lgrl %r2, .+18  */
      0xc0, 0xe5, 0, 0, 0, 0,	/* brasl %r14, __tls_get_offset
					 @plt:tls_gdcall:SYM  */
      0x07, 0x07, 0x07, 0x07, 0x07, 0x07,
      0, 0, 0, 0, 0, 0, 0, 0	/* .quad SYM@tlsgd  */
    };
  symbolS *got = symbol_find_or_make ("_GLOBAL_OFFSET_TABLE_");
  symbolS *get = symbol_find_or_make ("__tls_get_offset");

  /* A weak symbol would be dropped otherwise.  */
  symbol_mark_used (get);
  record_alignment (now_seg, 3);
  put_bytes (code, sizeof code);
  fix_at (-30, 4, got, 2, true, BFD_RELOC_390_GOTPCDBL);
  /* In this order: ld changes the call when it comes to TLS_GDCALL, and must
     be done with PLT32DBL by then.  */
  fix_at (-18, 4, get, 2, true, BFD_RELOC_390_PLT32DBL);
  fix_at (-20, 0, sym, 0, false, BFD_RELOC_390_TLS_GDCALL);
  fix_at (-8, 8, sym, 0, false, BFD_RELOC_390_TLS_GD64);
}

#else /* No such target.  */

#define TARGET_ABI 0

const struct sframe_coro_target sframe_coro_target;

void
sframe_coro_target_stub (symbolS *sym ATTRIBUTE_UNUSED)
{
  abort ();
}

#endif

unsigned int
sframe_coro_target_abi (void)
{
  /* Not x32 and the like.  */
  return bfd_get_arch_size (stdoutput) == 64 ? TARGET_ABI : 0;
}

int
sframe_coro_target_register (char *name)
{
  if (*name == '%')
    name++;
#ifdef tc_parse_to_dw2regnum
  expressionS exp;
  char *saved = input_line_pointer;
  bool all;

  input_line_pointer = name;
  tc_parse_to_dw2regnum (&exp);
  all = *input_line_pointer == '\0';
  input_line_pointer = saved;
  return all && exp.X_op == O_constant ? (int) exp.X_add_number : -1;
#else
  char *end;
  int number = strtol (name, &end, 10);

  if (end != name && *end == '\0')
    return number;
# ifdef tc_regname_to_dw2regnum
  return tc_regname_to_dw2regnum (name);
# else
  return -1;
# endif
#endif
}

void
sframe_coro_target_tls_offset (symbolS *sym)
{
#ifdef TARGET_TLS_OFFSET
  static const unsigned char zeros[8];

  put_bytes (zeros, 8);
  fix_at (-8, 8, sym, 0, false, TARGET_TLS_OFFSET);
#else
  (void) sym;
  abort ();
#endif
}

#endif /* SFRAME_CORO_ELF */
