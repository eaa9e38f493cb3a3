# An offset that does not fit when moved into the path.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_head tls, v + 0x7fffffff
	.sframe_coro_path head, 1
	.sframe_coro_endchain
