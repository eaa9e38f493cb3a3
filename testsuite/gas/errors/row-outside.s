# A row without a site.
	.text
	.sframe_coro_head_at cfa, 8
