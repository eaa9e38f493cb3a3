# Offsets from the CFA.
	.include "../frame-chain.inc"
	.text
	.sframe_coro_startsite framed
	.sframe_coro_head_at cfa
	.sframe_coro_head_at cfa,
	.sframe_coro_head_at cfa, x
	.sframe_coro_head_at cfa, 0x80000000
	.sframe_coro_head_at cfa, 8, 8
	call *%rax
	.sframe_coro_endsite
