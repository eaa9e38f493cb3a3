# The path of a head before the head.
	.sframe_coro_chain c
	.sframe_coro_path head, 0
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
