# In range from the register, but not from the CFA.
	.include "../frame-chain.inc"
	.text
	.cfi_startproc
	.sframe_coro_startsite framed
	.sframe_coro_head_at -0x7fffffff(%rsp)
	call *%rax
	.sframe_coro_endsite
	.cfi_endproc
