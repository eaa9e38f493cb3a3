# What is different there.
	.sframe_coro_chain c
	.sframe_coro_head tls_offset, leaf
	.sframe_coro_head frame
	.sframe_coro_path next, 16
	.sframe_coro_endchain
	.text
	.sframe_coro_startsite c
	.sframe_coro_head_at [x29, 16]
	.sframe_coro_head_at 160(%r1,%r15)
	.sframe_coro_head_at 160(%f0)
	.sframe_coro_head_at 160(%a0)
	.sframe_coro_head_at reg, %r16
	.sframe_coro_head_at reg, %rbx
	.sframe_coro_endsite
	.sframe_coro_startsite c
	br %r14
	.sframe_coro_endsite
