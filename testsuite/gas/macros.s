# as: -g
# Macros, repetition, other sections in between; `.previous' stays the same.
	.macro site chain
	.pushsection .data.count, "aw", @progbits
	.byte 1
	.popsection
	.sframe_coro_startsite \chain
	call *%rax
	.sframe_coro_endsite
	.endm
	.section .text.f, "ax", @progbits
	.globl f
f:
	nop
	.data
	.previous
	.include "simple-chain.inc"
	.rept 2
	site simple
	.endr
	.previous
	.long 17
	.previous
	.irp off, 8, 16
	.sframe_coro_chain m\off; .sframe_coro_head global, f; .sframe_coro_path next, \off; .sframe_coro_endchain
	.endr
	ret
