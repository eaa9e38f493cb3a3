# Unknown, twice, without the key.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_roots some
	.sframe_coro_endchain
	.sframe_coro_chain d
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_roots all
	.sframe_coro_roots all
	.sframe_coro_endchain
	.sframe_coro_chain e
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_roots tid
	.sframe_coro_endchain
	.sframe_coro_chain f
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path root_next, 8
	.sframe_coro_endchain
