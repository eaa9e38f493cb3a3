# Five offsets.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path top, 1, 2, 3, 4, 5
	.sframe_coro_endchain
