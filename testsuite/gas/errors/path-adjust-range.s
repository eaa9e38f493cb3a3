# An offset that is none: 4, adjust=0x80000000.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path top, 4, adjust=0x80000000
	.sframe_coro_endchain
	.data
g:	.quad 0
