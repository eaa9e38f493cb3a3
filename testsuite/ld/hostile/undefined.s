# ld: undefined reference to .nowhere'
	.include "flat.s"
	.section .sframe_coro
	.reloc .sframe_coro + 120, R_X86_64_PC64, nowhere
	.hidden nowhere
