# A chain and a function of it in one block, to be damaged.
	.text
	.globl flat
	.hidden flat
	.type flat, @function
flat:
	call *(%rdi)
.Lreturn:
	ret
	.size flat, .-flat

	.section .sframe_coro, "a", @progbits
	.balign 8
	.short 0xdec0
	.byte 1, 0, 3, 32, 80, 32
	.long .Lend - .sframe_coro
	.long 1, 1, .Lstrings - .Ldata, .Lend - .Lstrings, 0
	# The chain, at 32.
flat.task:
	.long 0, 0
	.byte 1, 0, 0, 0, 0, 0
	.short 0
	.long 0, 0
	.quad 0
	.long 0, -1
	.long -1, .Lnext - .Ldata, -1, -1, -1, -1, -1, -1
	.quad 0
	# The function, at 112.
	.quad .Lreturn - .
	.quad flat.task - .
	.long 0, -1
	.short 0
	.byte 1, 0
	.long 0
.Ldata:
	# The head, at 144.
	.byte 4, 0
	.short 0
	.long -1
	.quad flat - .
	.quad 0
.Lnext:
	.byte 1, 0
	.short 0
	.long 16
.Lstrings:
	.asciz "flat"
	.zero 3
.Lend:
	.section .note.GNU-stack, "", @progbits
