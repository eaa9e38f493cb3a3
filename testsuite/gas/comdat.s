# A chain of a C++ header: twice, as LTO makes it, and once in the object.
	.macro header_chain
	.ifndef lib.task
	.sframe_coro_chain lib.task, "lib::task", comdat
	.sframe_coro_head tls, lib.head
	.sframe_coro_head tls, lib.other
	.sframe_coro_path next, 16
	.sframe_coro_endchain
	.endif
	.endm
	header_chain
	header_chain
	.sframe_coro_chain plain, comdat
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
	.text
f:	.sframe_coro_startsite lib.task
	call *%rax
	.sframe_coro_endsite
