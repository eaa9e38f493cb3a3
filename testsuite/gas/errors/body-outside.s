# Parts of a body without one.
	.sframe_coro_index 16, 2
	.sframe_coro_point 2
	.sframe_coro_endbody
