#source: rows.s
#show: sframe
Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 152 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "framed" at 0000000000000020 <framed>
      flags: none
      head [0]: frame, 0000000000000000
      path next: 16
      ip: none
      end: null

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 1128 bytes
    Num Chains: 0
    Num Functions: 23

    func [0]: site, pc = 0000000000000000 <plain>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000000  cfa, -24
    func [1]: site, pc = 0000000000000002 <plain+0x2>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000002  cfa, -24
    func [2]: site, pc = 0000000000000004 <plain+0x4>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000004  reg 3, 0 (in register)
    func [3]: site, pc = 0000000000000006 <plain+0x6>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000006  reg 12, 16 (in register)
    func [4]: site, pc = 0000000000000008 <plain+0x8>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000008  reg 3, -8 (in register)
    func [5]: site, pc = 000000000000000a <plain+0xa>, size = 2 bytes, chain = 0000000000000020 <framed>
        000000000000000a  reg 6, -24
    func [6]: site, pc = 000000000000000c <plain+0xc>, size = 2 bytes, chain = 0000000000000020 <framed>
        000000000000000c  reg 6, 0
    func [7]: site, pc = 000000000000000e <plain+0xe>, size = 2 bytes, chain = 0000000000000020 <framed>
        000000000000000e  reg 15, 0
    func [8]: site, pc = 0000000000000010 <plain+0x10>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000010  reg 7, 48
    func [9]: site, pc = 0000000000000012 <plain+0x12>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000012  reg 7, 16
    func [10]: site, pc = 0000000000000014 <with_cfi>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000014  cfa, 0
    func [11]: site, pc = 0000000000000017 <with_cfi+0x3>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000017  cfa, -8
    func [12]: site, pc = 000000000000001c <with_cfi+0x8>, size = 2 bytes, chain = 0000000000000020 <framed>
        000000000000001c  cfa, -40
    func [13]: site, pc = 000000000000001e <with_cfi+0xa>, size = 2 bytes, chain = 0000000000000020 <framed>
        000000000000001e  reg 7, 24
    func [14]: site, pc = 0000000000000021 <with_cfi+0xd>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000021  cfa, -24
    func [15]: site, pc = 0000000000000023 <with_cfi+0xf>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000023  cfa, -24
    func [16]: site, pc = 0000000000000025 <with_cfi+0x11>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000025  cfa, -24
    func [17]: site, pc = 0000000000000027 <with_cfi+0x13>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000027  cfa, -40
    func [18]: site, pc = 0000000000000029 <with_cfi+0x15>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000029  reg 6, -24
    func [19]: site, pc = 000000000000002b <with_cfi+0x17>, size = 2 bytes, chain = 0000000000000020 <framed>
        000000000000002b  cfa, -40
    func [20]: site, pc = 000000000000002d <with_cfi+0x19>, size = 2 bytes, chain = 0000000000000020 <framed>
        000000000000002d  reg 6, -24
    func [21]: site, pc = 000000000000002f <intel>, size = 7 bytes, chain = 0000000000000020 <framed>
        000000000000002f  cfa, 8
        0000000000000030  reg 6, -24
        0000000000000031  reg 6, -16
        0000000000000032  cfa, 16
        0000000000000033  reg 3, 0
        0000000000000034  reg 3, 8 (in register)
    func [22]: site, pc = 0000000000000036 <several>, size = 124 bytes, chain = 0000000000000020 <framed>
        000000000000003b  reg 3, 0 (in register)
        0000000000000040  reg 6, -24
        00000000000000b0  cfa, -8

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 80 bytes
    Num Chains: 0
    Num Functions: 1

    func [0]: site, pc = 0000000000000000 <.text.other>, size = 2 bytes, chain = 0000000000000020 <framed>
        0000000000000000  cfa, 0

