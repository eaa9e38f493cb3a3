# The end is missing, and so is that of a site.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	.sframe_coro_startsite simple
	ret
