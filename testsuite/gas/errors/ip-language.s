# A language of machine code, and an unknown one.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path ip, 0
	.sframe_coro_ip entry, python
	.sframe_coro_endchain
	.sframe_coro_chain d
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path ip, 0
	.sframe_coro_ip cookie, basic
	.sframe_coro_endchain
	.sframe_coro_chain e
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path ip, 0
	.sframe_coro_ip cookie, 65536
	.sframe_coro_endchain
