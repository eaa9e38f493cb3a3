# Nothing of the body is there.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	.sframe_coro_index 8, 2
	.sframe_coro_point 2
	ret
	.sframe_coro_point 4
	.sframe_coro_endbody
