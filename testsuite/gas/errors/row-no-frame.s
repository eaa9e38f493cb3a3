# The chain has no use for rows; another head makes them optional.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
	.sframe_coro_chain both
	.sframe_coro_head global, g
	.sframe_coro_head frame
	.sframe_coro_path next, 0
	.sframe_coro_endchain
	.text
	.sframe_coro_startsite c
	.sframe_coro_head_at cfa, 8
	call *%rax
	.sframe_coro_endsite
	.sframe_coro_startsite both
	call *%rax
	.sframe_coro_endsite
