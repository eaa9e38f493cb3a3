# A chain written with data directives and sites written with ours.
	.section .sframe_coro, "aR", @progbits
	.balign 8
.Lblock:
	.short 0xdec0
	.byte 1, 0, 3, 32, 80, 32
	.long .Lend - .Lblock, 1, 0, .Lstrings - .Ldata, .Lstrings_end - .Lstrings, 0
by.hand:
	.long 0, 0
	.byte 1, 0, 0, 0, 0, 0
	.short 0
	.long 0, 0
	.quad 0
	.long 0, -1, -1, 28, -1, -1, -1, -1, -1, -1
	.quad 0
.Ldata:
	.byte 4, 0
	.short 0
	.long 24
	.quad g - ., 0
	.byte 0, 0, 0, 0
	.byte 1, 0, 0, 0
	.long 16
.Lstrings:
	.asciz "by hand"
.Lstrings_end:
	.balign 8
.Lend:
	.text
f:	.sframe_coro_startsite by.hand
	call *%rax
	.sframe_coro_endsite
	.data
	.globl g
g:	.zero 8
