# A reference to a chain never leaves the module.
	.globl made.hidden
	.sframe_coro_chain made.hidden
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
	.globl stays.protected
	.protected stays.protected
	.sframe_coro_chain stays.protected
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain
	.hidden in.another.object
	.text
f:	.sframe_coro_startsite in.another.object
	call *%rax
	.sframe_coro_endsite
	.sframe_coro_startsite made.hidden
	call *%rax
	.sframe_coro_endsite
