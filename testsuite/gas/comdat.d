#source: comdat.s
#show: sframe
Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 200 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "lib::task" at 0000000000000020 <lib.task>
      flags: none
      head [0]: tls, 0000000000000000 <.text.sframe_coro>, path 0
      head [1]: tls, 0000000000000009 <.text.sframe_coro+0x9>, path 0
      path next: 16
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

    chain [0]: "plain" at 0000000000000020 <plain>
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
    Length: 64 bytes
    Num Chains: 0
    Num Functions: 1

    func [0]: site, pc = 0000000000000000 <f>, size = 2 bytes, chain = 0000000000000020 <lib.task>

