# The stub does not depend on the syntax or the mode the file ends in.
	.intel_syntax noprefix
	.sframe_coro_chain intel
	.sframe_coro_head tls, ptr.head + 8
	.sframe_coro_path head, 8
	.sframe_coro_path next, 8 , adjust = 4
	.sframe_coro_path ip, 0
	.sframe_coro_ip return
	.sframe_coro_test 4,8,0xf,3,hide,stop
	.sframe_coro_endchain
	.text
f:
	.sframe_coro_startsite intel
	call qword ptr [rax]
	.sframe_coro_endsite
	.arch generic64
	.code32
