# A body is in one section.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	ret
	.section .text.other, "ax", @progbits
	.sframe_coro_endbody
