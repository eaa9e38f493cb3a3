# A text with a NUL in it.
	.sframe_coro_chain c, "te\000xt"
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
