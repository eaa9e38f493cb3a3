# The place is that of the macro.
	.macro m
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_endchain
	.endm
	m
