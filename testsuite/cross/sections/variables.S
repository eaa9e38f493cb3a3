/* What the records of a library here refer to.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

	.section .tbss, "awT", %nobits
	.p2align 3
	.globl	program_head
	.type	program_head, %object
program_head:
	.zero	8

	.data
	.globl	program_key
	.hidden	program_key
	.type	program_key, %object
program_key:
	.4byte	0xffffffff

	.section .note.GNU-stack, "", %progbits
