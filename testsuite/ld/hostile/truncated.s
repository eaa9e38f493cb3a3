# ld: bad.o(.sframe_coro+.*): warning: .sframe_coro not merged: the section ends inside a record (header)
	.include "flat.s"
	.section .sframe_coro
	.long 0xdec0
