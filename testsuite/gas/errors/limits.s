# Alignment and depth.
	.sframe_coro_chain c0
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_ptr_align 3
	.sframe_coro_endchain
	.sframe_coro_chain c1
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_ptr_align 8192
	.sframe_coro_endchain
	.sframe_coro_chain c2
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_ptr_align 8
	.sframe_coro_ptr_align 8
	.sframe_coro_endchain
	.sframe_coro_chain c3
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_depth 0
	.sframe_coro_endchain
	.sframe_coro_chain c4
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_depth 0x100000000
	.sframe_coro_endchain
	.sframe_coro_chain c5
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_depth 5
	.sframe_coro_depth 5
	.sframe_coro_endchain
