# ld: warning: .sframe_coro not merged: unexpected relocation
	.include "flat.s"
	.section .sframe_coro
	.reloc .sframe_coro + 32, R_X86_64_PC64, flat
