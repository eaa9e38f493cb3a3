#source: bodies.s
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
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 424 bytes
    Num Chains: 0
    Num Functions: 9

    func [0]: body, pc = 0000000000000000 <whole>, size = 216 bytes, chain = 0000000000000020 <simple>
        path next: 8, -16, adjust=24
        path ip: 40
        index: offset 16, width 2
        point 4: 0000000000000001
        point 2: 0000000000000006
        point 6: 0000000000000010
    func [1]: site, pc = 0000000000000006 <whole+0x6>, size = 2 bytes, chain = 0000000000000020 <simple>
    func [2]: body, pc = 00000000000000d8 <bare>, size = 1 bytes, chain = 0000000000000020 <simple>
    func [3]: body, pc = 00000000000000d9 <no_points>, size = 2 bytes, chain = 0000000000000020 <simple>
        index: offset -4, width 1
    func [4]: site, pc = 00000000000000d9 <no_points>, size = 2 bytes, chain = 0000000000000020 <simple>
    func [5]: site, pc = 00000000000000db <no_index>, size = 2 bytes, chain = 0000000000000020 <simple>
    func [6]: body, pc = 00000000000000db <no_index>, size = 2 bytes, chain = 0000000000000020 <simple>
        path ip: 8
    func [7]: site, pc = 00000000000000dd <first>, size = 2 bytes, chain = 0000000000000020 <simple>
    func [8]: body, pc = 00000000000000df <second>, size = 2 bytes, chain = 0000000000000020 <simple>

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 104 bytes
    Num Chains: 0
    Num Functions: 1

    func [0]: body, pc = 0000000000000000 <inl>, size = 4 bytes, chain = 0000000000000020 <simple>
        index: offset 2147483647, width 4
        point 2147483647: 0000000000000001
        point 2147483648: 0000000000000002
        point 2147483649: 0000000000000003

