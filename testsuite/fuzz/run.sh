#!/bin/bash
# Fuzz the library for a while.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The fuzzers are built with clang's libFuzzer, AddressSanitizer and
# UndefinedBehaviorSanitizer, and run for two minutes of processor time: section
# on one processor, walk and splice on another.  An input that fails is kept in
# the build directory, as is the corpus, with which a longer run goes on.

set -u
export LC_ALL=C
usage ()
{
  cat <<END
usage: run.sh [--seconds=N | --runs=N] [--seed=N] [--continue] [TARGET...]
  --seconds   how long all together, on two processors (60)
  --runs      executions of each target, instead
  --seed      of the random numbers (1)
  --continue  with the inputs that earlier runs have found
  TARGET      section, walk or splice (all)
Environment: FUZZ_CC, the compiler (clang-19); top_srcdir and top_builddir.
END
}
seconds=60 runs=-1 seed=1 targets='' continue=
for arg; do
  case $arg in
    --seconds=*) seconds=${arg#*=} ;;
    --runs=*) runs=${arg#*=} seconds=0 ;;
    --seed=*) seed=${arg#*=} ;;
    --continue) continue=yes ;;
    section|walk|splice) targets="$targets $arg" ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
: "${targets:=section walk splice}"

top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)} || exit 1
here=$top/testsuite/fuzz
out=${top_builddir:-$PWD}/testsuite/fuzz
cc=${FUZZ_CC:-clang-19}
mkdir -p "$out" || exit 1
passed=0 failed=0

sanitize='-fsanitize=address,undefined -fno-sanitize-recover=all'
# Pointers to locals of functions that have returned are left to compilers.
flags="-std=gnu11 -g -O2 $sanitize -fsanitize-address-use-after-return=never"
# Only the library is watched.  Watching what is compared, too, costs half of
# the time and finds nothing more: the seeds have what is compared with.
watch='-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp'

# compile DIRECTORY FLAGS SOURCE...: into objects there.
compile ()
{
  local directory=$1 more=$2
  shift 2
  mkdir -p "$directory" &&
    # shellcheck disable=SC2086
    printf '%s\n' "$@" | (cd "$directory" && xargs -n 1 -P 2 \
      "$cc" $flags $more -I"$top/include" -c)
}

# link TARGET PART...: of the library only what TARGET takes.
link ()
{
  local target=$1 objects='' part
  shift
  for part in "$target" options "$@"; do
    objects="$objects $out/parts/$part.o"
  done
  # shellcheck disable=SC2086
  $cc $flags -fsanitize=fuzzer -Wl,--wrap=strcmp -o "$out/$target-fuzzer" \
    $objects "$out/library.a"
}

build ()
{
  rm -rf "$out/library" "$out/parts" "$out/library.a"
  compile "$out/library" "$watch" "$top"/libsframe-coro/*.c &&
    ar rc "$out/library.a" "$out"/library/*.o &&
    compile "$out/parts" '' "$here"/*.c &&
    link section exercise exercise-walk &&
    link walk exercise-walk &&
    link splice exercise-splice &&
    link broken &&
    $cc $flags $watch -o "$out/seeds" "$out/parts/seeds.o" "$out/library.a"
}

# fuzz TARGET SECONDS: what it printed goes to TARGET.log.
fuzz ()
{
  local limit=-max_total_time=$2
  [ "$2" -gt 0 ] || limit=-runs=$runs
  mkdir -p "$out/$1-corpus" &&
    "$out/$1-fuzzer" -seed="$seed" "$limit" -max_len=1024 -len_control=0 \
      -timeout=20 -close_fd_mask=1 -print_pcs=0 -reload=0 \
      -artifact_prefix="$out/$1-" "$out/$1-corpus" >"$out/$1.log" 2>&1
}

# fuzz_one TARGET SECONDS: and say how it went, in TARGET.result.
fuzz_one ()
{
  if fuzz "$1" "$2"; then
    sed -n "s/^Done \([1-9][0-9]*\) runs.*/PASS: fuzz\/$1: \1 executions/p" \
      "$out/$1.log" >"$out/$1.result"
  fi
  [ -s "$out/$1.result" ] || echo "FAIL: fuzz/$1" >"$out/$1.result"
}

# share TARGET: its seconds.
share ()
{
  case $1 in
    section) echo "$seconds" ;;
    *) echo $((seconds / 2)) ;;
  esac
}

lane ()
{
  local target
  for target; do
    case " $targets " in
      *" $target "*) fuzz_one "$target" "$(share "$target")" ;;
    esac
  done
}

show ()
{
  cat "$out/$1.result"
  if grep -q ^PASS "$out/$1.result"; then
    passed=$((passed + 1))
  else
    grep -v -E 'NEW|REDUCE|pulse' "$out/$1.log" | tail -n 40 | sed 's/^/    /'
    failed=$((failed + 1))
  fi
}

echo 'int LLVMFuzzerTestOneInput (void *p, unsigned long n)
  { return p == (void *) n; }' >"$out/probe.c"
# shellcheck disable=SC2086
if ! $cc $sanitize -fsanitize=fuzzer -o "$out/probe" "$out/probe.c" \
       >"$out/build.log" 2>&1; then
  echo "SKIP: fuzz: $cc has no libFuzzer (package libclang-rt-19-dev)"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
if ! build >"$out/build.log" 2>&1; then
  tail -n 30 "$out/build.log"
  echo "FAIL: fuzz: building"
  echo "0 passed, 1 failed"
  exit 1
fi
rm -rf "$out"/*.result "$out/broken-corpus"
[ -n "$continue" ] || rm -rf "$out"/*-corpus
mkdir -p "$out/section-corpus" && "$out/seeds" "$out/section-corpus" || exit 1

lane section &
lane walk splice
wait
for target in $targets; do
  show "$target"
done
# With as many executions as it may want: it fails after a few.
runs=1000000
fuzz_one broken 0
if grep -q '^FAIL' "$out/broken.result" &&
   grep -q 'heap-buffer-overflow' "$out/broken.log"; then
  echo "PASS: fuzz/a target that fails is seen"
  passed=$((passed + 1))
else
  echo "FAIL: fuzz/a target that fails is seen"
  failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
