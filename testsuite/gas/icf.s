# Functions with the same bytes but different records stay apart.
	.sframe_coro_chain one
	.sframe_coro_head tls, icf.head
	.sframe_coro_path next, 16
	.sframe_coro_endchain
	.sframe_coro_chain two
	.sframe_coro_head tls, icf.head
	.sframe_coro_path next, 24
	.sframe_coro_endchain
	.macro resume name, chain
	.section .text.\name, "ax", @progbits
	.globl \name
	.hidden \name
	.type \name, @function
\name:
	.sframe_coro_startsite \chain
	call *(%rdi)
	.sframe_coro_endsite
	ret
	.size \name, .-\name
	.endm
	resume resume_one, one
	resume resume_two, two
	.text
	.globl _start
_start:
	call resume_one
	call resume_two
	.section .tbss, "awT", @nobits
	.hidden icf.head
	.globl icf.head
	.type icf.head, @object
	.size icf.head, 8
icf.head:
	.zero 8
	.section .note.GNU-stack, "", @progbits
