# From one section to another.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
	.text
	.sframe_coro_startsite c
	.section .text.f, "ax", @progbits
	.sframe_coro_endsite
