#source: heads.s
#show: sframe
Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 264 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "c.tls" at 0000000000000020 <c.tls>
      flags: none
      head [0]: tls, 0000000000000000 <.text.sframe_coro>, path 24
      head [1]: tls_offset, 8, path 16, -16
      head [2]: tls, 0000000000000009 <.text.sframe_coro+0x9>, path adjust=4
      head [3]: tls, 0000000000000012 <.text.sframe_coro+0x12>, path 32
      path next: 0
      ip: none
      end: null

Contents of the .sframe_coro section .sframe_coro:

  Block [0] at offset 0 :

    Version: SFRAME_CORO_VERSION_1
    Flags: NONE
    ABI/Arch: AMD64 (little-endian)
    Length: 248 bytes
    Num Chains: 1
    Num Functions: 0

    chain [0]: "c.data" at 0000000000000020 <c.data>
      flags: none
      head [0]: tp_slot, 0000000000000000 <slot>, path 0
      head [1]: global, 0000000000000018 <list+0x10>, path 8
      head [2]: pthread_key, 0000000000000028 <key>
      head [3]: pthread_key, 0000000000000028 <key>, invalid 0xffffffff, path 0
      path next: 0
      ip: none
      end: null

