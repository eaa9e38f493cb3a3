# A chain that is never closed.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	nop
