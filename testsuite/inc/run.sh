#!/bin/bash
# The directives as macros, for assemblers without them.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From the environment: SFRAME_CORO, the command; SFRAME_CORO_BINUTILS, where
# the assembler with directives is, to compare with.
#
#   NAME.s     sources, besides those of ../gas
#   errors.in  sources with mistakes, and what GNU as says of them

set -u
export LC_ALL=C
cd "$(dirname "$0")" || exit 1
src=$PWD include=$PWD/../../include
bin=${SFRAME_CORO_BINUTILS:-$src/../../build/stage/binutils/bin}
sframe_coro=${SFRAME_CORO:-$src/../../build/obj/tools/sframe-coro}
as=/usr/bin/as clang=clang-19

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
suite=inc
# shellcheck source=../cases.sh
. ../cases.sh

have ()
{
  command -v "$1" >/dev/null
}

# SOURCE as it is for an assembler without directives, for ABI if that is given.
with_macros ()
{
  [ -z "${2:-}" ] || echo "	.set SFRAME_CORO_ABI, $2"
  echo '	.include "sframe-coro.inc"'
  cat "$1"
}

clang_as ()
{
  # It passes on what it is to ignore.
  "$clang" -Wno-unused-command-line-argument -c -x assembler \
    -Wa,-I,"$include" -Wa,-I,"$src/../gas" "$@"
}

gnu_as ()
{
  local program=$1

  shift
  "$program" -I "$include" -I "$src/../gas" "$@"
}

contents ()
{
  "$sframe_coro" dump --json "$1" | ./contents.py ${2:+"$2"}
}

# compare NAME SOURCE ABI COMMAND...: the same records as with directives.
compare ()
{
  local name=$1 source=$2 abi=$3 any=

  shift 3
  [ -z "$abi" ] || any=--any-abi
  with_macros "$source" "$abi" >"$tmp/m.s"
  if ! "$bin/as" -I "$src/../gas" "$source" -o "$tmp/native.o" >"$tmp/log" 2>&1 ||
     ! contents "$tmp/native.o" $any >"$tmp/native" 2>"$tmp/log"; then
    fail "$name" "with directives"
  elif ! "$@" "$tmp/m.s" -o "$tmp/m.o" >"$tmp/log" 2>&1 || [ -s "$tmp/log" ]; then
    fail "$name" "does not assemble quietly"
  elif ! contents "$tmp/m.o" $any >"$tmp/macros" 2>"$tmp/log"; then
    fail "$name" "cannot be dumped"
  elif ! diff "$tmp/native" "$tmp/macros" >"$tmp/log"; then
    fail "$name" "other records"
  elif readelf -sW "$tmp/m.o" | grep -i 'sframe_coro\.' >"$tmp/log"; then
    fail "$name" "symbols of the macros are in the object"
  elif ! readelf -rW "$tmp/m.o" | awk '/\.rela\.sframe_coro/ { ours = 1; next }
	   /^Relocation/ { ours = 0 }
	   ours && /R_/ && !/PC64|PREL64|DTPOFF64|TLS_LDO64/ { print; bad = 1 }
	   END { exit bad }' >"$tmp/log"; then
    fail "$name" "a relocation that may not be"
  else
    pass "$name"
  fi
}

test_same_records ()
{
  local s name

  for s in ../gas/{main,sites,macros,comdat,visibility,weak,icf,link-main}.s \
	   ../gas/foreign.s heads.s rows.s rules.s neutral.s; do
    name=$(basename "$s" .s)
    compare "$name-gas" "$s" '' gnu_as "$as"
    have "$clang" && compare "$name-clang" "$s" '' clang_as
  done
  # What that assembler reads, and GNU as, where macros are concerned, not.
  if have "$clang"; then
    compare "bodies-clang" ../gas/bodies.s '' clang_as
    compare "rules-blanks-clang" ../gas/rules.s '' clang_as
  else
    skip clang "no $clang"
  fi
}

# The other targets.
test_targets ()
{
  local abi target option

  while read -r abi target option; do
    if have "$target-as"; then
      compare "$target$option-gas" neutral.s "$abi" gnu_as "$target-as" $option
    else
      skip "$target$option-gas" "no $target-as"
    fi
  done <<'END'
2 aarch64-linux-gnu
1 aarch64-linux-gnu -EB
4 s390x-linux-gnu
END
  have "$clang" || return
  while read -r abi target; do
    compare "$target-clang" neutral.s "$abi" clang_as "--target=$target"
  done <<'END'
2 aarch64-linux-gnu
1 aarch64_be-linux-gnu
4 s390x-linux-gnu
END
}

# Registers by name and number, as .cfi_* has them, and a warning for those that
# calls change.
test_registers ()
{
  local abi target names numbers changed

  while read -r abi target names numbers changed; do
    have "$target-as" || { skip "registers/$target" "no $target-as"; continue; }
    {
      printf '\t.set SFRAME_CORO_ABI, %s\n\t.include "sframe-coro.inc"\n' "$abi"
      for name in ${names//,/ } $changed; do
	printf '\t.sframe_coro_startsite c\n\t.sframe_coro_head_at reg, %s\n' "$name"
	printf '\t.sframe_coro_endsite\n'
      done
    } >"$tmp/m.s"
    gnu_as "$target-as" "$tmp/m.s" -o "$tmp/m.o" >"$tmp/log" 2>&1
    if [ "$(grep -c Warning: "$tmp/log")" = 1 ] &&
       grep -q "Warning: .sframe_coro_head_at: register $changed does not survive calls" \
	 "$tmp/log" &&
       contents "$tmp/m.o" >"$tmp/log" &&
       [ "$(sed -n 's/.*"register": \([0-9]*\).*/\1/p' "$tmp/log" | sort -n | tr '\n' ,)" \
	 = "$numbers" ]; then
      pass "registers/$target"
    else
      fail "registers/$target" "not $numbers, or not one warning"
    fi
  done <<'END'
3 x86_64-linux-gnu %rbx,rbp,7,%r12,r15 2,3,6,7,12,15, %rcx
2 aarch64-linux-gnu x19,x29,sp,20 9,19,20,29,31, x9
4 s390x-linux-gnu %r6,r13,15 1,6,13,15, %r1
END
}

# A number that is another target's is noticed.
test_wrong_target ()
{
  local abi

  for abi in 0 1 2 4 5; do
    with_macros neutral.s $abi >"$tmp/m.s"
    if gnu_as "$as" "$tmp/m.s" -o "$tmp/m.o" >"$tmp/log" 2>&1; then
      fail "wrong-target/$abi" "was accepted"
    else
      pass "wrong-target/$abi"
    fi
  done
}

# Through the preprocessor, which knows the target, with both compilers.
test_preprocessed ()
{
  local cc

  { echo '#include "sframe-coro.inc"'; cat neutral.s; } | grep -v '^# ' >"$tmp/m.S"
  for cc in gcc "$clang" aarch64-linux-gnu-gcc s390x-linux-gnu-gcc; do
    have "$cc" || { skip "preprocessed/$cc" "no $cc"; continue; }
    "$bin/as" neutral.s -o "$tmp/native.o"
    contents "$tmp/native.o" --any-abi >"$tmp/native"
    if "$cc" -I"$include" -c "$tmp/m.S" -o "$tmp/m.o" >"$tmp/log" 2>&1 &&
       contents "$tmp/m.o" --any-abi >"$tmp/macros" 2>"$tmp/log" &&
       diff "$tmp/native" "$tmp/macros" >"$tmp/log"; then
      pass "preprocessed/$cc"
    else
      fail "preprocessed/$cc" "other records"
    fi
  done
}

# An assembler with directives takes its own, without a word.
test_native ()
{
  with_macros ../gas/main.s >"$tmp/m.s"
  if "$bin/as" --fatal-warnings -I "$include" "$tmp/m.s" -o "$tmp/m.o" >"$tmp/log" 2>&1 &&
     "$bin/as" ../gas/main.s -o "$tmp/native.o" &&
     cmp "$tmp/m.o" "$tmp/native.o" >"$tmp/log"; then
    pass native
  else
    fail native "not what the directives give"
  fi
}

# What GNU as says of FILE, which begins with one line more, as `LINE: TEXT';
# END for what it finds at the end.
messages ()
{
  gnu_as "$as" "$1" -o "$tmp/m.o" 2>&1 | awk '
    function flush () { if (text != "") print (line - 1) ": " text; text = "" }
    / Error: / {
      flush ()
      line = $0; sub (/^[^:]*:/, "", line); sub (/:.*/, "", line)
      text = $0; sub (/.* Error: /, "", text)
      if (text ~ /^can.t resolve/ || line !~ /^[0-9]/) {
	print "END: " text
	text = ""
      }
      next
    }
    /Info: macro invoked from here/ {
      line = $0; sub (/^[^:]*:/, "", line); sub (/:.*/, "", line)
    }
    END { flush () }' | uniq
}

test_errors ()
{
  local f name

  mkdir "$tmp/errors"
  awk -v dir="$tmp/errors" '
    /^# case / { file = dir "/" $3 ".s"; print "\t.include \"sframe-coro.inc\"" >file; next }
    file != "" { print >file }' errors.in
  for f in "$tmp"/errors/*.s; do
    name=errors/$(basename "$f" .s)
    sed -n 's/^#! //p' "$f" >"$tmp/want"
    messages "$f" >"$tmp/got"
    if ! [ -s "$tmp/want" ] || ! diff "$tmp/want" "$tmp/got" >"$tmp/log"; then
      fail "$name" "unexpected messages"
    elif have "$clang" && clang_as "$f" -o "$tmp/m.o" >"$tmp/log" 2>&1 &&
	 ! [[ $name =~ tls-of-data ]]; then
      : >"$tmp/log"
      fail "$name" "$clang accepts it"
    else
      pass "$name"
    fi
  done
}

# Wait until PID has said to be ready and sleeps, in the read that follows;
# false if it ends before.
await_rest ()
{
  while kill -0 "$1" 2>/dev/null; do
    if [ -s "$tmp/ready" ] && grep -q '^State:.S' "/proc/$1/status"; then
      return
    fi
    sleep 0.05
  done
  return 1
}

# stack_case OBJECT LINKER: link, run, look.
stack_case ()
{
  local pid shown

  gcc -fuse-ld="$2" -Wl,--gc-sections "$tmp/main.o" "$1" -o "$tmp/program" \
    || return
  "$sframe_coro" check "$tmp/program" || return
  : >"$tmp/ready"
  exec 7> >(exec "$tmp/program" >"$tmp/ready")
  pid=$!
  await_rest "$pid" && "$sframe_coro" stack -p "$pid"
  shown=$?
  exec 7>&-
  wait "$pid"
  return $shown
}

# From source to stack, with every linker.
test_stack ()
{
  local linker o name

  with_macros pump.s >"$tmp/pump.s"
  if ! { gnu_as "$as" "$tmp/pump.s" -o "$tmp/pump-gas.o" &&
	 { ! have "$clang" ||
	   clang_as "$tmp/pump.s" -o "$tmp/pump-clang.o"; } &&
	 gcc -O2 -c pump-main.c -o "$tmp/main.o"; } >"$tmp/log" 2>&1; then
    fail stack "does not compile"
    return
  fi
  for o in "$tmp"/pump-*.o; do
    for linker in bfd gold lld mold; do
      name=stack/$(basename "$o" .o)-$linker
      have ld.$linker || have $linker || { skip "$name" "no $linker"; continue; }
      if ! stack_case "$o" $linker >"$tmp/log" 2>&1; then
	fail "$name" "cannot be looked at"
      # The running one is on the stack; those that await follow it, before the
      # frames of `pump'.
      elif awk '/ in_c|in_c\>/ { c = NR } /pump\.demo:1|demo:1\]/ { one = NR }
	      /demo:2\]/ { two = NR } /(^| )pump( |$)/ { pump = NR }
	      END { exit !(c < one && one < two && two < pump && c) }' "$tmp/log"; then
	pass "$name"
      else
	fail "$name" "unexpected stack"
      fi
    done
  done
}

if [ ! -x "$as" ]; then
  skip all "no $as"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
test_same_records
test_targets
test_registers
test_wrong_target
test_preprocessed
test_native
test_errors
test_stack
totals
