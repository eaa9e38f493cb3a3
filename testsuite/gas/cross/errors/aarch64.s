# What is different there.
	.sframe_coro_chain c
	.sframe_coro_head tls_offset, leaf
	.sframe_coro_head frame
	.sframe_coro_path next, 16
	.sframe_coro_endchain
	.text
	.sframe_coro_startsite c
	.sframe_coro_head_at 16(x29)
	.sframe_coro_head_at [x29, x1]
	.sframe_coro_head_at [x29, 16]!
	.sframe_coro_head_at [x29], 16
	.sframe_coro_head_at [x29+16]
	.sframe_coro_head_at [xzr]
	.sframe_coro_head_at [d0]
	.sframe_coro_head_at [x29, #:lo12:c]
	.sframe_coro_head_at reg, %rbx
	.sframe_coro_head_at reg, 32
	.sframe_coro_endsite
	.section .tbss, "awT", %nobits
leaf:	.zero 8
