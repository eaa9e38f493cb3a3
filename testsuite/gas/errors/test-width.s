# No width, and none that is one.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_test 3, 0, 1, 1, stop
	.sframe_coro_endchain
	.sframe_coro_chain d
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_test 16, 0, 1, 1, stop
	.sframe_coro_endchain
