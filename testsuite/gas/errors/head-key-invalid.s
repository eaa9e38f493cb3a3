# An invalid value that is not known.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_head pthread_key, g, undefined
	.sframe_coro_endchain
