# Resume functions: their paths, index and suspend points, and sites in them.
	.include "simple-chain.inc"
	.text
	.globl whole
whole:
	.sframe_coro_startbody simple
	.sframe_coro_index 16, 2
	.sframe_coro_path next, 8, -16, adjust = 24
	.sframe_coro_path ip, 40
	nop
	.sframe_coro_point 4			# in any order
	jmp far
	.sframe_coro_startsite simple
	.sframe_coro_point 2
	call *%rax
	.sframe_coro_endsite
	.balign 16
	.sframe_coro_point 0x6
	.zero 200
	.sframe_coro_endbody
far:
	.globl bare
bare:
	.sframe_coro_startbody simple		# only says that it is one
	ret
	.sframe_coro_endbody
	.globl no_points
no_points:
	.sframe_coro_startbody simple
	.sframe_coro_index -4, 1
	.sframe_coro_startsite simple
	call *%rax
	.sframe_coro_endsite
	.sframe_coro_endbody
	.globl no_index
no_index:
	.sframe_coro_startsite simple
	.sframe_coro_startbody simple
	.sframe_coro_path ip, 8
	call *%rax
	.sframe_coro_endsite
	.sframe_coro_endbody

	.subsection 2
	.globl second
second:
	.sframe_coro_startbody simple
	nop
	.subsection 1				# lies before it
	.globl first
first:
	.sframe_coro_startsite simple
	call *%rax
	.sframe_coro_endsite
	.subsection 2
	ret
	.sframe_coro_endbody

	.section .text.inl, "axG", @progbits, inl, comdat
	.weak inl
inl:
	.sframe_coro_startbody simple
	.sframe_coro_index 0x7fffffff, 4
	.irp n, 1, 2, 3
	nop
	.sframe_coro_point \n * 0x7fffffff / \n + \n - 1
	.endr
	ret
	.sframe_coro_endbody
