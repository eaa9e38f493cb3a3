# The main case: tasks whose promise holds the continuation, the running one
# in a thread-local variable.
	.sframe_coro_chain demo.task, "demo: task"
	.sframe_coro_head tls, leaf
	.sframe_coro_path head, 0
	.sframe_coro_path next, 16
	.sframe_coro_path ip, 0
	.sframe_coro_path ip_alt, 8
	.sframe_coro_ip entry
	.sframe_coro_end null
	.sframe_coro_test equal, 0, 8, stop
	.sframe_coro_flags running_head
	.sframe_coro_endchain

	.text
	.globl resume
	.type resume, @function
resume:
	pushq %rbx
	.sframe_coro_startsite demo.task
	call *(%rdi)
	.sframe_coro_endsite
	popq %rbx
	ret
	.size resume, .-resume

	.section .tbss, "awT", @nobits
	.type leaf, @object
	.size leaf, 8
leaf:	.zero 8
