# And in one subsection.
	.include "../simple-chain.inc"
	.text
	.sframe_coro_startbody simple
	ret
	.subsection 1
	.sframe_coro_endbody
