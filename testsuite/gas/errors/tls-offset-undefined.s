# A variable of another module.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_head tls_offset, elsewhere
	.sframe_coro_endchain
