# Each directive of a chain without one.
	.sframe_coro_head tls, v
	.sframe_coro_path next, 8
	.sframe_coro_ip entry
	.sframe_coro_end null
	.sframe_coro_test equal, 0, 8, stop
	.sframe_coro_roots all
	.sframe_coro_flags running_head
	.sframe_coro_ptr_align 8
	.sframe_coro_depth 5
	.sframe_coro_endchain
