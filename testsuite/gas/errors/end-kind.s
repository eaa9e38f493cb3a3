# Unknown, twice, without its value.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_end nul
	.sframe_coro_endchain
	.sframe_coro_chain d
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_end null
	.sframe_coro_end self
	.sframe_coro_endchain
	.sframe_coro_chain e
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_end value
	.sframe_coro_endchain
	.sframe_coro_chain f
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_end address, 8
	.sframe_coro_endchain
