#source: fixed-frags.s
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
    Length: 64 bytes
    Num Chains: 0
    Num Functions: 1

    func [0]: body, pc = 0000000000000000 <f>, size = 16 bytes, chain = 0000000000000020 <framed>

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 88 bytes
    Num Chains: 0
    Num Functions: 1

    func [0]: site, pc = 0000000000000000 <g>, size = 16 bytes, chain = 0000000000000020 <framed>
        0000000000000000  cfa, -8
        0000000000000010  cfa, -16

