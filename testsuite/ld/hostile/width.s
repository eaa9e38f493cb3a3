# ld: warning: .sframe_coro not merged: unexpected relocation
	.section .sframe_coro, "a", @progbits
	.balign 8
.Lblock:
	.short 0xdec0
	.byte 1, 0, 3, 32, 80, 32
	.long 64
	.long 0, 1, 0, 0, 0
	.long .text - .
	.long 0
	.quad shared.chain - .
	.long 0, -1
	.short 0
	.byte 1, 0
	.long 0
	.text
