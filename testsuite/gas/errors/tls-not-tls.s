# A variable that is not thread-local; it is defined later.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_head tls, g
	.sframe_coro_head tls_offset, g
	.sframe_coro_endchain
	.comm h, 8
	.sframe_coro_chain d
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_head tls, h
	.sframe_coro_endchain
	.data
g:	.quad 0
