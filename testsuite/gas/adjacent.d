#source: adjacent.s
#show: sframe
Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 160 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "simple" at 0000000000000020 <simple>
      flags: none
      head [0]: tls, 0000000000000000 <.text.sframe_coro>, path 0
      path next: 0
      ip: none
      end: null

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 96 bytes
    Num Chains: 0
    Num Functions: 2

    func [0]: site, pc = 0000000000000000 <same>, size = 2 bytes, chain = 0000000000000020 <simple>
    func [1]: site, pc = 0000000000000002 <same+0x2>, size = 0 bytes, chain = 0000000000000020 <simple>

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 96 bytes
    Num Chains: 0
    Num Functions: 2

    func [0]: site, pc = 0000000000000000 <maybe>, size = 2 bytes, chain = 0000000000000020 <simple>
    func [1]: site, pc = 0000000000000002 <maybe+0x2>, size = 0 bytes, chain = 0000000000000020 <simple>

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 160 bytes
    Num Chains: 0
    Num Functions: 4

    func [0]: site, pc = 0000000000000000 <behind>, size = 0 bytes, chain = 0000000000000020 <simple>
    func [1]: site, pc = 0000000000000000 <behind>, size = 2 bytes, chain = 0000000000000020 <simple>
    func [2]: site, pc = 0000000000000003 <behind+0x3>, size = 0 bytes, chain = 0000000000000020 <simple>
    func [3]: site, pc = 0000000000000003 <behind+0x3>, size = 0 bytes, chain = 0000000000000020 <simple>

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 192 bytes
    Num Chains: 0
    Num Functions: 5

    func [0]: site, pc = 0000000000000000 <relaxed>, size = 2 bytes, chain = 0000000000000020 <simple>
    func [1]: site, pc = 0000000000000004 <relaxed+0x4>, size = 0 bytes, chain = 0000000000000020 <simple>
    func [2]: site, pc = 0000000000000004 <relaxed+0x4>, size = 0 bytes, chain = 0000000000000020 <simple>
    func [3]: site, pc = 0000000000000004 <relaxed+0x4>, size = 2 bytes, chain = 0000000000000020 <simple>
    func [4]: site, pc = 0000000000000006 <relaxed+0x6>, size = 2 bytes, chain = 0000000000000020 <simple>

