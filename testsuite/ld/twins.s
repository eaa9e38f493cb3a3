# Return addresses and other sites that are described more than once.
	.include "dup.inc"
	.macro returned chain
	.sframe_coro_startsite \chain
	.sframe_coro_endsite
	.endm

	.macro framed offset
	.sframe_coro_startsite framed.task
	.sframe_coro_head_at cfa, \offset
	.sframe_coro_endsite
	.endm
	.macro entry start, size
	.quad \start - .
	.quad shared.task - .
	.long \size, -1
	.short 0
	.byte 1, 0
	.long 0
	.endm

	.text
	.globl _start
	.type _start, @function
_start:
	# A site with code in it.
.Lsite:
	.sframe_coro_startsite shared.task
	call *(%rdi)
	.sframe_coro_endsite
.Lreturn:
	# Twice of one chain; of one with another variable; of one with another
	# path.
	returned shared.task
	returned shared.task
	returned root.task
	returned longer.task
	call *(%rdi)
	# With rows, of which the entry does not tell enough.
	framed -8
	framed -16
	ret
	.size _start, .-_start

	# Another producer's block: the first site, the return address, and what
	# begins like the site but ends elsewhere.
	.section .sframe_coro, "a", @progbits, unique, 1
	.balign 8
	.short 0xdec0
	.byte 1, 0, 3, 32, 80, 32
	.long 32 + 3 * 32, 0, 3, 0, 0, 0
	entry .Lsite, .Lreturn-.Lsite
	entry .Lreturn, 0
	entry .Lsite, 1

	.section .tbss
	.globl dup.head
	.type dup.head, @object
	.size dup.head, 8
dup.head:
	.zero 8
	.bss
	.globl dup.root
	.hidden dup.root
	.type dup.root, @object
	.size dup.root, 8
dup.root:
	.zero 8
