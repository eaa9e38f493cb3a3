# More than a body can have.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	.sframe_coro_index 8, 4
	.set n, 0
	.rept 65536
	.sframe_coro_point n
	nop
	.set n, n + 1
	.endr
	.sframe_coro_endbody
