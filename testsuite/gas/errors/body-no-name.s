# The name of a chain is required.
	.text
	.sframe_coro_startbody
	ret
	.sframe_coro_endbody
