# Heads in the frame, in the forms that people and compilers write.
	.include "frame-chain.inc"
	.set slot, 40
	.macro pump where:vararg
	.sframe_coro_startsite framed
	.sframe_coro_head_at \where
	call *%rax
	.sframe_coro_endsite
	.endm

	.text
	.globl plain
plain:					# no CFI: the registers themselves
	pump cfa, -24
	pump cfa, slot - 64
	pump reg, %rbx
	pump reg, %r12, 16
	pump reg, 3, -8			# a number, as .cfi_offset takes it
	pump -24(%rbp)
	pump (%rbp)
	pump ( %r15 )
	pump slot+8(%rsp)
	pump (2*8)(%rsp)

	.globl with_cfi
with_cfi:
	.cfi_startproc
	pump 8(%rsp)			# CFA is rsp + 8
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	pump 8(%rsp)
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	pump -24(%rbp)
	pump 24(%rsp)			# no longer what the CFA comes from
	pushq %rbx
	.cfi_remember_state
	.cfi_def_cfa %rsp, 24
	pump 0(%rsp)
	.cfi_adjust_cfa_offset 8
	pump 8(%rsp)
	.pushsection .text.other, "ax", @progbits
	.cfi_startproc
	pump 8(%rsp)			# of this function
	.cfi_endproc
	.popsection
	pump 8(%rsp)
	.cfi_restore_state
	pump -24(%rbp)
	.cfi_escape 0xf, 0x3, 0x76, 0x78, 0x6
	pump -24(%rbp)			# the CFA is an expression
	.cfi_def_cfa %rbp, 16
	pump -24(%rbp)
	.cfi_endproc
	pump -24(%rbp)

	.globl intel
intel:
	.intel_syntax noprefix
	.cfi_startproc
	.sframe_coro_startsite framed
	.sframe_coro_head_at QWORD PTR [rsp+16]
	nop
	.sframe_coro_head_at qword ptr [rbp - 24]
	nop
	.sframe_coro_head_at QWORD PTR -16[rbp]
	nop
	.sframe_coro_head_at 16+8[rsp]
	nop
	.sframe_coro_head_at [rbx]
	nop
	.sframe_coro_head_at reg, rbx, 8
	call rax
	.sframe_coro_endsite
	.cfi_endproc
	.att_syntax

	.globl several
several:				# from a place on; sizes wait
	.sframe_coro_startsite framed
	jmp far
	.sframe_coro_head_at reg, %rbx
	jmp far
	.sframe_coro_head_at -24(%rbp)
	.zero 100
	.balign 16
	.sframe_coro_head_at cfa, -8
	call *%rax
	.sframe_coro_endsite
	.zero 100
far:
