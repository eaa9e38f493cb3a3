#source: conditional.s
#show: sframe
Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 168 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "chain.plain" at 0000000000000020 <chain.plain>
      flags: none
      head [0]: global, 0000000000000008 <list>, path 0
      path next: 16
      ip: none
      end: null

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 176 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "chain.rooted" at 0000000000000020 <chain.rooted>
      flags: none
      head [0]: global, 0000000000000000 <roots>, path 0
      path next: 16
      path root_next: 8
      ip: none
      end: null
      roots: all

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 96 bytes
    Num Chains: 0
    Num Functions: 2

    func [0]: site, pc = 0000000000000000 <f>, size = 2 bytes, chain = 0000000000000020 <chain.plain>
    func [1]: site, pc = 0000000000000002 <f+0x2>, size = 2 bytes, chain = 0000000000000020 <chain.rooted>

