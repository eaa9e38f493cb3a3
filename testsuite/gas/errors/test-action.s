# No action, an unknown one, one twice.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_test equal, 0, 8
	.sframe_coro_endchain
	.sframe_coro_chain d
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_test 1, 0, 1, 1, halt
	.sframe_coro_endchain
	.sframe_coro_chain e
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_test 1, 0, 1, 1, hide, stop, hide
	.sframe_coro_endchain
