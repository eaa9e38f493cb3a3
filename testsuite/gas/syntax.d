#source: syntax.s
#show: sframe
Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 200 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "intel" at 0000000000000020 <intel>
      flags: none
      head [0]: tls, 0000000000000000 <.text.sframe_coro>, path 16
      path next: 8, adjust=4
      path ip: 0
      ip: return
      end: null
      test [0]: value, width 4, offset 8, value 0x3, mask 0xf: hide, stop

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 64 bytes
    Num Chains: 0
    Num Functions: 1

    func [0]: site, pc = 0000000000000000 <f>, size = 2 bytes, chain = 0000000000000020 <intel>

