# Paths, ends, tests, roots, flags and limits, without blanks in operands.
	.set sixteen, 16
	.sframe_coro_chain r.cookie, "interpreter"
	.sframe_coro_head global, g
	.sframe_coro_path top, 1, 2, 3, 4
	.sframe_coro_path next, -2147483648, 2147483647, adjust=-8
	.sframe_coro_path ip, sixteen
	.sframe_coro_path aux, sixteen*2+8
	.sframe_coro_path root_next, 64
	.sframe_coro_path root_key, 72
	.sframe_coro_path blocked, 16, adjust=0
	.sframe_coro_ip cookie, python
	.sframe_coro_end value, 0xffffffffffffffff
	.sframe_coro_test 1, 70, 0xff, 3, boundary, hide
	.sframe_coro_test 2, 62, -4, 4, boundary
	.sframe_coro_test 4, 8, 0x20000, 0x20000, stop
	.sframe_coro_test 8, -8, -1, -1, hide
	.sframe_coro_roots tid, 16
	.sframe_coro_flags process_scope, ptrauth
	.sframe_coro_ptr_align 8
	.sframe_coro_depth 100
	.sframe_coro_endchain

	.sframe_coro_chain r.return
	.sframe_coro_head global, g
	.sframe_coro_path next, adjust=48
	.sframe_coro_path ip, 8
	.sframe_coro_ip return
	.sframe_coro_end address, g + 8
	.sframe_coro_roots all
	.sframe_coro_endchain

	.sframe_coro_chain r.pc
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path ip, 8
	.sframe_coro_ip pc
	.sframe_coro_end self
	.sframe_coro_path root_key, 0
	.sframe_coro_roots tp
	.sframe_coro_endchain

	.sframe_coro_chain r.language
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_path ip, 8
	.sframe_coro_ip cookie, 0x8001
	.sframe_coro_endchain

	.data
g:	.zero 16
