# Unknown option.
	.sframe_coro_chain c, "text", common
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
