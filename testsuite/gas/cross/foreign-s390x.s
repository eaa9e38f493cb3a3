# A TLS variable of another library.
	.sframe_coro_chain foreign.task
	.sframe_coro_head tls, link.head
	.sframe_coro_path next, 16
	.sframe_coro_endchain
	.text
	.globl user
	.type user, @function
user:
	.sframe_coro_startsite foreign.task
	basr %r14, %r1
	.sframe_coro_endsite
	br %r14
	.size user, .-user
	.weak __tls_get_offset		# there is no C library here
	.section .note.GNU-stack, "", @progbits
