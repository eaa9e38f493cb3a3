# Something after the end of a line.
	.sframe_coro_chain c, comdat, more
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_endchain junk
