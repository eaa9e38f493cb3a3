#!/usr/bin/env python3
"""The test programs of ../hpp, each looked at while it stays.

They cover what the matrix does not: runtimes in other modules than the sites,
libraries with much TLS, unloaded libraries whose place another one takes,
coroutines at their final suspend point, and so on.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import matrix  # noqa: E402 (the line above keeps the source tree clean)

PROGRAMS = matrix.TOP / "testsuite/hpp"

# Each compiler, linker, form and degree of optimisation, and what is most
# unlike: without optimisation g++ leaves many coroutines on the native stack.
BUILDS = [
    {"compiler": "g++", "opt": "-O0", "linker": "bfd", "form": "directives"},
    {"compiler": "g++", "opt": "-O2", "linker": "gold", "form": "data"},
    {"compiler": "g++", "opt": "-O1", "linker": "mold", "form": "directives"},
    {"compiler": "clang++-19", "opt": "-O0", "linker": "lld", "form": "data"},
    {"compiler": "clang++-19", "opt": "-O3", "linker": "mold",
     "form": "directives"},
]


def read_cases():
    """The command lines in the file `cases', those for musl apart."""
    normal, musl = [], []
    for line in (PROGRAMS / "cases").read_text().splitlines():
        if line and not line.startswith("#"):
            (musl if line.startswith("musl-") else normal).append(line.split())
    return normal, musl


def make(goal, where, *variables):
    matrix.run(["make", "-s", f"-j{os.cpu_count()}", "-f",
                PROGRAMS / "programs.mk", goal, f"OUT={where}", *variables],
               timeout=matrix.BUILD_TIMEOUT)


def look(tools, where, command, key=list):
    """Run COMMAND in WHERE and compare, names or what KEY makes of each list of
    them; None, or what went wrong."""
    try:
        with matrix.Program([f"./{command[0]}", *command[1:]],
                            cwd=where) as running:
            if not running.expected:
                raise matrix.Failure("the program expects nothing")
            matrix.compare(tools, running, key=key)
        if running.process.returncode != 0:
            raise matrix.Failure("exit status afterwards: "
                                 f"{running.process.returncode}")
    except matrix.Failure as failure:
        return str(failure)
    except Exception as error:
        return matrix.reason(error)
    return None


def strip(where):
    """Strip every program and library in WHERE."""
    for file in where.iterdir():
        if file.suffix in ("", ".so"):
            matrix.run(["strip", file])


class Results:
    """Counts what was reported."""

    def __init__(self):
        self.passed = self.failed = 0

    def report(self, name, wrong):
        print("PASS:" if wrong is None else "FAIL:", name, flush=True)
        if wrong is None:
            self.passed += 1
            return
        self.failed += 1
        print("  " + wrong.replace("\n", "\n  "))


def try_build(tools, build, cases, results):
    """Make all programs as BUILD says and look at each, and at those with
    few coroutine functions again when stripped: there are no names then, but
    as many coroutines."""
    name = " ".join(v.lstrip("-") for v in build.values())
    with tempfile.TemporaryDirectory() as work:
        where = Path(work)
        try:
            make("all", where, f"CXX={build['compiler']}",
                 "CXXFLAGS=" + " ".join([build["opt"],
                                         *tools.assembler(build)]),
                 "LDFLAGS=" + " ".join(tools.linker(build)))
        except matrix.Failure as failure:
            results.report(f"{name}: build", str(failure))
            return
        for case in cases:
            results.report(f"{name}: {' '.join(case)}",
                           look(tools, where, case))
        strip(where)
        for case in cases:
            results.report(f"{name}, stripped: {' '.join(case)}",
                           look(tools, where, case, key=len))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_args()
    results = Results()
    normal, musl = read_cases()
    with tempfile.TemporaryDirectory() as work:
        tools = matrix.Tools(Path(work))
        for build in BUILDS:
            try_build(tools, build, normal, results)
        try:
            make("musl", work)
        except matrix.Failure as failure:
            results.report("musl: build", str(failure))
        else:
            for case in musl:
                results.report(f"musl: {' '.join(case)}",
                               look(tools, Path(work), case))
    print(f"{results.passed} passed, {results.failed} failed")
    return results.failed != 0 or results.passed == 0


if __name__ == "__main__":
    sys.exit(main())
