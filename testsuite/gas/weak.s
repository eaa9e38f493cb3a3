# A chain that is weak and elsewhere is a chain.
	.weak other
	.hidden other
	.text
	.sframe_coro_startsite other
	call *%rax
	.sframe_coro_endsite
