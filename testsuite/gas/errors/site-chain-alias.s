# Another name for a chain is one, the address behind its start is not.
	.include "simple-chain.inc"
	.text
	.set same, simple
	.set other, simple + 8
	.sframe_coro_startsite same
	nop
	.sframe_coro_endsite
	.sframe_coro_startsite other
	nop
	.sframe_coro_endsite
	.sframe_coro_chain .
