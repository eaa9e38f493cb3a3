# A site in a site; both ends are there.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
	.text
	.sframe_coro_startsite c
	.sframe_coro_startsite c
	call *%rax
	.sframe_coro_endsite
	.sframe_coro_endsite
