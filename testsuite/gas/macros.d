#source: macros.s
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
    Length: 160 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "m8" at 0000000000000020 <m8>
      flags: none
      head [0]: global, 0000000000000000 <f>, path 0
      path next: 8
      ip: none
      end: null

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 160 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "m16" at 0000000000000020 <m16>
      flags: none
      head [0]: global, 0000000000000000 <f>, path 0
      path next: 16
      ip: none
      end: null

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 96 bytes
    Num Chains: 0
    Num Functions: 2

    func [0]: site, pc = 0000000000000001 <f+0x1>, size = 2 bytes, chain = 0000000000000020 <simple>
    func [1]: site, pc = 0000000000000003 <f+0x3>, size = 2 bytes, chain = 0000000000000020 <simple>

