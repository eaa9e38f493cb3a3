# What does not fit the width.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_test 1, 0, 0x100, 1, stop
	.sframe_coro_endchain
	.sframe_coro_chain d
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_test 2, 0, 1, -0x8001, stop
	.sframe_coro_endchain
	.sframe_coro_chain e
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_test 4, 0x80000000, 1, 1, stop
	.sframe_coro_endchain
	.sframe_coro_chain f
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_test 4, 8
	.sframe_coro_endchain
