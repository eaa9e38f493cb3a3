# Unknown, twice.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_flags runing_head
	.sframe_coro_endchain
	.sframe_coro_chain d
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_flags ptrauth, ptrauth
	.sframe_coro_endchain
