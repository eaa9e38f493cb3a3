# A row in another section than its site.
	.include "../frame-chain.inc"
	.text
	.sframe_coro_startsite framed
	.section .text.other, "ax", @progbits
	.sframe_coro_head_at cfa, 8
	.text
	call *%rax
	.sframe_coro_endsite
