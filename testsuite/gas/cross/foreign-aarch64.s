# A TLS variable of another library.
	.sframe_coro_chain foreign.task
	.sframe_coro_head tls, link.head
	.sframe_coro_path next, 16
	.sframe_coro_endchain
	.text
	.globl user
	.type user, %function
user:
	.sframe_coro_startsite foreign.task
	blr x1
	.sframe_coro_endsite
	ret
	.size user, .-user

	.section .note.GNU-stack, "", %progbits
