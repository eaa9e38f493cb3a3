# Two rows for one place.
	.include "../frame-chain.inc"
	.text
	.sframe_coro_startsite framed
	.sframe_coro_head_at cfa, 8
	.sframe_coro_head_at cfa, 16
	call *%rax
	.sframe_coro_endsite
