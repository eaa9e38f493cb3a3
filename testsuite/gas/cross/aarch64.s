# All that depends on the target: registers, operands, the CFA, the stub.
	.sframe_coro_chain task
	.sframe_coro_head tls, leaf + 8
	.sframe_coro_head frame
	.sframe_coro_path head, 8
	.sframe_coro_head global, roots
	.sframe_coro_head tls, elsewhere
	.sframe_coro_path next, 16
	.sframe_coro_path ip, 0
	.sframe_coro_ip entry
	.sframe_coro_flags ptrauth
	.sframe_coro_endchain

	.text
	.globl resume
	.type resume, %function
resume:
	.cfi_startproc
	stp x29, x30, [sp, -48]!
	.cfi_def_cfa_offset 48
	.cfi_offset 29, -48
	.cfi_offset 30, -40
	mov x29, sp
	.sframe_coro_startsite task
	.sframe_coro_head_at [sp, 24]
	nop
	.sframe_coro_head_at [sp, #24]
	nop
	.sframe_coro_head_at [sp]
	nop
	.sframe_coro_head_at [x29, -16]		// not what the CFA comes from
	nop
	.sframe_coro_head_at [ x19 ]
	nop
	.sframe_coro_head_at reg, x19
	nop
	.sframe_coro_head_at reg, x20, 16
	nop
	.sframe_coro_head_at reg, 21
	nop
	.sframe_coro_head_at cfa, -8
	blr x1
	.sframe_coro_endsite
	.cfi_def_cfa x29, 48
	.sframe_coro_startsite task
	.sframe_coro_head_at [x29, 24]
	blr x1
	.sframe_coro_endsite
	ldp x29, x30, [sp], 48
	ret
	.cfi_endproc
	.size resume, .-resume

	.globl actor
actor:
	.sframe_coro_startbody task
	.sframe_coro_path next, 24
	.sframe_coro_index 40, 2
	nop
	.sframe_coro_point 2
	ret
	.sframe_coro_endbody

	.data
roots:	.xword 0
	.section .tbss, "awT", %nobits
	.zero 8
leaf:	.zero 16
