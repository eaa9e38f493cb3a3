# Given by rows of the site.
	.sframe_coro_chain c
	.sframe_coro_head global, g
	.sframe_coro_path next, 0
	.sframe_coro_head frame
	.sframe_coro_endchain
