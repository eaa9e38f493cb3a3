# A body without code.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	.sframe_coro_path next, 8
	.sframe_coro_endbody
