#source: sites.s
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
    Length: 128 bytes
    Num Chains: 0
    Num Functions: 3

    func [0]: site, pc = 0000000000000001 <b>, size = 0 bytes, chain = 0000000000000020 <simple>
    func [1]: site, pc = 0000000000000001 <b>, size = 220 bytes, chain = 0000000000000020 <simple>
    func [2]: site, pc = 00000000000000dd <later>, size = 2 bytes, chain = 0000000000000020 <simple>

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 64 bytes
    Num Chains: 0
    Num Functions: 1

    func [0]: site, pc = 0000000000000000 <cold>, size = 2 bytes, chain = 0000000000000020 <simple>

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 64 bytes
    Num Chains: 0
    Num Functions: 1

    func [0]: site, pc = 0000000000000000 <inl>, size = 2 bytes, chain = 0000000000000020 <simple>

