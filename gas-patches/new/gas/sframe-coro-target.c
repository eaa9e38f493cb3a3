/* sframe-coro-target.c - what .sframe_coro must know of the target.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A target is supported if it is in here.  */

#include "as.h"
#include "gen-sframe-coro.h"

#ifdef SFRAME_CORO_ELF

#ifdef TC_I386

unsigned int
sframe_coro_target_abi (void)
{
  return support_sframe_p () ? SFRAME_CORO_ABI_AMD64_LE : 0;
}

/* Not through md_assemble: the result must not depend on .code32, the syntax
   or the instruction sets the file allows.  */

void
sframe_coro_target_stub (symbolS *sym)
{
  static const char lea[] = { 0x48, (char) 0x8d, 0x05, 0, 0, 0, 0 };
  static const char call[] = { (char) 0xff, 0x10 };
  char *p;

  /* leaq SYM@tlsdesc(%rip), %rax  */
  p = frag_more (sizeof lea);
  memcpy (p, lea, sizeof lea);
  fix_new (frag_now, p + 3 - frag_now->fr_literal, 4, sym, 0, 1,
	   BFD_RELOC_X86_64_GOTPC32_TLSDESC);

  /* call *SYM@tlscall(%rax)  */
  p = frag_more (sizeof call);
  memcpy (p, call, sizeof call);
  fix_new (frag_now, p - frag_now->fr_literal, 0, sym, 0, 0,
	   BFD_RELOC_X86_64_TLSDESC_CALL);
}

void
sframe_coro_target_tls_offset (symbolS *sym)
{
  char *p = frag_more (8);

  memset (p, 0, 8);
  fix_new (frag_now, p - frag_now->fr_literal, 8, sym, 0, 0,
	   BFD_RELOC_X86_64_DTPOFF64);
}

#else /* No such target.  */

unsigned int
sframe_coro_target_abi (void)
{
  return 0;
}

void
sframe_coro_target_stub (symbolS *sym ATTRIBUTE_UNUSED)
{
  abort ();
}

void
sframe_coro_target_tls_offset (symbolS *sym ATTRIBUTE_UNUSED)
{
  abort ();
}

#endif

#endif /* SFRAME_CORO_ELF */
