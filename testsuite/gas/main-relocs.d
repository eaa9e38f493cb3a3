#source: main.s
#show: relocs
Relocation section '.rela.text' contains 1 entry:
0000000000000001  0000000600000000 R_X86_64_NONE          0000000000000000 .sframe_coro + 0
Relocation section '.rela.sframe_coro' contains 1 entry:
0000000000000078  0000000500000018 R_X86_64_PC64          0000000000000000 .text.sframe_coro + 0
Relocation section '.rela.text.sframe_coro' contains 2 entries:
0000000000000003  0000000400000022 R_X86_64_GOTPC32_TLSDESC 0000000000000000 leaf - 4
0000000000000007  0000000400000023 R_X86_64_TLSDESC_CALL  0000000000000000 leaf + 0
Relocation section '.rela.sframe_coro' contains 2 entries:
0000000000000020  0000000100000018 R_X86_64_PC64          0000000000000000 .text + 1
0000000000000028  0000000300000018 R_X86_64_PC64          0000000000000000 .sframe_coro + 20
