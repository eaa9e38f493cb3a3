# Numbers of 32 bits.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	.sframe_coro_index 8, 8
	.sframe_coro_point
	.sframe_coro_point -1
	.sframe_coro_point 1 << 32
	.sframe_coro_point x
	.sframe_coro_point 0xffffffff
	ret
	.sframe_coro_endbody
