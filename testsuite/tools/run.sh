#!/bin/sh
# Tests of the command sframe-coro: real files and real processes.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: run.sh [NAME...]	the groups of tests to run; all of them

: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$PWD}"
: "${CC:=gcc}" "${CXX:=g++}"
tool=${SFRAME_CORO:-$top_builddir/tools/sframe-coro}
here=$top_srcdir/testsuite/tools

case $(uname -m) in
  x86_64) ;;
  *) echo "the programs of this suite are for x86-64"; exit 77 ;;
esac

dir=$(mktemp -d) || exit 1
passed=0 failed=0 skipped=0
started=	# What to end when the suite ends.

finish ()
{
  stop_all
  rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

stop_all ()
{
  for p in $started; do
    kill -KILL "$p"
    wait "$p"
  done 2>/dev/null
  started=
}

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
  for f; do
    echo "--- ${f##*/}"
    cat "$f"
  done
}

skip ()
{
  skipped=$((skipped + 1))
  echo "skip $1"
}

# verdict NAME CONDITION [FILE...]: CONDITION is a shell command.
verdict ()
{
  verdict_name=$1
  if eval "$2"; then
    pass "$verdict_name"
  else
    shift 2
    fail "$verdict_name" "$@"
  fi
}

# same NAME: whether $dir/out is as what is in $dir/want.
same ()
{
  if cmp -s "$dir/want" "$dir/out"; then
    pass "$1"
  else
    diff "$dir/want" "$dir/out" >"$dir/diff"
    fail "$1" "$dir/diff" "$dir/err"
  fi
}

# Seconds after which a program counts as hung.  No verdict depends on how fast
# one is: much else may run.
patience=300

# await CONDITION: until CONDITION, a shell command, is true; false if it never
# is.
await ()
{
  await_end=$(($(date +%s) + patience))
  until eval "$1"; do
    [ "$(date +%s)" -le $await_end ] || return 1
    sleep 0.05
  done
}

# run STATUS COMMAND...: run it into $dir/out and $dir/err; true if the exit
# status is STATUS.
run ()
{
  run_want=$1
  shift
  timeout $patience "$@" >"$dir/out" 2>"$dir/err"
  run_status=$?
  echo "(exit status $run_status)" >>"$dir/err"
  [ $run_status -eq "$run_want" ]
}

# errs TEXT: whether $dir/err has TEXT, and $dir/out nothing.
errs ()
{
  grep -qF -- "$1" "$dir/err" && ! [ -s "$dir/out" ]
}

# start COMMAND...: start it; $pid is its process, once that has said to be ready
# and its first thread is where it stays: asleep, or in the state $rests.
rests=S
start ()
{
  : >"$dir/ready"
  "$@" >"$dir/ready" 2>&1 &
  pid=$!
  started="$started $pid"
  if await 'grep -q "^ready " "$dir/ready" || has_ended $pid' &&
     grep -q '^ready ' "$dir/ready" && await_state $pid $rests; then
    return
  fi
  fail "start: $* is not ready" "$dir/ready"
  return 1
}

stop ()
{
  for p; do
    kill -KILL "$p"
    wait "$p"
  done 2>/dev/null
}

# shape MODULE...: what run wrote, in one line per thread.
shape ()
{
  python3 "$here/shape.py" "$@" <"$dir/out" >"$dir/shape" 2>>"$dir/err"
  mv "$dir/shape" "$dir/out"
}

# state PID: its state letter.  tracer PID: who traces it.
state ()
{
  sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status"
}

tracer ()
{
  sed -n 's/^TracerPid:[[:space:]]*//p' "/proc/$1/status"
}

# has_ended PID: it is gone, or a zombie, whose other threads have ended too.
has_ended ()
{
  case $(state "$1" 2>/dev/null) in
    ''|X) true ;;
    Z) [ "$(ls "/proc/$1/task" 2>/dev/null)" = "$1" ] ;;
    *) false ;;
  esac
}

# untouched PID: no thread of it is traced or stopped; if a tracer was killed, it
# takes them a moment to go on.
untouched ()
{
  untouched_pid=$1
  await 'goes_on $untouched_pid'
}

goes_on ()
{
  for t in /proc/"$1"/task/*; do
    sed -n 's/^TracerPid:[[:space:]]*//p; s/^State:[[:space:]]*\(.\).*/\1/p' \
      "$t/status" 2>/dev/null
  done >"$dir/states"
  [ -s "$dir/states" ] && ! grep -qv '^[0SRD]$' "$dir/states"
}

# advances FILE: whether the counter in it still counts.
advances ()
{
  counter=$1 was=$(od -An -tu8 "$1")
  await '[ "$(od -An -tu8 "$counter")" != "$was" ]'
}

# await_state PID LETTER
await_state ()
{
  await_pid=$1 await_letter=$2
  await '[ "$(state $await_pid 2>/dev/null)" = $await_letter ] ||
    has_ended $await_pid'
  [ "$(state "$1" 2>/dev/null)" = "$2" ]
}

# becomes PID PROGRAM: once it executes that; false if it ends before.
becomes ()
{
  await_pid=$1 await_program=$(readlink -f "$2")
  await '[ "$(readlink /proc/$await_pid/exe 2>/dev/null)" = "$await_program" ] ||
    has_ended $await_pid'
  ! has_ended "$1"
}

compile ()
{
  if ! $CC -O2 -g -pthread "$@" 2>"$dir/compile"; then
    fail "compile: $*" "$dir/compile"
    return 1
  fi
}

# The command line.
group_usage ()
{
  verdict "--version" 'run 0 $tool --version &&
    head -n 1 "$dir/out" | grep -q "^sframe-coro (libsframe-coro) [0-9]"' \
    "$dir/out" "$dir/err"
  for c in '' dump check stack; do
    verdict "${c:+$c }--help" "run 0 \$tool $c --help &&
      head -n 1 \"\$dir/out\" | grep -q '^Usage: .*$c'" "$dir/out" "$dir/err"
  done
  verdict "no command" 'run 2 $tool && errs "no command"' "$dir/err"
  verdict "unknown command" 'run 2 $tool frobnicate &&
    errs "unknown command"' "$dir/err"
  verdict "unknown option" 'run 2 $tool dump --frobnicate x' "$dir/err"
  verdict "dump without a file" 'run 2 $tool dump && errs "no file"' "$dir/err"
  verdict "stack without a process" 'run 2 $tool stack && errs "--pid"' \
    "$dir/err"
  verdict "stack of no number" 'run 2 $tool stack -p 12x &&
    errs "not a process ID"' "$dir/err"
}

# dump and check of valid files.
group_files ()
{
  compile -c -o "$dir/target.o" "$here/target.c" || return
  $tool dump "$dir/target" >"$dir/out" 2>"$dir/err"
  verdict "dump: a program" 'run 0 $tool dump "$dir/target" &&
    grep -q "chain \[0\]: \"target.list\"" "$dir/out" &&
    grep -q "site, pc = [0-9a-f]* <target_site>" "$dir/out" &&
    grep -q "path next: 16" "$dir/out"' "$dir/out" "$dir/err"
  verdict "dump: a relocatable file" 'run 0 $tool dump "$dir/target.o" &&
    grep -q "site, pc = 0*[1-9a-f][0-9a-f]* <target_site>" "$dir/out" &&
    grep -q "head \[0\]: tls, [0-9a-f]* <target_stub>" "$dir/out"' \
    "$dir/out" "$dir/err"
  verdict "dump: several files" 'run 0 $tool dump "$dir/target" "$dir/target.o" &&
    [ "$(grep -c ": section .sframe_coro at" "$dir/out")" = 2 ]' "$dir/out"
  verdict "dump --json" 'run 0 $tool dump --json "$dir/target" "$dir/target.o" &&
    python3 - "$dir/out" <<\END
import json, sys
files = json.load (open (sys.argv[1]))["files"]
assert len (files) == 2
for f in files:
  block = f["sections"][0]["blocks"][0]
  chain = block["chains"][0]
  assert chain["name"] == "target.list" and chain["ip"] == "entry"
  assert chain["paths"]["next"]["offsets"] == [16]
  assert chain["heads"][0]["kind"] == "tls"
  assert block["functions"][0]["start_name"] == "target_site"
  assert block["functions"][0]["chain"] == chain["address"]
END' "$dir/out" "$dir/err"
  verdict "check: valid files" 'run 0 $tool check "$dir/target" "$dir/target.o" &&
    ! [ -s "$dir/out" ]' "$dir/out" "$dir/err"
  verdict "check --json" 'run 0 $tool check --json "$dir/target" &&
    python3 -c "import json, sys
f = json.load (sys.stdin)[\"files\"][0]
assert f[\"errors\"] == 0 and f[\"findings\"] == []" <"$dir/out"' \
    "$dir/out" "$dir/err"
}

# What cannot be read.
group_unreadable ()
{
  echo "no ELF file" >"$dir/text"
  : >"$dir/empty"
  mkfifo "$dir/fifo"
  compile -DLINKED -c -o "$dir/load.o" "$here/load.c" || return
  ar rc "$dir/lib.a" "$dir/load.o"
  for c in dump check; do
    for case in "load.o:no section .sframe_coro" "text:not an ELF file" \
      "empty:not an ELF file" "none:No such file" "lib.a:an archive" \
      ".:not a regular file" "fifo:not a regular file"; do
      verdict "$c: ${case#*:}" "run 2 \$tool $c '$dir/${case%%:*}' &&
	errs '${case#*:}'" "$dir/out" "$dir/err"
    done
    verdict "$c: the others all the same" "run 2 \$tool $c --json \
      '$dir/text' '$dir/target' && grep -q '\"file\":.*target' '$dir/out' &&
      grep -q '\"readable\":false' '$dir/out'" "$dir/out" "$dir/err"
  done
  cp "$dir/target" "$dir/stripped"
  objcopy --only-keep-debug "$dir/stripped" "$dir/debug" 2>/dev/null
  verdict "dump: contents elsewhere" 'run 2 $tool dump "$dir/debug" &&
    errs "contents of section .sframe_coro are not in this file"' "$dir/err"
  # Not to hang and not to crash on any damage to the file itself.
  verdict "dump: files cut short" 'python3 - "$dir" "$tool" <<\END
import subprocess, sys
d, tool = sys.argv[1:]
data = open (d + "/target", "rb").read ()
for n in list (range (0, 64, 7)) + list (range (64, len (data), len (data) // 40)):
  open (d + "/cut", "wb").write (data[:n])
  for c in "dump", "check":
    r = subprocess.run ([tool, c, d + "/cut"], stdout=subprocess.DEVNULL,
			stderr=subprocess.DEVNULL, timeout=300)
    assert r.returncode in (0, 1, 2), (c, n, r.returncode)
END'
}

# damage NAME OFFSET BYTES: a copy of the program, called NAME, with hexadecimal
# BYTES at OFFSET of the section.
damage ()
{
  python3 - "$dir/section" "$dir/damaged" "$2" "$3" <<\END
import sys
source, to, offset, data = sys.argv[1:]
b = bytearray (open (source, "rb").read ())
data = bytes.fromhex (data)
offset = int (offset)
b[offset : offset + len (data)] = data
open (to, "wb").write (b)
END
  objcopy --update-section ".sframe_coro=$dir/damaged" "$dir/target" \
    "$dir/$1" 2>/dev/null
}

# finds TEXT: whether `check' gave a finding that has TEXT, in the form it
# should have.
finds ()
{
  grep -E "^$dir/damaged-file: \.sframe_coro\+0x[0-9a-f]+: (error|warning): ([a-z]+ [0-9]+: )?([a-z_0-9]+: )?[^:]+$" \
    "$dir/out" | grep -qF -- "$1"
}

# check of damaged files: offset, bytes, what is found.
group_damage ()
{
  objcopy --dump-section ".sframe_coro=$dir/section" "$dir/target" "$dir/x"
  while read -r offset bytes text; do
    damage damaged-file "$offset" "$bytes"
    verdict "check: $text" 'run 1 $tool check "$dir/damaged-file" &&
      finds "$text"' "$dir/out" "$dir/err"
    # What cannot be decoded at all is all that can make dump fail.
    timeout $patience $tool dump "$dir/damaged-file" >/dev/null 2>&1
    verdict "dump: $text" "[ $? -le 1 ]"
  done <<\END
0 0000 +0x0: error: header 0: magic: not a .sframe_coro block
2 07 +0x2: error: header 0: version: unsupported version
4 09 +0x4: error: header 0: abi_arch: unknown ABI
8 f8ffffff +0x8: error: header 0: length: the section ends inside a record
28 01 +0x1c: error: header 0: reserved: reserved field
42 77 +0x2a: error: chain 0: ip_kind: unknown kind
41 05 +0x29: error: chain 0: num_tests:
112 0000ff7f +0x70: error: function 0: start: function or stub outside
120 00 +0x78: error: function 0: chain: function refers to no chain
138 07 +0x8a: error: function 0: kind: unknown kind
152 0000ff7f +0x98: error: head 0: value: function or stub outside
END
  damage damaged-file 0 0000
  verdict "check --json: damaged" 'run 1 $tool check --json "$dir/damaged-file" &&
    python3 -c "import json, sys
f = json.load (sys.stdin)[\"files\"][0]
g = f[\"findings\"][0]
assert f[\"errors\"] == 1 and g[\"offset\"] == 0 and g[\"severity\"] == \"error\"
assert g[\"record\"] == \"header\" and g[\"field\"] == \"magic\"" <"$dir/out"' \
    "$dir/out" "$dir/err"
  verdict "dump: damaged" 'run 1 $tool dump "$dir/damaged-file" &&
    grep -q "not a .sframe_coro block" "$dir/err"' "$dir/out" "$dir/err"
}

# A runtime in which something stands between the call and its site.
group_no_call ()
{
  mkdir -p "$dir/moved"
  sed 's/coroutine_\.resume ();/& asm volatile (".skip 5, 0x90");/' \
    "$top_srcdir/examples/task.hpp" >"$dir/moved/task.hpp"
  cp "$top_srcdir/examples/factorial.cc" "$dir/moved"
  for cxx in "$CXX" clang++-19; do
    if ! command -v ${cxx%% *} >/dev/null; then
      skip "check: $cxx: no such compiler"
      continue
    fi
    for o in -O0 -O2; do
      for place in "$dir/moved" "$top_srcdir/examples"; do
	# shellcheck disable=SC2086
	$cxx -std=c++20 -g $o -I"$top_srcdir/include" -o "$dir/damaged-file" \
	  "$place/factorial.cc" 2>"$dir/err" ||
	  { fail "check: $cxx $o" "$dir/err"; continue 2; }
	case $place in
	  */moved) want=1 ;;
	  *) want=0 ;;
	esac
	verdict "check: site behind its call, ${cxx##*/} $o: $want" \
	  'run 0 $tool check "$dir/damaged-file" &&
	   { [ $want = 1 ] || [ ! -s "$dir/out" ]; } &&
	   run $want $tool check --strict "$dir/damaged-file" &&
	   { [ $want = 0 ] ||
	     finds "warning: function 0: start: no call returns to the site"; }' \
	  "$dir/out" "$dir/err"
      done
    done
  done
}

# Threads in every state.
group_threads ()
{
  start "$dir/target" srhan "$dir/counter" || return
  cat >"$dir/want" <<\END
target: block main _start
t-s: block innermost*^ middle:1 outer:2 resume_described walk_in thread
t-r: run innermost*^ middle:1 outer:2 resume_described walk_in thread
t-h: block handler <signal> interrupt_me innermost*^ middle:1 outer:2 resume_described walk_in thread
t-a: block handler <signal> interrupt_me innermost*^ middle:1 outer:2 resume_described walk_in thread
t-n: block thread
complete
END
  run 0 $tool stack --json -p $pid
  shape target
  same "stack: threads in all states"
  verdict "... and nothing in stderr" '[ "$(cat "$dir/err")" = "(exit status 0)" ]' \
    "$dir/err"
  verdict "... and the process goes on" 'untouched $pid && advances "$dir/counter"'
  run 0 $tool stack -p $pid
  sed -n '/"t-s"/,/thread/p' "$dir/out" | sed '1s/thread [0-9]*/thread N/
    s/0x[0-9a-f]*/ADDRESS/; s/ at target.c:[0-9]*/ at target.c:L/' |
    sed '/ pause /d; /thread *at/,$d' >"$dir/text"
  cat >"$dir/want" <<\END
thread N "t-s":
  #1 block             at target.c:L
  #2 innermost         at target.c:L  coroutine, running
  #3 middle            awaiting         [target.list:1]
  #4 outer             awaiting         [target.list:2]
  #5 resume_described  at target.c:L
  #6 walk_in           at target.c:L
END
  mv "$dir/text" "$dir/out"
  same "stack: as text"
  for t in /proc/$pid/task/*; do
    [ "$(cat "$t/comm")" = t-r ] && tid=${t##*/}
  done
  sed -n '/^t-r/p; $a complete' >"$dir/want" <<\END
t-r: run innermost*^ middle:1 outer:2 resume_described walk_in thread
END
  run 0 $tool stack --json --pid=$pid --tid="$tid"
  shape target
  same "stack --tid"
  verdict "stack --tid: no such thread" 'run 2 $tool stack -p $pid -t 1 &&
    errs "has no thread 1"' "$dir/err"
  run 0 $tool stack --json -p "$tid"
  shape target
  verdict "stack of a thread's number" '[ "$(wc -l <"$dir/out")" = 7 ]' "$dir/out"
  stop $pid
}

# Lists that are not as they should be.
group_lists ()
{
  start "$dir/target" cux || return
  cat >"$dir/want" <<\END
target: block main _start
t-c: block innermost*^ middle:1 outer:2 resume_described walk_in thread (the list is cyclic)
t-u: block innermost*^ middle:1 outer:2 resume_described walk_in thread (memory that cannot be read)
t-x: block innermost*^ resume_undescribed walk_in thread middle:1! outer:2!
incomplete
END
  run 1 $tool stack --json -p $pid
  verdict "stack: exit status of incomplete stacks" '[ $run_status = 1 ]'
  shape target
  same "stack: cyclic, broken, and without a site"
  verdict "... as text" 'run 1 $tool stack -p $pid &&
    grep -q "(target.list cut after 3 nodes: the list is cyclic)" "$dir/out" &&
    grep -q "target.list:1\], no resume site in this stack" "$dir/out"' \
    "$dir/out"
  stop $pid

  start "$dir/target" d || return
  verdict "stack: a long list" 'run 0 $tool stack -p $pid &&
    [ "$(grep -c "awaiting .*target.list:" "$dir/out")" = 2999 ]'
  verdict "stack --max-nodes" 'run 1 $tool stack --max-nodes=100 -p $pid &&
    [ "$(grep -c "awaiting .*target.list:" "$dir/out")" = 99 ] &&
    grep -q "cut after 100 nodes: more nodes than the limit" "$dir/out"' \
    "$dir/out"
  stop $pid
}

# What is left of a process afterwards.
group_traces ()
{
  start "$dir/target" sn || return
  kill -STOP $pid
  await_state $pid T
  run 0 $tool stack --json -p $pid
  shape target
  cat >"$dir/want" <<\END
target: block main _start
t-s: block innermost*^ middle:1 outer:2 resume_described walk_in thread
t-n: block thread
complete
END
  same "stack: of a stopped process"
  verdict "... which stays stopped" '[ "$(state $pid)$(tracer $pid)" = T0 ]' \
    /proc/$pid/status
  kill -CONT $pid
  verdict "... and goes on when told to" 'await_state $pid S && untouched $pid'
  stop $pid

  start "$dir/target" srhanssssrsssn "$dir/counter" || return
  for s in INT TERM KILL; do
    # At other moments each time, wherever in its work that is.
    for d in 001 002 003 005 008 012 018 025 035 050 070 100; do
      timeout -s $s 0.$d $tool stack -p $pid >/dev/null 2>&1
    done
    verdict "stack ended by SIG$s" 'untouched $pid && advances "$dir/counter"' \
      /proc/$pid/status
  done
  kill -STOP $pid
  await_state $pid T
  for s in INT TERM KILL; do
    for d in 002 005 012 025 050; do
      timeout -s $s 0.$d $tool stack -p $pid >/dev/null 2>&1
    done
  done
  verdict "... of a stopped process" 'await_state $pid T &&
    [ "$(state $pid)$(tracer $pid)" = T0 ]' \
    /proc/$pid/status
  kill -CONT $pid
  verdict "... which goes on" 'await_state $pid S && untouched $pid &&
    advances "$dir/counter"'
  stop $pid
}

# Signals and threads that come and go while a process is being stopped.
group_races ()
{
  start "$dir/target" snns "$dir/counter" || return
  python3 - $pid <<\END &
import os, signal, sys, time
for i in range (2000):
  os.kill (int (sys.argv[1]), signal.SIGRTMIN)
  time.sleep (0.0005)
END
  sender=$!
  for i in 1 2 3 4 5 6; do
    $tool stack -p $pid >/dev/null 2>&1
    for d in 004 008 016; do
      timeout -s KILL 0.$d $tool stack -p $pid >/dev/null 2>&1
    done
  done
  wait $sender
  await 'got=$(od -An -tu8 "$dir/counter" | tr -d " "); [ "$got" -ge 2000 ]'
  echo "$got of 2000 signals" >"$dir/got"
  verdict "no signal is lost" '[ $got = 2000 ] && untouched $pid' "$dir/got"
  stop $pid

  start "$dir/target" kkks || return
  bad=
  for i in 1 2 3 4 5 6 7 8 9 10; do
    run 0 $tool stack --json -p $pid || bad=$i
    shape target
    grep -qx 't-s: block innermost\*^ middle:1 outer:2 resume_described walk_in thread' \
      "$dir/out" || bad=$i
    [ -z "$bad" ] || break
  done
  verdict "threads that come and go" '[ -z "$bad" ] && untouched $pid' \
    "$dir/out" "$dir/err"
  stop $pid
}

# Processes whose stacks there are only in part, or not at all.
group_refusals ()
{
  verdict "no such process" 'run 2 $tool stack -p 2147483646 &&
    errs "there is no process 2147483646"' "$dir/err"
  kernel=$(ps -e -o pid=,ppid= 2>/dev/null | awk '$2 == 2 { print $1; exit }')
  if [ -n "$kernel" ]; then
    verdict "a thread of the kernel" 'run 2 $tool stack -p $kernel &&
      errs "a thread of the kernel"' "$dir/err"
  else
    skip "a thread of the kernel: none is visible"
  fi

  : >"$dir/zombie"
  python3 -c 'import os, sys, time
pid = os.fork ()
if pid == 0: os._exit (0)
print (pid, flush=True)
time.sleep (600)' >"$dir/zombie" &
  parent=$!
  started="$started $parent"
  await '[ -s "$dir/zombie" ] || has_ended $parent'
  zombie=$(cat "$dir/zombie")
  await_state "$zombie" Z
  verdict "a zombie" 'run 2 $tool stack -p $zombie && errs "has ended"' \
    "$dir/err"
  stop $parent

  start "$dir/target" s || return
  if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$dir"
    verdict "a process of another user" 'run 2 setpriv --reuid=65534 \
      --regid=65534 --clear-groups $tool stack -p $pid &&
      errs "run as that user or as root"' "$dir/out" "$dir/err"
  else
    skip "a process of another user: not root, or no setpriv"
  fi
  python3 - $pid "$dir/traced" <<\END &
import ctypes, sys, time
libc = ctypes.CDLL (None, use_errno=True)
r = libc.ptrace (0x4206, int (sys.argv[1]), None, None)	# PTRACE_SEIZE
open (sys.argv[2], "w").write ("%d\n" % r)
time.sleep (600)
END
  other=$!
  started="$started $other"
  await '[ -s "$dir/traced" ] || has_ended $other'
  verdict "a process that is traced" 'run 2 $tool stack -p $pid &&
    errs "is traced by process $other"' "$dir/err" "$dir/traced"
  stop $other
  stop $pid

  printf '.globl _start\n_start: mov $29, %%eax\n int $0x80\n jmp _start\n' \
    >"$dir/small.s"
  if $CC -m32 -nostdlib -static -o "$dir/small" "$dir/small.s" 2>/dev/null &&
    { "$dir/small" & pid=$!; started="$started $pid"
      becomes $pid "$dir/small" && await_state $pid S; }; then
    verdict "a 32-bit program" 'run 2 $tool stack -p $pid &&
      errs "32-bit program"' "$dir/err"
    stop $pid
  else
    skip "a 32-bit program: none can be made or run here"
  fi

  # Its first thread waits in a way that nothing can interrupt.
  rests=D
  start "$dir/target" sv || { rests=S; return; }
  rests=S
  cat >"$dir/want" <<\END
target: 
t-s: block innermost*^ middle:1 outer:2 resume_described walk_in thread
incomplete
END
  child=$(cat /proc/$pid/task/$pid/children 2>/dev/null)
  started="$started $child"
  run 1 $tool stack --json -p $pid
  shape target
  same "a thread that does not stop"
  verdict "... is let go" 'untouched $pid'
  stop $pid $child

  # Its first thread has ended; the others are the process.
  rests=Z
  start "$dir/target" sm || { rests=S; return; }
  rests=S
  cat >"$dir/want" <<\END
t-s: block innermost*^ middle:1 outer:2 resume_described walk_in thread
complete
END
  run 0 $tool stack --json -p $pid
  shape target
  same "a process without its first thread"
  stop $pid

  # It may go at any moment.
  bad=
  for d in 001 003 005 007 009 012 015 020 025 030; do
    start "$dir/target" sssrnh || return
    { sleep 0.$d; kill -KILL $pid; } 2>/dev/null &
    killer=$!
    timeout $patience $tool stack -p $pid >"$dir/out" 2>"$dir/err"
    case $? in
      0|1) ;;
      2) grep -q 'ended\|no process\|No such process' "$dir/err" || bad=$d ;;
      *) bad=$d ;;
    esac
    [ "$bad" != $d ] || cp "$dir/err" "$dir/bad"
    wait $killer
    wait $pid 2>/dev/null
  done
  verdict "a process that ends meanwhile" '[ -z "$bad" ]' "$dir/bad"
}

# Processes without a section, programs without symbols or without a file.
group_programs ()
{
  sleep 600 &
  pid=$!
  started="$started $pid"
  becomes $pid "$(command -v sleep)" && await_state $pid S
  verdict "no section" 'run 0 $tool stack -p $pid &&
    grep -q "^thread $pid \"sleep\":" "$dir/out" && grep -q "#0 " "$dir/out" &&
    grep -q "note: no module of process $pid has a section" "$dir/err"' \
    "$dir/out" "$dir/err"
  stop $pid

  strip -o "$dir/stripped" "$dir/target"
  start "$dir/stripped" h || return
  cat >"$dir/want" <<\END
stripped: ? ? ?
t-h: ? ? <signal> ? ?*^ ?:1 ?:2 ? ? ?
complete
END
  # Without debug information nothing is known about inlined functions.
  run 0 $tool stack --json -p $pid
  shape stripped
  sed -i 's/\( ?\)*$//' "$dir/want" "$dir/out"
  same "a stripped program"
  verdict "... has addresses for names" 'run 0 $tool stack -p $pid &&
    grep -q "#[0-9]* *0x[0-9a-f]\{16\}  *awaiting  *.target.list:1." "$dir/out"' \
    "$dir/out"
  stop $pid

  cp "$dir/target" "$dir/deleted"
  start "$dir/deleted" s || return
  rm "$dir/deleted"
  verdict "a deleted program" 'run 0 $tool stack -p $pid &&
    grep -q "middle  *awaiting  *.target.list:1." "$dir/out"' \
    "$dir/out" "$dir/err"
  stop $pid

  cp "$dir/target" "$dir/replaced"
  start "$dir/replaced" s || return
  rm "$dir/replaced"
  cp /bin/sleep "$dir/replaced"
  verdict "a replaced program" 'run 0 $tool stack -p $pid &&
    grep -q "middle  *awaiting  *.target.list:1." "$dir/out"' \
    "$dir/out" "$dir/err"
  stop $pid
}

# At the final suspend point.
group_final ()
{
  for cxx in "$CXX" clang++-19; do
    for o in -O0 -O1 -O2 -O3; do
      name="final suspend, ${cxx##*/} $o"
      if ! command -v ${cxx%% *} >/dev/null; then
	skip "$name: no such compiler"
	continue
      fi
      # shellcheck disable=SC2086
      $cxx -std=c++20 -g $o -I"$top_srcdir/include" -o "$dir/final" \
	"$here/final.cc" || { fail "$name: compiling"; continue; }
      strip -o "$dir/final-stripped" "$dir/final"
      for program in final final-stripped; do
	start "$dir/$program" || continue
	run 0 $tool stack --json -p $pid
	shape $program
	# One entry each, in order, and none twice.
	sed -n "s/^$program: //p" "$dir/out" | tr ' ' '\n' |
	  grep '[*:]' | grep -v '::' | sed 's/^?/NAME/; s/^[a-z]*(int)/NAME/' |
	  sed 's/:1^/:1/' >"$dir/nodes"
	printf 'NAME*^\nNAME:1\n' >"$dir/want"
	cp "$dir/out" "$dir/err"
	mv "$dir/nodes" "$dir/out"
	same "$name, $program"
	stop $pid
      done
    done
  done
}

# Heads that are offsets into the TLS block of their module.
group_tls_offset ()
{
  source="$here/target.c"
  cat >"$dir/want" <<\END
t-s: block innermost*^ middle:1 outer:2 resume_described walk_in thread
t-n: block thread
END
  offset="-DTARGET_TLS_OFFSET"
  for mode in -no-pie -pie -static -static-pie; do
    pic=
    case $mode in *pie) pic=-fPIE ;; esac
    compile $offset $pic $mode -o "$dir/exe" "$source" || continue
    verdict "tls_offset, $mode: check" 'run 0 $tool check "$dir/exe"' "$dir/out"
    start "$dir/exe" sn || continue
    run 0 $tool stack --json -p $pid
    shape exe
    # In these libc is part of the program.
    sed -n '/^t-/{ s/ __libc_pause//; s/ start_thread.*//; p; }' "$dir/out" \
      >"$dir/o"
    mv "$dir/o" "$dir/out"
    same "tls_offset, $mode"
    stop $pid
  done
  for ld in gold lld mold; do
    case $ld in lld) l=ld.lld-19 ;; gold) l=ld.gold ;; *) l=$ld ;; esac
    if ! command -v $l >/dev/null; then
      skip "tls_offset, $ld: not there"
      continue
    fi
    mkdir -p "$dir/$ld"
    ln -sf "$(command -v $l)" "$dir/$ld/ld"
    compile $offset -fPIE -pie -B"$dir/$ld" -o "$dir/exe" "$source" || continue
    start "$dir/exe" sn || continue
    run 0 $tool stack --json -p $pid
    shape exe
    grep '^t-' "$dir/out" >"$dir/o"
    mv "$dir/o" "$dir/out"
    same "tls_offset, $ld"
    stop $pid
  done
  for model in global-dynamic initial-exec gnu2; do
    case $model in
      gnu2) flags=-mtls-dialect=gnu2 ;;
      *) flags=-ftls-model=$model ;;
    esac
    compile $offset -DTARGET_LIBRARY $flags -fPIC -shared \
      -o "$dir/libtarget.so" "$source" || continue
    compile -DLINKED -o "$dir/linked" "$here/load.c" -L"$dir" -ltarget \
      -Wl,-rpath,"$dir" || continue
    compile -o "$dir/load" "$here/load.c" || continue
    for program in "linked" "load $dir/libtarget.so"; do
      # shellcheck disable=SC2086
      start "$dir/"$program sn || continue
      run 0 $tool stack --json -p $pid
      shape libtarget.so
      grep '^t-' "$dir/out" >"$dir/o"
      mv "$dir/o" "$dir/out"
      same "tls_offset, library, $model, ${program%% *}"
      stop $pid
    done
  done
}

groups='usage files unreadable damage no_call threads lists traces races refusals programs
final tls_offset'
if compile -o "$dir/target" "$here/target.c"; then
  for g in ${*:-$groups}; do
    "group_$g"
    stop_all
  done
fi
if [ $skipped -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
