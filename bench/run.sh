#!/bin/sh
# Run all benchmarks and print one table; see README.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: run.sh PROGRAMS
#
# PROGRAMS is the directory with the benchmark programs; BINUTILS the prefix
# of the patched binutils, without which only walks and index are measured;
# SFRAME_CORO the command; REF_AS an assembler of the same version without the
# patches, by default the one that `gas-patches/build --unpatched' stages next to
# BINUTILS.

set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd) || exit 1
programs=${1:?usage: run.sh PROGRAMS}
bin=${BINUTILS:+$BINUTILS/bin}
ref_as=${REF_AS:-${BINUTILS:+$BINUTILS-unpatched/bin/as}}
num_funcs=4000
awaits=20000

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

fail ()
{
  echo "bench: $*" >&2
  exit 1
}

# row WHAT PEER OURS PEERS [GOAL]: a line about numbers that do not vary.
row ()
{
  awk -v what="$1" -v name="$2" -v ours="$3" -v peer="$4" -v goal="${5-}" '
    BEGIN {
      r = ours / peer
      printf "%-38s %-24s %10.2f %10.2f %9.4f %9.4f %9.4f%s\n", what, name,
	ours, peer, r, r, r, goal == "" ? "" : sprintf ("  <= %g%s", goal,
	r <= goal ? "" : " missed")
    }'
}

# section FILE NAME FIELD: `address' or `size' of a section, in hexadecimal.
section ()
{
  "$bin/readelf" -SW "$1" | sed 's/^ *\[ *[0-9]*\]//' |
    awk -v name="$2" -v field="$3" '
      $1 == name { print field == "size" ? $5 : $3; exit }'
}

size ()
{
  printf '%d\n' "0x$(section "$1" "$2" size)"
}

# The functions of which there are many, and both sections of them.
make_functions ()
{
  awk -v "n=$num_funcs" -f "$here/functions.awk" >"$work/functions.s" &&
  "$bin/as" --gsframe -o "$work/functions.o" "$work/functions.s" &&
  "$bin/ld" -shared -o "$work/functions" "$work/functions.o" &&
  for name in sframe_coro sframe; do
    "$bin/objcopy" -O binary -j .$name "$work/functions" "$work/$name" ||
      return
  done
}

bench_sections ()
{
  make_functions || fail "cannot make functions"
  "$programs/sections" \
    "$work/sframe_coro" "$(section "$work/functions" .sframe_coro address)" \
    "$work/sframe" "$(section "$work/functions" .sframe address)"
}

# compile COMPILER ARGUMENT...
compile ()
{
  cxx=$1
  shift
  case $cxx in
    clang*) set -- -fno-integrated-as -Wa,--no-warn "$@" ;;
  esac
  "$cxx" -std=c++20 -O2 -B"$bin" -DSFRAME_CORO_USE_DIRECTIVES=1 \
    -I"$here/../include" -I"$here/../examples" "$@" ||
    fail "cannot compile with $cxx"
}

# instructions PROGRAM ARGUMENT...: how many it executes.
instructions ()
{
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 |
    sed -n 's/^==[0-9]*== Collected : *//p'
}

# each COUNT PROGRAM ARGUMENT...: how many more it executes if a last argument
# is 2 and not 1, which makes COUNT things more of it.
each ()
{
  count=$1
  shift
  once=$(instructions "$@" 1)
  twice=$(instructions "$@" 2)
  [ -n "$once" ] && [ -n "$twice" ] || fail "callgrind counted nothing"
  awk "BEGIN { printf \"%.4f\\n\", ($twice - $once) / $count }"
}

# The same as above, in numbers that no noise changes.
bench_instructions ()
{
  for steps in 1 3; do
    row "instructions of a walk, $steps steps (node)" "plain pointer chase" \
      "$(each 512 "$programs/walk" ours $steps)" \
      "$(each 512 "$programs/walk" peer $steps)"
  done
  for num in 1000 10000 100000; do
    row "instructions of a search among $num" "bsearch of addresses" \
      "$(each 65536 "$programs/index" ours $num)" \
      "$(each 65536 "$programs/index" peer $num)"
  done
}

per_await ()
{
  few=$(instructions "$1" $awaits)
  many=$(instructions "$1" $((2 * awaits)))
  [ -n "$few" ] && [ -n "$many" ] || fail "callgrind counted nothing"
  awk "BEGIN { printf \"%.4f\\n\", ($many - $few) / $awaits }"
}

# The code of an object file and its relocations.  Without the stubs, which
# nobody executes, and the anchors: relocations of type NONE, which change
# nothing but tell the linker what belongs together.
disassemble ()
{
  "$bin/objdump" -dr "$1" | sed -n '/^Disassembly/,$p' |
    awk '/^Disassembly of section/ { stub = /\.text\.sframe_coro/ }
	 !stub && NF && !/R_X86_64_NONE/'
}

bench_await ()
{
  for with in with without; do
    define=
    [ $with = with ] || define=-DNO_SFRAME_CORO
    # shellcheck disable=SC2086
    compile "$1" $define -c -o "$work/$with.o" "$here/await.cc" &&
    "$1" -B"$bin" -o "$work/$with" "$work/$with.o" &&
    disassemble "$work/$with.o" >"$work/$with.dis"
    [ -s "$work/$with.dis" ] || fail "cannot disassemble"
  done
  row "instructions per co_await, $1" "without description" \
    "$(per_await "$work/with")" "$(per_await "$work/without")" 1
  same=no
  cmp -s "$work/with.dis" "$work/without.dis" && same=yes
  notes="$notes
code the same with and without description, $1: $same"
}

# bytes_per FILE RECORD: what the blocks with such records take up for each.
bytes_per ()
{
  "$bin/objdump" --sframe=.sframe_coro "$1" | awk -v record="Num $2:" '
    /Length:/ { size = $2 }
    index($0, record) && $3 > 0 { bytes += size; num += $3 }
    END { if (num) print bytes / num }'
}

# Bytes, of the functions above and of a small C++ program.
bench_sizes ()
{
  program=$work/factorial
  compile g++ -Wa,--gsframe -o "$program" "$here/../examples/factorial.cc"
  for peer in .eh_frame .sframe; do
    row "bytes, $num_funcs functions (each)" "$peer" \
      "$(awk "BEGIN { print $(size "$work/functions" .sframe_coro) / $num_funcs }")" \
      "$(awk "BEGIN { print $(size "$work/functions" $peer) / $num_funcs }")"
    row "bytes, factorial.cc, g++ -O2" "$peer" \
      "$(size "$program" .sframe_coro)" "$(size "$program" $peer)"
  done
  notes="$notes
bytes of one chain with its block, factorial.cc: $(bytes_per "$program" Chains)
bytes of one site with its block, factorial.cc: $(bytes_per "$program" Functions)"
}

# What sources without directives cost.
bench_assembler ()
{
  if ! [ -x "$ref_as" ] || ! command -v valgrind >/dev/null; then
    notes="$notes
instructions of the assembler: not measured, for want of valgrind or of one
without the patches (gas-patches/build --unpatched)"
    return
  fi
  g++ -std=c++20 -O0 -g -DNO_SFRAME_CORO -I"$here/../include" -S \
    -o "$work/plain.s" "$here/../examples/factorial.cc" || fail "g++ failed"
  row "instructions, as, $(wc -l <"$work/plain.s") lines" "as without patches" \
    "$(instructions "$bin/as" "$work/plain.s" -o "$work/plain.o")" \
    "$(instructions "$ref_as" "$work/plain.s" -o "$work/ref.o")" 1.002
}

# site_costs NUMBER: seconds and KiB of an assembler with nothing but sites.
site_costs ()
{
  awk -v "n=$1" '
    BEGIN {
      print "\t.sframe_coro_chain c\n\t.sframe_coro_head global, g"
      print "\t.sframe_coro_path next, 0\n\t.sframe_coro_endchain\n\t.text"
      while (n-- > 0)
	print "\t.sframe_coro_startsite c\n\tcall *%rax\n\t.sframe_coro_endsite"
    }' >"$work/sites.s"
  python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
' "$bin/as" "$work/sites.s" -o "$work/sites.o"
}

# Time and memory for each of many sites, against fewer.
bench_sites ()
{
  for n in 10000 100000 1000000; do
    # shellcheck disable=SC2046
    set -- $(site_costs $n)
    [ $# = 2 ] || fail "cannot assemble $n sites"
    micros=$(awk "BEGIN { print $1 / $n * 1e6 }")
    bytes=$(awk "BEGIN { print $2 / $n * 1024 }")
    if [ $n = 10000 ]; then
      few_micros=$micros few_bytes=$bytes
    else
      row "us of as per site, $n sites" "10000 sites" "$micros" "$few_micros"
      row "bytes of as per site, $n sites" "10000 sites" "$bytes" "$few_bytes"
    fi
  done
}

# Needs the right to load a program into the kernel.
bench_record ()
{
  if [ "$(id -u)" != 0 ] || [ ! -x "${SFRAME_CORO:-}" ] ||
     ! command -v perf >/dev/null || ! command -v bpftool >/dev/null ||
     ! command -v "${BPF_CLANG:-clang-19}" >/dev/null; then
    notes="$notes
sampling: not measured, for want of root, the command, perf, bpftool or clang"
    return
  fi
  python3 "$here/record.py" "$SFRAME_CORO" "${BPF_CLANG:-clang-19}" "$work" ||
    status=1
}

# stopped THREADS COMMAND...: for how long it stops a process, in microseconds.
stopped ()
{
  "$work/stopped" "$@" || fail "cannot measure $2"
}

# For how long others stop a process, in all or for each thread of it.
bench_stops ()
{
  gcc -O2 -g -B"$bin" -pthread -o "$work/stopped" "$here/stopped.c" ||
    fail "cannot compile stopped.c"
  for threads in 1 100; do
    ours=$(stopped $threads "$command" stack -p)
    row "stopped, $threads threads (us)" "eu-stack, each thread" "$ours" \
      "$(stopped $threads eu-stack -p)"
    ours=$(awk "BEGIN { print $ours / $threads }")
    row "stopped, $threads threads (us a thread)" "eu-stack" "$ours" \
      "$(stopped $threads eu-stack -p)" 1.2
    ! command -v gdb >/dev/null ||
      row "stopped, $threads threads (us)" "gdb, thread apply all bt" \
	"$(stopped $threads "$command" stack -p)" \
	"$(stopped $threads gdb -batch -ex 'thread apply all bt' -p)"
  done
}

command=${SFRAME_CORO-}
notes= status=0
printf '%-38s %-24s %10s %10s %9s %9s %9s  %s\n' what against ours peer min \
  median max goal
if [ -n "$bin" ]; then
  bench_sections || fail "sections failed"
fi
"$programs/walk" || fail "walk failed"
"$programs/index" || fail "index failed"
if command -v valgrind >/dev/null; then
  bench_instructions
fi
bench_record
if [ -x "$command" ]; then
  "$programs/remote" || fail "remote failed"
  if [ -n "$bin" ] && command -v eu-stack >/dev/null; then
    bench_stops
  fi
fi
if [ -n "$bin" ]; then
  for compiler in g++ clang++-19; do
    if ! command -v $compiler >/dev/null ||
       ! command -v valgrind >/dev/null; then
      notes="$notes
instructions, $compiler: not measured, for want of it or of valgrind"
    else
      bench_await $compiler
    fi
  done
  bench_sizes
  bench_assembler
  bench_sites
else
  notes="
all but walks and index: not measured, configured without --with-binutils"
fi
printf '%s\n' "$notes"
exit $status
