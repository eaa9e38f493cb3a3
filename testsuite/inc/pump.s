# Resumes the function that a node begins with, as a runtime in assembly would.
	.sframe_coro_chain pump.chain, "demo"
	.sframe_coro_head tls, pump_leaf
	.sframe_coro_path next, 16
	.sframe_coro_path ip, 0
	.sframe_coro_ip entry
	.sframe_coro_flags running_head
	.sframe_coro_endchain

	.section .text.pump, "ax", @progbits
	.globl pump
	.type pump, @function
pump:
	.cfi_startproc
	pushq %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	.sframe_coro_startsite pump.chain
	call *(%rdi)
	.sframe_coro_endsite
	popq %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size pump, .-pump

	.section .note.GNU-stack, "", @progbits
