# An invalid value where there is no key.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_head global, g, 5
	.sframe_coro_endchain
