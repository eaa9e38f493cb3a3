# Directives in conditional assembly and macros: those that are skipped do not
# count, be they wrong, and an end may be in another branch than its start.
	.set have.chain, 1
	.macro runtime name, kind=plain
	.ifndef \name
	.sframe_coro_chain \name
	.ifc \kind,rooted
	.sframe_coro_head global, roots
	.sframe_coro_roots all
	.sframe_coro_path root_next, 8
	.else
	.sframe_coro_head global, list
	.endif
	.sframe_coro_path next, 16
	.sframe_coro_endchain
	.endif
	.endm
	.irp kind, plain, rooted
	.rept 2
	runtime chain.\kind, \kind
	.endr
	.endr

	.if have.chain == 0
	.sframe_coro_chain chain.plain
	.sframe_coro_nothing
	.sframe_coro_endsite
	.endif

	.text
	.globl f
f:
	.if have.chain
	.sframe_coro_startsite chain.plain
	.else
	.sframe_coro_startsite chain.rooted
	.endif
	call *%rax
	.pushsection .text.cold, "ax", @progbits
	.globl cold
cold:
	nop
	.popsection
	.ifdef have.chain
	.sframe_coro_endsite
	.endif
	.macro resume chain, depth
	.if \depth
	resume \chain, \depth-1
	.else
	.sframe_coro_startsite \chain
	call *%rax
	.sframe_coro_endsite
	.exitm
	.sframe_coro_endsite
	.endif
	.endm
	resume chain.rooted, 3
	.data
roots:	.quad 0
list:	.quad 0
