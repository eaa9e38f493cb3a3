"""Benchmark: sampling, against what the kernel and perf do.
Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later

usage: record.py SFRAME-CORO CLANG WORK

As root; see README.  What cannot be measured is said in one line, and the rest
goes on; the exit status is 1 then.
"""

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time

TOOL, CLANG, WORK = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
STATS = "/proc/sys/kernel/bpf_stats_enabled"
PAIRS = 11


class Died(Exception):
    """Something cannot be measured; the text says why, in one line."""


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it said nothing"


def run(*args, **more):
    done = subprocess.run(args, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **more)
    if done.returncode != 0:
        raise Died(f"{args[0]} ended with {done.returncode}: "
                   + last_line(done.stderr))
    return done


def row(what, peer, pairs, goal=None):
    """A line of the table: pairs of ours and the peer's."""
    ratios = sorted(a / b for a, b in pairs)
    median = statistics.median(ratios)
    note = "" if goal is None else (
        f"  <= {goal:.2f}{'' if median <= goal else ' missed'}")
    print(f"{what:<38} {peer:<24} "
          f"{statistics.median(a for a, _ in pairs):10.2f} "
          f"{statistics.median(b for _, b in pairs):10.2f} "
          f"{ratios[0]:9.4f} {median:9.4f} {ratios[-1]:9.4f}{note}", flush=True)


def build():
    run("gcc", "-O1", "-fno-omit-frame-pointer",
        "-fno-optimize-sibling-calls", "-o", WORK + "/native",
        HERE + "/native.c")
    run("g++", "-std=c++20", "-O2", "-fno-omit-frame-pointer", "-DMODE_EXE",
        "-I" + TOP + "/include", "-I" + TOP + "/examples", "-o",
        WORK + "/busy", TOP + "/testsuite/record/busy.cc", "-pthread")
    multiarch = run("gcc", "-print-multiarch").stdout.strip()
    run(CLANG, "-target", "bpf", "-g", "-O2", "-ffreestanding",
        "-D__TARGET_ARCH_x86", "-I/usr/include/" + multiarch,
        *(f"-I{TOP}/{d}" for d in ("include", "libsframe-coro", "bpf")),
        "-c", HERE + "/get-stack.bpf.c", "-o", WORK + "/get-stack.o")


def per_sample(command, *options):
    """Nanoseconds that the program in the kernel takes for each sample."""
    p = subprocess.Popen([TOOL, "record", *options, "-o", WORK + "/o", "--",
                          *command], stdin=subprocess.DEVNULL, text=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    best = None
    while p.poll() is None:
        time.sleep(0.1)
        shown = subprocess.run(
            ["bpftool", "--json", "prog", "show", "name", "take_sample"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if not shown.stdout.strip():
            continue
        progs = json.loads(shown.stdout)
        for prog in progs if isinstance(progs, list) else [progs]:
            if prog.get("run_cnt"):
                best = prog["run_time_ns"] / prog["run_cnt"]
    err = p.communicate()[1]
    if best is None:
        raise Died(f"record ended with {p.returncode} and counted no sample: "
                   + last_line(err))
    return best


def slope(few, many, at_few, at_many):
    return (at_many - at_few) / (many - few)


def bench_program():
    """For each node and native frame, and for what goes with any sample."""
    with open(STATS) as f:
        before = f.read()
    with open(STATS, "w") as f:
        f.write("1")
    pairs, rows, samples = [], [], []
    peer = "--sampler=" + WORK + "/get-stack.o"
    try:
        for _ in range(3):
            nodes = [per_sample([WORK + "/busy", "deep", "3000", str(n)])
                     for n in (10, 500)]
            ours = [per_sample([WORK + "/native", "3", str(n)])
                    for n in (10, 110)]
            theirs = [per_sample([WORK + "/native", "3", str(n)], peer)
                      for n in (10, 110)]
            frame = slope(10, 110, *theirs)
            pairs.append((slope(10, 500, *nodes), frame))
            rows.append((slope(10, 110, *ours), frame))
            samples.append((nodes[0], theirs[0]))
    finally:
        with open(STATS, "w") as f:
            f.write(before)
    row("sampler, a node (ns)", "bpf_get_stack, a frame", pairs)
    row("sampler, a native frame (ns)", "bpf_get_stack, a frame", rows)
    row("sampler, 10 nodes (ns/sample)", "the same, 10 frames", samples)


def cpu_time(recorder):
    """CPU seconds of a fixed piece of work while RECORDER, which gets -p and
    the number, samples it; and bytes and samples of the profile."""
    data = WORK + "/p"
    p = subprocess.Popen(["sh", "-c", "kill -STOP $$; exec \"$@\"", "sh",
                          WORK + "/busy", "short", "60"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    os.waitpid(p.pid, os.WUNTRACED)
    r = subprocess.Popen([*recorder, "-o", data, "-p", str(p.pid)],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    p.send_signal(signal.SIGCONT)
    _, _, usage = os.wait4(p.pid, 0)
    err = r.communicate()[1]
    num = re.search(r"(\d+) samples", err)
    if num is None or int(num.group(1)) == 0:
        raise Died(f"{recorder[0]} ended with {r.returncode} without samples: "
                   + last_line(err))
    return (usage.ru_utime + usage.ru_stime,
            os.path.getsize(data) / int(num.group(1)))


def bench_overhead():
    ours = [TOOL, "record", "-F", "999"]
    perf = ["perf", "record", "-F", "999", "-e", "cpu-clock", "-g"]
    times, sizes = [], []
    for i in range(PAIRS):
        first, second = (ours, perf) if i % 2 else (perf, ours)
        a, b = cpu_time(first), cpu_time(second)
        if first is perf:
            a, b = b, a
        times.append((a[0], b[0]))
        sizes.append((a[1], b[1]))
    row("CPU time of what is sampled (s)", "perf record -F 999 -g", times, 1.1)
    row("bytes of a sample, 13 coroutines", "the same, without them", sizes)


def main():
    status = 0
    try:
        build()
        benches = [("sampler", bench_program), ("overhead", bench_overhead)]
    except Died as why:
        benches, status = [], 1
        print(f"sampling: not measured: {why}")
    for name, bench in benches:
        try:
            bench()
        except Died as why:
            status = 1
            print(f"{name}: not measured: {why}", flush=True)
    sys.exit(status)


main()
