# No symbol, a number, a register, a difference.
	.sframe_coro_chain c0
	.sframe_coro_head global
	.sframe_coro_endchain
	.sframe_coro_chain c1
	.sframe_coro_head global,
	.sframe_coro_endchain
	.sframe_coro_chain c2
	.sframe_coro_head global, 5
	.sframe_coro_endchain
	.sframe_coro_chain c3
	.sframe_coro_head tls, %rax
	.sframe_coro_endchain
	.sframe_coro_chain c4
	.sframe_coro_head tls, f - g
	.sframe_coro_endchain
	.sframe_coro_chain c5
	.sframe_coro_head global, @
	.sframe_coro_endchain
