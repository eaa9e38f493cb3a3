/* What the records of a library or program here refer to; with ONLY_HEAD the
   thread-local variable alone, with NO_HEAD all else.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef NO_HEAD
	.section .tbss, "awT", %nobits
	.p2align 3
	.zero	8 /* So its offset is not 0.  */
	.globl	program_head
	.type	program_head, %object
program_head:
	.zero	8
#endif

#ifndef ONLY_HEAD
	.data
	.p2align 3
	.globl	program_slot
	.hidden	program_slot
	.type	program_slot, %object
program_slot:
	.zero	8
	.globl	program_key
	.hidden	program_key
	.type	program_key, %object
program_key:
	.4byte	0xffffffff
#endif

	.section .note.GNU-stack, "", %progbits
