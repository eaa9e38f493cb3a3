# A path without a kind.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path ip, 0
	.sframe_coro_endchain
