#!/bin/bash
# Test what GNU ld makes of .sframe_coro: one sorted block.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From the environment: SFRAME_CORO_BINUTILS, a directory with the patched
# programs; SFRAME_CORO, the command; CC and CXX.  Arguments select tests by
# name.  What is merged is compared with what is not, of the same objects:
# --traditional-format keeps ld from editing sections.

set -u
export LC_ALL=C
cd "$(dirname "$0")" || exit 1
src=$PWD
top=$(cd ../.. && pwd)
bin=${SFRAME_CORO_BINUTILS:-$top/build/stage/binutils/bin}
CORO=${SFRAME_CORO:-$top/build/stage/bin/sframe-coro}
AS=$bin/as LD=$bin/ld READELF=$bin/readelf OBJCOPY=$bin/objcopy
OBJDUMP=$bin/objdump STRIP=$bin/strip
CXX=${CXX:-g++}

for tool in "$AS" "$LD" "$READELF" "$OBJCOPY" "$CORO"; do
  command -v "$tool" >/dev/null || { echo "run.sh: no $tool" >&2; exit 1; }
done

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
suite=ld
# shellcheck source=../cases.sh
. ../cases.sh

selected=("$@")
wanted ()
{
  local pattern

  [ ${#selected[@]} -gt 0 ] || return 0
  for pattern in "${selected[@]}"; do
    # shellcheck disable=SC2254
    case $1 in $pattern) return 0 ;; esac
  done
  return 1
}

# assemble SOURCE OBJECT [OPTION...]
assemble ()
{
  local source=$1 object=$2
  shift 2
  "$AS" "$@" -I "$src" -I "$src/../gas" "$source" -o "$object"
}

# Quietly: a linker that complains fails the test.
link ()
{
  "$LD" "$@" >"$tmp/said" 2>&1 && [ ! -s "$tmp/said" ] || {
    cat "$tmp/said"
    return 1
  }
}

# The blocks of FILE, as FLAGS:CHAINS:FUNCTIONS.
blocks ()
{
  "$CORO" dump "$1" | awk '
    /^ *Flags:/ { flags = $2 }
    /^ *Num Chains:/ { chains = $3 }
    /^ *Num Functions:/ { print flags ":" chains ":" $3 }'
}

# The names of FILE's functions, sorted.
functions ()
{
  "$CORO" dump "$1" | sed -n 's/^ *func .*: \([a-z]*\), pc = .* <\(.*\)>, size.*/\1 \2/p' \
    | sort
}

# Address, offset and size of the section, in hexadecimal, as the section header
# has them; the same of the program header.
section_place ()
{
  "$READELF" -SW "$1" | sed -n 's/.*\] \.sframe_coro  *PROGBITS *//p' \
    | awk '{ print $1, $2, $3 }' | plain_numbers
}
segment_place ()
{
  "$READELF" -lW "$1" | awk '$1 == "SFRAME_CORO" { print $3, $2, $5 }' \
    | plain_numbers
}
plain_numbers ()
{
  sed -e 's/\(0x\)*0*\([0-9a-f][0-9a-f]*\)/\2/g'
}

# Describe FILE, with the offsets of TLS heads if they are constant.
describe ()
{
  "$src/describe.py" $heads "$CORO" "$1"
}

# check_merged FILE: one sorted block without faults, a program header for it,
# no relocation in it.
check_merged ()
{
  local file=$1 start size rel

  "$CORO" check "$file" || return 1
  case $(blocks "$file") in
    SFRAME_CORO_F_FUNCS_SORTED:*:*) ;;
    *) echo "not one sorted block:"; blocks "$file"; return 1 ;;
  esac
  [ "$(blocks "$file" | wc -l)" = 1 ] || { echo "several blocks"; return 1; }
  [ "$(section_place "$file")" = "$(segment_place "$file")" ] || {
    echo "section at $(section_place "$file"), segment at $(segment_place "$file")"
    return 1
  }
  read -r start _ size < <(section_place "$file")
  for rel in $("$READELF" -rW "$file" | awk '/R_/ { print $1 }'); do
    if ((16#$rel >= 16#$start && 16#$rel < 16#$start + 16#$size)); then
      echo "dynamic relocation in the section"
      return 1
    fi
  done
  if "$READELF" -dW "$file" | grep -e TEXTREL -e STATIC_TLS; then return 1; fi
}

# Merged and not, in all modes, objects describe the same.
same_set ()
{
  local name=$1 mode options

  shift
  while read -r mode heads options; do
    wanted "$name-$mode" || continue
    heads=${heads#none}
    # shellcheck disable=SC2086
    if ! { link $options "$@" -o "$tmp/merged" \
	   && link $options --traditional-format "$@" -o "$tmp/plain" \
	   && check_merged "$tmp/merged"; } >"$tmp/log" 2>&1; then
      fail "$name-$mode" "not merged"
    elif [ "$(blocks "$tmp/plain" | wc -l)" -lt 2 ]; then
      fail "$name-$mode" "nothing to merge"
    else
      describe "$tmp/merged" >"$tmp/a"
      describe "$tmp/plain" >"$tmp/b"
      if [ -s "$tmp/a" ] && diff "$tmp/b" "$tmp/a" >"$tmp/log"; then
	pass "$name-$mode"
      else
	fail "$name-$mode" "describes something else"
      fi
    fi
  done <<'END'
static --heads -static
exec --heads -no-pie
pie --heads -pie
static-pie --heads -static -pie --no-dynamic-linker -z text
shared none -shared -z text
END
}

test_same_set ()
{
  assemble ../gas/link-main.s "$tmp/main.o" \
    && assemble ../gas/link-other.s "$tmp/other.o" \
    && assemble dup-a.s "$tmp/a.o" && assemble dup-b.s "$tmp/b.o" \
    || { fail same-set "as"; return; }
  same_set comdat "$tmp/main.o" "$tmp/other.o"
  same_set local "$tmp/a.o" "$tmp/b.o"
}

# What the section looks like to the other dump programs is the same.
test_dumps ()
{
  local tool

  link "$tmp/a.o" "$tmp/b.o" -o "$tmp/out"
  for tool in "$OBJDUMP" "$READELF"; do
    wanted "dump-$(basename "$tool")" || continue
    "$tool" --sframe "$tmp/out" >"$tmp/log" 2>&1
    if [ "$(grep -c 'Num Chains: 6' "$tmp/log"):$(grep -c ' func \[' "$tmp/log")" \
	 = 1:11 ]; then
      pass "dump-$(basename "$tool")"
    else
      fail "dump-$(basename "$tool")" "unexpected contents"
    fi
  done
}

# The address of each symbol NAME of FILE, once.
addresses ()
{
  "$READELF" -sW "$1" | awk -v name="$2" '$8 == name { print $2 }' | sort -u
}

# The addresses of chains with text NAME.
chains ()
{
  "$CORO" dump "$1" \
    | sed -n "s/^ *chain \[.*\]: \"$2\" at \([0-9a-f]*\).*/\1/p" | sort
}

# Equal chains become one, others stay; symbols follow.
check_chains ()
{
  local file=$1 name text expected

  while read -r name text expected; do
    if [ "$(addresses "$file" "$name" | wc -l)" != "$expected" ]; then
      echo "$name has addresses $(addresses "$file" "$name")"
      return 1
    fi
    while read -r address; do
      chains "$file" "$text" | grep -qx "$address" || {
	echo "$name is at $address, where no chain \"$text\" is"
	return 1
      }
    done < <(addresses "$file" "$name")
  done <<'END'
shared.task shared 1
root.task root 1
longer.task shared 1
private.task private 2
framed.task framed 1
END
  [ "$(chains "$file" shared | wc -l)" = 2 ] || { echo "two shared"; return 1; }
}

test_chains ()
{
  local name

  wanted chains || return 0
  if { link "$tmp/a.o" "$tmp/b.o" -o "$tmp/out" \
       && check_chains "$tmp/out"; } >"$tmp/log" 2>&1; then
    pass chains
  else
    fail chains "unexpected chains"
  fi
}

# PC-relative words of the program's data refer to chains.
test_references ()
{
  local place start i word bytes name

  wanted references || return 0
  link "$tmp/b.o" "$tmp/a.o" -o "$tmp/out"
  start=$((16#$(addresses "$tmp/out" chains)))
  place=$("$READELF" -SW "$tmp/out" \
	  | sed -n 's/.*\] \.data  *PROGBITS *\([0-9a-f]*\) *\([0-9a-f]*\) .*/\1 \2/p')
  : >"$tmp/log"
  i=0
  for name in shared private; do
    word=$(od -An -td8 -N8 -j$((16#${place#* } + start - 16#${place% *} + i)) \
	   "$tmp/out")
    bytes=$(printf '%016x' $((word + start + i)))
    chains "$tmp/out" $name | grep -qx "$bytes" || echo "$name: $bytes" >>"$tmp/log"
    i=$((i + 8))
  done
  if [ -s "$tmp/log" ]; then
    fail references "not at a chain"
  else
    pass references
  fi
}

# Garbage collection takes functions, and chains found from sites only; for
# concatenated blocks of a relocatable link, too.
test_gc ()
{
  local objects want='body _start
site a.longer
site a.private
site a.root
site a.shared
site b.longer
site b.private
site b.root
site b.shared'

  # References to section symbols cannot follow several chains.
  grep -v 'quad .*task' dup-a.s >"$tmp/a-plain.s"
  assemble "$tmp/a-plain.s" "$tmp/ap.o"
  link -r "$tmp/ap.o" "$tmp/b.o" -o "$tmp/r.o"
  while read -r name objects; do
    wanted "gc-$name" || continue
    # shellcheck disable=SC2086
    if ! { link --gc-sections --print-gc-sections $objects -o "$tmp/out"
	   grep -q 'unused section .\.text\.framed' "$tmp/said" \
	     && check_merged "$tmp/out"; } >"$tmp/log" 2>&1; then
      fail "gc-$name" "not merged"
    elif [ "$(functions "$tmp/out")" != "$want" ]; then
      functions "$tmp/out" >"$tmp/log"
      fail "gc-$name" "unexpected functions"
    elif [ -n "$(chains "$tmp/out" framed)" ] \
	   || [ "$(chains "$tmp/out" private | wc -l)" != 2 ]; then
      fail "gc-$name" "unexpected chains"
    else
      pass "gc-$name"
    fi
  done <<END
objects $tmp/ap.o $tmp/b.o
relocatable $tmp/r.o
END
}

# What is described twice is so once in the output, whoever describes it, but
# not what differs in anything.
test_twins ()
{
  local want='site _start
site _start
site _start+0x2
site _start+0x2
site _start+0x2
site _start+0x4
site _start+0x4'

  wanted twins || return 0
  if ! { assemble twins.s "$tmp/t.o" \
	 && link --traditional-format "$tmp/t.o" -o "$tmp/plain" \
	 && link "$tmp/t.o" -o "$tmp/out"; } >"$tmp/log" 2>&1; then
    fail twins "cannot link"
  elif [ "$(functions "$tmp/plain" | wc -l)" != 10 ]; then
    fail twins "nothing is described twice"
  elif [ "$(functions "$tmp/out")" != "$want" ]; then
    functions "$tmp/out" >"$tmp/log"
    fail twins "unexpected functions"
  else
    pass twins
  fi
}

# ld -r keeps all blocks and their relocations; a second link makes one of them.
test_relocatable ()
{
  local options

  while read -r name options; do
    wanted "relocatable-$name" || continue
    # shellcheck disable=SC2086
    if ! { link -r $options "$tmp/ap.o" "$tmp/b.o" "$tmp/main.o" -o "$tmp/r.o" \
	   && "$CORO" check "$tmp/r.o"; } >"$tmp/log" 2>&1; then
      fail "relocatable-$name" "ld -r"
    elif [ "$(blocks "$tmp/r.o" | wc -l)" != \
	   "$(for o in ap b main; do blocks "$tmp/$o.o"; done | wc -l)" ]; then
      fail "relocatable-$name" "not all blocks"
    elif "$READELF" -lW "$tmp/r.o" | grep SFRAME_CORO >"$tmp/log"; then
      fail "relocatable-$name" "a program header"
    elif ! { link --allow-multiple-definition "$tmp/r.o" -o "$tmp/out" \
	     && check_merged "$tmp/out" && check_chains "$tmp/out"; } \
	   >"$tmp/log" 2>&1; then
      fail "relocatable-$name" "second link"
    else
      pass "relocatable-$name"
    fi
  done <<'END'
plain --allow-multiple-definition
groups --allow-multiple-definition --force-group-allocation
END
}

# What has relocations for the section has it as it was; every PC-relative
# relocation of it is that of the value there.
test_emit_relocs ()
{
  wanted emit-relocs || return 0
  if ! { link --emit-relocs "$tmp/a.o" "$tmp/b.o" -o "$tmp/out" \
	 && "$CORO" check "$tmp/out" \
	 && [ "$(section_place "$tmp/out")" = "$(segment_place "$tmp/out")" ]; } \
       >"$tmp/log" 2>&1; then
    fail emit-relocs "cannot link"
  elif [ "$("$READELF" -rW "$tmp/out" | grep -c R_X86_64_PC64)" != \
	 $(for o in a b; do "$READELF" -rW "$tmp/$o.o"; done \
	   | grep -c R_X86_64_PC64) ]; then
    fail emit-relocs "not all relocations"
  else
    link --traditional-format "$tmp/a.o" "$tmp/b.o" -o "$tmp/plain"
    heads=--heads
    describe "$tmp/out" >"$tmp/a"
    describe "$tmp/plain" >"$tmp/b"
    if diff "$tmp/b" "$tmp/a" >"$tmp/log"; then
      pass emit-relocs
    else
      fail emit-relocs "describes something else"
    fi
  fi
}

# --discard-sframe, where ld has it (2.46 and later).
test_discard ()
{
  local gc

  for gc in '' --gc-sections; do
    wanted "discard$gc" || continue
    if ! "$LD" --help | grep -q -e --discard-sframe; then
      skip "discard$gc" "no --discard-sframe"
    elif ! link --discard-sframe $gc "$tmp/ap.o" "$tmp/b.o" -o "$tmp/out" \
	 >"$tmp/log"; then
      fail "discard$gc" "cannot link"
    elif [ "$(section_place "$tmp/out" | sed 's/.* //')" = 0 ] \
	 && [ -z "$(segment_place "$tmp/out")" ]; then
      pass "discard$gc"
    else
      fail "discard$gc" "there is something"
    fi
  done
}

# A script of the user's with another place, or none, for the section.
test_scripts ()
{
  local name text

  while read -r name text; do
    wanted "script-$name" || continue
    echo "SECTIONS { . = 0x10000; .text : { *(.text*) } $text
	  . = ALIGN (0x1000);
	  .tbss : { *(.tbss) } .data : { *(.data) } .bss : { *(.bss) } }" \
      >"$tmp/script"
    if { link -T "$tmp/script" "$tmp/a.o" "$tmp/b.o" -o "$tmp/out" \
	 && check_chains_of_rodata "$name"; } >"$tmp/log" 2>&1; then
      pass "script-$name"
    else
      fail "script-$name" "unexpected output"
    fi
  done <<'END'
orphan
own .sframe_coro : { *(.sframe_coro) }
rodata .rodata : { *(.sframe_coro) }
END
}

# With an output section of another name there is none to look at.
check_chains_of_rodata ()
{
  if [ "$1" != rodata ]; then
    check_merged "$tmp/out"
    return
  fi
  "$OBJCOPY" --rename-section .rodata=.sframe_coro "$tmp/out" "$tmp/out2" \
    && "$CORO" check "$tmp/out2" && check_chains "$tmp/out2"
}

# strip and objcopy keep the program header, and it keeps pointing to the
# section.
test_strip ()
{
  wanted strip || return 0
  link -pie "$tmp/a.o" "$tmp/b.o" -o "$tmp/out"
  if "$STRIP" "$tmp/out" -o "$tmp/s" && check_merged "$tmp/s" >"$tmp/log"; then
    pass strip
  else
    fail strip "not what it was"
  fi
}

# Without section headers the program header leads to the section.
test_no_headers ()
{
  wanted no-headers || return 0
  "$OBJCOPY" --strip-section-headers "$tmp/out" "$tmp/s" >"$tmp/log" 2>&1
  "$CORO" dump "$tmp/out" | sed -e 's/ <[^>]*>//g' -e 1d >"$tmp/a"
  "$CORO" dump "$tmp/s" | sed 1d >"$tmp/b"
  if [ -s "$tmp/a" ] && diff "$tmp/a" "$tmp/b" >"$tmp/log" \
     && "$CORO" check "$tmp/s" >"$tmp/log" 2>&1; then
    pass no-headers
  else
    fail no-headers "describes something else"
  fi
}

# Objects of the plain-data form, which stock assemblers emit, and both forms
# in one program; what g++ and clang make of it.
test_data_form ()
{
  local cxx

  for cxx in $CXX clang++-19; do
    wanted "data-form-$cxx" || continue
    command -v $cxx >/dev/null || { skip "data-form-$cxx" "no $cxx"; continue; }
    if ! { $cxx -std=c++20 -O1 -I"$top/include" -DSFRAME_CORO_USE_DIRECTIVES=0 \
		-c program.cc -o "$tmp/p.o" \
	   && $cxx -std=c++20 -O1 -I"$top/include" -DSFRAME_CORO_USE_DIRECTIVES=0 \
		   -DOTHER -c program.cc -o "$tmp/q.o" \
	   && g++ -B"$bin/" -std=c++20 -O1 -I"$top/include" -DTHIRD \
		  -DSFRAME_CORO_USE_DIRECTIVES=1 -c program.cc -o "$tmp/d.o" \
	   && g++ -B"$bin/" "$tmp/p.o" "$tmp/q.o" "$tmp/d.o" -o "$tmp/out" \
	   && check_merged "$tmp/out"; } >"$tmp/log" 2>&1; then
      fail "data-form-$cxx" "not merged"
    elif [ "$(blocks "$tmp/out")" != SFRAME_CORO_F_FUNCS_SORTED:1:3 ]; then
      blocks "$tmp/out" >"$tmp/log"
      fail "data-form-$cxx" "unexpected block"
    elif ! "$tmp/out"; then
      fail "data-form-$cxx" "does not run"
    else
      pass "data-form-$cxx"
    fi
  done
}

# Link-time optimization, of both compilers, where there is a plugin.
test_lto ()
{
  wanted lto || return 0
  if { for part in MAIN OTHER THIRD; do
	 g++ -B"$bin/" -flto -std=c++20 -O2 -I"$top/include" -D$part \
	     -c program.cc -o "$tmp/$part.o" || exit 1
       done
       g++ -B"$bin/" -flto -O2 "$tmp/MAIN.o" "$tmp/OTHER.o" "$tmp/THIRD.o" \
	   -o "$tmp/out" && check_merged "$tmp/out"; } >"$tmp/log" 2>&1 \
     && [ "$(chains "$tmp/out" demo.program | wc -l)" = 1 ] && "$tmp/out"; then
    pass lto
  else
    fail lto "not merged"
  fi
}

# damage NAME OFFSET BYTES: object $tmp/bad.o with other contents of the
# section in $tmp/flat.o.
damage ()
{
  cp "$tmp/flat" "$tmp/bytes"
  printf "$2" | dd of="$tmp/bytes" bs=1 seek="$1" conv=notrunc 2>/dev/null
  "$OBJCOPY" --update-section .sframe_coro="$tmp/bytes" "$tmp/flat.o" "$tmp/bad.o"
}

# A damaged section: the linker says where, and appends it as it is; what is in
# other objects is merged.
test_damaged ()
{
  local name off bytes where message status

  assemble flat.s "$tmp/flat.o"
  "$OBJCOPY" -O binary -j .sframe_coro --set-section-flags .sframe_coro=alloc \
    "$tmp/flat.o" "$tmp/flat" 2>/dev/null
  while read -r name off bytes where message; do
    wanted "damaged-$name" || continue
    damage "$off" "$bytes"
    # First, where it would hide what follows.
    "$LD" "$tmp/bad.o" "$tmp/a.o" "$tmp/b.o" -o "$tmp/out" >"$tmp/log" 2>&1
    status=$?
    if [ $status -ne 0 ]; then
      fail "damaged-$name" "status $status"
    elif ! grep -q "bad.o(.sframe_coro+$where): warning: .sframe_coro not merged: $message\$" \
	     "$tmp/log"; then
      fail "damaged-$name" "no such message"
    elif [ "$(chains "$tmp/out" shared 2>/dev/null | wc -l)" != 2 ]; then
      "$CORO" dump "$tmp/out" >"$tmp/log" 2>&1
      fail "damaged-$name" "other objects' chains"
    else
      pass "damaged-$name"
    fi
  done <<'END'
magic 0 \377 0 not a .sframe_coro block (magic of header)
version 2 \002 0x2 unsupported version (version of header)
flags 3 \200 0x3 reserved field or flag is not zero (flags of header)
abi 4 \002 0x4 for another machine
header-size 5 \050 0x18 the records do not fit the block (strings_len of header)
chain-size 6 \130 0x18 the records do not fit the block (strings_len of header)
func-size 7 \060 0x14 the records do not fit the block (data_len of header)
length 8 \377 0x8 impossible sizes in the block header (length of header)
chains 12 \377 0xc the records do not fit the block (num_chains of header)
funcs 16 \377 0x10 the records do not fit the block (num_funcs of header)
data 20 \374\377\377\177 0x14 the records do not fit the block (data_len of header)
reserved 28 \001 0x1c reserved field or flag is not zero (reserved of header)
chain-flags 36 \000\001 0x24 reserved field or flag is not zero (flags of chain)
heads 64 \377 0x40 offset outside its area, or misaligned (heads of chain)
heads-elsewhere 64 \010 0xa8 reserved field or flag is not zero (invalid of head)
func-kind 138 \007 0x8a unknown kind (kind of function)
func-data 132 \001 0x84 offset outside its area, or misaligned (data of function)
END
}

# Relocations that nobody would emit, and objects that end too early.
test_hostile ()
{
  local name file

  for file in hostile/*.s; do
    name=hostile-$(basename "$file" .s)
    wanted "$name" || continue
    assemble "$file" "$tmp/bad.o" || { fail "$name" as; continue; }
    "$LD" "$tmp/a.o" "$tmp/b.o" "$tmp/bad.o" -o "$tmp/out" >"$tmp/log" 2>&1
    if [ $? -gt 1 ]; then
      fail "$name" "crash"
    elif ! grep -q "$(sed -n 's/^# ld: //p' "$file")" "$tmp/log"; then
      fail "$name" "no such message"
    else
      pass "$name"
    fi
  done
}

# Other machines: with the assemblers and linkers that are there.
test_cross ()
{
  local name arch emulation options as ld

  while read -r name arch emulation options; do
    as=${bin%/bin}-$arch-linux-gnu/bin/as
    ld="${as%as}ld -m $emulation -shared"
    wanted "cross-$name" || continue
    [ -x "$as" ] && [ -x "${as%as}ld" ] || { skip "cross-$name" "no $as"; continue; }
    # shellcheck disable=SC2086
    if ! "$as" $options "../gas/cross/link-$arch.s" -o "$tmp/c.o" \
	 >"$tmp/log" 2>&1; then
      fail "cross-$name" as
    elif ! { $ld "$tmp/c.o" -o "$tmp/merged" \
	     && $ld --traditional-format "$tmp/c.o" -o "$tmp/plain" \
	     && check_merged "$tmp/merged"; } >"$tmp/log" 2>&1; then
      fail "cross-$name" "not merged"
    else
      heads=
      describe "$tmp/merged" >"$tmp/a"
      describe "$tmp/plain" >"$tmp/b"
      if [ -s "$tmp/a" ] && diff "$tmp/b" "$tmp/a" >"$tmp/log"; then
	pass "cross-$name"
      else
	fail "cross-$name" "describes something else"
      fi
    fi
  done <<'END'
aarch64 aarch64 aarch64linux -EL
aarch64_be aarch64 aarch64linuxb -EB
s390x s390x elf64_s390
END
}

for t in same_set dumps chains references gc twins relocatable emit_relocs discard \
	 scripts strip no_headers data_form lto damaged hostile cross; do
  test_$t
done
totals
