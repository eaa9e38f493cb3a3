#source: visibility.s
#show: sframe
Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 168 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "made.hidden" at 0000000000000020 <made.hidden>
      flags: none
      head [0]: global, 0000000000000000 <g>, path 0
      path next: 0
      ip: none
      end: null

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 168 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "stays.protected" at 0000000000000020 <stays.protected>
      flags: none
      head [0]: global, 0000000000000000 <g>, path 0
      path next: 0
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

    func [0]: site, pc = 0000000000000000 <f>, size = 2 bytes, chain = 0000000000000000 <in.another.object>
    func [1]: site, pc = 0000000000000002 <f+0x2>, size = 2 bytes, chain = 0000000000000020 <made.hidden>

