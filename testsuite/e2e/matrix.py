#!/usr/bin/env python3
"""The way from compiler to spliced stack, over the whole matrix.

Each case builds the program in matrix-main.cc and matrix-lib.cc in one way,
starts it, looks at it with `sframe-coro stack', and compares what each thread
shows with what the program says it must show.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True  # The source directory stays as it is.
sys.path.insert(0, str(HERE.parent))
from cases import HANGS, reason  # noqa: E402 (the line above finds it)

TOP = HERE.parent.parent
TIMEOUT = HANGS
BUILD_TIMEOUT = 900  # The same for a build of many programs.

DIMENSIONS = {
    "compiler": ["g++", "clang++-19"],
    "opt": ["-O0", "-O2", "-O3"],
    "kind": ["nopie", "pie", "static", "static-pie", "shared", "dlopen"],
    "linker": ["bfd", "gold", "lld", "mold"],
    # How the header writes its records, and how the head is found.
    "form": ["directives", "data"],
    "head": ["tls", "tls_offset"],
}
# What the issue asks for in full; form and head alternate underneath.
PRODUCT = ["compiler", "opt", "kind", "linker"]

# Flags of the executable, per kind; libraries are always -fPIC -shared.
KINDS = {
    "nopie": (["-fno-pie"], ["-no-pie"]),
    "pie": (["-fPIE"], ["-pie"]),
    "static": (["-fno-pie"], ["-static", "-no-pie"]),
    "static-pie": (["-fPIE"], ["-static-pie"]),
    "shared": (["-fPIE"], ["-pie"]),
    "dlopen": (["-fPIE"], ["-pie"]),
}


def possible(case):
    """Whether the linker of CASE can make that kind of program at all: gold
    has no --no-dynamic-linker, which compilers pass for static PIEs."""
    return (case["kind"], case["linker"]) != ("static-pie", "gold")


class Failure(Exception):
    """A case went wrong; the text says how."""


def run(command, timeout=TIMEOUT, **more):
    """Run COMMAND to its end; its output as text, or Failure."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              timeout=timeout, check=False, **more)
    except subprocess.TimeoutExpired:
        raise Failure("hangs: " + " ".join(map(str, command))) from None
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode}: "
                      + " ".join(map(str, command)) + "\n" + done.stdout
                      + done.stderr)
    return done.stdout


class Tools:
    """Where things are: the command under test, and the patched binutils."""

    def __init__(self, work):
        build = Path(os.environ.get("top_builddir", TOP / "build/obj"))
        stage = Path(os.environ.get("STAGE", build.parent / "stage"))
        self.command = Path(os.environ.get("SFRAME_CORO",
                                           build / "tools/sframe-coro"))
        if not self.command.exists():
            self.command = stage / "bin/sframe-coro"
        self.binutils = Path(os.environ.get("BINUTILS")
                             or stage / "binutils") / "bin"
        self.readelf = shutil.which("readelf")
        # Compilers look for linkers by name in -B directories.
        self.linkers = work / "linkers"
        self.linkers.mkdir()
        for name, target in (("ld.lld", "ld.lld-19"), ("ld.gold", "ld.gold"),
                             ("ld.mold", "ld.mold")):
            path = shutil.which(target)
            if path:
                (self.linkers / name).symlink_to(path)
        (self.linkers / "ld.bfd").symlink_to(self.binutils / "ld")

    def assembler(self, case):
        """Compiler flags that choose the assembler and the form."""
        if case["form"] == "data":
            return ["-DSFRAME_CORO_USE_DIRECTIVES=0"]
        flags = ["-DSFRAME_CORO_USE_DIRECTIVES=1", f"-B{self.binutils}"]
        if case["compiler"].startswith("clang"):
            flags.append("-fno-integrated-as")
        return flags

    def linker(self, case):
        return [f"-B{self.linkers}", f"-fuse-ld={case['linker']}"]


def name_of(case):
    return " ".join(case[d].lstrip("-") for d in DIMENSIONS if d in case)


def build(tools, case, where):
    """Build the program of CASE in WHERE; the files that were linked."""
    compile_flags, link_flags = KINDS[case["kind"]]
    in_library = case["kind"] in ("shared", "dlopen")
    common = [case["compiler"], "-std=c++20", "-g", case["opt"], "-Wall",
              "-Wextra", f"-I{TOP}/include", f"-I{TOP}/examples", "-pthread",
              "-DMATRIX_HEAD_" + case["head"].upper(),
              *tools.assembler(case)]
    main, lib = where / "main.o", where / "lib.o"
    program, library = where / "program", where / "libmatrix.so"
    if case["kind"] == "dlopen":
        common.append("-DMATRIX_DLOPEN")
    run([*common, *compile_flags, "-c", HERE / "matrix-main.cc", "-o", main])
    run([*common, *(["-fPIC"] if in_library else compile_flags), "-c",
         HERE / "matrix-lib.cc", "-o", lib])
    link = [case["compiler"], *tools.linker(case), "-pthread"]
    if not in_library:
        run([*link, *link_flags, main, lib, "-o", program])
        return program, [program]
    run([*link, "-shared", lib, "-o", library])
    if case["kind"] == "shared":
        run([*link, *link_flags, main, library, f"-Wl,-rpath,{where}",
             "-o", program])
    else:
        run([*link, *link_flags, main, "-ldl", "-o", program])
    return program, [program, library]


def check_relocations(tools, file):
    """No dynamic relocation for our section, in it or to it."""
    sections = run([tools.readelf, "-SW", file])
    ours = []
    for line in sections.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[1] == ".sframe_coro":
            ours.append((int(words[3], 16), int(words[5], 16)))
    dynamic = run([tools.readelf, "-dW", file])
    for word in ("TEXTREL", "STATIC_TLS"):
        if word in dynamic:
            raise Failure(f"{file.name} has {word}")
    for line in run([tools.readelf, "-rW", file]).splitlines():
        words = line.split()
        if len(words) < 3 or not words[2].startswith("R_"):
            continue
        places = [int(words[0], 16)]
        places += [int(w, 16) for w in words[3:4]
                   if all(c in "0123456789abcdef" for c in w)]
        for start, size in ours:
            if any(start <= p < start + size for p in places):
                raise Failure(f"{file.name}: relocation at .sframe_coro: "
                              + line)
    return bool(ours)


class Program:
    """A program that says what its threads must show, then waits for its
    standard input to be closed."""

    def __init__(self, command, **more):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True,
                                        **more)
        self.expected = {}

    def __enter__(self):
        for line in self.process.stdout:
            words = line.split(None, 2)
            if words[0] == "ready":
                return self
            if words[0] == "expect":
                names = words[2].strip().split(" <- ") if words[2:] else []
                self.expected[int(words[1])] = names
        self.__exit__()
        raise Failure("the program ended early, exit status "
                      f"{self.process.returncode}")

    def __exit__(self, *_):
        try:
            self.process.stdin.close()
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            pass
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def coroutines_of(thread):
    """The coroutines a thread shows, leaf first."""
    return [frame.get("function", "?") for frame in thread["frames"]
            if frame.get("coroutine")]


def compare(tools, program, key=list):
    """Look at PROGRAM and compare KEY of what each thread shows."""
    pid = program.process.pid
    seen = json.loads(run([tools.command, "stack", "-p", str(pid), "--json"]))
    threads = {thread["tid"]: thread for thread in seen["threads"]}
    for tid, names in program.expected.items():
        if tid not in threads:
            raise Failure(f"thread {tid} is not shown")
        shown = coroutines_of(threads[tid])
        if key(shown) != key(names):
            raise Failure(
                f"thread {tid}\nexpected: " + " <- ".join(names)
                + "\nshown:    " + " <- ".join(shown) + "\n"
                + run([tools.command, "stack", "-p", str(pid)]))


def try_case(tools, case, work):
    """Run one case; None, or what went wrong."""
    where = Path(tempfile.mkdtemp(dir=work))
    try:
        program, linked = build(tools, case, where)
        if not any([check_relocations(tools, file) for file in linked]):
            raise Failure("no .sframe_coro section")
        command = [program]
        if case["kind"] == "dlopen":
            command.append(linked[1])
        with Program(command) as running:
            compare(tools, running)
        if running.process.returncode != 0:
            raise Failure("the program's exit status is "
                          f"{running.process.returncode} afterwards")
    except Failure as failure:
        return str(failure)
    except Exception as error:
        return reason(error)
    finally:
        shutil.rmtree(where)
    return None


def full():
    """Every combination of the product; form and head take turns, so that
    each meets each kind, compiler and linker."""
    cases = []
    for i, values in enumerate(itertools.product(
            *(DIMENSIONS[d] for d in PRODUCT))):
        case = dict(zip(PRODUCT, values))
        turn = i + i // 4 + i // 24
        case["form"] = DIMENSIONS["form"][turn % 2]
        case["head"] = DIMENSIONS["head"][turn // 2 % 2]
        cases.append(case)
    return [case for case in cases if possible(case)]


def covering():
    """A small set in which every pair of values of two dimensions meets."""
    names = list(DIMENSIONS)
    everything = [case for values in itertools.product(*DIMENSIONS.values())
                  if possible(case := dict(zip(names, values)))]

    def pairs(case):
        return {(a, case[a], b, case[b])
                for a, b in itertools.combinations(names, 2)}

    todo = set().union(*map(pairs, everything))
    cases = []
    while todo:
        best = max(everything, key=lambda case: len(pairs(case) & todo))
        todo -= pairs(best)
        cases.append(best)
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true",
                        help="every combination, not a covering set")
    parser.add_argument("--only", metavar="WORD", action="append", default=[],
                        help="only cases whose name contains WORD")
    options = parser.parse_args()
    cases = full() if options.full else covering()
    cases = [c for c in cases if all(w in name_of(c).split()
                                     for w in options.only)]
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        tools = Tools(Path(work))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda c: try_case(tools, c, work), cases)
            for case, wrong in zip(cases, results):
                print("PASS:" if wrong is None else "FAIL:", name_of(case),
                      flush=True)
                if wrong is not None:
                    failed += 1
                    print("  " + wrong.replace("\n", "\n  "))
    print(f"{len(cases) - failed} passed, {failed} failed")
    return failed != 0 or not cases


if __name__ == "__main__":
    sys.exit(main())
