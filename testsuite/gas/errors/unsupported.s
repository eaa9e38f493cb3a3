# What a later version brings.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
	.text
	.sframe_coro_startsite c
	.sframe_coro_head_at cfa, -24
	.sframe_coro_endsite
	.sframe_coro_startbody c
	.sframe_coro_path next, 8
	.sframe_coro_index 16, 2
	.sframe_coro_point 2
	.sframe_coro_endbody
