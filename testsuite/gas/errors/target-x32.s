# as: --x32
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
	.text
	.sframe_coro_startsite c
	call *%rax
	.sframe_coro_endsite
