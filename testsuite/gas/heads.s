# Every kind of head, alternates, and offsets that move into the path.
	.sframe_coro_chain c.tls
	.sframe_coro_head tls, var + 24		# default path, moved
	.sframe_coro_head tls_offset, var + 8
	.sframe_coro_path head, 8, -16
	.sframe_coro_head tls, elsewhere
	.sframe_coro_path head, adjust = 4	# no load: the root is in place
	.sframe_coro_head tls, alias		# an equated symbol
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

	.set alias, elsewhere + 32
	.section .tdata, "awT", @progbits
	.zero 8
var:	.zero 64
	.data
slot:	.quad 0
list:	.zero 32
key:	.long -1
