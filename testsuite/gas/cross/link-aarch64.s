# Linked: a live and a dead function, a TLS variable of the file.
	.sframe_coro_chain link.task, "link: task", comdat
	.sframe_coro_head tls, link.head

	.sframe_coro_path next, 16
	.sframe_coro_endchain

	.text
	.globl _start
	.type _start, %function
_start:
	bl live
	.sframe_coro_startsite link.task
	blr x1
	.sframe_coro_endsite
	.size _start, .-_start

	.macro function name
	.section .text.\name, "ax", %progbits
	.globl \name
	.hidden \name
	.type \name, %function
\name:
	.sframe_coro_startsite link.task
	blr x1
	.sframe_coro_endsite
	ret
	.size \name, .-\name
	.endm
	function live
	function dead

	.section .tbss, "awT", %nobits
	.zero 8
	.globl link.head
	.type link.head, %object
	.size link.head, 8
link.head:
	.zero 8
	.section .note.GNU-stack, "", %progbits
