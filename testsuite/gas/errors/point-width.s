# Numbers that the index can have.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	.sframe_coro_point 255
	.sframe_coro_point 256
	.sframe_coro_index 8, 1
	.sframe_coro_point 0x10000
	ret
	.sframe_coro_endbody
	.sframe_coro_startbody simple
	.sframe_coro_index 8, 2
	.sframe_coro_point 0xffff
	.sframe_coro_point 0x10000
	ret
	.sframe_coro_endbody
