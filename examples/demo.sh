#!/bin/sh
# Show the awaiting coroutines of a live process.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: demo.sh [--stage=DIR] [--binutils=DIR]
#
#   --stage     where the command is installed (../build/stage)
#   --binutils  where the patched binutils are (binutils in the former)
#
# SFRAME_CORO and SFRAME_CORO_BINUTILS, if set, are the command itself and the
# directory with as and objdump.  Ends with status 1 if what is shown is not
# what has to be.

set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd) || exit 1
stage=$here/../build/stage
binutils=
for arg; do
  case $arg in
    --stage=*) stage=${arg#*=} ;;
    --binutils=*) binutils=${arg#*=} ;;
    *)
      sed -n '/^# usage/,/^$/s/^# \{0,1\}//p' "$0"
      case $arg in --help) exit 0 ;; esac
      exit 2 ;;
  esac
done
command=${SFRAME_CORO:-$stage/bin/sframe-coro}
bin=${SFRAME_CORO_BINUTILS:-${binutils:-$stage/binutils}/bin}
depth=3

if [ ! -x "$command" ]; then
  echo "demo.sh: no $command" >&2
  exit 1
fi

work=$(mktemp -d) || exit 1
pid=
clean_up ()
{
  exec 9>&-
  if [ -n "$pid" ]; then
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  fi
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

title ()
{
  printf '\n== %s\n\n' "$*"
}

fail ()
{
  echo "demo.sh: $*" >&2
  exit 1
}

# Flags for the directives, where the assembler has them; else none, and the
# header writes plain data.
directives=
if [ -x "$bin/as" ] &&
   printf '.sframe_coro_chain c\n.sframe_coro_head global, h\n%s\n%s\nh:\n' \
     '.sframe_coro_path next, 0' '.sframe_coro_endchain' |
   "$bin/as" -o "$work/probe.o" - 2>/dev/null; then
  directives="-DSFRAME_CORO_USE_DIRECTIVES=1 -B$bin"
else
  echo "demo.sh: no assembler with the directives in $bin: plain data"
fi

# compile CXX ARGUMENT...
compile ()
{
  cxx=$1
  shift
  case $cxx in
    # It writes a section of its own type, at which other assemblers wonder.
    clang*) set -- ${directives:+-fno-integrated-as -Wa,--no-warn} "$@" ;;
  esac
  # Assembly to be read is not assembled, so some flags have no effect.
  case "$cxx $*" in
    clang*\ -S\ *) set -- -Wno-unused-command-line-argument "$@" ;;
  esac
  # shellcheck disable=SC2086
  "$cxx" -std=c++20 -g -I"$here/../include" $directives "$@" \
    "$here/factorial.cc" || fail "cannot compile with $cxx"
}

# start PROGRAM: run it until it stays at n == 0; its number is in $pid.
start ()
{
  rm -f "$work/in" "$work/out"
  mkfifo "$work/in" || exit 1
  "$1" $depth read <"$work/in" >"$work/out" &
  pid=$!
  exec 9>"$work/in"
  tries=0
  until grep -q "^ready $pid\$" "$work/out" 2>/dev/null; do
    tries=$((tries + 1))
    if [ $tries -gt 600 ] || ! kill -0 "$pid" 2>/dev/null; then
      fail "the program did not come to n == 0"
    fi
    sleep 0.1
  done
}

# Let the program go on; it must never notice that it was looked at.
finish ()
{
  exec 9>&-
  wait "$pid" || fail "the program failed"
  pid=
  grep '! = ' "$work/out" || fail "the program printed no result"
}

# show PROGRAM AWAITING: its stack, on which so many coroutines await another.
show ()
{
  start "$1"
  "$command" stack -p "$pid" >"$work/stack" || fail "no stack"
  cat "$work/stack"
  finish
  shown=$(grep -c ' awaiting ' "$work/stack")
  [ "$shown" -eq "$2" ] || fail "$shown awaiting coroutines instead of $2"
}

title "The program, $(basename "$here")/factorial.cc"
sed -n '/^static Task<int>/,/^}/p' "$here/factorial.cc"
title "What the runtime's header adds to it"
sed -n '/^#define TASK_CHAIN/,/^$/p' "$here/task.hpp"
grep -B1 'SFRAME_CORO_SITE (' "$here/task.hpp"

builds=
for compiler in g++ clang++-19; do
  if ! command -v "$compiler" >/dev/null; then
    echo "demo.sh: no $compiler"
    continue
  fi
  for opt in -O2 -O0; do
    build=$compiler$opt
    builds="$builds $build"
    compile "$compiler" "$opt" -o "$work/$build"
    compile "$compiler" "$opt" -DNO_SFRAME_CORO -o "$work/$build-without"
  done
done
[ -n "$builds" ] || fail "no C++ compiler"

# shellcheck disable=SC2086
set -- $builds
first=$1
compile "${first%-O?}" -O2 -S -o "$work/first.s"
if [ -n "$directives" ]; then
  title "What the assembler reads (${first%-O?} -O2)"
  grep '^[[:space:]]*\.sframe_coro_' "$work/first.s"
fi
if "$bin/objdump" --sframe=.sframe_coro "$work/$first" \
     >"$work/dump" 2>/dev/null; then
  title "What objdump --sframe shows (${first%-O?})"
  sed -n '/\.sframe_coro/,$p' "$work/dump"
else
  title "What the section says (${first%-O?})"
  "$command" dump "$work/$first" || fail "no dump"
fi

# What the section adds to the stack of build $1, in words.
explain ()
{
  echo
  case $1 in
    g++-O0)
      echo "Without optimization g++ has each coroutine call the one that it"
      echo "awaits, so they are on the native stack as well, as long as none"
      echo "of them has waited for an event.  They are shown once." ;;
    *)
      echo "The lines that say \`awaiting' are those that no native stack has:"
      echo "the callers of the coroutine that runs." ;;
  esac
}

for build; do
  title "$build, the stack without .sframe_coro"
  show "$work/$build-without" 0
  title "$build, the stack with .sframe_coro"
  show "$work/$build" $depth
  explain "$build"
done
echo
echo "Try it on a program of yours: $command stack -p PID"
