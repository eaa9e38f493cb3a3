# No name, and no complaint about what follows.
	.sframe_coro_chain
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
