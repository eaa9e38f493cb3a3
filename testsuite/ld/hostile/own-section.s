# ld: warning: .sframe_coro not merged: an address without relocation
	.include "flat.s"
	.section .sframe_coro
	.balign 8
1:	.short 0xdec0
	.byte 1, 0, 3, 32, 80, 32
	.long 3f - 1b
	.long 1, 0, 2f - .Lhead, 3f - 2f, 0
	.long 0, 0
	.byte 1, 0, 0, 0, 0, 0
	.short 0
	.long 0, 0
	.quad 0
	.long 0, -1
	.long -1, .Lstep - .Lhead, -1, -1, -1, -1, -1, -1
	.quad 0
.Lhead:
	.byte 4, 0
	.short 0
	.long -1
	.quad 8
	.quad 0
.Lstep:
	.byte 1, 0
	.short 0
	.long 16
2:	.asciz "own"
	.zero 4
3:
