# ld: warning: .sframe_coro not merged: unexpected relocation
	.include "flat.s"
	.section .sframe_coro
	.reloc .sframe_coro + 112, R_X86_64_PC64, flat
	.reloc .sframe_coro + 112, R_X86_64_PC64, flat
