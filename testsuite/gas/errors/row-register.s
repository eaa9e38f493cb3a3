# No register, or none that holds a pointer.
	.include "../frame-chain.inc"
	.text
	.sframe_coro_startsite framed
	.sframe_coro_head_at reg
	.sframe_coro_head_at reg,
	.sframe_coro_head_at reg, rbq
	.sframe_coro_head_at reg, %rbq
	.sframe_coro_head_at reg, %xmm0
	.sframe_coro_head_at reg, %rip
	.sframe_coro_head_at reg, 16
	.sframe_coro_head_at reg, -1
	.sframe_coro_head_at reg, %rbx,
	.sframe_coro_head_at reg, %rbx, x
	.sframe_coro_head_at reg, %rbx 8
	call *%rax
	.sframe_coro_endsite
