#!/bin/sh
# What is installed: complete, usable from C and C++, and nothing too much.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later

set -u
: "${top_srcdir:?}" "${top_builddir:?}"
CC=${CC:-cc}
CXX=${CXX:-c++}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
root=$dir/root
passed=0 failed=0

# try TEXT COMMAND...
try ()
{
  text=$1
  shift
  if "$@" >output 2>&1; then
    passed=$((passed + 1)) && echo "PASS: $text"
  else
    failed=$((failed + 1)) && echo "FAIL: $text" && sed 's/^/  /' output
  fi
}

# The whole prefix moved: what is installed must not depend on its place.
install_it ()
{
  env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
    make -C "$top_builddir" install "prefix=$root"
}

flags ()
{
  PKG_CONFIG_PATH=$root/lib/pkgconfig \
    pkg-config "--define-variable=prefix=$root" "$@" libsframe-coro
}

# The functions that the header declares.
declared ()
{
  "$CC" -E -P "-I$root/include" "$root/include/sframe-coro-api.h" |
    grep -o '\bsframe_coro_[a-z0-9_]* *(' | tr -d ' (' | sort -u
}

exported ()
{
  nm -D --defined-only "$root/lib/libsframe-coro.so" |
    sed -n 's/.* [TtDdRrBb] \(.*\)/\1/p' | sed 's/@.*//' | sort -u
}

same_names ()
{
  declared >declared.txt && exported >exported.txt &&
    [ -s declared.txt ] && diff -u declared.txt exported.txt
}

versioned ()
{
  ! nm -D --defined-only "$root/lib/libsframe-coro.so" |
    grep ' [TDRB] ' | grep -v '@@LIBSFRAME_CORO_'
}

# Only libc is needed, and the library stays shared and clean.
needs_libc_only ()
{
  readelf -dW "$root/lib/libsframe-coro.so" >dynamic.txt
  grep -q NEEDED dynamic.txt || return 1
  ! grep NEEDED dynamic.txt | grep -v '\[libc\.' && ! grep TEXTREL dynamic.txt
}

# Signal handlers call it: no function may have to be looked for then.
bound_at_start () { readelf -dW "$root/lib/libsframe-coro.so" | grep -w NOW; }

cat >use.c <<'END'
#include <sframe-coro-api.h>
#include <string.h>

int
main (void)
{
  return strcmp (sframe_coro_version (), VERSION);
}
END

# Any warning in a public header is a defect: these are stricter than ours.
strict='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'

# use_shared COMPILER ARGUMENT..., use_static ditto.
use_shared ()
{
  # shellcheck disable=SC2046,SC2086
  "$@" $strict "-DVERSION=\"$version\"" -o use $(flags --cflags) use.c \
    $(flags --libs) "-Wl,-rpath,$root/lib" && ./use &&
    readelf -d use | grep -q 'NEEDED.*libsframe-coro\.so'
}

use_static ()
{
  # shellcheck disable=SC2046,SC2086
  "$@" $strict "-DVERSION=\"$version\"" -o use $(flags --cflags) use.c \
    "$root/lib/libsframe-coro.a" && ./use &&
    ! readelf -d use | grep 'NEEDED.*libsframe-coro'
}

# What is installed for gdb finds the library, wherever both are.
gdb_finds_library ()
{
  gdb -nx -batch -ex "python sys.dont_write_bytecode = True" \
    -x "$root/share/sframe-coro/sframe-coro-gdb.py" \
    -ex 'python print (sframe_coro_gdb.library.get ().version ().decode ())' \
    >said 2>&1 || return 1
  cat said
  [ "$(cat said)" = "$version" ]
}

# gdb reads it by itself for a program that uses the library.
gdb_loads_script ()
{
  # shellcheck disable=SC2046
  "$CC" "-DVERSION=\"$version\"" -o loaded $(flags --cflags) use.c \
    $(flags --libs) "-Wl,-rpath,$root/lib" || return 1
  PYTHONDONTWRITEBYTECODE=1 gdb -nx -batch \
    -iex "set auto-load scripts-directory $root/share/gdb/auto-load" \
    -iex "add-auto-load-safe-path $root" -ex 'break sframe_coro_version' \
    -ex 'set breakpoint pending on' -ex run -ex bt -ex 'info frame-filter' \
    ./loaded >said 2>&1
  cat said
  grep -q "^ *100 *Yes *sframe-coro" said
}

has_gdb ()
{
  gdb -nx -batch -ex "python print ('yes')" 2>&1 | grep -qx yes
}

no_trace_of ()
{
  ! grep -rlF "$1" "$root/include" "$root/share"
}

try "install below another prefix" install_it
version=$(flags --modversion)
for file in include/sframe-coro.h include/sframe-coro-api.h \
	    include/sframe-coro.hpp lib/pkgconfig/libsframe-coro.pc; do
  try "$file is installed" test -s "$root/$file"
done
try "pkg-config knows a version" test -n "$version"
if [ -e "$root/lib/libsframe-coro.so" ]; then
  try "the library exports what the header declares" same_names
  try "every exported symbol has a version" versioned
  try "the library needs libc alone, and no text relocation" needs_libc_only
  try "the library is bound at the start" bound_at_start
  try "C program, shared library" use_shared "$CC" -std=c11
  try "C++ program, shared library" use_shared "$CXX" -std=c++20 -x c++
fi
if [ -e "$root/lib/libsframe-coro.a" ]; then
  try "C program, static library" use_static "$CC" -std=c11
fi
if [ -e "$root/lib/libsframe-coro.so" ]; then
  try "gdb's script is where gdb looks for it" \
    grep -q "source $root/share/sframe-coro/sframe-coro-gdb.py" \
    "$root/share/gdb/auto-load$root/lib/$(readlink \
      "$root/lib/libsframe-coro.so")-gdb.py"
  if has_gdb; then
    try "gdb's script finds the library" gdb_finds_library
    try "gdb reads its script by itself" gdb_loads_script
  fi
fi
try "nothing installed names the source tree" no_trace_of "$top_srcdir"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
