# An end without a start.
	.text
	call *%rax
	.sframe_coro_endsite
