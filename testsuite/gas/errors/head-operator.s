# A relocation operator.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_head tls, v@tpoff
	.sframe_coro_endchain
