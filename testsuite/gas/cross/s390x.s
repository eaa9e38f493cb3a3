# All that depends on the target: registers, operands, the CFA, the stub.
	.sframe_coro_chain task
	.sframe_coro_head tls, leaf + 8
	.sframe_coro_head frame
	.sframe_coro_path head, 8
	.sframe_coro_head tls_offset, leaf
	.sframe_coro_head tls, elsewhere
	.sframe_coro_path next, 16
	.sframe_coro_path ip, 0
	.sframe_coro_ip entry
	.sframe_coro_endchain

	.text
	.globl resume
	.type resume, @function
resume:
	.cfi_startproc
	stmg %r11, %r15, 88(%r15)
	.cfi_offset %r11, -72
	.cfi_offset %r15, -40
	.sframe_coro_startsite task
	.sframe_coro_head_at 160(%r15)
	nop
	.cfi_endproc
	.cfi_startproc
	lay %r15, -168(%r15)
	.cfi_def_cfa_offset 328
	.sframe_coro_head_at 160(%r15)
	nop
	lgr %r11, %r15
	.cfi_def_cfa_register %r11
	.sframe_coro_head_at 160(%r11)
	nop
	.sframe_coro_head_at 160(%r15)		# no longer
	nop
	.sframe_coro_head_at (%r6)
	nop
	.sframe_coro_head_at reg, %r7
	nop
	.sframe_coro_head_at reg, %r8, 16
	nop
	.sframe_coro_head_at reg, 9
	nop
	.sframe_coro_head_at cfa, -8
	basr %r14, %r1
	.sframe_coro_endsite
	lmg %r11, %r15, 256(%r15)
	br %r14
	.cfi_endproc
	.size resume, .-resume

	.globl actor
actor:
	.sframe_coro_startbody task
	.sframe_coro_path next, 24
	.sframe_coro_index 40, 2
	nop
	.sframe_coro_point 2
	br %r14
	.sframe_coro_endbody

	.section .tbss, "awT", @nobits
	.zero 8
leaf:	.zero 16
