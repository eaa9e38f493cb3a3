# ld: bad.o(.data+0): warning: .sframe_coro not merged: reference to a section with several chains
# One symbol, that of the section, cannot follow both.
	.data
	.quad several.second - .
	.section .sframe_coro, "a", @progbits
	.balign 8
	.short 0xdec0
	.byte 1, 0, 3, 32, 80, 32
	.long .Lend - .sframe_coro
	.long 2, 0, .Lstrings - .Ldata, .Lend - .Lstrings, 0
	.rept 2
several.second = .
	.long 0, 0
	.byte 1, 0, 0, 0, 0, 0
	.short 0
	.long 0, 0
	.quad 0
	.long 0, -1
	.long -1, .Lnext - .Ldata, -1, -1, -1, -1, -1, -1
	.quad 0
	.endr
.Ldata:
	.byte 6, 0
	.short 0
	.long -1
	.quad 0
	.quad 0
.Lnext:
	.byte 1, 0
	.short 0
	.long 16
.Lstrings:
	.asciz "several"
.Lend:
	.section .note.GNU-stack, "", @progbits
