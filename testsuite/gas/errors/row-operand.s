# Operands that are not a base register and an offset.
	.include "../frame-chain.inc"
	.text
	.sframe_coro_startsite framed
	.sframe_coro_head_at
	.sframe_coro_head_at 8
	.sframe_coro_head_at %rbx
	.sframe_coro_head_at x(%rip)
	.sframe_coro_head_at 8(%rip)
	.sframe_coro_head_at (%rax,%rbx)
	.sframe_coro_head_at (%rax,%rbx,8)
	.sframe_coro_head_at 8(%rax
	.sframe_coro_head_at 8()
	.sframe_coro_head_at %fs:8(%rax)
	.sframe_coro_head_at 0x80000000(%rax)
	.sframe_coro_head_at [rax, 8]
	.sframe_coro_head_at [rax+rbx]
	.sframe_coro_head_at [8+rax]
	.sframe_coro_head_at (%rax) 8
	call *%rax
	.sframe_coro_endsite
