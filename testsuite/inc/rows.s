# Heads in the frame, and everything that may be in a body.
	.include "frame-chain.inc"
	.text
	.globl plain
plain:
	.sframe_coro_startsite framed
	.sframe_coro_head_at cfa, -24
	nop
	.sframe_coro_head_at reg, %rbx
	nop
	.sframe_coro_head_at reg, r12, 16
	nop
	.sframe_coro_head_at reg, 3, -8
	nop
	.sframe_coro_head_at reg,%r15,0x7fffffff
	.balign 16
	jmp far
	.sframe_coro_head_at reg, %rsp, -0x80000000
	call *%rax
	.sframe_coro_endsite
	.zero 200
far:
	.section .text.inl, "axG", @progbits, inl, comdat
	.weak inl
inl:
	.sframe_coro_startbody framed
	.sframe_coro_index 16, 2
	nop
	.sframe_coro_point 0xffff
	.sframe_coro_startsite framed
	.sframe_coro_point 4
	.sframe_coro_head_at cfa, -8
	call *%rax
	.sframe_coro_endsite
	.sframe_coro_path next, 8, -16, adjust = 24
	.sframe_coro_path ip, adjust=0
	.irp n, 1, 2, 3
	nop
	.sframe_coro_point \n
	.endr
	.sframe_coro_point 63
	.zero 200
	.sframe_coro_endbody

	.sframe_coro_startbody later
	.sframe_coro_path ip, 8
	nop
	.sframe_coro_endbody
	.sframe_coro_chain later, "text: with [all], sorts (of) characters"
	.sframe_coro_head frame
	.sframe_coro_path next, 8
	.sframe_coro_ptr_align 4096
	.sframe_coro_depth 0xffffffff
	.sframe_coro_endchain
