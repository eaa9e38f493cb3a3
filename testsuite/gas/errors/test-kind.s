# Unknown kind.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_test less, 0, 8, stop
	.sframe_coro_endchain
