# Linked: a live and a dead function, a TLS variable of the file.
	.sframe_coro_chain link.task, "link: task", comdat
	.sframe_coro_head tls, link.head
	.sframe_coro_head tls_offset, link.head
	.sframe_coro_path next, 16
	.sframe_coro_endchain

	.text
	.globl _start
	.type _start, @function
_start:
	brasl %r14, live
	.sframe_coro_startsite link.task
	basr %r14, %r1
	.sframe_coro_endsite
	.size _start, .-_start

	.macro function name
	.section .text.\name, "ax", @progbits
	.globl \name
	.hidden \name
	.type \name, @function
\name:
	.sframe_coro_startsite link.task
	basr %r14, %r1
	.sframe_coro_endsite
	br %r14
	.size \name, .-\name
	.endm
	function live
	function dead

	.text
	.weak __tls_get_offset		# a static program has no library
	.section .tbss, "awT", @nobits
	.zero 8
	.globl link.head
	.type link.head, @object
	.size link.head, 8
link.head:
	.zero 8
	.section .note.GNU-stack, "", @progbits
