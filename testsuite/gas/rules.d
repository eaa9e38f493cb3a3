#source: rules.s
#show: sframe
Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 336 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "interpreter" at 0000000000000020 <r.cookie>
      flags: process_scope, root_frame, ptrauth
      head [0]: global, 0000000000000000 <g>, path 0
      path top: 1, 2, 3, 4
      path next: -2147483648, 2147483647, adjust=-8
      path ip: 16
      path aux: 40
      path root_next: 64
      path root_key: 72
      path blocked: 16
      ip: cookie, language 1
      end: value 0xffffffffffffffff
      roots: tid
      root frame at: 16
      tag bits: 3
      max depth: 100
      test [0]: value, width 1, offset 70, value 0x3, mask 0xff: hide, boundary
      test [1]: value, width 2, offset 62, value 0x4, mask 0x4: boundary
      test [2]: value, width 4, offset 8, value 0x20000, mask 0x20000: stop
      test [3]: value, width 8, offset -8, value 0xffffffffffffffff, mask 0xffffffffffffffff: hide

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 176 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "r.return" at 0000000000000020 <r.return>
      flags: none
      head [0]: global, 0000000000000000 <g>, path 0
      path next: adjust=48
      path ip: 8
      ip: return
      end: address 0000000000000008 <g+0x8>
      roots: all

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 176 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "r.pc" at 0000000000000020 <r.pc>
      flags: none
      head [0]: global, 0000000000000000 <g>, path 0
      path next: 0
      path ip: 8
      path root_key: 0
      ip: pc
      end: self
      roots: tp

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 176 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "r.language" at 0000000000000020 <r.language>
      flags: none
      head [0]: global, 0000000000000000 <g>, path 0
      path next: 0
      path ip: 8
      ip: cookie, language 32769
      end: null

