# Of something else.
	.text
	.sframe_coro_startsite c
	call *%rax
	.sframe_coro_endsite
c:	ret
