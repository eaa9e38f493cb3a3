# One sorted block; chains that are the same in both objects are one.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#name: .sframe_coro: merge
#source: dup-a.s
#source: dup-b.s
#as: -I$srcdir/$subdir
#ld: -e _start
#readelf: --sframe
#...
Contents of the \.sframe_coro section \.sframe_coro:
  Block \[0\] at offset 0 :
    Version: SFRAME_CORO_VERSION_1
    Flags: SFRAME_CORO_F_FUNCS_SORTED
    ABI/Arch: AMD64 \(little-endian\)
    Length: 1256 bytes
    Num Chains: 6
    Num Functions: 11
    chain \[0\]: "shared" at [0-9a-f]+ <shared\.task>
      flags: none
      head \[0\]: tls, [0-9a-f]+, path 0
      path next: 16
      ip: none
      end: null
      test \[0\]: equal, width 8, offsets 0, 8, mask 0xffffffffffffffff: stop
    chain \[1\]: "root" at [0-9a-f]+ <root\.task>
      flags: none
      head \[0\]: global, [0-9a-f]+ <__bss_start>, path 0
      path next: 16
      ip: none
      end: address [0-9a-f]+ <__bss_start>
    chain \[2\]: "shared" at [0-9a-f]+ <longer\.task>
      flags: none
      head \[0\]: tls, [0-9a-f]+, path 0
      path next: 16, 8
      ip: none
      end: null
      test \[0\]: equal, width 8, offsets 0, 8, mask 0xffffffffffffffff: stop
    chain \[3\]: "private" at [0-9a-f]+ <private\.task>
      flags: none
      head \[0\]: tls, [0-9a-f]+, path 0
      path next: 16
      ip: none
      end: null
    chain \[4\]: "framed" at [0-9a-f]+ <framed\.task>
      flags: none
      head \[0\]: frame, [0-9a-f]+
      path next: 16
      ip: none
      end: null
    chain \[5\]: "private" at [0-9a-f]+ <private\.task>
      flags: none
      head \[0\]: tls, [0-9a-f]+, path 0
      path next: 16
      ip: none
      end: null
    func \[0\]: site, pc = [0-9a-f]+ <a\.shared>, size = 2 bytes, chain = [0-9a-f]+ <shared\.task>
    func \[1\]: site, pc = [0-9a-f]+ <a\.root>, size = 2 bytes, chain = [0-9a-f]+ <root\.task>
    func \[2\]: site, pc = [0-9a-f]+ <a\.longer>, size = 2 bytes, chain = [0-9a-f]+ <longer\.task>
    func \[3\]: site, pc = [0-9a-f]+ <a\.private>, size = 2 bytes, chain = [0-9a-f]+ <private\.task>
    func \[4\]: body, pc = [0-9a-f]+ <_start>, size = 17 bytes, chain = [0-9a-f]+ <shared\.task>
        index: offset 24, width 4
        point 2: [0-9a-f]+
        point 1: [0-9a-f]+
    func \[5\]: site, pc = [0-9a-f]+ <a\.framed>, size = 2 bytes, chain = [0-9a-f]+ <framed\.task>
        [0-9a-f]+  cfa, -24
    func \[6\]: site, pc = [0-9a-f]+ <b\.shared>, size = 2 bytes, chain = [0-9a-f]+ <shared\.task>
    func \[7\]: site, pc = [0-9a-f]+ <b\.root>, size = 2 bytes, chain = [0-9a-f]+ <root\.task>
    func \[8\]: site, pc = [0-9a-f]+ <b\.longer>, size = 2 bytes, chain = [0-9a-f]+ <longer\.task>
    func \[9\]: site, pc = [0-9a-f]+ <b\.private>, size = 2 bytes, chain = [0-9a-f]+ <private\.task>
    func \[10\]: site, pc = [0-9a-f]+ <b\.framed>, size = 2 bytes, chain = [0-9a-f]+ <framed\.task>
        [0-9a-f]+  cfa, -24
#pass
