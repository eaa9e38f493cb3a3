# ld: warning: .sframe_coro not merged: fields this linker does not know
	.section .sframe_coro, "a", @progbits
	.balign 8
	.short 0xdec0
	.byte 1, 0, 3, 40, 80, 32
	.long 40
	.zero 28
	.text
