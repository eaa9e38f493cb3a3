#source: weak.s
#show: relocs
Relocation section '.rela.text' contains 1 entry:
0000000000000000  0000000200000000 R_X86_64_NONE          0000000000000000 .sframe_coro + 0
Relocation section '.rela.sframe_coro' contains 2 entries:
0000000000000020  0000000100000018 R_X86_64_PC64          0000000000000000 .text + 0
0000000000000028  0000000300000018 R_X86_64_PC64          0000000000000000 other + 0
