# A part of a function that is elsewhere.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	.sframe_coro_index 8, 2
	nop
	.section .text.unlikely, "ax", @progbits
	.sframe_coro_point 2
	.text
	ret
	.sframe_coro_endbody
