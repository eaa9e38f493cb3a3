#!/bin/sh
# The manual against the header, its programs, and all documents typeset.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Everything public is documented in the header; the manual says the same of
# each function, and its programs compile and print what it shows.

set -u
LC_ALL=C; export LC_ALL
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${top_builddir:-$top/build}
cc=${CC:-cc} cxx=${CXX:-c++}
here=$top/testsuite/manual examples=$top/examples
manual=$top/doc/libsframe-coro.texi header=$top/include/sframe-coro-api.h
library=$build/libsframe-coro/.libs/libsframe-coro.a

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0

# try NAME COMMAND...: the command must succeed.
try ()
{
  name=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    passed=$((passed + 1)); echo "ok: $name"
  else
    failed=$((failed + 1)); echo "FAILED: $name"
    head -n 40 "$work/out" | sed 's/^/  | /'
    return 1
  fi
}

skip () { skipped=$((skipped + 1)); echo "skipped: $1"; }

# quiet COMMAND...: succeed, and say nothing.
quiet ()
{
  "$@" >"$work/said" 2>&1 && [ ! -s "$work/said" ] || {
    cat "$work/said"
    return 1
  }
}

# Header and manual.

# functions_of_manual FILE: as header-functions.awk prints them.
functions_of_manual ()
{
  sed -n '/^@c functions/,/^@end multitable/s/^@item @code{\([a-z_]*\)} @tab \(.*\)/\1 \2/p' \
    "$1"
}

# same_functions HEADER: all documented, and as in the manual.
same_functions ()
{
  awk -f "$here/header-functions.awk" "$1" >"$work/in-header"
  functions_of_manual "$manual" >"$work/in-manual"
  [ -s "$work/in-manual" ] && diff "$work/in-header" "$work/in-manual"
}

# noticed SED-SCRIPT: a change of the header must be noticed.
noticed ()
{
  sed "$1" "$header" >"$work/changed.h"
  ! cmp -s "$header" "$work/changed.h" && ! same_functions "$work/changed.h"
}

check_header ()
{
  try "header and manual agree, all is documented" same_functions "$header"
  try "noticing a function that is no longer signal-safe" \
    noticed 's/The version of the library, as "0.1.0".  Signal-safe./The version./'
  try "noticing a function that is signal-safe now" \
    noticed 's/^   message for what cannot be decoded\./& Signal-safe./'
  try "noticing a type without a comment" \
    noticed '/^\/\* What walks return\.  \*\/$/d'
  try "noticing a new function" noticed \
    's/^extern const char \*sframe_coro_stop_text.*/&\nextern int sframe_coro_new (void);/'
}

# Programs.

# compile NAME FILE: with the examples' modules.c.
# shellcheck disable=SC2086
compile ()
{
  quiet $cc -std=gnu11 -O2 -g -Wall -Wextra -Werror -I"$top/include" \
    -I"$examples" -o "$work/$1" "$2" "$examples/modules.c" "$library" $libdw
}

# compile_cxx COMPILER FLAG NAME FILE...
compile_cxx ()
{
  cxx_compiler=$1 optimize=$2 program=$3
  shift 3
  quiet "$cxx_compiler" -std=c++20 "$optimize" -g -Wall -Wextra -Werror \
    -I"$top/include" -I"$examples" -o "$work/$program" "$@"
}

# shown NAME: what the manual says that a program prints.
shown ()
{
  awk -v kind=text -v name="$1" -f "$top/testsuite/spec/extract.awk" \
    "$manual" >"$work/$1"
  [ -s "$work/$1" ]
}

# same_output NAME: $work/printed is what the manual shows.
same_output ()
{
  shown "$1" && diff "$work/$1" "$work/printed"
}

# Names without parameters and without what compilers call parts of a
# coroutine.
shorten () { c++filt | sed 's/([^;]*//g'; }

list_output ()
{
  "$work/list" "$work/factorial" >"$work/printed" &&
    sed -i 's/0x[0-9a-f]*/ADDRESS/' "$work/printed" && same_output list-output
}

encode_output ()
{
  "$work/encode" >"$work/printed" && same_output encode-output
}

# tasks_output COMMAND...: it looks at a program that stays.
tasks_output ()
{
  mkfifo "$work/in" && : >"$work/ready"
  "$work/factorial" 3 read <"$work/in" >"$work/ready" &
  pid=$!
  exec 9>"$work/in"
  tries=0
  until grep -q ready "$work/ready" || [ $((tries += 1)) -gt 600 ]; do
    sleep 0.1
  done
  "$work/tasks" $pid | shorten | sed "s/$pid/TID/" >"$work/printed"
  exec 9>&-
  wait $pid && grep -q '3! = 6' "$work/ready" && same_output tasks-output
}

# At a high rate: thousands of samples, each of them one of these stacks.
profile_output ()
{
  timeout 100 "$work/profiled" 2000 40000 >"$work/raw" || return 1
  cut_counts <"$work/raw" | shorten | sort -u >"$work/printed"
  same_output profile-output || return 1
  awk '{ n += $NF } END { exit n < 4000 }' "$work/raw"
}

cut_counts () { sed 's/ [0-9]*$//'; }

check_profile ()
{
  try "compiling profile.c" quiet $cc -std=gnu11 -O2 -Wall -Wextra -Werror \
    -I"$top/include" -c -o "$work/profile.o" "$examples/profile.c" &&
    try "compiling modules.c" quiet $cc -std=gnu11 -O2 -Wall -Wextra -Werror \
      -I"$top/include" -c -o "$work/modules.o" "$examples/modules.c" || return
  for compiler in "$cxx" clang++-19; do
    if ! command -v "$compiler" >/dev/null; then
      skip "profiled.cc: no $compiler"
      continue
    fi
    for flag in -O0 -O2; do
      # shellcheck disable=SC2086
      try "compiling profiled.cc, $compiler $flag" \
	compile_cxx "$compiler" $flag profiled "$examples/profiled.cc" \
	"$work/profile.o" "$work/modules.o" "$library" $libdw &&
	try "exact stacks at each signal, $compiler $flag" profile_output
    done
  done
}

check_programs ()
{
  try "compiling encode.c" quiet $cc -std=gnu11 -O1 -Wall -Wextra -Werror \
    -I"$top/include" -o "$work/encode" "$examples/encode.c" "$library" &&
    try "running encode" encode_output
  if ! libdw=$(pkg-config --libs libdw libelf 2>/dev/null); then
    skip "programs that need libdw"
    return
  fi
  try "compiling factorial.cc" compile_cxx "$cxx" -O2 factorial \
    "$examples/factorial.cc" || return
  try "compiling list.c" compile list "$examples/list.c" &&
    try "running list" list_output
  try "compiling tasks.c" compile tasks "$examples/tasks.c" &&
    try "running tasks" tasks_output
  check_profile
}

# Signals.

# in_signal_test: each function that the header calls signal-safe is called.
in_signal_test ()
{
  awk -f "$here/header-functions.awk" "$header" | sed -n 's/ yes$//p' \
    >"$work/safe"
  [ -s "$work/safe" ] || return 1
  status=0
  while read -r function; do
    sed -n '/^ask_section/,/^ask (/p' "$here/signal.c" |
      grep -q "\\b$function (" || { echo "$function"; status=1; }
  done <"$work/safe"
  return $status
}

check_signals ()
{
  try "all signal-safe functions are in signal.c" in_signal_test
  wraps=
  for name in malloc calloc realloc free strdup qsort; do
    wraps="$wraps -Wl,--wrap=$name"
  done
  # shellcheck disable=SC2086
  try "compiling signal.c" quiet $cc -std=gnu11 -O2 -Wall -Wextra -Werror \
    -I"$top/include" $wraps -o "$work/signal" "$here/signal.c" "$library" \
    -pthread && try "all of them in a signal handler" \
    timeout 100 "$work/signal"
}

# Documents.

# typeset NAME: as PDF, with nothing beyond the margin.
typeset ()
{
  mkdir "$work/tex-$1"
  (cd "$work/tex-$1" &&
    TEXINPUTS=$top/build-aux: texi2dvi --pdf --batch --build=tidy \
      -I "$examples" "$top/doc/$1.texi" &&
    [ -s "$1.pdf" ] && log=$(find . -name "$1.log") && [ -n "$log" ] &&
    ! grep -A 3 -e '^Overfull' -e '^!' "$log")
}

check_documents ()
{
  for document in sframe-coro-spec libsframe-coro; do
    if ! command -v makeinfo >/dev/null; then
      skip "$document: no makeinfo"
      continue
    fi
    try "$document as info" quiet makeinfo --no-split -I "$examples" \
      -o "$work/$document.info" "$top/doc/$document.texi"
    try "$document as HTML" quiet makeinfo --html --no-split -I "$examples" \
      -o "$work/$document.html" "$top/doc/$document.texi"
    if command -v tex >/dev/null && command -v texi2dvi >/dev/null; then
      try "$document as PDF" typeset "$document"
    else
      skip "$document as PDF: no TeX (texlive-base)"
    fi
  done
}

check_header
check_programs
check_signals
check_documents

if [ $skipped -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
