# No offsets.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path top
	.sframe_coro_endchain
	.sframe_coro_chain d
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path top,
	.sframe_coro_endchain
	.sframe_coro_chain e
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path top, 1,
	.sframe_coro_endchain
	.sframe_coro_chain f
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path top, adjust=
	.sframe_coro_endchain
