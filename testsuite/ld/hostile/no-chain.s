# ld: warning: .sframe_coro not merged: no chain is referred to
	.include "flat.s"
	.section .sframe_coro
	.reloc .sframe_coro + 120, R_X86_64_PC64, flat
