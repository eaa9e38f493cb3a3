# Registers that are gone when the call returns; of the others nothing is said.
	.include "../frame-chain.inc"
	.text
	.macro pump where:vararg
	.sframe_coro_startsite framed
	.sframe_coro_head_at \where
	call *%rax
	.sframe_coro_endsite
	.endm
	pump 8(%rax)
	pump reg, %r11
	pump (%rdi)
	.irp n, 3, 6, 7, 12, 13, 14, 15
	pump reg, \n
	.endr
	.cfi_startproc
	.cfi_def_cfa %r10, 0
	pump -8(%r10)
	.cfi_endproc
