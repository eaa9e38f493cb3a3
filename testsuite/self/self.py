#!/usr/bin/env python3
"""Processes that look at themselves: sframe_coro_self_*.

Each case builds a program with a compiler, a C library and a kind of linking,
runs it, and compares what it prints.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.dont_write_bytecode = True  # The source directory stays as it is.
sys.path.insert(0, str(HERE.parent))
from cases import HANGS, reason  # noqa: E402 (the line above finds it)

PT_NOTE, PT_GNU_SFRAME_CORO = 4, 0x6474e54f
LIBRARY = ["decode", "errors", "fields", "index", "names", "roots", "self",
           "self-modules", "self-stack", "splice", "tls", "walk"]
WARN = ["-g", "-Wall", "-Wextra", "-Werror", "-fno-omit-frame-pointer"]
ASAN = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
TSAN = ["-fsanitize=thread"]
# Where the program cannot take the place of the C library's functions.
WRAP = ["-DWRAP_MALLOC", *[f"-Wl,--wrap={name}" for name in
                           ("malloc", "calloc", "realloc", "free")]]
STATIC = [*WRAP, "-Wl,--eh-frame-hdr"]

# Name, C compiler, options, and what the program is run with.
BUILDS = [
    ("gcc -O0", "gcc", ["-O0"]),
    ("gcc -O2", "gcc", ["-O2"]),
    ("gcc gold", "gcc", ["-O2", "-fuse-ld=gold"]),
    ("gcc mold", "gcc", ["-O2", "-fuse-ld=mold"]),
    ("gcc no-pie", "gcc", ["-O2", "-no-pie"]),
    ("gcc static", "gcc", ["-O2", "-static", *STATIC]),
    ("gcc static-pie", "gcc", ["-O2", "-static-pie", *STATIC]),
    ("gcc asan", "gcc", ["-O1", *ASAN, "-DNO_INTERPOSITION"]),
    ("clang lld", "clang-19", ["-O2", "-fuse-ld=lld"]),
    ("musl", "musl-gcc", ["-O2", *STATIC]),
    ("musl static", "musl-gcc", ["-O2", "-static", *STATIC]),
]

WHOLE = """\
inner test.self:0 running native
middle test.self:1
outer test.self:2
site
"""
WAYS = {
    "call": WHOLE, "signal": WHOLE, "altstack": WHOLE, "fork": WHOLE,
    "no-readv": WHOLE, "no-readv-fork": WHOLE,
    "gone": """\
inner test.self:0 running native
middle test.self:1
cut here: memory that cannot be read
site
1 cut, test.self: memory that cannot be read
""",
    "cycle": """\
inner test.self:0 running native
middle test.self:1
outer test.self:2
cut here: the list is cyclic
site
1 cut, test.self: the list is cyclic
""",
    "small": """\
inner test.self:0 running native
middle test.self:1
cut here: more nodes than the limit
site
1 cut, test.self: more nodes than the limit
""",
}

# What is changed in a section, and the problem that is reported: offset, bytes.
DAMAGE = [
    ("magic", 0, b"\x12\x34",
     "not a .sframe_coro block at 0, header magic"),
    ("version", 2, b"\x09",
     "unsupported version at 2, header version"),
    ("length", 8, b"\xff\xff\xff\x7f",
     "impossible sizes in the block header at 8, header length"),
]


# Name, what it includes, libraries, compilers.
EXAMPLES = [
    ("libunwind", "libunwind.h", ["-lunwind"], ["g++", "clang++-19"]),
    ("elfutils", "elfutils/libdwfl.h", ["-ldw"], ["g++", "clang++-19"]),
    # Of these, g++ has the library and its header.
    ("libbacktrace", "backtrace.h", ["-lbacktrace"], ["g++"]),
    ("boost-stacktrace", "boost/stacktrace.hpp", ["-lbacktrace", "-ldl"],
     ["g++"]),
]
EXAMPLE_STACK = """\
Leaf
Factorial, running, demo.task:0
Factorial, awaiting, demo.task:1
Factorial, awaiting, demo.task:2
Factorial, awaiting, demo.task:3
RunCoroutines
"""
CRASH_STACK = """\
Leaf
running Factorial
awaiting Factorial
awaiting Factorial
awaiting Factorial
RunCoroutines
"""


class Failure(Exception):
    """A case went wrong; the text says how."""


class Skip(Exception):
    """A case cannot be tried here; the text says why."""


def run(command, status=0, **more):
    """Run COMMAND; its output, or Failure if it ends with another STATUS."""
    done = subprocess.run(command, text=True, timeout=HANGS, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **more)
    if done.returncode != status:
        raise Failure(f"{' '.join(map(str, command))}: status "
                      f"{done.returncode}\n{done.stdout}")
    return done.stdout


def expect(got, wanted):
    """Fail unless GOT is WANTED."""
    if got != wanted:
        raise Failure(f"expected:\n{wanted}got:\n{got}")


class Results:
    """Counts of cases."""

    def __init__(self, only):
        self.passed = self.failed = self.skipped = 0
        self.only = only

    def case(self, name, function, *args):
        """Try FUNCTION with ARGS as the case NAME."""
        if self.wants(name):
            self.try_case(name, function, *args)

    def wants(self, name):
        """Whether the case NAME is one that was asked for."""
        return all(word in name for word in self.only)

    def try_case(self, name, function, *args):
        """Try FUNCTION with ARGS, whatever was asked for."""
        try:
            function(*args)
        except Skip as why:
            self.skipped += 1
            print(f"SKIP: {name}: {why}")
        except Failure as failure:
            self.failed += 1
            print(f"FAIL: {name}\n{failure}")
        except Exception as error:
            self.failed += 1
            print(f"FAIL: {name}: {reason(error)}")
        else:
            self.passed += 1
            print(f"PASS: {name}")
        sys.stdout.flush()

    def close(self):
        """Print the closing line; the exit status."""
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.passed} passed, {self.failed} failed{skipped}")
        return 1 if self.failed else 0


class Builder:
    """Builds programs; the library once for each way to compile it."""

    def __init__(self, work):
        self.work = work
        self.libraries = {}
        self.plugins = {}

    def library(self, compiler, flags):
        """The objects of the library."""
        kept = [f for f in flags if "sanitize" in f]
        key = (compiler, *kept)
        if key not in self.libraries:
            where = self.work / f"library-{len(self.libraries)}"
            where.mkdir()
            sources = [TOP / f"libsframe-coro/{name}.c" for name in LIBRARY]
            run([compiler, *WARN, "-O1", "-std=gnu11", *kept,
                 f"-I{TOP}/include", "-c", *sources], cwd=where)
            self.libraries[key] = sorted(where.glob("*.o"))
        return self.libraries[key]

    def program(self, source, output, compiler, flags, library=True,
                libraries=()):
        """Compile SOURCE into OUTPUT."""
        c_compiler = {"g++": "gcc", "clang++-19": "clang-19"}.get(compiler,
                                                                  compiler)
        if not shutil.which(compiler):
            raise Skip(f"no {compiler}")
        for flag in flags:
            linker = flag.partition("-fuse-ld=")[2]
            if linker and not shutil.which(f"ld.{linker}"):
                raise Skip(f"no linker {linker}")
        standard = "-std=c++20" if source.endswith(".cc") else "-std=gnu11"
        output = self.work / output
        run([compiler, *WARN, standard, *flags, f"-I{TOP}/include",
             f"-I{TOP}/examples", HERE / source,
             *(self.library(c_compiler, flags) if library else []),
             *libraries, "-pthread", "-o", output])
        return output

    def plugin(self, name, size, compiler="g++", own_list=True):
        """A library with coroutines that can be unloaded."""
        key = (size, compiler, own_list)
        if key in self.plugins:
            return Path(shutil.copy(self.plugins[key], self.work / name))
        flags = ["-O2", "-fPIC", "-shared", f"-DSIZE={size}"]
        if compiler == "g++":
            flags.append("-fno-gnu-unique")
        flags += ["-fvisibility=hidden"] if own_list else []
        self.plugins[key] = self.program(
            "plugin.cc", f"{compiler}-{size}-{own_list}.so", compiler, flags,
            library=False)
        return self.plugin(name, size, compiler, own_list)


def is_possible(name, way):
    """Whether WAY makes sense in the build NAME."""
    # musl has no headers for the filter.
    return not ("musl" in name and "no-readv" in way)


def try_ways(results, builder, name, compiler, flags):
    """The program in all ways."""
    ways = {way: wanted for way, wanted in WAYS.items()
            if is_possible(name, way) and results.wants(f"{name}: {way}")}
    made = []

    def build():
        made.append(builder.program("program.c", name.replace(" ", "-"),
                                    compiler, flags))

    if ways:
        results.try_case(f"{name}: build", build)
    for way, wanted in ways.items() if made else ():
        results.case(f"{name}: {way}",
                     lambda way=way, wanted=wanted:
                     expect(run([made[0], way]), wanted))


def through_loader(program):
    """/proc/self/exe is the dynamic linker then."""
    expect(run(["/lib64/ld-linux-x86-64.so.2", program, "call"]), WHOLE)


def damaged(builder, program, offset, new, wanted):
    """A section that is wrong is reported, and no list is found."""
    section, bad = builder.work / "section", builder.work / "damaged"
    run(["objcopy", f"--dump-section=.sframe_coro={section}", program])
    content = bytearray(section.read_bytes())
    if content[offset:offset + len(new)] == new:
        raise Failure("nothing to change")
    content[offset:offset + len(new)] = new
    section.write_bytes(content)
    run(["objcopy", f"--update-section=.sframe_coro={section}", program, bad])
    expect(run([bad, "call"]), f"damaged: {wanted}\n")


def section_header(program):
    """Address, offset and size of the section."""
    line = re.search(r"\.sframe_coro +PROGBITS +(\S+) +(\S+) +(\S+)",
                     run(["readelf", "-SW", program]))
    return tuple(int(word, 16) for word in line.groups())


def without_sections(builder, program, header, wanted):
    """A program without section headers; with a program HEADER that leads to
    the section, in the place of one that nobody needs, or without."""
    image = bytearray(program.read_bytes())
    address, offset, size = section_header(program)
    image[40:48] = bytes(8)  # e_shoff
    image[60:64] = bytes(4)  # e_shnum, e_shstrndx
    table, = struct.unpack_from("<Q", image, 32)
    number, = struct.unpack_from("<H", image, 56)
    for i in range(number):
        at = table + 56 * i
        if header and struct.unpack_from("<I", image, at)[0] == PT_NOTE:
            struct.pack_into("<IIQQQQQQ", image, at, PT_GNU_SFRAME_CORO, 4,
                             offset, address, address, size, size, 8)
            break
    bare = builder.work / "bare"
    bare.write_bytes(image)
    bare.chmod(0o755)
    expect(run([bare, "call"]), wanted)


def too_long(builder, program):
    """A section of 4 GiB, says its header."""
    image = bytearray(program.read_bytes())
    number = int(re.search(r"\[ *(\d+)\] \.sframe_coro ",
                           run(["readelf", "-SW", program]))[1])
    table, = struct.unpack_from("<Q", image, 40)
    struct.pack_into("<Q", image, table + 64 * number + 32, 1 << 32)
    bad = builder.work / "long"
    bad.write_bytes(image)
    bad.chmod(0o755)
    expect(run([bad, "call"]),
           "long: the section is outside the module's segments\n")


def as_nobody(work):
    """What to put before a command to run it without privileges."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        raise Skip("no setpriv")
    work.chmod(0o777)
    return ["setpriv", "--reuid=65534", "--clear-groups", "--"]


def file_is(builder, program, way, privileged, wanted):
    """A library whose file is no longer where it was loaded from."""
    prefix = [] if privileged else as_nobody(builder.work)
    if privileged and os.geteuid() != 0:
        raise Skip("not root")
    library = builder.plugin("moving.so", 0)
    builder.plugin("moving.so.other", 3)
    expect(run([*prefix, program, way, "./moving.so"], cwd=builder.work),
           wanted + WHOLE)
    library.unlink(missing_ok=True)


def try_files(results, builder):
    """Everything about files, with one program."""
    if results.only and not any("files" in word for word in results.only):
        return
    made = []
    results.try_case("files: build", lambda: made.append(
        builder.program("program.c", "program", "gcc",
                        ["-O2", "-DNO_INTERPOSITION"])))
    if not made:
        return
    program, = made
    gone = "moving.so: the module's file is gone, or another one now\n"
    results.case("files: through the dynamic linker", through_loader, program)
    results.case("files: program header", without_sections, builder, program,
                 True, WHOLE)
    results.case("files: neither header", without_sections, builder, program,
                 False, "")
    results.case("files: 4 GiB", too_long, builder, program)
    for name, offset, new, wanted in DAMAGE:
        results.case(f"files: damaged {name}", damaged, builder, program,
                     offset, new, wanted)
    results.case("files: relative name, another directory", file_is, builder,
                 program, "elsewhere", False, "")
    for way in ("deleted", "replaced"):
        results.case(f"files: {way}", file_is, builder, program, way, False,
                     gone)
        results.case(f"files: {way}, privileged", file_is, builder, program,
                     way, True, "")


def sampled(builder, compiler, flags, threads, samples, plugins):
    """Threads under a timer, with libraries that come and go."""
    program = builder.program("threads.cc", "threads", compiler, flags)
    paths = []
    if plugins:
        paths = [builder.plugin(f"plugin-{size}.so", size, compiler,
                                "-DONE_LIST" not in flags)
                 for size in (0, 3)]
    expect(run([program, str(threads), str(samples), *paths]),
           f"{threads} threads, {samples} samples each\n")


def try_threads(results, builder):
    """The soak, in all its builds."""
    no = "-DNO_INTERPOSITION"
    for name, *rest in [
            ("g++ -O2", "g++", ["-O2"], 8, 500, True),
            ("g++ one list", "g++",
             ["-O2", "-DONE_LIST", "-rdynamic", "-fno-gnu-unique"],
             4, 100, True),
            ("g++ -O0", "g++", ["-O0"], 4, 100, True),
            # The tables of such programs are sorted, in memory of malloc's,
            # at the first unwinding, and looked at with a lock held.
            ("g++ static", "g++",
             ["-O2", "-static", "-DFRAME_POINTERS", *STATIC], 4, 100, False),
            ("g++ static-pie", "g++", ["-O2", "-static-pie", *STATIC],
             4, 100, False),
            ("clang++ -O2", "clang++-19", ["-O2"], 4, 100, True),
            ("g++ asan", "g++", ["-O1", *ASAN, no], 4, 100, True),
            ("g++ tsan", "g++", ["-O1", *TSAN, no], 4, 100, True)]:
        results.case(f"threads: {name}", sampled, builder, *rest)


def between(output):
    """The lines of a stack that are the program's own."""
    lines = output.splitlines(keepends=True)
    if "Leaf\n" not in lines or "RunCoroutines\n" not in lines:
        raise Failure(f"no stack:\n{output}")
    return "".join(lines[lines.index("Leaf\n"):
                         lines.index("RunCoroutines\n") + 1])


def build_example(builder, name, header, libraries, compiler):
    """Compile the example NAME."""
    source = TOP / f"examples/{name}.cc"
    if not shutil.which(compiler):
        raise Skip(f"no {compiler}")
    try:
        run([compiler, "-E", "-x", "c++", "-include", header, "/dev/null"],
            stdin=subprocess.DEVNULL)
    except Failure as why:
        raise Skip(f"no {header}") from why
    return builder.program(str(source), name, compiler, ["-O2", "-Wl,-z,now"],
                           libraries=libraries)


def try_example(builder, name, *what):
    """An example that prints its stack, with names; a short one."""
    lines = (TOP / f"examples/{name}.cc").read_text().splitlines()
    if len(lines) >= 100:
        raise Failure(f"{name}.cc has 100 lines or more")
    expect(between(run([build_example(builder, name, *what)])), EXAMPLE_STACK)


def function_at(program, line):
    """The line of the crash handler with the function it stands for."""
    found = re.fullmatch(r"(.*?) *(\S+)\+(0x[0-9a-f]+)", line)
    if not found or Path(found[2]).name != program.name:
        return line
    names = run(["addr2line", "-f", "-i", "-C", "-e", program, found[3]])
    return f"{found[1]} {names.splitlines()[-2].partition('(')[0]}".strip()


def try_crash(builder, compiler):
    """The crash handler, which has module and offset of functions."""
    program = build_example(builder, "crash-handler", "unwind.h", [], compiler)
    output = run([program], status=-signal.SIGSEGV)
    expect(between("".join(function_at(program, line) + "\n"
                           for line in output.splitlines())), CRASH_STACK)


def try_examples(results, builder):
    """Other unwinders."""
    for name, header, libraries, compilers in EXAMPLES:
        for compiler in compilers:
            results.case(f"examples: {name}, {compiler}", try_example, builder,
                         name, header, libraries, compiler)
    for compiler in ("g++", "clang++-19"):
        results.case(f"examples: crash-handler, {compiler}", try_crash,
                     builder, compiler)


def main():
    """Run all cases, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="WORD", action="append", default=[],
                        help="only cases whose name contains WORD")
    options = parser.parse_args()
    if platform.machine() != "x86_64":
        print("the programs of this suite are for x86-64")
        return 77
    results = Results(options.only)
    with tempfile.TemporaryDirectory() as work:
        builder = Builder(Path(work))
        for build in BUILDS:
            try_ways(results, builder, *build)
        try_files(results, builder)
        try_threads(results, builder)
        try_examples(results, builder)
    return results.close()


if __name__ == "__main__":
    sys.exit(main())
