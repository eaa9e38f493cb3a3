/* Records in plain data: a chain that begins at VARIABLE, which is
   thread-local, or at the value of the pthread key in KEY, or where the word
   SLOT says, or at OFFSET, which is thread-local here; NAME is what it is
   called, in quotes, LABEL the global symbol of its block.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#if defined __aarch64__ && defined __AARCH64EB__
#define MACHINE aarch64
#define ABI 1
#elif defined __aarch64__
#define MACHINE aarch64
#define ABI 2
#elif defined __s390x__
#define MACHINE s390x
#define ABI 4
#elif defined __x86_64__
#define MACHINE x86_64
#define ABI 3
#endif
#define NO_DATA 0xffffffff
#define JOIN2(A, B) A##_##B
#define JOIN(A, B) JOIN2 (A, B)

/* The never-executed accesses, see README.  */
	.macro	stub_aarch64 symbol
	.p2align 2
stub:
	adrp	x0, :tlsdesc:\symbol
	ldr	x1, [x0, :tlsdesc_lo12:\symbol]
	add	x0, x0, :tlsdesc_lo12:\symbol
	.tlsdesccall \symbol
	blr	x1
	.size	stub, . - stub
	.endm

	.macro	stub_s390x symbol
	.p2align 3
stub:
	larl	%r12, _GLOBAL_OFFSET_TABLE_
	lgrl	%r2, .Lliteral
	brasl	%r14, __tls_get_offset@PLT:tls_gdcall:\symbol
	.p2align 3
.Lliteral:
	.quad	\symbol@TLSGD
	.size	stub, . - stub
	.endm

	.macro	stub_x86_64 symbol
stub:
	leaq	\symbol@tlsdesc(%rip), %rax
	call	*\symbol@tlscall(%rax)
	.size	stub, . - stub
	.endm

#ifdef VARIABLE
	.section .text.sframe_coro, "ax", %progbits
	.type	stub, %function
	JOIN (stub, MACHINE) VARIABLE
#endif

	/* Where the list would be spliced in.  */
	.text
	.p2align 3
site:
	.zero	8
	.type	site, %function
	.size	site, 8

	.section .sframe_coro, "a", %progbits
	.p2align 3
	.globl	LABEL
	.hidden	LABEL
	.type	LABEL, %object
LABEL:
	.2byte	0xdec0
	.byte	1, 1 /* Sorted.  */, ABI, 32, 80, 32
	.4byte	.Lend - LABEL, 1, 1, .Lstrings - .Ldata, .Lend - .Lstrings, 0
.Lchain:
	.4byte	0, 0
	.byte	1, 0, 1 /* Entries of functions.  */, 0, 0, 0
	.2byte	0
	.4byte	0, 0, 0, 0
	.4byte	0, NO_DATA
	.4byte	NO_DATA, .Lnext - .Ldata, .Lip - .Ldata
	.4byte	NO_DATA, NO_DATA, NO_DATA
	.4byte	NO_DATA, NO_DATA
	.4byte	0, 0
	/* The site.  */
	.8byte	site - ., .Lchain - .
	.4byte	8, NO_DATA
	.2byte	0
	.byte	1, 0
	.4byte	0
.Ldata:
#ifdef VARIABLE
	.byte	1, 0, 0, 0 /* TLS stub.  */
	.4byte	.Lip - .Ldata
	.8byte	stub - .
	.4byte	0, 0
#elif defined OFFSET
	.byte	2, 0, 0, 0 /* TLS offset.  */
	.4byte	.Lip - .Ldata
	.quad	OFFSET@dtpoff
	.4byte	0, 0
#elif defined SLOT
	.byte	3, 0, 0, 0 /* TP slot.  */
	.4byte	.Lip - .Ldata
	.8byte	SLOT - .
	.4byte	0, 0
#else
	.byte	5, 1, 0, 0 /* Key, not created while all ones.  */
	.4byte	NO_DATA
	.8byte	KEY - .
	.4byte	0xffffffff, 0xffffffff
#endif
.Lip:	/* One word loaded, at 0: also what is in the variable.  */
	.byte	1, 0, 0, 0
	.4byte	0
.Lnext:
	.byte	1, 0, 0, 0
	.4byte	16
.Lstrings:
	.asciz	NAME
	.p2align 3
.Lend:
	.size	LABEL, .Lend - LABEL

	.section .note.GNU-stack, "", %progbits
