# Places in different frags, whose distance is certain all the same: neither
# body is empty, neither row at the place of the other.
	.include "frame-chain.inc"
	.section .text.f, "ax", @progbits
	.globl f
f:
	.sframe_coro_startbody framed
	.fill 2, 4, 0x90909090
	.8byte 0
	.sframe_coro_endbody
	.section .text.g, "ax", @progbits
	.globl g
g:
	.sframe_coro_startsite framed
	.sframe_coro_head_at cfa, -8
	.fill 2, 4, 0x90909090
	.8byte 0
	.sframe_coro_head_at cfa, -16
	.sframe_coro_endsite
