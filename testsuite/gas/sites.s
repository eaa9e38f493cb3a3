# One block for each text section; sites by address, whatever their order.
	.include "simple-chain.inc"
	.text
	.globl a
a:
	nop
	.sframe_coro_startsite simple
	.sframe_coro_endsite			# no bytes: exactly here
	.subsection 1
	.globl later
later:
	.sframe_coro_startsite simple
	call *%rax
	.sframe_coro_endsite
	.subsection 0
	.globl b
b:
	.sframe_coro_startsite simple
	.balign 16				# sizes wait for relaxation
	jmp later
	.zero 200
	.sframe_coro_endsite

	.section .text.unlikely, "ax", @progbits
	.globl cold
cold:
	.sframe_coro_startsite simple
	.reloc ., R_X86_64_NONE, a		# stays where it is
	call *%rax
	.sframe_coro_endsite

	.section .text.inl, "axG", @progbits, inl, comdat
	.weak inl
inl:
	.sframe_coro_startsite simple
	call *%rax
	.sframe_coro_endsite
