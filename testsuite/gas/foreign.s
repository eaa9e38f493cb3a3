# A head in another library: only the stub can reach it.
	.sframe_coro_chain foreign
	.sframe_coro_head tls, lib.head
	.sframe_coro_path next, 16
	.sframe_coro_endchain
	.text
	.globl user
	.type user, @function
user:
	.sframe_coro_startsite foreign
	call *(%rdi)
	.sframe_coro_endsite
	ret
	.size user, .-user
	.section .note.GNU-stack, "", @progbits
