# The same on every target: instructions are words, registers have numbers.
	.data
	.balign 8
roots:	.zero 8
	.section .tbss, "awT", %nobits
	.zero 8
leaf:	.zero 16

	.sframe_coro_chain task, "a: task"
	.sframe_coro_head tls, leaf
	.sframe_coro_path head, 8
	.sframe_coro_head frame
	.sframe_coro_path head, 8
	.sframe_coro_head global, roots
	.sframe_coro_head tls, elsewhere
	.sframe_coro_path next, 16, -8, adjust=4
	.sframe_coro_path ip, 0
	.sframe_coro_path ip_alt, 8
	.sframe_coro_ip entry
	.sframe_coro_test 4, 8, 0x20000, 0x20000, hide, boundary
	.sframe_coro_test equal, 0, -8, stop
	.sframe_coro_flags running_head, ptrauth
	.sframe_coro_end address, roots
	.sframe_coro_depth 1000
	.sframe_coro_endchain

	.sframe_coro_chain shared, comdat
	.sframe_coro_head tls, leaf
	.sframe_coro_path next, 16
	.sframe_coro_end value, 0x123456789abcdef0
	.sframe_coro_endchain

	.section .text.f, "axG", %progbits, f, comdat
	.weak f
	.type f, %function
f:
	.4byte 0
	.sframe_coro_startsite task
	.sframe_coro_head_at cfa, -24
	.4byte 0
	.sframe_coro_head_at cfa, 16
	.4byte 0
	.sframe_coro_endsite
	.sframe_coro_startbody shared
	.sframe_coro_index -4, 4
	.4byte 0
	.sframe_coro_point 0xfffffffe
	.4byte 0
	.sframe_coro_point 1
	.4byte 0
	.sframe_coro_path ip, 8
	.sframe_coro_endbody
	.size f, .-f

	.text
	.type g, %function
g:
	.4byte 0
	.sframe_coro_startsite shared
	.sframe_coro_endsite
	.size g, .-g
