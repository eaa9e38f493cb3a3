#!/bin/bash
# Many translation units, sections and sites.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   run.sh [--full]
#
# From the environment: SFRAME_CORO, the command; SFRAME_CORO_BINUTILS, where
# binutils with the directives are.  Without --full there are fewer units.

set -u
export LC_ALL=C
cd "$(dirname "$0")" || exit 1
bin=${SFRAME_CORO_BINUTILS:-$PWD/../../build/stage/binutils/bin}
sframe_coro=${SFRAME_CORO:-$PWD/../../build/obj/tools/sframe-coro}
units=400
[ "${1:-}" != --full ] || units=2000
# Seconds, against hangs: what takes more than linear time in the number of
# sections takes longer.
patience=60

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
suite=torture
# shellcheck source=../cases.sh
. ../cases.sh

linkers ()
{
  local name

  echo "staged $bin/ld"
  for name in ld.bfd ld.gold ld.lld-19 mold; do
    if command -v $name >/dev/null; then echo "$name $(command -v $name)"
    else echo "SKIP: torture/$name: not installed" >&2; fi
  done
}

# link NAME LINKER LIVE OPTION...: what is described is what is linked.
link ()
{
  local name=$1 linker=$2 live=$3

  shift 3
  if ! "$linker" "$@" "@$tmp/objects" -o "$tmp/out" >"$tmp/log" 2>&1; then
    fail "$name" "cannot link"
  elif [ -s "$tmp/log" ]; then
    fail "$name" "the linker complains"
  elif ! timeout $patience "$sframe_coro" check "$tmp/out" >"$tmp/log" 2>&1; then
    fail "$name" "check"
  elif ! timeout $patience "$sframe_coro" dump --json "$tmp/out" >"$tmp/dump" 2>"$tmp/log"; then
    fail "$name" "dump"
  elif ! nm "$tmp/out" | ./described.py "$tmp/units/facts.json" "$live" \
	   "$tmp/dump" >"$tmp/log" 2>&1; then
    fail "$name" "not what is linked"
  else
    pass "$name ($(tail -n 1 "$tmp/log"))"
  fi
}

test_units ()
{
  local linker path

  mkdir "$tmp/units"
  if ! ./sources.py $units "$tmp/units" 2>"$tmp/log" ||
     ! seq 0 $((units - 1)) | (cd "$tmp/units" && \
	 xargs -P 2 -I '{}' "$bin/as" '{}.s' -o '{}.o') >"$tmp/log" 2>&1; then
    fail units "cannot be assembled"
    return
  fi
  seq -f "$tmp/units/%.0f.o" 0 $((units - 1)) >"$tmp/objects"
  while read -r linker path; do
    link "units-$linker" "$path" all
    link "units-$linker--gc-sections" "$path" live --gc-sections
  done < <(linkers)
  # Linked into one object first.  Linkers put all sections of the name into
  # one then, as long as they are not told otherwise, and so keep all that they
  # describe.
  second_link units-r any
  second_link units-r-unique live --unique=.sframe_coro
}

second_link ()
{
  local name=$1 live=$2 linker path

  shift 2
  seq -f "$tmp/units/%.0f.o" 0 $((units - 1)) >"$tmp/objects"
  if ! "$bin/ld" -r "$@" "@$tmp/objects" -o "$tmp/all.o" >"$tmp/log" 2>&1; then
    fail "$name" "cannot link"
    return
  fi
  echo "$tmp/all.o" >"$tmp/objects"
  while read -r linker path; do
    link "$name-$linker" "$path" all
    link "$name-$linker--gc-sections" "$path" "$live" --gc-sections
  done < <(linkers 2>/dev/null)
}

# An object with a section for each of many functions.
test_sections ()
{
  local tool num=40000

  {
    cat "$PWD/../gas/simple-chain.inc"
    awk -v num=$num 'BEGIN { for (i = 0; i < num; i++) {
      print "\t.section .text.f" i ", \"ax\", @progbits\nf" i ":"
      print "\t.sframe_coro_startsite simple\n\tcall *%rax\n\t.sframe_coro_endsite" } }'
  } >"$tmp/many.s"
  if ! "$bin/as" "$tmp/many.s" -o "$tmp/many.o" >"$tmp/log" 2>&1; then
    fail sections "cannot be assembled"
    return
  fi
  for tool in "$bin/objdump --sframe" "$bin/readelf --sframe" \
	      "$sframe_coro dump"; do
    name=sections-${tool##*/}
    # shellcheck disable=SC2086
    if ! timeout $patience $tool "$tmp/many.o" >"$tmp/out" 2>"$tmp/log"; then
      fail "$name" "status $?"
    elif [ "$(grep -c "func \[0\]: site, pc = 0* <f[0-9]*>.*<simple>" "$tmp/out")" != $num ]; then
      fail "$name" "not all functions"
    else
      pass "$name"
    fi
  done
  if timeout $patience "$sframe_coro" check "$tmp/many.o" >"$tmp/log" 2>&1; then
    pass sections-check
  else
    fail sections-check "status $?"
  fi
}

test_units
test_sections
totals
