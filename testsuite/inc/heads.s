# Every kind of head, and alternates; what macros can do of ../gas/heads.s.
	.section .tdata, "awT", @progbits
	.zero 8
var:	.zero 64
	.data
slot:	.quad 0
list:	.zero 32
key:	.long -1
	.set alias, elsewhere

	.sframe_coro_chain c.tls
	.sframe_coro_head tls, var
	.sframe_coro_path head, 24
	.sframe_coro_head tls_offset, var
	.sframe_coro_path head, 16, -16
	.sframe_coro_head tls, elsewhere
	.sframe_coro_path head, adjust = 4
	.sframe_coro_head tls, alias
	.sframe_coro_path next, 0
	.sframe_coro_endchain

	.sframe_coro_chain c.data
	.sframe_coro_head tp_slot, slot
	.sframe_coro_head global, list + 16
	.sframe_coro_path head, 8
	.sframe_coro_head pthread_key, key
	.sframe_coro_head pthread_key, key, 0xffffffff
	.sframe_coro_path head, 0
	.sframe_coro_path next, 0
	.sframe_coro_endchain

	.sframe_coro_chain c.frame, comdat
	.sframe_coro_head frame
	.sframe_coro_head tls, elsewhere
	.sframe_coro_head global, list
	.sframe_coro_head frame
	.sframe_coro_path head, 8, adjust=-8
	.sframe_coro_path next, adjust=16
	.sframe_coro_endchain
