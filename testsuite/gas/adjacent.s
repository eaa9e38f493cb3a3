# Functions are sorted, but a block is not flagged so if a return address may be
# one that the site before it covers too.
	.include "simple-chain.inc"
	.macro site
	.sframe_coro_startsite simple
	call *%rax
	.sframe_coro_endsite
	.endm
	.macro returned
	.sframe_coro_startsite simple
	.sframe_coro_endsite
	.endm

	.section .text.same, "ax", @progbits
same:
	site
	returned

	.section .text.maybe, "ax", @progbits
maybe:
	site
	.balign 2			# nothing, as it turns out
	returned

	.section .text.behind, "ax", @progbits
behind:
	returned			# what follows does not cover this
	site
	nop
	returned
	returned			# equal

	.section .text.relaxed, "ax", @progbits
relaxed:
	site
	jmp relaxed			# some bytes, as is certain
	returned
	.sframe_coro_startsite simple
	.balign 2
	.sframe_coro_endsite
	.sframe_coro_startsite simple
	jmp relaxed
	.sframe_coro_endsite
	site
