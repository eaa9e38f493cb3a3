#!/bin/sh
# Tests of profiles: what stock perf, and readers written from the formats'
# descriptions, make of a profile whose samples are known; and `report'.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: run.sh [NAME...]	the groups of tests to run; all of them

: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$PWD}"
: "${CC:=gcc}"
tool=${SFRAME_CORO:-$top_builddir/tools/sframe-coro}
here=$top_srcdir/testsuite/profile
synthetic=$top_builddir/testsuite/profile/synthetic
pprof=$(grep -c '^#define HAVE_PPROF 1' "$top_builddir/config.h")

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0

pass ()
{
  passed=$((passed + 1))
  echo "ok   $1"
}

# fail NAME [FILE...]: with what the files hold.
fail ()
{
  failed=$((failed + 1))
  echo "FAIL $1"
  shift
  for fail_file; do
    echo "--- ${fail_file##*/}"
    head -n 60 "$fail_file"
  done
}

skip ()
{
  skipped=$((skipped + 1))
  echo "skip $1"
}

# same NAME EXPECTED GOT
same ()
{
  if diff "$2" "$3" >"$dir/diff"; then pass "$1"; else fail "$1" "$dir/diff"; fi
}

# has NAME FILE PATTERN...: FILE has a line for each.
has ()
{
  has_name=$1 has_file=$2
  shift 2
  for pattern; do
    if ! grep -Eq -- "$pattern" "$has_file"; then
      echo "no line like: $pattern"
      fail "$has_name" "$has_file"
      return
    fi
  done
  pass "$has_name"
}

# exits NAME STATUS PATTERN COMMAND...: with a message like PATTERN.
exits ()
{
  exits_name=$1 exits_status=$2 exits_pattern=$3
  shift 3
  "$@" >"$dir/out" 2>"$dir/err" </dev/null
  status=$?
  if [ $status -eq "$exits_status" ] &&
     { [ -z "$exits_pattern" ] && [ ! -s "$dir/err" ] ||
       { [ -n "$exits_pattern" ] &&
	 grep -Eq -- "$exits_pattern" "$dir/err"; }; }; then
    pass "$exits_name"
  else
    echo "exit status $status"
    fail "$exits_name" "$dir/out" "$dir/err"
  fi
}

# The profile: 600 samples of six stacks in turn, in two threads.  KERNEL is
# what the one frame of the kernel is called; without the right to know, no
# name.
data=$dir/perf.data
"$synthetic" 600 2 perf.data "$data" || exit 1
kernel=
if grep -qv '^0000000000000000' /proc/kallsyms 2>/dev/null; then
  kernel=yes
fi

# What the folded format is to hold.
expected_folded ()
{
  deep=$(awk 'BEGIN { for (i = 0; i < 300; i++) printf "middle(int)_[a];" }')
  top='syn:thetic "<&>"'
  o='outer(int)_[a];'
  LC_ALL=C sort <<END
$top;event_loop;work 100
$top;event_loop;${o}middle(int)_[a];leaf(int);work 100
$top;event_loop;${o}middle(int)_[a];leaf(int);work;KERNEL_[k] 100
$top;event_loop;middle(int)_[a];leaf(int);work 100
$top;event_loop;generator(int)_[a];event_loop;${o}leaf(int) 100
$top;event_loop;$o${deep}middle(int) 100
END
}
expected_folded >"$dir/expected"

# Stacks as they are in stdin, the name of the kernel's function aside.
plain ()
{
  sed 's/;[^;]*_\[k\]/;KERNEL_[k]/' | LC_ALL=C sort
}

group_perf ()
{
  if ! command -v perf >/dev/null; then
    skip "stock perf: not installed"
    return
  fi
  # perf knows 127 frames unless told otherwise.
  perf script --max-stack 512 -i "$data" >"$dir/script" 2>"$dir/err"
  has "perf script: who" "$dir/script" '^syn;thetic "<&>" .* cpu-clock:'
  # The frames of the first samples, and how many samples there are.
  awk '/^[^\t ]/ { n++ }
       /^[\t ]/ { sub(/\+0x.*/, "", $2); s[n] = s[n] " " $2 }
       END { for (i = 1; i <= 6; i++) print s[i]; print n }' "$dir/script" |
    sed 's/\( middle\)\{301\}/ 301 middle/
	 s/^ [^ ]* \(work leaf middle outer event_loop\)$/ KERNEL \1/' \
    >"$dir/got"
  cat >"$dir/want" <<END
 work event_loop
 work leaf middle outer event_loop
 KERNEL work leaf middle outer event_loop
 work leaf middle event_loop
 leaf outer event_loop generator event_loop
 301 middle outer event_loop
600
END
  same "perf script: call chains, spliced" "$dir/want" "$dir/got"
  same "perf script: no complaint" /dev/null "$dir/err"
  perf report --stdio -i "$data" --children -g none 2>"$dir/err" >"$dir/report"
  has "perf report: awaiting functions" "$dir/report" \
    'Samples: 600 *of event .cpu-clock' 'Total Lost Samples: 7' \
    '66\.67% +0\.00% .* outer' '66\.67% +16\.67% .* middle' \
    '100\.00% +0\.00% .* event_loop' '66\.67% +50\.00% .* work'
  same "perf report: no complaint" /dev/null "$dir/err"
  perf report --stdio -i "$data" --no-children -g caller >"$dir/report" 2>&1
  has "perf report: call graph" "$dir/report" '--outer' ' middle'
  perf report --header-only -i "$data" >"$dir/report" 2>&1
  has "perf report: header" "$dir/report" '^# cmdline : sframe-coro record' \
    "^# arch : $(uname -m)" '^# os release : '
  if [ -n "$kernel" ]; then
    has "perf: symbols of the kernel" "$dir/script" '\(\[kernel.kallsyms\]\)$'
    perf buildid-list -i "$data" >"$dir/report" 2>&1
    has "perf: build ID of the kernel" "$dir/report" \
      '^[0-9a-f]{40} \[kernel.kallsyms\]$'
  fi
}

# Every format says the same, written at once or from perf.data or pprof.
group_formats ()
{
  formats="speedscope flamegraph"
  [ "$pprof" -eq 0 ] || formats="$formats pprof"
  "$tool" report "$data" --format=folded >"$dir/folded" || fail "folded"
  plain <"$dir/folded" >"$dir/got"
  same "folded" "$dir/expected" "$dir/got"
  "$synthetic" 600 2 folded "$dir/direct"
  same "folded, written at once" "$dir/folded" "$dir/direct"
  for f in $formats; do
    "$tool" report "$data" "--format=$f" -o "$dir/$f" || fail "$f"
    python3 "$here/check.py" "$f" "$dir/$f" 2>&1 | plain >"$dir/got"
    same "$f" "$dir/expected" "$dir/got"
    "$tool" report "$data" "--format=$f" >"$dir/again"
    same "$f: the same each time, and to stdout" "$dir/$f" "$dir/again"
    "$synthetic" 600 2 "$f" "$dir/direct"
    python3 "$here/check.py" "$f" "$dir/direct" 2>&1 | plain >"$dir/got"
    same "$f, written at once" "$dir/expected" "$dir/got"
  done
  "$synthetic" 0 1 perf.data "$dir/none"
  for f in $formats folded text; do
    exits "$f: no samples" 0 "" "$tool" report "$dir/none" "--format=$f"
  done
}

group_pprof ()
{
  if [ "$pprof" -eq 0 ]; then
    exits "pprof: not built in" 2 "built without" \
      "$tool" report "$data" --format=pprof
    return
  fi
  "$tool" report "$data" --format=pprof -o "$dir/pprof"
  for f in folded speedscope flamegraph; do
    "$tool" report "$data" "--format=$f" -o "$dir/a"
    "$tool" report "$dir/pprof" "--format=$f" -o "$dir/b"
    # The event has another name there, and what is lost is not told.
    sed -i 's/"name":"cpu[-a-z]*"//; s/^<footer>.*//' "$dir/a" "$dir/b"
    same "from pprof to $f" "$dir/a" "$dir/b"
  done
  "$tool" report "$dir/pprof" --format=pprof -o "$dir/b"
  "$tool" report "$dir/b" --format=folded >"$dir/got"
  "$tool" report "$data" --format=folded >"$dir/want"
  same "from pprof to pprof" "$dir/want" "$dir/got"
  gzip -dc "$dir/pprof" | protoc --decode=perftools.profiles.Profile \
    "--proto_path=$top_srcdir/tools" pprof.proto >"$dir/text" 2>"$dir/err"
  has "pprof: protoc reads it" "$dir/text" '^sample {' 'location_id: ' \
    'string_table: "outer\(int\)"' 'string_table: "test.generator"' \
    'string_table: "7 samples were lost"'
  same "pprof: protoc does not complain" /dev/null "$dir/err"
  if command -v go >/dev/null && go tool pprof -h >/dev/null 2>&1; then
    go tool pprof -top -sample_index=samples "$dir/pprof" >"$dir/text" 2>&1
    has "pprof: the tool itself" "$dir/text" 'work$' 'outer\(int\)$'
  fi
}

group_report ()
{
  exits "report" 0 "" "$tool" report "$data"
  has "report: functions" "$dir/out" \
    '^600 samples of cpu-clock at 999 Hz, 2 threads, 0\.60 s$' \
    '^7 samples were lost$' \
    '^ +0\.00% 100\.00% +-  event_loop  \(synthetic\)$' \
    '^ +16\.67% +66\.67% +66\.67%  middle\(int\)  \(synthetic\)$' \
    '^ +0\.00% +16\.67% +16\.67%  generator\(int\)'
  has "report: chains" "$dir/out" \
    '^chain test.task: 83\.33% of the samples, 500 lists, 62\.2 nodes each$' \
    '^  100 lists cut: the list is cyclic$' \
    '^chain test.generator: 16\.67% of the samples, 100 lists, 1\.0 nodes'
  for order in self:work total:event_loop await:middle name:; do
    "$tool" report "$data" "--sort=${order%:*}" -n 1 >"$dir/out"
    has "report: sorted by ${order%:*}" "$dir/out" "^.{25}${order#*:}" 'more;'
  done
  "$tool" report "$data" --json --limit=0 >"$dir/json"
  python3 - "$dir/json" >"$dir/got" 2>&1 <<'END'
import json, sys
top = json.load(open(sys.argv[1]))
functions = {f["function"]: f for f in top["functions"]}
chains = {c["chain"]: c for c in top["chains"]}
assert top["version"] == 1 and top["samples"] == 600 and top["lost"] == 7
assert sum(f["self"] for f in top["functions"]) == 600
assert functions["outer(int)"]["await"] == 400
assert functions["leaf(int)"]["await"] == 0
assert chains["test.task"]["cut"] == 100
assert chains["test.task"]["stops"]["end of the list"] == 400
END
  same "report: JSON" /dev/null "$dir/got"
  tid=$("$tool" report "$data" --format=speedscope |
	sed -n 's/.*(\([0-9]*\)\/\([0-9]*\)).*/\2/p')
  exits "report: one thread" 0 "" "$tool" report "$data" "--tid=$tid"
  has "report: one thread, counted" "$dir/out" '^300 samples ' \
    '^300 samples of other threads are left out$'
  exits "report: a name" 0 "" "$tool" report "$data" --comm=other
  has "report: none called so" "$dir/out" '^0 samples '
}

group_errors ()
{
  exits "no such file" 2 "none: cannot open: No such" "$tool" report none
  exits "no file" 2 "no file given" "$tool" report
  exits "two files" 2 "more than one file" "$tool" report a b
  exits "unknown format" 2 "unknown format .x" "$tool" report a --format=x
  exits "perf.data to perf.data" 2 "can only be recorded" \
    "$tool" report a --format=perf.data
  exits "unknown key" 2 "cannot sort by" "$tool" report a --sort=x
  # shellcheck disable=SC2016
  exits "full device" 2 "cannot write: No space" \
    sh -c '"$1" report "$2" >/dev/full' sh "$tool" "$data"
  exits "no directory" 2 "no/such: cannot write" \
    "$tool" report "$data" -o no/such
  exits "a text" 2 "neither perf.data nor" "$tool" report "$here/run.sh"
  exits "a directory" 2 "." "$tool" report "$dir"
  size=$(wc -c <"$data")
  head -c $((size / 2)) "$data" >"$dir/cut"
  exits "cut off" 1 "cut: not finished, or cut off" "$tool" report "$dir/cut"
  has "cut off: what is left" "$dir/out" '^[23][0-9]* samples '
  head -c 50 "$data" >"$dir/cut"
  exits "cut in the header" 2 "offset 0x32: the file ends" \
    "$tool" report "$dir/cut"
  # The type and size of the first record.
  { head -c 232 "$data"; printf '\1\0\0\0\0\0\3\0'; tail -c +241 "$data"; } \
    >"$dir/bad"
  exits "short record" 1 "offset 0xe8: record of 3 bytes" \
    "$tool" report "$dir/bad"
  { printf '2ELIFREP'; tail -c +9 "$data"; } >"$dir/bad"
  exits "other byte order" 2 "another byte order" "$tool" report "$dir/bad"
  # shellcheck disable=SC2016
  exits "perf.data into a pipe" 2 "cannot be written to what is no file" \
    sh -c '{ "$1" 6 1 perf.data -; echo $? >"$2"; } | cat; exit $(cat "$2")' \
    sh "$synthetic" "$dir/status"
}

# A file of stock perf: no coroutines, but all else.
group_stock ()
{
  if ! command -v perf >/dev/null; then
    skip "files of stock perf: not installed"
    return
  fi
  cat >"$dir/spin.c" <<'END'
__attribute__ ((noinline)) static unsigned
spin (unsigned n)
{
  unsigned sum = 0;
  for (unsigned i = 0; i < n; i++)
    __asm__ volatile ("" : "+r" (sum));
  return sum;
}
int
main (void)
{
  unsigned sum = 0;
  for (int i = 0; i < 100; i++)
    sum += spin (4000000);
  return sum != 0;
}
END
  $CC -O0 -o "$dir/spin" "$dir/spin.c" || return
  if ! perf record -q -e cpu-clock:u -c 2000000 -g -o "$dir/stock" "$dir/spin" \
	 >"$dir/log" 2>&1; then
    skip "files of stock perf: it cannot record here"
    cat "$dir/log"
    return
  fi
  exits "stock perf" 0 "" "$tool" report "$dir/stock"
  has "stock perf: names" "$dir/out" '^[0-9]+ samples of cpu-clock' \
    'spin  \(spin\)' 'main  \(spin\)'
  perf script -i "$dir/stock" 2>/dev/null | grep -c cpu-clock >"$dir/want"
  sed -n '1s/ .*//p' "$dir/out" >"$dir/got"
  same "stock perf: as many samples as perf has" "$dir/want" "$dir/got"
  if perf record -q -z -e cpu-clock:u -g -o "$dir/stock" true \
	  >"$dir/log" 2>&1; then
    exits "stock perf: compressed" 1 "compressed records are not supported" \
      "$tool" report "$dir/stock"
  fi
}

# Memory goes with the different stacks, not with the samples.
group_large ()
{
  "$synthetic" 60000 3 perf.data "$dir/large"
  python3 - "$tool" "$dir/large" >"$dir/got" 2>&1 <<'END'
import resource, subprocess, sys
out = subprocess.run([sys.argv[1], "report", sys.argv[2], "--format=folded"],
                     check=True, capture_output=True, text=True).stdout
assert sum(int(line.split()[-1]) for line in out.splitlines()) == 60000
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert used < 40000, "%d KiB" % used
END
  same "60000 samples" /dev/null "$dir/got"
  rm -f "$dir/large"
}

# The page's script, where there is a browser to run it.
group_browser ()
{
  browser=$(command -v chromium) || {
    echo "     no chromium: the page's script is not run"
    return
  }
  "$tool" report "$data" --format=flamegraph -o "$dir/graph.html"
  first=$(grep '^<div class=.*data-x' "$dir/graph.html" |
	  awk '/title="middle/ { print NR - 1; exit }')
  HOME=$dir timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
    --dump-dom "file://$dir/graph.html#q=middle&z=$first" \
    >"$dir/dom" 2>"$dir/err"
  python3 "$here/check.py" dom "$dir/dom" >"$dir/got" 2>&1
  same "flame graph: search and zoom" /dev/null "$dir/got"
}

[ $# -ne 0 ] ||
  set -- perf formats pprof report errors stock large browser
for group; do
  echo "$group:"
  "group_$group"
done

if [ $skipped -ne 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
