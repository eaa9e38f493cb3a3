# Along with .sframe, of which there is none.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#name: .sframe_coro: objdump
#source: main.s
#target: x86_64-*-*
#PROG: objcopy
#objdump: --sframe
#...
Contents of the \.sframe_coro section \.sframe_coro:
#...
    chain \[0\]: "demo: task" at 0000000000000020 <demo\.task>
      flags: running_head
      head \[0\]: tls, 0000000000000000 <\.text\.sframe_coro>, path 0
      path next: 16
#...
    func \[0\]: site, pc = [0-9a-f]+ <resume\+0x1>, size = 2 bytes, chain = [0-9a-f]+ <demo\.task>
#pass
