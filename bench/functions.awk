# Assembly of many functions, each with unwind information as compilers give
# it and a body of a chain.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: awk -v n=NUMBER -f functions.awk

BEGIN {
  print ".text"
  print ".sframe_coro_chain bench_chain, \"bench\""
  print ".sframe_coro_head global, bench_head"
  print ".sframe_coro_path next, 16"
  print ".sframe_coro_path ip, 0"
  print ".sframe_coro_ip entry"
  print ".sframe_coro_endchain"
  for (i = 0; i < n; i++) {
    print "f" i ":"
    print ".cfi_startproc"
    print ".sframe_coro_startbody bench_chain"
    print "pushq %rbp"
    print ".cfi_def_cfa_offset 16"
    print ".cfi_offset %rbp, -16"
    print "movq %rsp, %rbp"
    print ".cfi_def_cfa_register %rbp"
    print ".skip " 16 + i * 7919 % 480 ", 0x90"
    print "popq %rbp"
    print ".cfi_def_cfa %rsp, 8"
    print "ret"
    print ".sframe_coro_endbody"
    print ".cfi_endproc"
    print ".balign 16, 0x90"
  }
  print ".bss"
  print "bench_head: .skip 8"
}
