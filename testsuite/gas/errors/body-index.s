# Offset and width of the index.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	.sframe_coro_index
	.sframe_coro_index 8
	.sframe_coro_index 8, 3
	.sframe_coro_index 8, 0
	.sframe_coro_index 8, 1 << 32
	.sframe_coro_index 0x80000000, 2
	.sframe_coro_index x, 2
	.sframe_coro_index 8, 2
	.sframe_coro_index 8, 2
	ret
	.sframe_coro_endbody
