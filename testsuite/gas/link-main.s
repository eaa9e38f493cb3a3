# One of two objects with the same header: a chain, an inline function.
	.include "link-header.inc"
	.text
	.globl _start
	.type _start, @function
_start:
	call live
	call inl
	.sframe_coro_startsite lib.task
	call *%rax
	.sframe_coro_endsite
	.size _start, .-_start

	.section .text.live, "ax", @progbits
	.globl live
	.hidden live
	.type live, @function
live:
	.sframe_coro_startsite lib.task
	call *%rax
	.sframe_coro_endsite
	ret
	.size live, .-live

	.section .text.dead, "ax", @progbits
	.globl dead
	.hidden dead
	.type dead, @function
dead:
	.sframe_coro_startsite lib.task
	call *%rax
	.sframe_coro_endsite
	ret
	.size dead, .-dead

	.section .tbss, "awT", @nobits
	.globl lib.head
	.type lib.head, @object
	.size lib.head, 8
lib.head:
	.zero 8
	.section .note.GNU-stack, "", @progbits
