# The other one, with a chain of its own that nobody uses.
	.include "link-header.inc"
	.sframe_coro_chain own
	.sframe_coro_head tls_offset, own.head
	.sframe_coro_path next, 8
	.sframe_coro_endchain
	.section .text.unused, "ax", @progbits
	.globl unused
	.hidden unused
	.type unused, @function
unused:
	.sframe_coro_startsite own
	call *%rax
	.sframe_coro_endsite
	ret
	.size unused, .-unused
	.section .tbss, "awT", @nobits
	.hidden own.head
	.globl own.head
	.type own.head, @object
	.size own.head, 8
own.head:
	.zero 8
	.section .note.GNU-stack, "", @progbits
