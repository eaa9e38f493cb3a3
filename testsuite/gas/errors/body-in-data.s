# A body has code.
	.include "../simple-chain.inc"
	.data
	.sframe_coro_startbody simple
	.sframe_coro_index 8, 2
	.sframe_coro_point 2
	.sframe_coro_endbody
