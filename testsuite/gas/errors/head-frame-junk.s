# A frame head has no symbol.
	.sframe_coro_chain c
	.sframe_coro_head frame, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
