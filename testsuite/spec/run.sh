#!/bin/sh
# The specification against the header, the tools and the library.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The tables of the specification must agree with sframe-coro.h, its worked
# example must be what assemblers and linkers make of its source, and its
# splicing examples what the library says.  And every reason to stop that the
# header has must be asserted by a unit test.

set -u
LC_ALL=C; export LC_ALL
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${top_builddir:-$top/build}
cc=${CC:-cc}
here=$top/testsuite/spec
spec=$top/doc/sframe-coro-spec.texi
address=0x400400 # Of the section in the worked example.

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0

# pass NAME, fail NAME [FILE], skip NAME: count a case; FILE says why.
pass () { passed=$((passed + 1)); echo "ok: $1"; }
skip () { skipped=$((skipped + 1)); echo "skipped: $1"; }
fail ()
{
  failed=$((failed + 1))
  echo "FAILED: $1"
  if [ $# -gt 1 ]; then
    sed 's/^/  | /' "$2"
  fi
}

# try NAME COMMAND...: the command must succeed.
try ()
{
  name=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    pass "$name"
  else
    fail "$name" "$work/out"
    return 1
  fi
}

# quiet COMMAND...: succeed, and say nothing.
quiet ()
{
  "$@" >"$work/said" 2>&1 && [ ! -s "$work/said" ] || {
    cat "$work/said"
    return 1
  }
}

# extract KIND NAME: the block of the specification with that name, which may
# not be empty.
extract ()
{
  awk -v kind="$1" -v name="$2" -f "$here/extract.awk" "$spec" >"$work/$2"
  [ -s "$work/$2" ]
}

# Layout.

# facts WHAT FILE DIRECTORY: run the C program that the awk program WHAT-facts
# makes of FILE, with the header in DIRECTORY.
facts ()
{
  {
    printf '#include "facts.h"\nint main (void)\n{\n'
    awk -f "$here/$1-facts.awk" "$2"
    printf 'return 0;\n}\n'
  } >"$work/$1.c"
  $cc -std=gnu11 -I"$here" -I"$3" -o "$work/$1" "$work/$1.c" &&
    "$work/$1" >"$work/$1.unsorted" &&
    sort "$work/$1.unsorted" >"$work/$1.facts"
}

# compare_layout SPEC DIRECTORY: leave facts that both state in $work/both, and
# others in $work/differ.  Fails if there are some, or none to compare.
compare_layout ()
{
  : >"$work/both"
  : >"$work/differ"
  facts header "$2/sframe-coro.h" "$2" && facts spec "$1" "$2" || return 1
  comm -12 "$work/header.facts" "$work/spec.facts" >"$work/both"
  {
    comm -23 "$work/header.facts" "$work/spec.facts" | sed 's/^/header: /'
    comm -13 "$work/header.facts" "$work/spec.facts" | sed 's/^/spec:   /'
  } >"$work/differ"
  [ -s "$work/both" ] && [ ! -s "$work/differ" ]
}

check_layout ()
{
  if ! compare_layout "$spec" "$top/include" >"$work/out" 2>&1; then
    cat "$work/differ" >>"$work/out"
  fi
  while read -r fact; do
    pass "$fact"
  done <"$work/both"
  # What differs is counted once, not for both sides.
  for name in $(awk '{ print $2 "-" $3 }' "$work/differ" | sort -u); do
    fail "header and specification differ in $name"
  done
  if [ -s "$work/out" ]; then
    fail "layout" "$work/out"
  fi
}

# mutant NAME FILE SED-SCRIPT: a change of either side must be noticed.
mutant ()
{
  rm -rf "$work/mutant"
  mkdir "$work/mutant"
  cp "$spec" "$top/include/sframe-coro.h" "$work/mutant/"
  sed "$3" "$work/mutant/$2" >"$work/mutant/new"
  if cmp -s "$work/mutant/new" "$work/mutant/$2"; then
    fail "noticing $1: nothing was changed"
    return
  fi
  mv "$work/mutant/new" "$work/mutant/$2"
  compare_layout "$work/mutant/sframe-coro-spec.texi" "$work/mutant" \
    >"$work/out" 2>&1
  # It must be the comparison that fails, not the compiler.
  if [ -s "$work/both" ] && [ -s "$work/differ" ]; then
    pass "noticing $1"
  else
    fail "noticing $1" "$work/out"
  fi
}

check_mutants ()
{
  h=sframe-coro.h s=sframe-coro-spec.texi
  mutant "an enumerator changed in the header" $h \
    's/\(SFRAME_CORO_END_SELF =\) 1/\1 7/'
  mutant "an enumerator added to the header" $h \
    's/^  SFRAME_CORO_END_NULL = 0,/&\n  SFRAME_CORO_END_NEW = 9,/'
  mutant "a constant changed in the header" $h \
    's/\(SFRAME_CORO_ACT_STOP\) 0x4/\1 0x8/'
  mutant "fields swapped in the header" $h \
    's/uint16_t base;/uint16_t swap;/
     s/uint16_t flags;  /uint16_t base;/
     s/uint16_t swap;/uint16_t flags;/'
  mutant "the type of a field changed in the header" $h \
    's/  int32_t index_off;/  uint32_t index_off;/'
  mutant "the comment on a field changed in the header" $h \
    's,/\* 16: bytes of code,/* 20: bytes of code,'
  mutant "a value changed in the specification" $s \
    's/^\(@item @code{SFRAME_CORO_IP_COOKIE} @tab\) 4/\1 5/'
  mutant "an offset changed in the specification" $s \
    's/^\(@item @code{end_value} @tab\) 24/\1 32/'
  mutant "a type changed in the specification" $s \
    's/^\(@item @code{max_depth} .*\)uint32_t/\1int32_t/'
  mutant "a name missing in the specification" $s \
    's/^@item @code{SFRAME_CORO_LANG_LUA}/@item @code{SFRAME_CORO_LANG_MOON}/'
  mutant "a size changed in the specification" $s \
    's/^@c record sframe_coro_test_entry 24/@c record sframe_coro_test_entry 28/'
}

# Names that the specification shares with other files.

# compare_names WHAT: $work/there and $work/here must list the same names.
compare_names ()
{
  sort -u "$work/there" >"$work/there.sorted"
  sort -u "$work/here" >"$work/here.sorted"
  if [ -s "$work/there.sorted" ] &&
     diff "$work/there.sorted" "$work/here.sorted" >"$work/out"; then
    pass "$1"
  else
    fail "$1" "$work/out"
  fi
}

# findings: "SEVERITY CODE FIELD" for each field in the table of findings.
findings ()
{
  awk '
    function flush(    cell, field)
    {
      if (row !~ /^ *@item/ || split(row, cell, / *@tab */) < 4)
        return
      gsub(/^ *@item @code\{|\}.*/, "", cell[1])
      if (cell[3] !~ /@code/)
        print cell[2], cell[1], "-"
      while (match(cell[3], /@code\{[a-z_0-9]+\}/))
        {
          field = substr(cell[3], RSTART + 6, RLENGTH - 7)
          print cell[2], cell[1], field
          cell[3] = substr(cell[3], RSTART + RLENGTH)
        }
    }
    /^@c findings/ { on = 1; next }
    on && /^@(item|end multitable)/ { flush(); row = "" }
    on && /^@end multitable/ { exit }
    on { row = row " " $0 }' "$spec" | sed 's/  */ /g'
}

# results: the codes in the table of those that are no findings.
results ()
{
  sed -n '/^@c results/,/^@end multitable/s/^@item @code{\([A-Z0-9_]*\)}.*/\1/p' \
    "$spec"
}

# checks: the same as findings, of the checks in the validator.
checks ()
{
  tr '\n\t' '  ' <"$top/libsframe-coro/validate.c" |
    grep -oE '(ERROR|WARN) \(|[A-Z][A-Z0-9_]+, *"[a-z_0-9]+"' |
    awk '/\($/ { severity = $1 == "WARN" ? "warning" : "error"; next }
      { gsub(/[,"]/, " "); print severity, $1, $2 }'
}

# untested HEADER: the reasons to stop that HEADER has and no unit test asserts.
untested ()
{
  sed -n '/^#define SFRAME_CORO_STOPS(X)/,/[^\\]$/s/^ *X (\([A-Z_]*\),.*/\1/p' \
    "$1" | sort >"$work/reasons"
  # They are in assertions, in calls of functions that assert, and in tables.
  cat "$top"/testsuite/unit/*.c | sed 's,/\*.*\*/,,' |
    grep -E '(ck_assert|expect|STOP \(|[{,] *SFRAME_CORO_STOP_)' |
    grep -oE '(STOP \(|SFRAME_CORO_STOP_)[A-Z_]+' |
    sed 's/STOP (//; s/SFRAME_CORO_STOP_//' | sort -u >"$work/asserted"
  [ -s "$work/reasons" ] && comm -23 "$work/reasons" "$work/asserted"
}

# A reason to stop that is added has to get a test.
check_reasons ()
{
  header=$top/include/sframe-coro-api.h
  if untested "$header" >"$work/out" && [ ! -s "$work/out" ]; then
    pass "every reason to stop is asserted by a unit test"
  else
    fail "every reason to stop is asserted by a unit test" "$work/out"
  fi
  sed '/^#define SFRAME_CORO_STOPS(X)/a\
  X (NEW_REASON, "a reason without a test") \\' "$header" >"$work/header"
  if [ "$(untested "$work/header")" = NEW_REASON ]; then
    pass "a reason to stop without a test is noticed"
  else
    fail "a reason to stop without a test is noticed"
  fi
}

check_names ()
{
  # The X-macro of the results of a walk.
  sed -n '/^#define SFRAME_CORO_STOPS(X)/,/[^\\]$/s/^ *X (\([A-Z_]*\),.*/\1/p' \
    "$top/include/sframe-coro-api.h" >"$work/there"
  sed -n '/^@c names stops/,/^@end multitable/s/^@item @code{\([A-Z_]*\)}.*/\1/p' \
    "$spec" >"$work/here"
  compare_names "results of a walk"
  # The X-macro of the errors: findings of the validator, and others.
  sed -n '/^#define SFRAME_CORO_ERRORS(X)/,/[^\\]$/s/^ *X (\([A-Z0-9_]*\),.*/\1/p' \
    "$top/include/sframe-coro-api.h" >"$work/there"
  { findings | awk '{ print $2 }'; results; } >"$work/here"
  compare_names "error codes"
  findings | awk '{ print $2 }' | sort -u >"$work/codes"
  if results | grep -x -F -f "$work/codes" >"$work/out"; then
    fail "no finding is called a mere result" "$work/out"
  else
    pass "no finding is called a mere result"
  fi
  # What the validator checks is in the table, as an error or a warning.
  checks >"$work/checks"
  findings | sort -u >"$work/findings"
  sort -u "$work/checks" | comm -23 - "$work/findings" >"$work/out"
  if [ -s "$work/checks" ] && [ ! -s "$work/out" ]; then
    pass "findings of the validator"
  else
    fail "findings of the validator" "$work/out"
  fi
  # The X-macro of the directives.
  sed -n '/^#define SFRAME_CORO_DIRECTIVES(X)/,/[^\\]$/s/^ *X (\([a-z_]*\),.*/\1/p' \
    "$top/gas-patches/new/gas/sframe-coro-dir.c" >"$work/there"
  # Not the symbol, which ends with a dot.
  sed -n '/^@c names directives/,/^@node/p' "$spec" |
    grep -o '\.sframe_coro_[a-z_]*\.\{0,1\}' | sed -n 's/^\.sframe_coro_\([a-z_]*\)$/\1/p' >"$work/here"
  compare_names "directives"
}

# The worked example.

# link_example FORM: make the program of the example from $work/FORM.o.
link_example ()
{
  $cc -nostdlib -static -no-pie -o "$work/$1" "$work/$1.o" \
    -Wl,-e,resume -Wl,-Ttext=0x401000 \
    -Wl,--section-start=.sframe_coro=$address -Wl,--build-id=none &&
    objcopy -O binary --only-section=.sframe_coro "$work/$1" "$work/$1.bin" &&
    objcopy -O binary --only-section=.text "$work/$1" "$work/$1.text" &&
    [ -s "$work/$1.bin" ]
}

# By the tables alone, no code of the library.
decode_example ()
{
  {
    awk -v layout=1 -f "$here/spec-facts.awk" "$spec"
    od -An -v -tu1 "$work/worked-data.bin"
  } >"$work/listing.in"
  awk -v address=$((address)) -f "$here/annotate.awk" "$work/listing.in" \
    >"$work/listing" && diff "$work/worked-listing" "$work/listing"
}

same_stub ()
{
  tail -c 9 "$work/worked-data.text" | od -An -tx1 | sed 's/^ //' |
    diff "$work/worked-stub" -
}

same_section ()
{
  cmp "$work/worked-data.bin" "$work/worked-directives.bin" &&
    cmp "$work/worked-data.text" "$work/worked-directives.text"
}

check_example ()
{
  for name in worked-data.s worked-directives.s; do
    try "$name is in the specification" extract file $name || return
  done
  for name in worked-stub worked-listing; do
    try "$name is in the specification" extract text $name || return
  done
  try "assembling the example" \
    quiet $cc -c -o "$work/worked-data.o" "$work/worked-data.s" || return
  try "linking the example" link_example worked-data || return
  try "the stub after linking" same_stub
  try "the example decodes to the listing" decode_example
  as=${BINUTILS:+$BINUTILS/bin/as}
  if [ ! -x "$as" ]; then
    skip "the example with directives: no assembler for it"
    return
  fi
  try "assembling the example with directives" \
    quiet "$as" -o "$work/worked-directives.o" "$work/worked-directives.s" &&
    try "linking the example with directives" \
      link_example worked-directives &&
    try "directives and data give the same bytes" same_section
}

# The library and the command.

# splice_example NAME FUNCTION...: a stack of functions, leaf first, and the
# list of the examples must become what the specification shows.
splice_example ()
{
  program=$1
  shift
  extract text "$program" && "$work/splice" "$@" >"$work/spliced" &&
    diff "$work/$program" "$work/spliced"
}

check_splicing ()
{
  try "compiling splice.c" quiet $cc -std=gnu11 -O1 -Wall -Wextra -Werror \
    -I"$top/include" -o "$work/splice" "$here/splice.c" "$library" || return
  resume=coroutine_handle::resume
  try "splicing, first example" \
    splice_example splice-first leaf factorial Resume main
  try "splicing, second example" splice_example splice-second \
    leaf factorial $resume factorial $resume Resume main
  try "splicing without a site" splice_example splice-no-site \
    leaf factorial $resume factorial $resume main
}

# dump_example: the command shows what the example says.
dump_example ()
{
  "$command" dump "$work/worked-data" >"$work/dump" || return
  while read -r line; do
    grep -q -F -e "$line" "$work/dump" && continue
    echo "not in the dump: $line"
    cat "$work/dump"
    return 1
  done <<'LINES'
chain [0]: "demo.task" at 0000000000400420
flags: running_head
head [0]: tls, 000000000040100b
path next: 16
path ip: 0
path ip_alt: 8
ip: entry
test [0]: equal, width 8, offsets 0, 8
func [0]: site, pc = 0000000000401004
LINES
}

check_library ()
{
  library=$build/libsframe-coro/.libs/libsframe-coro.a
  if [ ! -e "$library" ]; then
    fail "there is no library in the build tree"
    return
  fi
  check_splicing
  for command in "$build/tools/sframe-coro" "$build/stage/bin/sframe-coro" ''; do
    [ ! -x "$command" ] || break
  done
  if [ -z "$command" ]; then
    skip "no command in the build tree"
    return
  fi
  try "the command dumps the example" dump_example
  try "the command finds nothing wrong" "$command" check "$work/worked-data"
}

check_layout
check_mutants
check_names
check_reasons
check_example
check_library

if [ $skipped -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
