#!/bin/sh
# What walking and splicing calls: no allocation, no lock, no recursion, and no
# stack whose size depends on what is walked.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Taken from compiled objects, so for all paths: testsuite/manual sees the same
# of those that are run.  Callbacks are the caller's.

set -u
export LC_ALL=C
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)} || exit 1
cc=${CC:-gcc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
suite=calls
# shellcheck source=../cases.sh
. "$top/testsuite/cases.sh"

# The files of walk, roots, TLS and splice, and what they take from others.
files='walk roots tls splice fields names errors'
# What they may call in the C library.
allowed='memcpy|memmove|memset|memcmp|strcmp'

# compile DIRECTORY FILE...: all calls as they are written, for the graph, and
# as they are compiled, for the symbols.
compile ()
{
  directory=$tmp/$1
  shift
  mkdir -p "$directory/graph" && cd "$directory" &&
    for file; do
      base=$(basename "$file" .c)
      # shellcheck disable=SC2086
      $cc -std=gnu11 -O0 -I"$top/include" -fcallgraph-info=su -c \
        -o "graph/$base.o" "$file" &&
        $cc -std=gnu11 -O2 -I"$top/include" -fvisibility=hidden \
          -fstack-usage -c -o "$base.o" "$file" || return
    done
}

# only_allowed DIRECTORY: nothing undefined but what is allowed.
only_allowed ()
{
  nm "$tmp/$1"/*.o | awk -v allowed="^($allowed)\$" '
    NF == 2 && $1 == "U" { wanted[$2] = 1 }
    NF == 3 { defined[$3] = 1 }
    END {
      for (name in wanted)
	if (!(name in defined) && name !~ allowed) { print name; bad = 1 }
      exit bad
    }'
}

# no_cycle DIRECTORY: edges that are not calls through pointers go round in no
# circle.  tsort takes a function that calls itself for one without calls.
no_cycle ()
{
  sed -n 's/^edge: { sourcename: "\([^"]*\)" targetname: "\([^"]*\)".*/\1 \2/p' \
    "$tmp/$1"/graph/*.ci | grep -v __indirect_call | sort -u >"$tmp/edges"
  [ -s "$tmp/edges" ] && ! awk '$1 == $2' "$tmp/edges" | grep . &&
    tsort "$tmp/edges" >/dev/null 2>"$tmp/loop" && [ ! -s "$tmp/loop" ]
}

# bounded_stack DIRECTORY: no frame whose size the compiler cannot tell.
bounded_stack ()
{
  [ -n "$(cat "$tmp/$1"/*.su)" ] &&
    ! grep -w dynamic "$tmp/$1"/*.su | grep -v bounded
}

# noticed CHECK NAME CODE: what must not be there is seen.
noticed ()
{
  mkdir -p "$tmp/source"
  echo "$3" >"$tmp/source/$2.c"
  compile "$2" "$tmp/source/$2.c" && ! "$1" "$2"
}

echo 'int x;' >"$tmp/probe.c"
# shellcheck disable=SC2086
if ! (cd "$tmp" && $cc -fcallgraph-info=su -fstack-usage -c probe.c) \
       >"$tmp/log" 2>&1; then
  echo "SKIP: calls: $cc tells no calls (-fcallgraph-info: GCC 10)"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
sources=
for file in $files; do
  sources="$sources $top/libsframe-coro/$file.c"
done
# shellcheck disable=SC2086
check "compiling" compile library $sources
check "no allocation, no lock" only_allowed library
check "no recursion" no_cycle library
check "no stack of unknown size" bounded_stack library
check "allocation is noticed" noticed only_allowed allocation '
#include <stdlib.h>
void *allocation (size_t n) { return malloc (n); }'
check "a lock is noticed" noticed only_allowed lock '
#include <pthread.h>
int lock (pthread_mutex_t *m) { return pthread_mutex_lock (m); }'
check "recursion is noticed" noticed no_cycle itself '
int other (int n) { return n; }
int itself (int n) { return n ? itself (n - 1) : other (n); }'
check "recursion of two is noticed" noticed no_cycle two '
int two (int n);
int one (int n) { return n ? two (n - 1) : 0; }
int two (int n) { return one (n) + 1; }'
check "stack of unknown size is noticed" noticed bounded_stack array '
void use (char *p);
void array (int n) { char a[n]; use (a); }'
totals
