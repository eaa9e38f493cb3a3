# The place is what `.line' says.
	.file "some.cc"
	.line 100
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path nxt, 0
	.sframe_coro_endchain
