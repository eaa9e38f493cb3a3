#source: rules.s
#show: relocs
Relocation section '.rela.sframe_coro' contains 1 entry:
0000000000000078  0000000100000018 R_X86_64_PC64          0000000000000000 .data + 0
Relocation section '.rela.sframe_coro' contains 2 entries:
0000000000000038  0000000100000018 R_X86_64_PC64          0000000000000000 .data + 8
0000000000000078  0000000100000018 R_X86_64_PC64          0000000000000000 .data + 0
Relocation section '.rela.sframe_coro' contains 1 entry:
0000000000000078  0000000100000018 R_X86_64_PC64          0000000000000000 .data + 0
Relocation section '.rela.sframe_coro' contains 1 entry:
0000000000000078  0000000100000018 R_X86_64_PC64          0000000000000000 .data + 0
