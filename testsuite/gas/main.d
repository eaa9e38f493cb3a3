#source: main.s
#show: sframe
Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 208 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "demo: task" at 0000000000000020 <demo.task>
      flags: running_head
      head [0]: tls, 0000000000000000 <.text.sframe_coro>, path 0
      path next: 16
      path ip: 0
      path ip_alt: 8
      ip: entry
      end: null
      test [0]: equal, width 8, offsets 0, 8, mask 0xffffffffffffffff: stop

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 (little-endian)
    Length: 64 bytes
    Num Chains: 0
    Num Functions: 1

    func [0]: site, pc = 0000000000000001 <resume+0x1>, size = 2 bytes, chain = 0000000000000020 <demo.task>

