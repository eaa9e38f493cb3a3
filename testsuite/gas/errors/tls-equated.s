# The same through another name.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_head tls, other + 8
	.sframe_coro_endchain
	.set other, g
	.data
g:	.quad 0
