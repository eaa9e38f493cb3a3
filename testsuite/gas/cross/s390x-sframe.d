#source: s390x.s
#as: s390x
#show: sframe
Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: s390x (big-endian)
    Length: 264 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "task" at 0000000000000020 <task>
      flags: none
      head [0]: tls, 0000000000000000 <.text.sframe_coro>, path 8
      head [1]: frame, 0000000000000000, path 8
      head [2]: tls_offset, 8, path 0
      head [3]: tls, 0000000000000020 <.text.sframe_coro+0x20>, path 0
      path next: 16
      path ip: 0
      ip: entry
      end: null

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: s390x (big-endian)
    Length: 240 bytes
    Num Chains: 0
    Num Functions: 2

    func [0]: site, pc = 0000000000000006 <resume+0x6>, size = 44 bytes, chain = 0000000000000020 <task>
        0000000000000006  cfa, 0
        0000000000000010  cfa, -168
        0000000000000018  cfa, -168
        000000000000001c  reg 15, 160
        0000000000000020  reg 6, 0
        0000000000000024  reg 7, 0 (in register)
        0000000000000028  reg 8, 16 (in register)
        000000000000002c  reg 9, 0 (in register)
        0000000000000030  cfa, -8
    func [1]: body, pc = 000000000000003a <actor>, size = 6 bytes, chain = 0000000000000020 <task>
        path next: 24
        index: offset 40, width 2
        point 2: 000000000000003e

