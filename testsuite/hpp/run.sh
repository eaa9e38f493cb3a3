#!/bin/bash
# Test include/sframe-coro.hpp with compilers and linkers.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From the environment: SFRAME_CORO_BINUTILS, the directory of the patched
# binutils, by default the one staged in the build directory.  Arguments, if
# any, are the compilers to test with.

set -u
export LC_ALL=C
cd "$(dirname "$0")" || exit 1
src=$PWD top=$PWD/../..
bin=${SFRAME_CORO_BINUTILS:-$top/build/stage/binutils/bin}
objdump=$bin/objdump
if [ ! -x "$objdump" ] || [ ! -x "$bin/as" ]; then
  echo "run.sh: no patched binutils in $bin" >&2
  exit 1
fi
[ $# -gt 0 ] || set -- g++ clang++-19

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
suite=hpp
# shellcheck source=../cases.sh
. ../cases.sh

# Compilers look for linkers, by these names, where -B says.
mkdir "$tmp/linkers"
for pair in bfd:ld.bfd gold:ld.gold lld:ld.lld-19 mold:ld.mold; do
  path=$(command -v "${pair#*:}") &&
    ln -s "$path" "$tmp/linkers/ld.${pair%%:*}"
done

# compile FORM ARGUMENT...: with directives or plain data, or with nothing of
# both and the assembler of one or the other.
compile ()
{
  local form=$1 flags
  shift
  case $form in
    no-*) flags=-DNO_SFRAME_CORO ;;
    data) flags=-DSFRAME_CORO_USE_DIRECTIVES=0 ;;
    directives) flags=-DSFRAME_CORO_USE_DIRECTIVES=1 ;;
  esac
  case $form in
    *directives)
      flags="$flags -B$bin"
      case $cxx in clang*) flags="$flags -fno-integrated-as" ;; esac ;;
  esac
  # shellcheck disable=SC2086
  "$cxx" -std=c++20 -Wall -Wextra -Wpedantic -Wundef -Werror \
    -Wno-unused-command-line-argument -pthread \
    -I"$top/include" -I"$top/examples" -I"$src" $flags "$@"
}

# What the section of a file says, in any order and layout, without addresses.
contents ()
{
  "$objdump" --sframe "$1" | awk '
    / chain \[[0-9]+\]: / { chain = $3; print "chain", chain; next }
    / func \[[0-9]+\]: / {
      if (!match($0, /pc = [0-9a-f]+ <[^>]*>/))
	print "site without a symbol:", $0
      pc = substr($0, RSTART, RLENGTH)
      sub(/.*</, "<", pc)
      size = $0; sub(/.*size = /, "", size); sub(/ .*/, "", size)
      of = $0; sub(/.*chain = [0-9a-f]+ */, "", of)
      print "site", pc, "size", size, "of", of
      next
    }
    / Block \[/ { chain = "" }
    chain != "" && NF {
      sub(/^ */, ""); sub(/, [0-9a-f]{16}( <[^>]*>)?/, "")
      print chain, $0
    }' | sort
}

count ()
{
  contents "$1" | grep -c "^$2 "
}

has_count ()
{
  local found
  found=$(count "$1" "$2")
  [ "$found" -eq "$3" ] && return
  echo "$found $2 records instead of $3:"
  contents "$1"
  return 1
}

# The code, without the stubs and the relocations without bytes.
code ()
{
  "$objdump" -h "$1" | awk '$2 ~ /^\.text/ && $2 != ".text.sframe_coro" {
    print "-j", $2 }' | sort -u |
    xargs "$objdump" -dr --no-show-raw-insn "$1" |
    grep -v 'R_X86_64_NONE\|file format'
}

same_code ()
{
  code "$1" >"$tmp/code-1"
  code "$2" >"$tmp/code-2"
  [ -s "$tmp/code-1" ] && diff "$tmp/code-1" "$tmp/code-2"
}

same_contents ()
{
  contents "$1" >"$tmp/contents-1"
  contents "$2" >"$tmp/contents-2"
  grep -q '^chain ' "$tmp/contents-1" && grep -q '^site ' "$tmp/contents-1" &&
    diff "$tmp/contents-1" "$tmp/contents-2"
}

# One chain, in a group with its stub, to be kept even if no site of it is.
chain_section ()
{
  readelf -SW "$1" | sed 's/\[ */[/' | awk '
    $2 == ".sframe_coro" && $8 == "AGR" { chains++ }
    $2 == ".text.sframe_coro" && $8 == "AXG" { stubs++ }
    END { exit chains != 1 || stubs != 1 }' && return
  readelf -SW "$1" | grep 'sframe_coro'
  return 1
}

# Every site of a linked file must cover where one call returns to.
sites_follow_calls ()
{
  { "$objdump" --sframe "$1" |
      sed -n 's/.* site, pc = \([0-9a-f]*\) .*size = \([0-9]*\) .*/\1 \2/p'
    echo returns
    "$objdump" -d --no-show-raw-insn "$1" | awk '
      call && $1 ~ /:$/ { sub(/:/, "", $1); print $1 }
      { call = $2 ~ /^call/ }'
  } | python3 -c '
import sys
sites, returns = sys.stdin.read().split("returns")
returns = {int(place, 16) for place in returns.split()}
sites = [site.split() for site in sites.splitlines()]
wrong = [site for start, size in sites for site in [int(start, 16)]
         if sum(pc in returns for pc in range(site + (size != "0"),
                                              site + int(size) + 1)) != 1]
if wrong or not sites:
    sys.exit("sites of no call: " + " ".join(map(hex, wrong)))
'
}

# No dynamic relocation in the section, nor what a relocation of it would
# bring.
no_dynamic_relocation ()
{
  local start size place
  read -r start size < <(readelf -SW "$1" | sed 's/\[ */[/' |
    awk '$2 == ".sframe_coro" { print "0x" $4, "0x" $6 }')
  [ -n "$start" ] || { echo "no section"; return 1; }
  for place in $(readelf -rW "$1" | awk '$3 ~ /^R_/ { print $1 }'); do
    if [ $((0x$place)) -ge $((start)) ] &&
       [ $((0x$place)) -lt $((start + size)) ]; then
      echo "dynamic relocation at $place"
      return 1
    fi
  done
  ! readelf -dW "$1" | grep 'TEXTREL\|STATIC_TLS'
}

sound ()
{
  sites_follow_calls "$1" && no_dynamic_relocation "$1"
}

runs ()
{
  [ "$("$1" 5 </dev/null | tail -n 1)" = "5! = 120" ]
}

# One compiler at one level of optimisation.
test_forms ()
{
  local opt=$1 dir=$tmp/$cxx$1 form file
  local name=$cxx/$opt
  mkdir "$dir"
  for form in no-data no-directives data directives; do
    for file in "$top/examples/factorial" "$src/heads" "$src/final-suspend" \
		"$src/gc-1"; do
      check "$name/$form/compile-${file##*/}" compile $form "$opt" -g \
	-c "$file.cc" -o "$dir/${file##*/}-$form.o"
    done
  done
  for file in factorial heads final-suspend gc-1; do
    check "$name/forms-agree-$file" same_contents \
      "$dir/$file-data.o" "$dir/$file-directives.o"
  done
  for form in data directives; do
    check "$name/$form/chain-section" chain_section "$dir/gc-1-$form.o"
  done
  # The example does something after the site either way.
  for form in data directives; do
    check "$name/$form/no-code" same_code "$dir/factorial-no-$form.o" \
      "$dir/factorial-$form.o"
  done
  test_linked "$opt" "$dir"
}

link_and_check ()
{
  local out=$1
  shift
  compile "$@" -o "$out" && sound "$out"
}

runs_linked ()
{
  link_and_check "$@" && runs "$1"
}

test_linked ()
{
  local opt=$1 dir=$2 form
  local name=$cxx/$opt
  for form in data directives; do
    check "$name/$form/pie" runs_linked "$dir/pie" $form "$opt" -fPIE -pie \
      "$top/examples/factorial.cc"
    check "$name/$form/no-pie" runs_linked "$dir/no-pie" $form "$opt" \
      -fno-pie -no-pie "$top/examples/factorial.cc"
    check "$name/$form/shared" link_and_check "$dir/shared" $form "$opt" \
      -fPIC -shared "$src/chain-lib.cc"
    check "$name/$form/shared-head-elsewhere" link_and_check "$dir/shared" \
      $form "$opt" -fPIC -shared -DTASK_LEAF_ELSEWHERE "$src/chain-lib.cc"
    # Clang goes on in the wrong syntax after any asm statement, if it writes
    # for another assembler.
    case $cxx-$form in clang*-directives) continue ;; esac
    check "$name/$form/intel-syntax" compile $form "$opt" -masm=intel \
      -c "$src/heads.cc" -o "$dir/intel.o"
    check "$name/$form/intel-syntax-agrees" same_contents "$dir/intel.o" \
      "$dir/heads-data.o"
  done
}

# Optimisation at link time.  The sites are in what the linker makes.
test_lto ()
{
  local opt=$1 form=data flags
  local name=$cxx/$opt
  case $cxx in
    clang*)
      for flags in "-flto=full" "-flto=thin"; do
	# shellcheck disable=SC2086
	check "$name/data/lto$flags" lto_case data "$opt" $flags \
	  "-B$tmp/linkers" -fuse-ld=lld
      done ;;
    *)
      for form in data directives; do
	for flags in one max; do
	  check "$name/$form/lto-partition-$flags" lto_case $form "$opt" \
	    -flto=auto "-flto-partition=$flags"
	done
      done ;;
  esac
}

lto_case ()
{
  local opt=$2
  runs_linked "$tmp/lto" "$@" "$top/examples/factorial.cc" &&
    has_count "$tmp/lto" chain 1 &&
    compile "$@" -ffunction-sections -Wl,--gc-sections "$src/gc-1.cc" \
      "$src/gc-2.cc" -o "$tmp/lto-gc" &&
    sound "$tmp/lto-gc" && "$tmp/lto-gc" && has_count "$tmp/lto-gc" chain 1 &&
    live_sites "$tmp/lto-gc"
}

# Sites of resume<1> and resume<2>, wherever they were inlined, no others.
live_sites ()
{
  contents "$1" | grep '^site ' >"$tmp/live"
  grep -q . "$tmp/live" || { echo "no site"; return 1; }
  # shellcheck disable=SC2251
  ! grep 'dead\|resumeILi[34]E' "$tmp/live"
}

# Two translation units, garbage collection, folding of identical functions.
test_linkers ()
{
  local opt=$1 form linker dir=$tmp/$cxx$1/gc name
  mkdir "$dir"
  for form in data directives mixed; do
    [ "$form$opt" != mixed-O0 ] || continue
    for linker in bfd gold lld mold; do
      name=$cxx/$opt/$form/$linker
      if [ ! -e "$tmp/linkers/ld.$linker" ]; then
	skip "$name"
	continue
      fi
      check "$name/all" gc_case "$opt" $form $linker 4
      check "$name/gc-sections" gc_case "$opt" $form $linker 2 \
	-Wl,--gc-sections
      case $linker in
	bfd) ;;
	*) check "$name/gc-sections-icf" gc_case "$opt" $form $linker '1 2' \
	     -Wl,--gc-sections -Wl,--icf=all ;;
      esac
    done
  done
}

# FUNCTIONS says how many different ones may be left; there must be one site for
# each: linkers may fold functions, but only with their records.
gc_case ()
{
  local opt=$1 form=$2 linker=$3 functions=$4 left
  shift 4
  # One object in each form, or both in one.
  compile "${form/mixed/data}" "$opt" -ffunction-sections \
    -c "$src/gc-1.cc" -o "$tmp/gc-1.o" &&
    compile "${form/mixed/directives}" "$opt" -ffunction-sections \
      -c "$src/gc-2.cc" -o "$tmp/gc-2.o" &&
    compile data "$opt" "-B$tmp/linkers" "-fuse-ld=$linker" "$@" \
      "$tmp/gc-1.o" "$tmp/gc-2.o" -o "$tmp/gc" &&
    "$tmp/gc" && sound "$tmp/gc" && has_count "$tmp/gc" chain 1 || return
  left=$(nm "$tmp/gc" | awk '/ _Z6resumeILi/ { print $1 }' | sort -u | wc -l)
  has_count "$tmp/gc" site "$left" || return
  case " $functions " in *" $left "*) return ;; esac
  echo "$left functions with sites are left, instead of $functions"
  return 1
}

# What must not compile, and why.
rejects ()
{
  local word=$1
  if compile data -c "$src/rejects.cc" -o /dev/null "-D$word" \
      >"$tmp/errors" 2>&1; then
    echo "no error"
    return 1
  fi
  grep -q "$2" "$tmp/errors" || { cat "$tmp/errors"; return 1; }
}

# Nothing comes between a call and its site, however much wants registers or
# could be moved there.  What clang -O0 has there, the sites allow for; gcc -O1
# has jumps there.
adjacent_case ()
{
  local program=$1 number=$2 jumps=
  shift 2
  case "$cxx $*" in
    clang*-O0*) jumps=--jumps ;;
  esac
  compile data "$@" -c "$src/$program.cc" -o "$tmp/$program.o" &&
  python3 "$src/adjacent.py" $jumps "$objdump" "$tmp/$program.o" "$number" &&
  if [ "$jumps" ]; then
    "$objdump" --sframe "$tmp/$program.o" >"$tmp/$program.dump" &&
    ! grep ': site,' "$tmp/$program.dump" | grep -v 'size = 3 bytes'
  fi
}

test_adjacent ()
{
  local flags
  for flags in -O0 -O1 -O2 -O3 -Os "-O2 -mavx2" "-O3 -march=skylake-avx512" \
    "-O2 -fPIC -fno-plt" "-O2 -fno-exceptions"; do
    # shellcheck disable=SC2086
    check "$cxx/adjacent $flags" adjacent_case pressure 5 $flags
    case "$cxx $flags" in g++*-O1) continue ;; esac
    # shellcheck disable=SC2086
    check "$cxx/moved $flags" adjacent_case sunk 7 $flags
  done
}

test_rejects ()
{
  check "$cxx/accepts" compile data -c "$src/rejects.cc" -o /dev/null
  check "$cxx/rejects-alignment" rejects ALIGNMENT 'at another place'
  check "$cxx/rejects-base" rejects BASE 'at another place'
  check "$cxx/rejects-member" rejects MEMBER 'pointer or a coroutine handle'
  check "$cxx/rejects-text" rejects TEXT 'name of a chain'
}

for cxx; do
  if ! command -v "$cxx" >/dev/null; then
    skip "$cxx"
    continue
  fi
  test_rejects
  test_adjacent
  for opt in -O0 -O2 -O3; do
    test_forms $opt
    test_linkers $opt
    test_lto $opt
  done
done

totals
