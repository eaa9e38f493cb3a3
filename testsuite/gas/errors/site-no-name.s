# Of no chain.
	.text
	.sframe_coro_startsite
	call *%rax
	.sframe_coro_endsite
