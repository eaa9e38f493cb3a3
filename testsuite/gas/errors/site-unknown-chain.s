# Of a chain that does not come; said once.
	.text
	.sframe_coro_startsite c
	call *%rax
	.sframe_coro_endsite
	.sframe_coro_startsite c
	call *%rax
	.sframe_coro_endsite
