# One index, one place.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	.sframe_coro_index 8, 2
	.sframe_coro_point 4
	nop
	.sframe_coro_point 2
	nop
	.sframe_coro_point 4
	ret
	.sframe_coro_endbody
