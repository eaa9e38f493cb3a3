	.include "dup.inc"
	resume a.shared, shared.task
	resume a.root, root.task
	resume a.longer, longer.task
	resume a.private, private.task
	resume a.framed, framed.task, .text.framed

	.text
	.sframe_coro_startbody shared.task
	.globl _start
	.type _start, @function
_start:
	call a.shared
	call b.shared
	call a.private
	.sframe_coro_index 24, 4
	.sframe_coro_point 2
	nop
	.sframe_coro_point 1
	nop
	.sframe_coro_endbody
	.size _start, .-_start

	# Symbols at chains are where the chains are.
	.data
	.globl chains
	.type chains, @object
chains:
	.quad shared.task - .
	.quad private.task - .
	.size chains, .-chains

	.section .tbss
	.globl dup.head
	.type dup.head, @object
	.size dup.head, 8
dup.head:
	.zero 8
	.bss
	.globl dup.root
	.hidden dup.root
	.type dup.root, @object
	.size dup.root, 8
dup.root:
	.zero 8
