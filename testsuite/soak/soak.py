#!/usr/bin/env python3
"""Snapshots of a process in which everything comes and goes.

`sframe-coro stack' looks at a process whose threads create, await, cancel and
destroy coroutines, start and end, and load and unload a library.  Each coroutine
that is shown must have been alive, and be of the function that it is said to be:
the process logs births and deaths, and a list of its own has the time of a
snapshot as the process counts it (see target.cc).

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later

usage: soak.py [--full] [COMPILER...]
"""

import argparse
import json
import mmap
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True  # The source directory stays as it is.
sys.path.insert(0, str(HERE.parent / "stack"))
from stack import (BINUTILS, Failure, Target, TIMEOUT, TOOL, TOP, check,
                   reason, run)

THREADS = 64
PLUGINS = 2
# Those of `Kind' in soak.h.
FUNCTIONS = [None, "Outer", "Middle", "Inner", "Host", "Plugin"]
FLAGS = ["-std=c++20", "-g", "-O2", "-Wall", "-Wextra", "-pthread",
         f"-I{TOP}/include", f"-I{TOP}/examples"]
DIRECTIVES = [f"-B{BINUTILS}", "-DSFRAME_CORO_USE_DIRECTIVES=1"]
# Compiler, its flags, those of libraries (the list is the program's own).
COMPILERS = {
    "g++": (DIRECTIVES, ["-fvisibility=hidden", "-fno-gnu-unique"]),
    "clang++-19": ([], []),
}
# Snapshots: by one process, by one process each, by processes that are killed.
SHORT, FULL = (60, 10, 15), (4000, 500, 500)


class Log:
    """What the process logs, up to a time."""

    SIZE = 1 << 22
    HEADER = 4  # Words.

    def __init__(self, path):
        with open(path, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        self.words = memoryview(self.map).cast("Q")
        self.next = 1
        self.alive = {}  # Kinds of coroutines by their frame addresses.

    def advance(self, until):
        """Process the events before number UNTIL."""
        while self.next < until:
            first = self.next % self.SIZE
            lap = self.next // self.SIZE + 1
            num = min(until - self.next, self.SIZE - first)
            self.process(self.words[self.HEADER + first:
                                    self.HEADER + first + num], lap)
            self.next += num
        check(self.words[0] - self.next < self.SIZE, "the log was overrun")

    def process(self, events, lap):
        for i, event in enumerate(events):
            if event >> 48 != lap:
                event = self.wait(events, i, lap)
            address, kind = event & 0xfffffffffff0, event & 15
            if kind:
                check(address not in self.alive, f"born twice: {address:#x}")
                self.alive[address] = kind
            else:
                check(self.alive.pop(address, 0), f"no such: {address:#x}")

    @staticmethod
    def wait(events, i, lap):
        """An event whose number was taken, but which is not written yet."""
        end = time.monotonic() + TIMEOUT
        while events[i] >> 48 != lap:
            check(events[i] >> 48 < lap, "the log was overrun")
            check(time.monotonic() < end, "the process does not go on")
            time.sleep(0.001)
        return events[i]


class Checker:
    """Compares snapshots with the log, and counts."""

    def __init__(self, log):
        self.log = log
        self.snapshots = self.coroutines = self.unstopped = 0
        self.threads = set()
        self.seen = set()
        self.stopped_us = []

    def check(self, report):
        """REPORT is a snapshot, as JSON."""
        times = set()
        for thread in report["threads"]:
            self.unstopped += not thread["stopped"]
            times |= {node["ip"] for _, node in nodes(thread, "soak.clock")}
            self.check_lists(thread)
        # No time passes between threads.
        check(len(times) == 1, "times of one snapshot:", times)
        self.log.advance(int(times.pop(), 16))
        for thread in report["threads"]:
            for frame, node in nodes(thread, "demo.task"):
                self.check_node(frame, node)
        self.snapshots += 1
        self.threads |= {t["tid"] for t in report["threads"]}
        self.stopped_us.append(report["stopped_us"])

    def check_node(self, frame, node):
        kind = self.log.alive.get(int(node["address"], 16))
        check(kind, "not alive:", frame)
        name = frame.get("function", "").split("(")[0]
        check(name == FUNCTIONS[kind], f"not {FUNCTIONS[kind]}:", frame)
        self.seen.add(name)
        self.coroutines += 1

    @staticmethod
    def check_lists(thread):
        """Lists end, but for the one that is broken."""
        for item in thread["lists"]:
            broken = item["chain"] == "soak.broken"
            check(item["cut"] == broken, thread["tid"], item)
            check(not broken or item["stop"] == "a pointer that cannot be one",
                  item)
        check(any(item["cut"] for item in thread["lists"])
              or not thread["stopped"], "the cut is not told:", thread)


def nodes(thread, chain):
    """Those of CHAIN among the frames of THREAD, with their frames."""
    return [(f, f["coroutine"]) for f in thread["frames"]
            if f.get("coroutine", {}).get("chain") == chain]


def number_of_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident(pid):
    """KiB that process PID has in memory."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s*(\d+)", text)[1])


def reports(file):
    """The JSON objects that come from FILE."""
    lines = []
    for line in file:
        lines.append(line)
        if line == b"}\n":
            yield json.loads(b"".join(lines))
            lines = []


def looker(pid, *options, **more):
    return subprocess.Popen(
        [TOOL, "stack", "--json", "-p", str(pid), *options],
        stdout=subprocess.PIPE, **more)


class Soak:
    """One process, and all that looks at it."""

    def __init__(self, target, checker):
        self.target = target
        self.checker = checker
        self.files = []  # How many the one process has open,
        self.memory = []  # and how much memory it has.

    def settled(self):
        check(self.target.process.poll() is None, "it ended")
        check(self.target.is_untouched(), "threads are stopped")

    def by_one(self, num):
        """NUM snapshots by one process."""
        tool = looker(self.target.pid, "--coroutines-only", "--repeat=0.001")
        try:
            for i, report in enumerate(reports(tool.stdout), 1):
                signal.alarm(TIMEOUT)
                self.checker.check(report)
                check(tool.poll() is None, f"status {tool.returncode};",
                      f"of the process: {self.target.process.poll()}")
                self.files.append(number_of_files(tool.pid))
                self.memory.append(resident(tool.pid))
                if i % 1000 == 0:
                    print(f"  {i} snapshots", flush=True)
                if i == num:
                    break
            else:
                raise Failure(f"it ended with status {tool.wait()}")
        finally:
            tool.terminate()
            tool.stdout.close()
            tool.wait()
        check(tool.returncode == -signal.SIGTERM, tool.returncode)
        self.settled()
        self.check_growth()

    def check_growth(self):
        """Neither files nor memory become more."""
        for what, slack in ((self.files, 4), (self.memory, 16384)):
            tenth = len(what) // 10
            early, late = max(what[:2 * tenth]), max(what[-tenth:])
            check(late <= early + slack, f"it grew from {early} to {late}:",
                  what[::max(tenth, 1)])

    def by_many(self, num):
        """NUM snapshots by a process each, with all frames."""
        for _ in range(num):
            signal.alarm(TIMEOUT)
            with looker(self.target.pid) as tool:
                out, _ = tool.communicate()
            # The broken list is incomplete.
            check(tool.returncode == 1, f"status {tool.returncode}")
            self.checker.check(json.loads(out))
            self.settled()

    def until_all_is_seen(self):
        """More snapshots, one after the other, until all kinds of coroutines
        and enough threads were seen, however fast that is."""
        end = time.monotonic() + TIMEOUT
        while (self.checker.seen != set(FUNCTIONS[1:])
               or len(self.checker.threads) <= 2 * THREADS):
            check(time.monotonic() < end, "seen:", self.checker.seen,
                  "threads:", self.checker.threads)
            self.by_many(1)

    def killed(self, num):
        """NUM times a process is killed while it looks; what it wrote until
        then counts too."""
        for _ in range(num):
            signal.alarm(TIMEOUT)
            with looker(self.target.pid, "--repeat=0.001",
                        "--coroutines-only") as tool:
                # Before its first stop there would be nothing to survive.
                whole = reports(tool.stdout)
                self.checker.check(next(whole, None) or fail("it ended"))
                time.sleep(random.random() * 0.05)
                tool.kill()
                for report in whole:
                    self.checker.check(report)
            check(tool.returncode == -signal.SIGKILL, tool.returncode)
            self.settled()


def text(target):
    """Cut lists are told in text too."""
    out, _ = run([TOOL, "stack", "-p", target.pid], status=1)
    threads = len(re.findall(r"^thread \d+ ", out, re.M))
    cuts = out.count("(soak.broken cut after 1 node: a pointer that cannot be "
                     "one)")
    check(threads > THREADS and cuts == threads, out)


def build(work, compiler):
    """The program and its libraries."""
    flags, library_flags = COMPILERS[compiler]
    command = [compiler, *FLAGS, *flags]
    program = work / f"target-{compiler}"
    plugins = [work / f"plugin-{compiler}-{i}.so" for i in range(PLUGINS)]
    run([*command, HERE / "target.cc", "-o", program,
         "-Wl,--export-dynamic-symbol=soak_log"])
    for plugin in plugins:
        run([*command, *library_flags, "-fPIC", "-shared", HERE / "plugin.cc",
             "-o", plugin])
    return [program, work / f"log-{compiler}", THREADS, *plugins]


def wrap_numbers():
    """Let most threads of the next process have lower numbers than its first
    one, if possible: those begin again below the largest one soon."""
    kernel = Path("/proc/sys/kernel")
    try:
        largest = int((kernel / "pid_max").read_text())
        (kernel / "ns_last_pid").write_text(str(largest - THREADS // 2))
    except OSError as error:
        print(f"  thread numbers go on: {error}")


def soak(work, compiler, counts):
    """All of it; return what to tell of it."""
    command = build(work, compiler)
    log = command[1]
    wrap_numbers()
    with Target(*command) as target:
        files = number_of_files(target.pid)
        checker = Checker(Log(log))
        all_of_it = Soak(target, checker)
        all_of_it.by_one(counts[0])
        all_of_it.by_many(counts[1])
        all_of_it.killed(counts[2])
        all_of_it.until_all_is_seen()
        text(target)
        all_of_it.settled()
        # While a library is loaded its file is open.
        check(number_of_files(target.pid) <= files + PLUGINS, "files")
    check(checker.snapshots >= sum(counts), checker.snapshots)
    times = sorted(checker.stopped_us)
    return (f"{checker.snapshots} snapshots of {len(checker.threads)} threads, "
            f"{checker.coroutines} coroutines of {checker.log.next} births and "
            f"deaths; stopped for {times[len(times) // 2] / 1000} ms (median); "
            f"{checker.unstopped} threads did not stop; at most "
            f"{max(all_of_it.files)} files and {max(all_of_it.memory)} KiB")


def fail(*what):
    raise Failure(*what)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true",
                        help="10,000 snapshots")
    parser.add_argument("compilers", nargs="*", default=list(COMPILERS))
    options = parser.parse_args()
    if os.uname().machine != "x86_64":
        print("the programs of this suite are for x86-64")
        return 77
    passed = failed = skipped = 0
    signal.signal(signal.SIGALRM, lambda *_: fail("it hangs"))
    with tempfile.TemporaryDirectory() as work:
        for compiler in options.compilers:
            if not shutil.which(compiler):
                print(f"SKIP: {compiler}: it is not installed")
                skipped += 1
                continue
            try:
                figures = soak(Path(work), compiler,
                               FULL if options.full else SHORT)
            except Failure as failure:
                print(f"FAIL: {compiler}")
                print("  " + str(failure).replace("\n", "\n  "), flush=True)
                failed += 1
            except Exception as error:
                print(f"FAIL: {compiler}: {reason(error)}", flush=True)
                failed += 1
            else:
                print(f"PASS: {compiler}\n  {figures}", flush=True)
                passed += 1
            finally:
                signal.alarm(0)
    print(f"{passed} passed, {failed} failed"
          + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
