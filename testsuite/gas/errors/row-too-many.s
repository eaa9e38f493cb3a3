# More than a site can have.
	.include "../frame-chain.inc"
	.text
	.sframe_coro_startsite framed
	.rept 65535
	.sframe_coro_head_at cfa, 8
	nop
	.endr
	.sframe_coro_head_at cfa, 8
	call *%rax
	.sframe_coro_endsite
