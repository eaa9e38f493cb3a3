# No head.
	.sframe_coro_chain c
	.sframe_coro_path next, 0
	.sframe_coro_endchain
