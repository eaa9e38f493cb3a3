# Two paths can be another one in a body.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	.sframe_coro_path top, 8
	.sframe_coro_path
	.sframe_coro_path next
	.sframe_coro_path ip, 8
	.sframe_coro_path ip, 8
	.sframe_coro_path next, 8
	ret
	.sframe_coro_endbody
