#!/usr/bin/env python3
"""Models of real runtimes, looked at from inside and from outside.

Each model is a small program that keeps its lists as the runtime does which it
stands for, and describes them with directives.  It stops at places that have
names; there it prints its stack itself (inside.c), and the command `sframe-coro
stack' looks at it.  Both must show what a comment of the model says:

    /* expect NAME
	 function		    a native frame; ? if it has no name, as what
				    clang wraps `await_suspend' in
	 function [chain:2]	    a node that awaits, with its index
	 function [chain:0] running   the head of a list, which runs
	 function [chain:0] running final   it is at its final suspend point
	 function [chain:1] no-site   a node for which there is no place
	 outer@3 [chain:0]	    a cookie, in words of the model
	 function [chain:1] at mark   one that goes on at the line which has
				    the comment `at: mark'
	 {g++ -O0} function	    in builds with all these words only
	 task chain:		    what follows is a list of the process
	 blocked chain: function    the list goes on below that frame
    */

in this order, and nothing else.  What is above `inside_stop' and below `main'
or `thread' is not compared, and neither are functions of the standard library.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True  # The source directory stays as it is.
sys.path.insert(0, str(HERE.parent))
import bodies  # noqa: E402 (after the line above)
from cases import HANGS, reason  # noqa: E402 (the line above finds it)

TOP = HERE.parent.parent
TIMEOUT = HANGS
LIBRARY = ["decode", "errors", "index", "names", "fields", "roots", "splice",
           "tls", "walk"]
BUILDS = [("g++", "-O0"), ("g++", "-O2"), ("clang++-19", "-O0"),
          ("clang++-19", "-O2")]

# Sources and what to define for variants of them.
MODELS = [
    ("aligned.cc", []),
    ("nested.cc", []),
    ("folly.cc", []), ("folly.cc", ["TLS"]), ("folly.cc", ["KPHP"]),
    ("asio.cc", []), ("asio.cc", ["REGISTER"]),
    ("two.cc", []),
    ("key.c", []),
    ("tid.c", []),
    ("interp.c", ["PY311"]), ("interp.c", ["PY312"]), ("interp.c", ["RUBY"]),
    ("interp.c", ["LUA"]),
    ("transfer.cc", []),
    ("points.cc", []),
    ("registry.cc", []),
]
# Those that do without C++, with musl as well.
MUSL = [("key.c", [])]


class Failure(Exception):
    """A case went wrong; the text says how."""


class Skip(Exception):
    """A case cannot be tried here; the text says why."""


def run(command, **more):
    """Run COMMAND to its end; its output as text, or Failure if it fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              timeout=TIMEOUT, check=False, **more)
    except subprocess.TimeoutExpired:
        raise Failure("hangs: " + " ".join(map(str, command))) from None
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode}: "
                      + " ".join(map(str, command)) + "\n" + done.stdout
                      + done.stderr)
    return done.stdout


class Tools:
    """Where things are: the command under test, and the patched binutils."""

    def __init__(self):
        build = Path(os.environ.get("top_builddir", TOP / "build"))
        stage = TOP / "build/stage/binutils"
        self.binutils = Path(os.environ.get("BINUTILS") or stage) / "bin"
        if not (self.binutils / "as").exists():
            raise Failure(f"no patched binutils in {self.binutils}")
        self.command = Path(os.environ.get("SFRAME_CORO")
                            or build / "tools/sframe-coro")


# Building.

def compiler(model, build):
    """The compiler of BUILD for MODEL, which may be in C."""
    cxx = build[0]
    if model.endswith(".c"):
        return {"g++": "gcc", "clang++-19": "clang-19"}.get(cxx, cxx)
    return cxx


def build_helpers(compile_c, where):
    """Compile the library and what looks from inside; the objects."""
    sources = [TOP / f"libsframe-coro/{name}.c" for name in LIBRARY]
    objects = []
    sources.append(HERE / "inside.c")
    if compile_c.startswith("musl"):
        sources.append(HERE / "musl-unwind.c")
    for source in sources:
        objects.append(where / (source.stem + ".o"))
        run([compile_c, "-g", "-O2", "-Wall", "-Wextra", "-D_GNU_SOURCE",
             f"-I{TOP}/include", f"-I{TOP}/libsframe-coro",
             "-c", source, "-o", objects[-1]])
    return objects


def build_model(tools, model, defines, build, where, helpers):
    """Compile MODEL, by way of assembly that is completed, and link it."""
    cc = compiler(model, build)
    asm, program = where / "model.s", where / "model"
    flags = ["-g", build[1], "-Wall", "-Wextra", f"-B{tools.binutils}",
             f"-I{TOP}/include", f"-I{TOP}/examples", f"-I{HERE}",
             "-DSFRAME_CORO_USE_DIRECTIVES=1",
             *(f"-D{word}" for word in defines)]
    if cc.startswith("clang"):
        flags.append("-fno-integrated-as")
    flags.append("-std=gnu11" if model.endswith(".c") else "-std=c++20")
    run([cc, *flags, "-S", HERE / model, "-o", asm])
    asm.write_text(bodies.complete(asm.read_text()))
    run([cc, *flags, "-c", asm, "-o", where / "model.o"])
    run([cc, *flags, where / "model.o", *helpers, "-pthread",
         *(["-static", "-Wl,--eh-frame-hdr"] if cc.startswith("musl") else []), "-o", program])
    return program


# What is expected.

def read_expected(model, build):
    """The stacks that MODEL says it has in BUILD, by name."""
    text = (HERE / model).read_text()
    stacks = {}
    for name, body in re.findall(r"^(?:/\*)?\s*expect (\S+)\n(.*?)\*/",
                                 text, re.S | re.M):
        lines = []
        for line in body.splitlines():
            words = re.match(r"\s*(?:\{(.*?)\})?\s*(.*)", line)
            wanted = (words[1] or "").split()
            if words[2] and all(w in build for w in wanted):
                lines.append(words[2].strip())
        if name in stacks:
            raise Failure(f"{name} is expected twice")
        stacks[name] = lines
    return stacks


def find_marks(model):
    """The lines with marks of MODEL, by number."""
    lines = (HERE / model).read_text().splitlines()
    return {i: m[1] for i, line in enumerate(lines, 1)
            if (m := re.search(r"/\* at: (\S+) \*/", line))}


# What is seen.

class Names:
    """Names of functions as they are expected: the plain names, without what
    tells the parts of a coroutine."""

    def __init__(self):
        self.known = {}

    def add(self, symbols):
        plain = [s for s in symbols if s not in self.known]
        if plain:
            out = run(["c++filt"], input="\n".join(plain) + "\n")
            self.known.update(zip(plain, out.splitlines()))

    def __call__(self, symbol):
        self.add([symbol])
        name = re.sub(r"^\(anonymous namespace\)::", "", self.known[symbol])
        return name.split("(")[0]


class View:
    """What a stop is seen to be: lines as they are expected."""

    def __init__(self, names, words, place):
        self.names, self.words, self.place = names, words, place
        self.lines = []
        self.above, self.below = True, False

    def native(self, symbol):
        """A native frame that is no node."""
        name = self.names(symbol) if symbol else "?"
        if "__await_suspend_wrapper__" in (symbol or ""):
            name = "?"  # It has a name in debugging information only.
        if self.above:
            self.above = name != "inside_stop"
        elif not self.below and not name.startswith(("std::", "__gnu_cxx::")):
            self.lines.append(name)
            self.below = name in ("main", "thread")

    def node(self, symbol, chain, index, flags, cookie, resume):
        """A node, native or not; FLAGS as in inside.c; COOKIE is the pair of
        its words, or None, RESUME the number of the line at which it goes on,
        or None."""
        if "__await_suspend_wrapper__" in (symbol or ""):
            symbol = None
        self.above = False
        if cookie is not None:
            name = "@".join(self.words.get(w, hex(w)) for w in cookie)
        else:
            name = self.names(symbol) if symbol else "?"
            if (symbol or "").endswith(".destroy") and "f" not in flags:
                name = "~" + name
        line = f"{name} [{chain}:{index}]"
        if "r" in flags:
            line += " running"
        if "f" in flags:
            line += " final"
        if "n" in flags:
            line += " no-site"
        if resume is not None:
            line += " at " + self.place(resume)
        self.lines.append(line)


def let_end(process):
    """Let PROCESS, which ends when its input does, end."""
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass  # It has ended.
    try:
        process.wait(TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


class Model:
    """A running model, stop by stop."""

    def __init__(self, program, marks):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.words, self.names = {}, Names()
        self.marks = marks

    def __enter__(self):
        return self

    def __exit__(self, *_):
        let_end(self.process)

    def place(self, line):
        """How LINE is expected."""
        return self.marks.get(line, f"line {line}")

    def view(self):
        return View(self.names, self.words, self.place)

    def next_stop(self):
        """The next stop: its name, its thread, and the view from inside;
        None at the end."""
        for line in self.process.stdout:
            words = line.rstrip("\n").split("\t")
            if words[0] == "word":
                self.words[int(words[1], 16)] = words[2]
            elif words[0] == "stop":
                return words[1], int(words[2]), self.inside()
            elif words[0] == "failed":
                raise Failure(words[1])
        self.__exit__()
        if self.process.returncode != 0:
            raise Failure(f"exit status {self.process.returncode}")
        return None

    def inside(self):
        """Read what the model sees."""
        rows = []
        for line in self.process.stdout:
            rows.append(line.rstrip("\n").split("\t"))
            if rows[-1][0] == "done":
                break
        else:
            raise Failure("the model ends while it looks")
        self.names.add({s for row in rows if row[0] == "entry"
                        for s in row[1:3] if s != "-"})
        view = self.view()
        for row in rows:
            if row[0] == "entry":
                self.entry(view, *row[1:])
            elif row[0] == "task":
                view.lines.append(f"task {row[1]}:")
            elif row[0] == "blocked":
                function = self.words.get(int(row[3], 16)) or row[4]
                view.lines.append(f"blocked {row[1]}: "
                                  + self.names(function))
            elif row[0] != "done":
                view.lines.append(" ".join(row))
        return view.lines

    def entry(self, view, native, function, chain, index, flags, ip, aux,
              resume, module):
        if chain == "-":
            view.native(native)
            return
        symbol = function if function != "-" else None
        cookie = None
        if int(aux, 16) != 0:
            cookie = (int(aux, 16), int(ip, 16))
        line = None
        if module != "-" and "r" not in flags:
            where = run(["addr2line", "-e", module, resume]).split(":")[-1]
            line = int(re.match(r"\d+", where)[0])
        view.node(symbol, chain, index, flags, cookie, line)

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()


def await_read(pid, tid):
    """Wait until thread TID is in its read of standard input: it prints the
    last line in the C library, where there may be no unwind information."""
    path = Path(f"/proc/{pid}/task/{tid}/syscall")
    end = time.monotonic() + TIMEOUT
    while path.read_text().split()[:2] != ["0", "0x0"]:
        if time.monotonic() > end:
            raise Failure(f"thread {tid} does not come to its read")
        time.sleep(0.001)


def add_node(view, frame):
    """Add FRAME, which is a node."""
    node = frame["coroutine"]
    flags = "r" if node["state"] == "running" else ""
    flags += "" if node["has_site"] else "n"
    flags += "f" if node["final"] else ""
    cookie = None
    if int(node.get("aux", "0"), 16) != 0:
        cookie = (int(node["aux"], 16), int(node["ip"], 16))
    resume = None
    if "resume_pc" in node and node["state"] != "running":
        resume = frame.get("line")
    view.node(frame.get("symbol"), node["chain"], node["index"], flags, cookie,
              resume)


def blocked_by(model, report, blocked):
    """What waits at the root that BLOCKED tells of."""
    word = model.words.get(int(blocked["root"], 16))
    if word or "tid" not in blocked:
        return word or "-"
    frames = next(t["frames"] for t in report["threads"]
                  if t["tid"] == blocked["tid"])
    return next(f["symbol"] for f in frames if f["number"] == blocked["frame"])


def look_outside(tools, model, tid):
    """What the command shows of thread TID, and of the tasks of the
    process."""
    await_read(model.process.pid, tid)
    report = json.loads(run([tools.command, "stack", "--tasks", "--json", "-p",
                             str(model.process.pid)]))
    thread = next(t for t in report["threads"] if t["tid"] == tid)
    view = model.view()
    for frame in thread["frames"]:
        if "coroutine" in frame:
            add_node(view, frame)
        elif not frame["inlined"]:
            view.native(frame.get("symbol"))
    for task in report["tasks"]:
        view.lines.append(f"task {task['chain']}:")
        for frame in task["frames"]:
            add_node(view, frame)
    for lst in thread["lists"]:
        if "blocked" in lst:
            function = blocked_by(model, report, lst["blocked"])
            view.lines.append(f"blocked {lst['chain']}: "
                              + model.names(function))
    return view.lines


def differ(name, side, expected, seen):
    """Failure if SEEN is not what is EXPECTED of NAME."""
    if expected == seen:
        return
    width = max(map(len, ["expected", *expected])) + 2
    rows = [("expected", f"seen from {side}"), *zip(
        expected + [""] * (len(seen) - len(expected)),
        seen + [""] * (len(expected) - len(seen)))]
    raise Failure(f"{name}:\n" + "\n".join(
        f"{'  ' if a == b or not i else '! '}{a:{width}}{b}"
        for i, (a, b) in enumerate(rows)))


def try_model(tools, program, expected, marks, outside):
    """Run PROGRAM, compare at each stop, from both sides."""
    todo = dict(expected)
    wrong = []
    with Model(program, marks) as model:
        while (stop := model.next_stop()) is not None:
            name, tid, seen = stop
            if name not in todo:
                raise Failure(f"{name}: not expected\n" + "\n".join(seen))
            stack = todo.pop(name)
            try:
                differ(name, "inside", stack, seen)
                if outside:
                    differ(name, "outside", stack,
                           look_outside(tools, model, tid))
            except Failure as failure:
                wrong.append(str(failure))
            model.go_on()
    if todo:
        wrong.append("never reached: " + " ".join(todo))
    if wrong:
        raise Failure("\n".join(wrong))


class Results:
    """Counts what was reported."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def skip(self, name, why):
        print(f"SKIP: {name}: {why}", flush=True)
        self.skipped += 1

    def try_case(self, name, function, *arguments):
        """Try FUNCTION as the case NAME; what it returns, or None if it
        fails."""
        try:
            result = function(*arguments)
        except Skip as why:
            self.skip(name, why)
        except Failure as failure:
            print("FAIL:", name)
            print("  " + str(failure).replace("\n", "\n  "), flush=True)
            self.failed += 1
        except Exception as error:
            print(f"FAIL: {name}: {reason(error)}", flush=True)
            self.failed += 1
        else:
            print("PASS:", name, flush=True)
            self.passed += 1
            return result
        return None

    def close(self):
        line = f"{self.passed} passed, {self.failed} failed"
        print(line + (f", {self.skipped} skipped" if self.skipped else ""))
        return self.failed != 0 or self.passed == 0


def try_case(tools, model, defines, build, work, helpers, outside):
    with tempfile.TemporaryDirectory(dir=work) as where:
        program = build_model(tools, model, defines, build, Path(where),
                              helpers)
        words = [*build, *defines]
        expected = read_expected(model, words)
        if not expected:
            raise Failure("nothing is expected")
        try_model(tools, program, expected, find_marks(model), outside)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="WORD", action="append", default=[],
                        help="only cases whose name contains WORD")
    options = parser.parse_args()
    results = Results()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        tools = Tools()
        outside = tools.command.exists()
        groups = [(MODELS, BUILDS, "gcc"),
                  (MUSL, [("musl-gcc", "-O0"), ("musl-gcc", "-O2")],
                   "musl-gcc")]
        for models, builds, compile_c in groups:
            helpers = None
            for model, defines in models:
                for build in builds:
                    name = " ".join([model, *defines, *build])
                    if not all(w in name for w in options.only):
                        continue
                    if not shutil.which(compiler(model, build)):
                        results.skip(name, f"no {compiler(model, build)}")
                        continue
                    if helpers is None:
                        where = work / compile_c
                        where.mkdir()
                        helpers = results.try_case(
                            f"helpers, {compile_c}", build_helpers, compile_c,
                            where) or []
                    results.try_case(name, try_case, tools, model, defines,
                                     build, work, helpers, outside)
                    if not outside:
                        results.skip(f"{name}, from outside",
                                     f"no {tools.command}")
    return results.close()


if __name__ == "__main__":
    sys.exit(main())
