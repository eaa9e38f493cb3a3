# The chain has no other head.
	.include "../frame-chain.inc"
	.text
	.sframe_coro_startsite framed
	call *%rax
	.sframe_coro_endsite
