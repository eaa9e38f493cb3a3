#!/usr/bin/env python3
"""gdb looks at programs, with the script that is installed for it.

What it must show of the models of real runtimes is what these say themselves,
see ../models/models.py; the command `sframe-coro stack' is held to the same.
One gdb looks at all programs: what it keeps of one may not show in another.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.insert(0, str(TOP / "testsuite/models"))
import models  # noqa: E402 (the line above finds it)
from models import Failure, Results, Skip, run  # noqa: E402

TIMEOUT = models.TIMEOUT
# The models by turns with these, unless --full asks for all of each.
BUILDS = [("g++", "-O2"), ("clang++-19", "-O0")]
MARK = r"\[(running|awaiting), (\S+:\d+)(?:, (no) resume site[^]]*|, at its [^]]*)*\]"


class Gdb:
    """A running gdb, which reads commands."""

    def __init__(self, script, library):
        self.script = script
        self.environment = dict(os.environ, SFRAME_CORO_LIBRARY=str(library),
                                LC_ALL="C", PYTHONDONTWRITEBYTECODE="1",
                                DEBUGINFOD_URLS="")
        self.process, self.number = None, 0

    def begin(self):
        """Start it, unless it runs: the case before may have ended it."""
        if self.process and self.process.poll() is None:
            return
        self.process = subprocess.Popen(
            ["gdb", "-nx", "-q"], stdin=subprocess.PIPE, env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.ask("set confirm off", "set pagination off", "set width 0",
                 "set prompt", f"source {self.script}",
                 f"python sys.path.insert (0, '{HERE}')", "python import dump")

    def close(self):
        if self.process:
            models.let_end(self.process)

    def ask(self, *commands):
        """What gdb says to COMMANDS.  Failure if it is anything of Python's."""
        self.number += 1
        end = f"--{self.number}--"
        text = "".join(c + "\n" for c in (*commands, f"echo {end}\\n"))
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()
        said, limit = b"", time.monotonic() + TIMEOUT
        while not said.endswith(end.encode() + b"\n"):
            if not select.select([self.process.stdout], [], [],
                                 max(limit - time.monotonic(), 0))[0]:
                self.process.kill()
                raise Failure("gdb hangs: " + "; ".join(commands)
                              + "\n" + said.decode(errors="replace"))
            part = os.read(self.process.stdout.fileno(), 65536)
            if not part:
                raise Failure("gdb ends: " + "; ".join(commands) + "\n"
                              + said.decode(errors="replace"))
            said += part
        said = said.decode(errors="replace")[:-len(end) - 1]
        if "Traceback" in said or "Python Exception" in said:
            raise Failure("; ".join(commands) + ":\n" + said)
        return said

    def attach(self, pid):
        self.ask(f"attach {pid}")

    def detach(self):
        self.ask("detach", "file")

    def open_core(self, program, core):
        self.ask(f"file {program}", f"core-file {core}")

    def close_core(self):
        self.ask("core-file", "file")

    def dump(self):
        """What dump.py prints."""
        said = self.ask("python dump.dump ()")
        found = re.search(r"^JSON:(.*)$", said, re.M)
        if not found:
            raise Failure("no stack:\n" + said)
        return json.loads(found[1])


def marks(text):
    """The coroutines of a backtrace: state, chain and index, site."""
    return [m.groups() for m in re.finditer(MARK, text)]


def same(what, expected, seen):
    if expected != seen:
        raise Failure(f"{what}:\nexpected {expected}\nseen     {seen}")


# The models.

def view_of(model, seen):
    """What is SEEN, in lines as they are expected of MODEL."""
    view = model.view()

    def add(frame):
        if "chain" not in frame:
            view.native(frame["symbol"])
            return
        view.node(frame["symbol"], frame["chain"], frame["index"],
                  frame["flags"], frame["cookie"], frame["resume"])

    for frame in seen["frames"]:
        if "chain" in frame or not frame["inlined"]:
            add(frame)
    for chain, frames in seen["tasks"]:
        view.lines.append(f"task {chain}:")
        for frame in frames:
            add(frame)
    for chain, root, symbol in seen["blocked"]:
        function = model.words.get(root) or symbol or "-"
        view.lines.append(f"blocked {chain}: {model.names(function)}")
    return view.lines


def look(gdb, model, name, tid, stack):
    """Compare what gdb sees of thread TID with STACK; and what it prints."""
    gdb.ask(f"python dump.select ({tid})")
    seen = gdb.dump()
    models.differ(name, "gdb", stack, view_of(model, seen))
    nodes = [("running" if "r" in f["flags"] else "awaiting",
              f"{f['chain']}:{f['index']}", "no" if "n" in f["flags"] else None)
             for f in seen["frames"] if "chain" in f]
    same(f"{name}: coro bt", nodes, marks(gdb.ask("coro bt")))
    same(f"{name}: bt", nodes, marks(gdb.ask("bt")))


def look_at_core(gdb, model, program, name, tid, stack, where):
    """The same for a core that gdb makes; it is attached to the process."""
    core = where / "core"
    gdb.ask(f"generate-core-file {core}")
    gdb.detach()
    gdb.open_core(program, core)
    look(gdb, model, name + ", core", tid, stack)
    gdb.close_core()
    core.unlink()


def try_model(gdb, program, expected, place, where):
    """PROGRAM at each of its stops, and a core of the first."""
    todo, cores, wrong = dict(expected), True, []
    with models.Model(program, place) as model:
        while (stop := model.next_stop()) is not None:
            name, tid, _ = stop
            models.await_read(model.process.pid, tid)
            gdb.attach(model.process.pid)
            try:
                look(gdb, model, name, tid, todo.pop(name))
                if cores:
                    look_at_core(gdb, model, program, name, tid,
                                 expected[name], where)
                    cores = False
            except Failure as failure:
                wrong.append(str(failure))
                gdb.close_core()
            gdb.detach()
            model.go_on()
    if todo:
        wrong.append("never reached: " + " ".join(todo))
    if wrong:
        raise Failure("\n".join(wrong))


def case_model(gdb, tools, model, defines, build, work, helpers):
    gdb.begin()
    with tempfile.TemporaryDirectory(dir=work) as where:
        where = Path(where)
        program = models.build_model(tools, model, defines, build, where,
                                     helpers)
        expected = models.read_expected(model, [*build, *defines])
        try_model(gdb, program, expected, models.find_marks(model), where)


def try_models(gdb, results, work, only, full):
    groups = [(models.MODELS, models.BUILDS if full else BUILDS, "gcc"),
              (models.MUSL, [("musl-gcc", "-O2")], "musl-gcc")]
    tools = models.Tools()
    for programs, builds, compile_c in groups:
        helpers = None
        for i, (model, defines) in enumerate(programs):
            for build in builds if full else [builds[i % len(builds)]]:
                name = " ".join([model, *defines, *build])
                if not all(w in name for w in only):
                    continue
                if not shutil.which(models.compiler(model, build)):
                    results.skip(name, "no such compiler")
                    continue
                if helpers is None:
                    (work / compile_c).mkdir()
                    helpers = results.try_case(
                        f"helpers, {compile_c}", models.build_helpers,
                        compile_c, work / compile_c) or []
                results.try_case(name, case_model, gdb, tools, model, defines,
                                 build, work, helpers)


# Structures.

def case_layout(work):
    """The structures in library.py are those of the header."""
    sys.path.insert(0, str(TOP / "gdb"))
    from sframe_coro_gdb import library
    lines = ["#include \"sframe-coro-api.h\""]
    for name, structure in library.STRUCTURES.items():
        full = "sframe_coro_" + name
        lines.append(f"_Static_assert (sizeof ({full}) == "
                     f"{library.ctypes.sizeof(structure)}, \"{name}\");")
        for field, kind in structure._fields_:
            place = getattr(structure, field)
            lines.append(f"_Static_assert (offsetof ({full}, {field}) == "
                         f"{place.offset} && sizeof ((({full} *) 0)->{field})"
                         f" == {place.size}, \"{name}.{field}\");")
    for name in CONSTANTS.split():
        lines.append(f"_Static_assert (SFRAME_CORO_{name} == "
                     f"{getattr(library, name)}, \"{name}\");")
    for i, kind in enumerate(library.HEAD_KINDS[1:], 1):
        lines.append(f"_Static_assert (SFRAME_CORO_HEAD_{kind.upper()} == {i}"
                     f", \"{kind}\");" if kind != "tls" else
                     "_Static_assert (SFRAME_CORO_HEAD_TLS_STUB == 1, \"\");")
    (work / "layout.c").write_text("\n".join(lines) + "\n")
    run(["gcc", f"-I{TOP}/include", "-fsyntax-only", work / "layout.c"])


CONSTANTS = """HEAD_FRAME PATH_IP PATH_AUX NUM_PATHS MAX_HEADS MAX_TESTS
MAX_PATH_OFFS IP_NONE IP_FUNCTION_ENTRY IP_RETURN_ADDRESS IP_COOKIE
CHAIN_HEAD_IS_RUNNING CHAIN_PROCESS_SCOPE FUNC_SITE BASE_CFA LIBC_UNKNOWN
LIBC_GLIBC LIBC_MUSL TLS_UNKNOWN TLS_STATIC TLS_DYNAMIC NODE_ALT_IP NODE_NO_IP
NATIVE_RETURN_ADDRESS NATIVE_CFA SPLICED_RUNNING SPLICED_AWAITING
SPLICED_NO_SITE STOP_END STOP_UNREADABLE"""


# What users see.

class Program:
    """A program that prints `ready PID' and then stays."""

    def __init__(self, *command, **more):
        self.process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, **more)
        line = self.process.stdout.readline().split()
        if line[:1] != ["ready"]:
            self.__exit__()
            raise Failure(f"not ready: {line}")
        self.pid = int(line[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


LINE = r"(?<!factorial\.cc):\d+$"  # That of others may differ.
FACTORIAL = """\
#1 leaf (n=0) at factorial.cc:40
#2 factorial [running, demo.task:0] (n=0) at factorial.cc:49
    factorial [awaiting, demo.task:1] (n=1)
    factorial [awaiting, demo.task:2] (n=2)
    factorial [awaiting, demo.task:3] (n=3)
#3 std::coroutine_handle<Task<int>::promise_type>::resume (this=A) at coroutine:L
#4 Task<int>::Resume (this=A) at task.hpp:L
"""


def simplify(text):
    """A backtrace without what differs from run to run: from leaf to main."""
    text = re.sub(r"0x[0-9a-f]+ in ", "", text)
    text = re.sub(r"0x[0-9a-f]+", "A", text)
    text = re.sub(r"( at )\S*/", r"\1", text)
    text = re.sub(LINE, ":L", text, flags=re.M)
    text = re.sub(r"__(n4861|cxx11)::", "", text)
    text = re.sub(r"^(#\d+) +", r"\1 ", text, flags=re.M)
    m = re.search(r"^#\d+ leaf .*?(?=^#\d+ main)", text, re.S | re.M)
    return m[0] if m else text


def build_factorial(work, *flags):
    program = work / "factorial"
    run(["g++", "-std=c++20", "-g", "-O2", f"-I{TOP}/include", *flags,
         TOP / "examples/factorial.cc", "-o", program])
    return program


def case_documents(_, __):
    """What the manual and README.md show is what is tested here."""
    text = (TOP / "doc/libsframe-coro.texi").read_text()
    shown = re.search(r"^@c text gdb\n@verbatim\n(.*?)^@end verbatim", text,
                      re.S | re.M)[1]
    same("the manual", FACTORIAL[:FACTORIAL.index("#3")], shown)
    text = (TOP / "README.md").read_text()
    shown = re.search(r"^    (#2  0x\w+ in factorial \[.*?)^$", text,
                      re.S | re.M)[1].replace("\n    ", "\n")
    same("README.md", FACTORIAL[FACTORIAL.index("#2"):FACTORIAL.index("#3")],
         simplify(shown))


def case_factorial(gdb, work):
    """The example of the manual, live."""
    program = build_factorial(work)
    with Program(program, 3) as running:
        models.await_read(running.pid, running.pid)
        gdb.attach(running.pid)
        try:
            same("bt", FACTORIAL, simplify(gdb.ask("bt")))
            same("bt -no-filters", [], marks(gdb.ask("bt -no-filters")))
            same("bt 3", 4, len(marks(gdb.ask("bt 3"))))
            same("coro bt -3", [], marks(gdb.ask("coro bt -3")))
            same("coro bt 4", [("running", "demo.task:0", None),
                               ("awaiting", "demo.task:1", None)],
                 marks(gdb.ask("coro bt 4")))
            check_commands(gdb, program)
        finally:
            gdb.detach()


def check_commands(gdb, program):
    """`coro chains' and `coro info' of factorial 3."""
    said = gdb.ask("coro chains")
    if not re.fullmatch(rf"{program}\n  demo.task at 0x\w+, head tls at 0x\w+"
                        r"\n    4 nodes from 0x\w+ on: end of the list\n",
                        said):
        raise Failure("coro chains:\n" + said)
    said = gdb.ask("coro info 4")
    if not re.fullmatch(
            r"#4   factorial \(n=2\) \[awaiting, demo.task:2\]\n"
            rf"  chain    demo.task in {program}\n"
            r"  list     4 nodes from 0x\w+ on: end of the list\n"
            r"  node     0x(\w+), index 2\n"
            r"  ip       0x\w+ <_Z\w+\.Frame\.actor\+0>\n"
            r"  frame    0x\1\n", said):
        raise Failure("coro info 4:\n" + said)
    same("coro info", 4, gdb.ask("coro info").count("  node "))
    for command, answer in (("coro info 1", "  no coroutine\n"),
                            ("coro info 99", "There is no entry 99.\n"),
                            ("coro info x", "\"x\" is no number.\n"),
                            ("coro tasks", "No tasks.\n"),
                            ("coro chains x",
                             "The command takes no argument.\n")):
        said = gdb.ask(command)
        if not said.endswith(answer):
            raise Failure(f"{command}:\n{said}")
    said = gdb.ask("help coro")
    for name in ("bt", "chains", "info", "tasks"):
        if f"coro {name} -- " not in said:
            raise Failure("help coro:\n" + said)


def case_run(gdb, work):
    """A program that gdb starts, and lets go on from stop to stop."""
    program = build_factorial(work)
    gdb.ask(f"file {program}", "tbreak leaf", "run 3 </dev/null >/dev/null")
    try:
        same("bt in leaf", 4, len(marks(gdb.ask("bt"))))
        gdb.ask("tbreak read", "continue")
        same("bt", FACTORIAL, simplify(gdb.ask("bt")))
        gdb.ask("tbreak Task<int>::Result", "continue")
        same("bt at the end", [], marks(gdb.ask("bt")))
    finally:
        gdb.ask("kill", "file")


def case_static(gdb, work):
    """A static program: there is no dynamic linker to ask."""
    program = build_factorial(work, "-static")
    with Program(program, 3) as running:
        models.await_read(running.pid, running.pid)
        gdb.attach(running.pid)
        same("bt", FACTORIAL, simplify(gdb.ask("bt")))
        gdb.detach()


def case_stripped(gdb, work, optimise):
    """Without symbols, functions are told by the table for exceptions."""
    program = build_factorial(work, "-s", optimise)
    with Program(program, 3) as running:
        models.await_read(running.pid, running.pid)
        gdb.attach(running.pid)
        try:
            said = gdb.ask("bt", f"generate-core-file {work}/core")
        finally:
            gdb.detach()
    gdb.open_core(program, work / "core")
    try:
        same("of the core", marks(said), marks(gdb.ask("bt")))
    finally:
        gdb.close_core()
    same("nodes", 4, len(marks(said)))
    same("executed", ["2", "3", "4", "5"] if optimise == "-O0" else ["2"],
         re.findall(r"^#(\d+) .*(?:running|awaiting)", said, re.M))
    same("leaf", 1, len(re.findall(r"^#1 .* in \?\? \(\)", said, re.M)))


def case_kernel_core(gdb, work):
    """A core that the kernel writes."""
    with open("/proc/sys/kernel/core_pattern") as pattern:
        if pattern.read().strip() != "core":
            raise Skip("the kernel puts cores elsewhere")
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if hard == 0:
        raise Skip("cores are forbidden")
    program, where = build_factorial(work), work / "dumped"
    where.mkdir()
    with Program(program, 3, cwd=where, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_CORE, (hard, hard))) as running:
        models.await_read(running.pid, running.pid)
        os.kill(running.pid, signal.SIGABRT)
        running.process.wait(TIMEOUT)
    cores = list(where.glob("core*"))
    if not cores:
        raise Skip("the kernel writes no core")
    gdb.open_core(program, cores[0])
    try:
        same("bt", FACTORIAL, simplify(gdb.ask("bt")))
        check_commands(gdb, program)
    finally:
        gdb.close_core()


def case_nothing(gdb, _):
    """Without a program, and for one without coroutines."""
    for command in ("coro bt", "coro info", "coro chains", "coro tasks"):
        same(command, "No stack.\n", gdb.ask(command))
    with subprocess.Popen(["sleep", "1000"]) as process:
        try:
            gdb.attach(process.pid)
            said = gdb.ask("bt", "coro chains")
            if "(no module has a section .sframe_coro)" not in said:
                raise Failure(said)
            gdb.detach()
        finally:
            process.kill()


# Lists that are not as they should be, and TLS by offset.

def build_target(work, *flags):
    program = work / "target"
    run(["gcc", "-g", "-O1", "-pthread", *flags,
         TOP / "testsuite/tools/target.c", "-o", program])
    return program


THREE = [("running", "target.list:0", None), ("awaiting", "target.list:1", None),
         ("awaiting", "target.list:2", None)]
ASTRAY = [THREE[0], *((a, b, "no") for a, b, _ in THREE[1:])]


def threads_of(gdb):
    """The numbers of threads by the last letter of their names."""
    said = gdb.ask("info threads")
    return {m[2]: m[1] for m in
            re.finditer(r"^[* ] (\d+) .*\"t-(.)\"", said, re.M)}


def check_threads(gdb, expected):
    """In each thread, what EXPECTED says: nodes, why the list is cut."""
    threads = threads_of(gdb)
    for letter, (nodes, cut) in expected.items():
        gdb.ask(f"thread {threads[letter]}")
        for command in ("coro bt", "bt"):
            said = gdb.ask(command)
            same(f"{letter}: {command}", nodes, marks(said))
            same(f"{letter}: {command}", cut,
                 re.findall(r"^ *\((target.list cut .*)\)$", said, re.M))


def look_at_target(gdb, expected, *command):
    with Program(*command) as running:
        gdb.attach(running.pid)
        try:
            check_threads(gdb, expected)
        finally:
            gdb.detach()


def case_damaged(gdb, work):
    """A damaged section: told once, and the native stack is there."""
    program, section = build_factorial(work), work / "section"
    run(["objcopy", "--dump-section", f".sframe_coro={section}", program,
         work / "unused"])
    section.write_bytes(b"\x12\x34" + section.read_bytes()[2:])
    run(["objcopy", "--update-section", f".sframe_coro={section}", program])
    with Program(program, 3) as running:
        models.await_read(running.pid, running.pid)
        gdb.attach(running.pid)
        try:
            said = gdb.ask("bt", "coro bt", "bt")
        finally:
            gdb.detach()
    problem = (f"sframe-coro: {program}: .sframe_coro+0x0: "
               "not a .sframe_coro block\n")
    same("problems", 1, said.count(problem))
    same("marks", [], marks(said))
    same("main", 3, len(re.findall(r"^#\d+ .*main ", said, re.M)))


def case_names(gdb, _):
    """Names that users see, and pieces of coroutines."""
    gdb.ask("python from sframe_coro_gdb import names")
    actor = "_Z9factorialPZL9factorialiE20_ZL9factoriali.Frame.actor"
    for call, answer in (
            (f"display ('{actor}.cold')", "factorial(int)"),
            ("display ('_ZL4leafi.constprop.0')", "leaf(int)"),
            ("display ('main@@V1')", "main"),
            ("display ('_Z9x\\nshell echo no')", "_Z9x\nshell echo no"),
            (f"same_function ('{actor}', '{actor[:-5]}destroy')", True),
            ("same_function ('f.actor', 'f')", False),
            ("same_function ('f.resume.1', 'g.resume.1')", False),
            (f"is_piece_of ('{actor}', '_ZL9factoriali')", True),
            (f"is_piece_of ('{actor}', 'factorial(_ZL9factoriali.Frame *)')",
             True),
            (f"is_piece_of ('{actor}', 'factorial(_ZL9factorialc.Frame *)')",
             False),
            ("without_parameters ('a<void (int)>::operator()(b (*)(c)) const')",
             "a<void (int)>::operator()"),
            ("without_parameters ('main')", "main")):
        said = gdb.ask(f"python print (ascii (names.{call}))")
        same(call, ascii(answer), said.rstrip("\n"))


def case_hostile(gdb, work):
    """Lists that are cyclic, unreadable, or have no site: the end says so."""
    cyclic, broken = (f"target.list cut after 3 nodes: {text}" for text in
                      ("the list is cyclic", "memory that cannot be read"))
    look_at_target(gdb, {"c": (THREE, [cyclic]), "u": (THREE, [broken]),
                         "x": (ASTRAY, []), "n": ([], [])},
                   build_target(work), "cuxn", work / "counter")


def case_long(gdb, work):
    """A list of 3000 nodes."""
    nodes = [("running" if i == 0 else "awaiting", f"target.list:{i}", None)
             for i in range(3000)]
    look_at_target(gdb, {"d": (nodes, [])}, build_target(work), "d",
                   work / "counter")


def case_signals(gdb, work):
    """Signal handlers, on stacks of their own too."""
    look_at_target(gdb, {"h": (THREE, []), "a": (THREE, []), "s": (THREE, [])},
                   build_target(work), "has", work / "counter")


def case_tls_offset(gdb, work, how):
    """Heads that are offsets in the TLS block of their module: the program,
    a library that is linked, one that is loaded."""
    flags, command = ["-DTARGET_TLS_OFFSET"], []
    if how != "program":
        flags += ["-DTARGET_LIBRARY", "-fPIC", "-shared"]
    target = build_target(work, *flags)
    command = [target]
    if how != "program":
        linked = ["-DLINKED", target] if how == "linked" else []
        load = work / "load"
        run(["gcc", "-g", TOP / "testsuite/tools/load.c", *linked, "-pthread",
             "-ldl", "-o", load])
        command = [load] if linked else [load, target]
    look_at_target(gdb, {"s": (THREE, [])}, *command, "sn", work / "counter")


# Everything.

CASES = [
    ("what documents show", case_documents),
    ("what is seen of factorial", case_factorial),
    ("a program from its start", case_run),
    ("a static program", case_static),
    *((f"no symbols, {flag}", lambda gdb, work, flag=flag:
       case_stripped(gdb, work, flag)) for flag in ("-O0", "-O2")),
    ("a core of the kernel's", case_kernel_core),
    ("no program, no coroutines", case_nothing),
    ("a damaged section", case_damaged),
    ("names", case_names),
    ("lists that are not as they should be", case_hostile),
    ("a long list", case_long),
    ("signal handlers", case_signals),
    *((f"TLS offsets: {how}", lambda gdb, work, how=how:
       case_tls_offset(gdb, work, how))
      for how in ("program", "linked", "loaded")),
]


def try_case(case, gdb, work):
    gdb.begin()
    case(gdb, work)


def has_python():
    """Whether there is a gdb with Python."""
    return (shutil.which("gdb")
            and "yes" in run(["gdb", "-nx", "-batch", "-ex",
                              "python print ('yes')"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="WORD", action="append", default=[],
                        help="only cases whose name contains WORD")
    parser.add_argument("--full", action="store_true",
                        help="all builds of the models")
    options = parser.parse_args()
    build = Path(os.environ.get("top_builddir", TOP / "build"))
    library = build / "libsframe-coro/.libs/libsframe-coro.so.0"
    if not has_python() or not library.exists():
        print("SKIP: no gdb with Python, or no shared library")
        return 77
    results = Results()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        script = work / "sframe-coro-gdb.py"
        # As they are installed, but for the library.
        shutil.copy(build / "gdb/sframe-coro-gdb.py", script)
        (work / "sframe_coro_gdb").symlink_to(TOP / "gdb/sframe_coro_gdb")
        results.try_case("structures", case_layout, work)
        gdb = Gdb(script, library)
        try:
            for name, case in CASES:
                if all(w in name for w in options.only):
                    with tempfile.TemporaryDirectory(dir=work) as where:
                        results.try_case(name, try_case, case, gdb,
                                         Path(where))
            try_models(gdb, results, work, options.only, options.full)
        finally:
            gdb.close()
    return results.close()


if __name__ == "__main__":
    sys.exit(main())
