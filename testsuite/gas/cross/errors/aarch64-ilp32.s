# as: -mabi=ilp32
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 16
	.sframe_coro_endchain
