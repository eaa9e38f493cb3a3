# No way to the next node.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_endchain
