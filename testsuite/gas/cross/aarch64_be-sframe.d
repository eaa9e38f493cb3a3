#source: aarch64.s
#as: aarch64 -EB
#show: sframe
Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AArch64 (big-endian)
    Length: 264 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "task" at 0000000000000020 <task>
      flags: ptrauth
      head [0]: tls, 0000000000000000 <.text.sframe_coro>, path 8
      head [1]: frame, 0000000000000000, path 8
      head [2]: global, 0000000000000000 <roots>, path 0
      head [3]: tls, 0000000000000010 <.text.sframe_coro+0x10>, path 0
      path next: 16
      path ip: 0
      ip: entry
      end: null

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AArch64 (big-endian)
    Length: 280 bytes
    Num Chains: 0
    Num Functions: 3

    func [0]: site, pc = 0000000000000008 <resume+0x8>, size = 36 bytes, chain = 0000000000000020 <task>
        0000000000000008  cfa, -24
        000000000000000c  cfa, -24
        0000000000000010  cfa, -48
        0000000000000014  reg 29, -16
        0000000000000018  reg 19, 0
        000000000000001c  reg 19, 0 (in register)
        0000000000000020  reg 20, 16 (in register)
        0000000000000024  reg 21, 0 (in register)
        0000000000000028  cfa, -8
    func [1]: site, pc = 000000000000002c <resume+0x2c>, size = 4 bytes, chain = 0000000000000020 <task>
        000000000000002c  cfa, -24
    func [2]: body, pc = 0000000000000038 <actor>, size = 8 bytes, chain = 0000000000000020 <task>
        path next: 24
        index: offset 40, width 2
        point 2: 000000000000003c

