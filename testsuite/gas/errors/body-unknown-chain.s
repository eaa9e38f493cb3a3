# Said once for each name.
	.text
	.sframe_coro_startbody nobody
	ret
	.sframe_coro_endbody
	.sframe_coro_startsite nobody
	ret
	.sframe_coro_endsite
	.sframe_coro_startbody f
f:	ret
	.sframe_coro_endbody
