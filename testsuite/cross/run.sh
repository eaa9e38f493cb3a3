#!/bin/sh
# Programs for AArch64 and s390x, whose lists are walked under emulation, and
# sections of each ABI, dumped here; command and sampler, compiled for both.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From the environment: SFRAME_CORO, the command, by default that of the build
# directory; MUSL_ROOT, where packages of musl for other machines are unpacked,
# by default the root directory; GLIBC_ROOT, where another glibc is unpacked for
# the programs to run with.  Arguments, if any, are words that the names of the
# cases to run contain.

set -u
export LC_ALL=C
cd "$(dirname "$0")" || exit 1
src=$PWD top=$PWD/../.. build=${top_builddir:-$PWD/../../build}
words=$*

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 skipped=0

wanted ()
{
  [ -n "$words" ] || return 0
  for word in $words /objects; do
    case $1 in *"$word"*) return 0 ;; esac
  done
  return 1
}

skip ()
{
  wanted "$1" || return 0
  echo "SKIP: cross/$1 ($2)"
  skipped=$((skipped + 1))
}

# check NAME COMMAND...: one case; what the command prints matters if it fails.
check ()
{
  name=$1
  shift
  wanted "$name" || return 0
  if "$@" >"$tmp/log" 2>&1; then
    echo "PASS: cross/$name"
    passed=$((passed + 1))
  else
    echo "FAIL: cross/$name"
    head -n 30 "$tmp/log" | sed 's/^/    /'
    failed=$((failed + 1))
  fi
}

# Linkers: NAME:COMMAND:VERSIONS-OF-TARGET; compilers look for "ld" where -B
# says.  That of GNU and gold come with the cross compiler.
have_linker ()
{
  case $2 in
    lld) command=$(command -v ld.lld-19 || command -v ld.lld) ;;
    mold) command=$(command -v mold) ;;
    gold) command=$(command -v "$1-ld.gold") ;;
    ld) command=$(command -v "$1-ld") ;;
  esac || return 1
  mkdir -p "$tmp/$1-$2" && ln -sf "$command" "$tmp/$1-$2/ld"
}

# records LABEL NAME DEFINITION: what the chains of program and library are.
records ()
{
  # shellcheck disable=SC2086
  $cc $flags -c "$src/records.S" -DLABEL="$1" -DNAME="\"$2\"" "$3" -o "$1.o"
}

compile ()
{
  # shellcheck disable=SC2086
  $cc -std=gnu11 -O2 -Wall -Wextra -Werror -I"$top/include" $flags -c "$@"
}

# Everything but the links, in the current directory.
objects ()
{
  mkdir walker || return 1
  for file in "$top"/libsframe-coro/*.c; do
    compile -fPIE "$file" -o "walker/$(basename "$file" .c).o" || return 1
  done
  "$ar" rc walker.a walker/*.o &&
    records program_records program -DVARIABLE=program_head &&
    records key_records key -DKEY=program_key &&
    records library_records library -DVARIABLE=library_head &&
    records library_of_program_records "program by library" \
      -DVARIABLE=program_head &&
    records program_of_library_records "library by program" \
      -DVARIABLE=library_head &&
    compile -fPIC "$src/library.c" &&
    compile -fPIC -DPADDING=65536 "$src/library.c" -o library-big.o &&
    compile -fPIE "$src/program.c" &&
    compile -fPIE -DOPEN "$src/program.c" -o program-open.o
}

in_library="library_records.o library_of_program_records.o"
in_program="program_records.o key_records.o"

# walk MODE: link, run, and compare with the expected list of stacks.
# shellcheck disable=SC2086
walk ()
{
  dynamic="-rdynamic -Wl,-rpath,."
  linked="program.o $in_program program_of_library_records.o"
  opened="program-open.o $in_program"
  run="$emulator ./a.out"
  rm -f a.out library.so
  case $1 in
    static) link -static $linked library.o $in_library ;;
    static-pie) link -static-pie $linked library.o $in_library ;;
    no-pie) library library.o && link $dynamic -no-pie $linked library.so ;;
    pie) library library.o && link $dynamic -pie $linked library.so ;;
    open) library library.o && link $dynamic -pie $opened ;;
    open-big) library library-big.o && link $dynamic -pie $opened ;;
    open-big-no-pie) library library-big.o && link $dynamic -no-pie $opened ;;
  esac || return 1
  case $1 in
    static*) ;;
    *) run="$emulator $loader ./a.out" ;;
  esac
  timeout 120 $run >out || { cat out; return 1; }
  case $1 in
    open*) grep -v 'library by program' "$src/expected" >wanted ;;
    *) cp "$src/expected" wanted ;;
  esac
  sort out | diff wanted -
}

# The C library of the cross compiler.
library ()
{
  # shellcheck disable=SC2086
  $cc $use -shared -o library.so "$1" $in_library
}

link ()
{
  # shellcheck disable=SC2086
  $cc $use -o a.out "$@" walker.a -pthread
}

# glibc MACHINE: all linkers and kinds of program.
glibc ()
{
  triplet=$1-linux-gnu cc=$triplet-gcc ar=$triplet-ar
  emulator="qemu-$1 -L ${GLIBC_ROOT:-/usr/$triplet}" loader='' flags=''
  for tool in "$cc" "qemu-$1"; do
    command -v "$tool" >/dev/null || { skip "$1" "no $tool"; return; }
  done
  mkdir "$tmp/$1" && cd "$tmp/$1" || exit 1
  check "$1/objects" objects
  for linker in ld gold lld mold; do
    have_linker "$triplet" "$linker" ||
      { skip "$1/$linker" "no such linker"; continue; }
    use="-B$tmp/$triplet-$linker"
    for mode in static no-pie pie open open-big open-big-no-pie; do
      check "$1/$linker/$mode" walk "$mode"
    done
    case $($cc -print-file-name=rcrt1.o)/$linker in
      /*/gold | rcrt1.o/*) ;; # Unknown to it; no such start-up file.
      *) check "$1/$linker/static-pie" walk static-pie ;;
    esac
  done
}

# musl MACHINE: what a package of musl for the machine, unpacked somewhere,
# needs to be told.
musl ()
{
  triplet=$1-linux-gnu cc=$triplet-gcc ar=$triplet-ar
  root=${MUSL_ROOT:-}/usr libs=$root/lib/$1-linux-musl
  for tool in "$cc" "qemu-$1"; do
    command -v "$tool" >/dev/null || { skip "$1-musl" "no $tool"; return; }
  done
  [ -e "$libs/libc.a" ] || { skip "$1-musl" "no musl for it"; return; }
  headers=$root/include/$1-linux-musl
  emulator=qemu-$1 loader=$libs/libc.so
  [ -e "$loader" ] || loader=${MUSL_ROOT:-}/lib/$1-linux-musl/libc.so
  flags="-nostdinc -isystem $headers -isystem $($cc -print-file-name=include)"
  flags="$flags -DLIBC_MUSL"
  use="-B$tmp/$triplet-ld"
  have_linker "$triplet" ld
  mkdir "$tmp/$1-musl" && cd "$tmp/$1-musl" || exit 1
  check "$1-musl/objects" objects
  for mode in static no-pie pie open open-big open-big-no-pie; do
    check "$1-musl/$mode" musl_walk "$mode"
  done
}

# shellcheck disable=SC2086
musl_walk ()
(
  gcc_library=$($cc -print-libgcc-file-name)
  library ()
  {
    $cc $use -nostdlib -shared -o library.so "$1" $in_library
  }
  link ()
  {
    case $1 in
      -static) c_library=$libs/libc.a ;;
      *) c_library=$loader ;;
    esac
    $cc $use -nostdlib -o a.out "$libs/Scrt1.o" "$@" walker.a "$c_library" \
      "$gcc_library"
  }
  walk "$1"
)

# bare ORDER LINKER: AArch64 without a C library.
bare ()
{
  walker="decode errors fields names roots tls walk"
  flags="-m$1-endian -fno-pie -ffreestanding -fno-stack-protector"
  flags="$flags -fno-tree-loop-distribute-patterns -mno-outline-atomics"
  flags="$flags -Iheaders"
  rm -f ./*.o
  # The header that says which functions the C library lacks is not there for
  # big-endian machines.
  mkdir -p headers/gnu && : >headers/gnu/stubs-lp64_be.h || return 1
  for file in $walker; do
    compile "$top/libsframe-coro/$file.c" || return 1
  done
  records program_records program -DVARIABLE=program_head &&
    compile "$src/bare.c" &&
    case $1 in
      little) "$tmp/$triplet-$2/ld" -m aarch64linux -static -o a.out ./*.o ;;
      big) "$tmp/$triplet-$2/ld" -m aarch64linuxb -static -o a.out ./*.o ;;
    esac || return 1
  emulator=qemu-aarch64
  [ "$1" = big ] && emulator=qemu-aarch64_be
  timeout 120 $emulator ./a.out >out || return 1
  sort out >sorted
  grep -E "[0-3]: program: " "$src/expected" | grep -v early | diff - sorted
}

bares ()
{
  triplet=aarch64-linux-gnu cc=$triplet-gcc
  for tool in "$cc" qemu-aarch64 qemu-aarch64_be; do
    command -v "$tool" >/dev/null || { skip bare "no $tool"; return; }
  done
  mkdir "$tmp/bare" && cd "$tmp/bare" || exit 1
  # gold leaves big-endian instructions behind, which do not run; mold knows
  # little-endian only.
  for linker in ld lld; do
    have_linker "$triplet" "$linker" ||
      { skip "bare/$linker" "no such linker"; continue; }
    for order in little big; do
      check "bare/$linker/$order" bare "$order" "$linker"
    done
  done
}

# Where the headers of libraries are, which are the same for all machines.
headers="elfutils bpf libelf.h gelf.h nlist.h dwarf.h json-c protobuf-c google
  zlib.h zconf.h"

# command_for MACHINE: what the command is made of, as configured here, compiles.
command_for ()
{
  for file in "$top"/tools/*.c; do
    "$1-linux-gnu-gcc" -std=gnu11 -O2 -Wall -Wextra -Werror -fsyntax-only \
      -isystem "$tmp/headers" -I"$build" -I"$build/tools" -I"$top/include" \
      -I"$top/libsframe-coro" -I"$top/bpf" "$file" || return 1
  done
}

commands ()
{
  mkdir "$tmp/headers" || exit 1
  for header in $headers; do
    ln -s "/usr/include/$header" "$tmp/headers"
  done
  for machine in aarch64 s390x; do
    if ! command -v $machine-linux-gnu-gcc >/dev/null; then
      skip "command/$machine" "no cross compiler"
    elif [ ! -e "$build/bpf/sampler.skel.h" ] ||
	 [ ! -e "$build/tools/pprof.pb-c.h" ]; then
      skip "command/$machine" "not all of it is configured here"
    else
      check "command/$machine" command_for $machine
    fi
  done
}

# sampler_for ARCH MACHINE: the program for the kernel compiles.  A sampler of
# another machine cannot be loaded here.
sampler_for ()
{
  "${BPF_CLANG:-clang-19}" -target bpf -g -O2 -ffreestanding -Wall -Wextra \
    -Werror "-D__TARGET_ARCH_$1" -I"/usr/$2-linux-gnu/include" \
    -I"$top/include" -I"$top/libsframe-coro" -I"$top/bpf" \
    -c "$top/bpf/sampler.bpf.c" -o "$tmp/sampler.o"
}

samplers ()
{
  if [ ! -d /usr/aarch64-linux-gnu/include/asm ]; then
    skip sampler/aarch64 "no headers of the kernel for it"
  elif [ ! -e /usr/include/bpf/bpf_helpers.h ] ||
       ! command -v "${BPF_CLANG:-clang-19}" >/dev/null; then
    skip sampler/aarch64 "no clang-19 or no libbpf"
  else
    check sampler/aarch64 sampler_for arm64 aarch64
  fi
}

# dump FILE: the command, on a library that was put here.
dump ()
{
  (cd "$src/sections" && "$command" dump "$1") |
    diff "$src/sections/${1%.*}.txt" - &&
    "$command" check "$src/sections/$1"
}

dumps ()
{
  command=${SFRAME_CORO:-}
  for file in "${top_builddir:-$top/build}/tools/sframe-coro" \
    "$top/build/obj/tools/sframe-coro" "$top/build/stage/bin/sframe-coro"; do
    [ -z "$command" ] && [ -x "$file" ] && command=$file
  done
  for file in "$src"/sections/*.so "$src"/sections/*.elf; do
    name=${file##*/}
    if [ -n "$command" ] && [ -x "$command" ]; then
      check "dump/${name%.*}" dump "$name"
    else
      skip "dump/${name%.*}" "no sframe-coro"
    fi
  done
}

dumps
samplers
commands
glibc aarch64
glibc s390x
musl aarch64
musl s390x
bares

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
