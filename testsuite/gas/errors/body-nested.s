# No body in a body.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	nop
	.sframe_coro_startbody simple
	nop
	.sframe_coro_endbody
	.sframe_coro_endbody
