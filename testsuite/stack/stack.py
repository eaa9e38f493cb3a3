#!/usr/bin/env python3
"""`sframe-coro stack' and `list', as users meet them: options, cores, files that
are elsewhere or gone, no permission, hostile processes.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later

usage: stack.py [WORD...]	the cases whose names have one of the WORDs
"""

import ctypes
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True  # The source directory stays as it is.
sys.path.insert(0, str(HERE.parent))
from cases import HANGS, reason  # noqa: E402 (the line above finds it)

TOP = HERE.parent.parent
BUILD = Path(os.environ.get("top_builddir", TOP / "build"))
TOOL = os.environ.get("SFRAME_CORO") or str(BUILD / "tools/sframe-coro")
BINUTILS = Path(os.environ.get("BINUTILS")
                or TOP / "build/stage/binutils") / "bin"
CC = os.environ.get("CC", "gcc").split()
CXX = os.environ.get("CXX", "g++").split()
TOOLS = TOP / "testsuite/tools"
NOBODY = 65534
TIMEOUT = HANGS

# What `service' shows: native frames, and nodes with "*" or their numbers.
INNER = ["inner*", "client:1", "resume", "event_loop", "helper"]
OUTER = ["outer*", "client:1", "resume", "event_loop", "main"]


class Failure(Exception):
    """A case went wrong; the text says how."""


class Skip(Exception):
    """A case cannot be tried here; the text says why."""


def check(condition, *what):
    if not condition:
        raise Failure("\n".join(map(str, what)))


def run(command, status=0, **more):
    """Run COMMAND, which has to end with STATUS, or one of a tuple; return
    what it wrote to standard output and error."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True,
                              timeout=TIMEOUT, check=False, **more)
    except subprocess.TimeoutExpired:
        raise Failure("hangs: " + " ".join(map(str, command))) from None
    out = done.stdout.decode(errors="replace")
    err = done.stderr.decode(errors="replace")
    wanted = status if isinstance(status, tuple) else (status,)
    check(done.returncode in wanted, f"status {done.returncode}, not {status}:",
          " ".join(map(str, command)), out, err)
    return out, err


def tool(*arguments, status=0, **more):
    return run([TOOL, *arguments], status, **more)


def compile_c(source, output, *flags, compiler=CC):
    # The directives need the patched assembler.
    run([*compiler, "-g", "-O2", "-Wall", "-Wextra", "-fno-omit-frame-pointer",
         f"-B{BINUTILS}", *flags, source, "-o", output])


class Target:
    """A process that said that it is ready."""

    def __init__(self, *command, **more):
        self.process = subprocess.Popen(list(map(str, command)),
                                        stdout=subprocess.PIPE, **more)
        for line in self.process.stdout:
            if line.startswith(b"ready "):
                self.pid = int(line.split()[1])
                return
        self.__exit__()
        raise Failure(f"not ready: {command}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def is_untouched(self):
        """No thread of it is traced or stopped; if a tracer was killed, it
        takes them a moment to go on."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            if all(self.runs(status) for status in
                   Path(f"/proc/{self.pid}/task").glob("*/status")):
                return True
            time.sleep(0.01)
        return False

    @staticmethod
    def runs(status):
        """Whether the thread with file STATUS does, or has ended."""
        try:
            text = status.read_text()
        except (FileNotFoundError, ProcessLookupError):
            return True
        return (re.search(r"^State:\s*[SRD]", text, re.M)
                and re.search(r"^TracerPid:\s*0$", text, re.M))


def names(frames):
    """Functions of FRAMES, of the program's own only, in short."""
    lines = []
    for frame in frames:
        name = frame.get("function", "?").split("(")[0]
        node = frame.get("coroutine")
        if node:
            name += ("*" if node["state"] == "running" else
                     f":{node['index']}")
        lines.append(name)
    return lines


def between(lines, first="inner*", last="main"):
    check(first in lines and last in lines, "not there:", first, last, lines)
    return lines[lines.index(first):lines.index(last) + 1]


def shown(*arguments, status=0, **more):
    """The frames of the first thread, and all of the report."""
    report = json.loads(tool("stack", "--json", *arguments, status=status,
                             **more)[0])
    return names(report["threads"][0]["frames"]), report


def check_service(*arguments, status=0, **more):
    """ARGUMENTS show a service, with all of its frames."""
    lines, report = shown(*arguments, status=status, **more)
    check(between(lines) == INNER + OUTER, "frames:", *lines)
    return report


def plain(text):
    """TEXT without what differs from run to run."""
    text = re.sub(r"(thread|process) \d+", r"\1 N", text)
    text = re.sub(r"(\.c):\d+", r"\1:L", text)
    return re.sub(r" +", " ", text)


class Cases:
    """All cases; those whose names begin with "test_"."""

    def __init__(self, work):
        self.work = work
        self.service = work / "service"
        self.far = work / "far.so"
        compile_c(HERE / "service.c", self.service, "-Wl,--build-id")
        compile_c(HERE / "far.c", self.far, "-shared", "-fPIC",
                  "-Wl,--build-id")
        os.chmod(work, 0o755)

    def start(self, mode="wait", **more):
        return Target(self.service, mode, self.far, **more)

    # What is shown.

    def test_text(self):
        with self.start() as t:
            out, err = tool("stack", "-p", t.pid)
        lines = plain(out).splitlines()
        wanted = [' #2 inner at service.c:L coroutine, running',
                  ' #3 client awaiting [service:1]',
                  ' #4 resume at service.c:L']
        check(lines[0] == 'thread N "service":' and lines[3:6] == wanted,
              out)
        check("--tasks lists them" in err, err)

    def test_native_only(self):
        with self.start() as t:
            lines, report = shown("--native-only", "-p", t.pid)
        check(between(lines, "inner")
              == [n.rstrip("*") for n in INNER + OUTER if ":" not in n], lines)
        check(report["threads"][0]["lists"] == [], report)

    def test_coroutines_only(self):
        with self.start() as t:
            lines, _ = shown("--coroutines-only", "-p", t.pid)
        check(lines == ["inner*", "client:1", "outer*", "client:1"], lines)

    def test_logical(self):
        with self.start() as t:
            lines, _ = shown("--logical", "-p", t.pid)
        check(between(lines) == INNER[:2] + OUTER, lines)

    def test_max_frames(self):
        with self.start() as t:
            out, _ = tool("stack", "-n", "4", "-p", t.pid)
            lines, report = shown("-n", "4", "-p", t.pid)
            everything, _ = shown("-p", t.pid)
        rest = len(everything) - 4
        check(out.count("#") == 4 and f"({rest} more)" in out, out)
        check(len(lines) == 4
              and report["threads"][0]["frames_left_out"] == rest, report)

    def test_addresses(self):
        with self.start() as t:
            out, _ = tool("stack", "--addresses", "-p", t.pid)
            report = shown("-p", t.pid)[1]
        pcs = [int(f.get("pc") or f["coroutine"]["ip"], 16)
               for f in report["threads"][0]["frames"]]
        check([int(a, 16) for a in re.findall(r"#\d+ +(0x[0-9a-f]{16}) ", out)]
              == pcs, out, *map(hex, pcs))

    def test_no_demangle(self):
        program = self.work / "final"
        run([*CXX, "-std=c++20", "-g", f"-I{TOP}/include", "-o", program,
             TOOLS / "final.cc"])
        with Target(program) as t:
            mangled, _ = tool("stack", "--no-demangle", "-p", t.pid)
            demangled, _ = tool("stack", "-p", t.pid)
        check("_Z" in mangled and "_Z" not in demangled, mangled, demangled)

    def test_color(self):
        with self.start() as t:
            always, _ = tool("stack", "--color=always", "-p", t.pid)
            never, _ = tool("stack", "--color=never", "-p", t.pid)
            auto, _ = tool("stack", "--color", "-p", t.pid,
                           env={**os.environ, "TERM": "xterm"})
            script = ["script", "-qec", f"{TOOL} stack -p {t.pid}", "/dev/null"]
            env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
            terminal, dumb = (run(script, env={**env, "TERM": term})[0]
                              for term in ("xterm", "dumb"))
            no, _ = run(script, env={**env, "TERM": "xterm", "NO_COLOR": "1"})
        check("\033[32minner\033[0m" in always, always)
        check("\033[32minner\033[0m" in terminal, terminal)
        check("\033" not in never + auto + dumb + no, never, auto, dumb, no)
        check(re.sub(r"\033\[\d+m", "", always) == never, always, never)

    def test_control_characters(self):
        """Names of files do not reach terminals as they are."""
        program = self.work / "a\033[31m\n\x7f\u009b0mb"
        shutil.copy(self.service, program)
        with Target(program, "wait", self.far) as t:
            stack, _ = tool("stack", "-p", t.pid)
            listing, _ = tool("list", t.pid)
            report = shown("-p", t.pid)[1]
        _, err = tool("stack", f"--core={program}", status=2)
        check("in a?[31m????0mb" in stack, stack)
        for out in (listing, err):
            check("/a?[31m????0mb: " in out.replace(":\n", ": "), out)
        check(any(f["module"] == str(program)
                  for f in report["threads"][0]["frames"]
                  if "module" in f), report)

    def test_full_disk(self):
        for words in (["stack", "-p", os.getpid()], ["list", os.getpid()],
                      ["list", "--json", self.service], ["--help"],
                      ["stack", "--help"], ["--version"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([TOOL, *map(str, words)], stdout=full,
                                      stderr=subprocess.PIPE, check=False)
            check(done.returncode == 2 and b"cannot write" in done.stderr,
                  words, done.returncode, done.stderr)

    def test_tasks(self):
        with self.start() as t:
            out, _ = tool("stack", "--tasks", "-p", t.pid)
            report = shown("--tasks", "-p", t.pid)[1]
        check(out.split("task 0 of ")[1] == """registry:
  #0 waiter    [registry:0]
  #1 client    [registry:1]
task 1 of registry:
  #0 client    [registry:0]
""", out)
        check([names(task["frames"]) for task in report["tasks"]]
              == [["waiter:0", "client:1"], ["client:0"]], report["tasks"])

    def test_repeat(self):
        with self.start() as t:
            looker = subprocess.Popen(
                [TOOL, "stack", "--repeat=0.1", "-p", str(t.pid)],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            seen = 0
            while seen < 3:
                line = looker.stdout.readline()
                check(line, "it ended")
                seen += line.startswith("thread ")
        check(looker.wait(TIMEOUT) == 0, looker.returncode)
        looker.stdout.close()

    def test_verbose(self):
        with self.start() as t:
            _, err = tool("stack", "--verbose", "--tasks", "-p", t.pid)
            report = shown("-p", t.pid)[1]
        check(re.search(rf"process {t.pid} was stopped for \d+\.\d{{3}} ms in "
                        r"1 stop; 1 threads, 4 nodes", err), err)
        check(report["stopped_us"] > 0, report["stopped_us"])

    def test_command_line(self):
        for words, text in [
                (["-p", "1", "--core=x"], "exclude each other"),
                (["--core=x", "--repeat=1"], "exclude each other"),
                (["-p", "1", "--exe=x"], "is for cores"),
                (["-p", "1", "--native-only", "--tasks"], "exclude"),
                (["-p", "1", "--native-only", "--coroutines-only"], "exclude"),
                (["-p", "1", "--color=blue"], "always, never and auto"),
                (["-p", "1", "--repeat=never"], "number of seconds"),
                (["-p", "1", "-n", "0"], "number of frames"),
                ([], "which process")]:
            out, err = tool("stack", *words, status=2)
            check(text in err and out == "", words, out, err)

    def test_list_process(self):
        with self.start("gone") as t:
            out, _ = tool("list", t.pid)
            report = json.loads(tool("list", "--json", t.pid)[0])
        check(re.search(r"chain service\n    head global: 0x[0-9a-f]+; found "
                        r"in 1 of 1 threads\n", out), out)
        check("chain registry, of the whole process" in out, out)
        check(re.search(r"site 0x[0-9a-f]+ resume at service.c:\d+ \[service\]",
                        out), out)
        check("libc.so.6: no section .sframe_coro" in out, out)
        modules = report["targets"][0]["modules"]
        good = [m for m in modules if m["good"]]
        check([m["path"] for m in good] == [str(self.service)], modules)
        check(sorted(c["name"] for c in good[0]["chains"])
              == ["gone", "registry", "service"], good)

    def test_list_files(self):
        out, _ = tool("list", self.service, self.far)
        check("chain service" in out and "site 0x" in out
              and f"{self.far}: no section" in out, out)
        out, err = tool("list", self.service, self.work / "none", HERE,
                        status=2)
        check("No such file" in err and "not a regular file" in err
              and "chain service" in out, out, err)
        _, err = tool("list", HERE / "far.c", status=2)
        check("not an ELF file" in err, err)

    def test_list_unlinked(self):
        """Relocatable objects have no addresses that could be told."""
        parts = [self.work / f"part-{i}.o" for i in range(2)]
        for part in parts:
            compile_c(HERE / "service.c", part, "-c")
        one, two = self.work / "one.a", self.work / "two.a"
        run(["ar", "rc", one, parts[0]])
        run(["ar", "rc", two, *parts])
        for file, text in [
                (parts[0], f"{parts[0]}: a relocatable object"),
                (one, f"{one}: an archive; extract its members"),
                (two, f"{two}: an archive; extract its members")]:
            out, err = tool("list", file, status=2)
            check(text in err and out == "", out, err)
            report = json.loads(tool("list", "--json", file, status=2)[0])
            check(report["targets"]
                  == [{"file": str(file), "readable": False}], report)
        out, _ = tool("dump", parts[0])
        check("<service_roots>" in out, out)

    def test_list_blocks(self):
        """Threads that have not used a library have no block of it."""
        library, load = self.work / "libtarget.so", self.work / "load"
        compile_c(TOOLS / "target.c", library, "-DTARGET_LIBRARY",
                  "-DTARGET_TLS_OFFSET", "-fPIC", "-shared", "-pthread")
        compile_c(TOOLS / "load.c", load)
        with Target(load, library, "snn") as t:
            out, _ = tool("list", t.pid)
        check(re.search(r"of the TLS block of module \d+; found in 1 of 4 "
                        r"threads, 3 without a TLS block", out), out)

    def test_schema(self):
        if jsonschema is None:
            raise Skip("no module jsonschema")
        schema = json.loads((TOP / "doc/sframe-coro.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        core = self.gcore("guard")
        with self.start("gone") as t:
            documents = [tool(*words, status=(0, 1))[0] for words in [
                ("stack", "--json", "-p", t.pid),
                ("stack", "--json", "--tasks", "-n", "2", "-p", t.pid),
                ("stack", "--json", "--core", core),
                ("list", "--json", t.pid, self.service, self.far)]]
        for text in documents:
            errors = [f"{list(e.absolute_path)}: {e.message}" for e
                      in validator.iter_errors(json.loads(text))]
            check(errors == [], *errors[:5])
        # The schema is no use if it takes anything.
        for wrong in [{}, {"version": 2}, {"version": 1, "threads": 1},
                      json.loads(documents[0].replace('"tid"', '"thread"'))]:
            check(not validator.is_valid(wrong), wrong)

    # Where files are.

    def test_deleted(self):
        program = self.work / "deleted"
        shutil.copy(self.service, program)
        with Target(program, "wait") as t:
            program.unlink()
            check_service("-p", t.pid)
            out, _ = tool("list", t.pid)
        check(f"{program} (deleted):" in out, out)

    def test_library_replaced(self):
        library, load = self.work / "libreplaced.so", self.work / "load2"
        compile_c(TOOLS / "target.c", library, "-DTARGET_LIBRARY", "-fPIC",
                  "-shared", "-pthread")
        compile_c(TOOLS / "load.c", load)
        with Target(load, library, "s") as t:
            library.unlink()
            shutil.copy(self.far, library)
            lines, report = shown("-t", self.other_thread(t), "-p", t.pid)
        check("middle:1" in lines and report["complete"], lines)

    def other_thread(self, target):
        return max(map(int, os.listdir(f"/proc/{target.pid}/task")))

    def in_name_space(self, *user):
        """A service on a file system that nobody else sees, run as USER
        says."""
        if os.geteuid() != 0 or not shutil.which("unshare"):
            raise Skip("not root, or no unshare")
        hidden = self.work / "hidden"
        hidden.mkdir(exist_ok=True)
        script = (f"mount -t tmpfs none {hidden} && cp {self.service} {hidden} "
                  f"&& exec {' '.join(user)} {hidden}/service wait")
        try:
            return Target("unshare", "-m", "sh", "-c", script), hidden
        except Failure:
            raise Skip("no mount name spaces here") from None

    def test_name_space(self):
        target, hidden = self.in_name_space()
        with target:
            check(not (hidden / "service").exists(), "it is to be seen here")
            check_service("-p", target.pid)

    def test_name_space_unprivileged(self):
        user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
                "--clear-groups"]
        target, _ = self.in_name_space(*user)
        with target:
            report = json.loads(run([*user, TOOL, "stack", "--json", "-p",
                                     target.pid])[0])
        lines = names(report["threads"][0]["frames"])
        check(between(lines) == INNER + OUTER, lines)

    @staticmethod
    def build_id(program):
        note = run(["readelf", "-n", program])[0]
        return re.search(r"Build ID: ([0-9a-f]+)", note)[1]

    def test_separate_debug_info(self):
        stripped, debug = self.work / "stripped", self.work / "debug"
        store = self.work / "store"
        run(["objcopy", "--only-keep-debug", self.service, debug])
        run(["strip", "-o", stripped, self.service])
        build_id = self.build_id(stripped)
        place = store / ".build-id" / build_id[:2]
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(debug, place / f"{build_id[2:]}.debug")
        with Target(stripped, "wait") as t:
            lines, _ = shown("-p", t.pid)
            check("inner*" not in lines, lines)
            report = check_service(f"--debuginfo-path={store}", "-p", t.pid)
        frame = next(f for f in report["threads"][0]["frames"]
                     if f.get("function") == "helper")
        check(frame["file"].endswith("service.c") and frame["line"] > 0, frame)

    def test_vdso(self):
        with self.start("vdso") as t:
            for _ in range(100):
                frames = shown("-p", t.pid)[1]["threads"][0]["frames"]
                lines = names(frames)
                check(between(lines) == INNER + OUTER, *lines)
                if frames[0]["module"] == "[vdso]":
                    return
        raise Failure("it never was in the vDSO")

    def test_half_loaded(self):
        """What a snapshot can hit while a library is being loaded: its code is
        there, its data are not, and bytes of something else are in their
        place."""
        library = self.work / "libhalf.so"
        for head in ([], ["-DTARGET_TLS_OFFSET"]):
            compile_c(TOOLS / "target.c", library, "-DTARGET_LIBRARY", "-fPIC",
                      "-shared", "-pthread", *head)
            with Target(self.service, "half", library) as t:
                out, err = tool("stack", "-p", t.pid, status=1)
                check("cut" not in out and "target.list" not in out
                      and f"{library}: it is being loaded" in err, out, err)
                check_service("-p", t.pid, status=1)
                listing, _ = tool("list", t.pid)
            check(f"{library}: it is being loaded\n" in listing
                  and "found in 1 of 1 threads" in listing, listing)

    def test_modules_come_and_go(self):
        with self.start("again") as t:
            for _ in range(20):
                out, err = tool("stack", "-p", t.pid, status=(0, 1))
                check("outer" in out and "[service:1]" in out
                      and "gone" not in err, out, err)

    def test_deep_stack(self):
        """More of a stack is in use than is copied."""
        with self.start("stack") as t:
            _, err = tool("stack", "--native-only", "--verbose", "-p", t.pid)
            check("2 stops" in err, err)
            check_service("-p", t.pid)

    # Cores.

    def gcore(self, mode="wait"):
        """A core by gcore."""
        with self.start(mode) as t:
            return self.gcore_of(t)

    def gcore_of(self, target):
        if not shutil.which("gcore"):
            raise Skip("no gcore")
        run(["gcore", "-o", self.work / "gcore", target.pid])
        return self.work / f"gcore.{target.pid}"

    def kernel_core(self, program, *arguments):
        """A core by the kernel, of PROGRAM, which waits."""
        pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
        if pattern.startswith("|") or "/" in pattern:
            raise Skip("cores go elsewhere: " + pattern)
        where = Path(tempfile.mkdtemp(dir=self.work))

        def prepare():
            hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
            resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        with Target(program, *(arguments or ["wait"]), cwd=where,
                    preexec_fn=prepare) as t:
            os.kill(t.pid, signal.SIGABRT)
            t.process.wait(TIMEOUT)
        cores = list(where.iterdir())
        if not cores:
            raise Skip("the kernel makes no cores here")
        return cores[0]

    def test_core_gcore(self):
        report = check_service("--core", self.gcore(), "--tasks")
        check(len(report["tasks"]) == 2 and report["complete"]
              and "stopped_us" not in report, report)

    def test_core_kernel(self):
        core = self.kernel_core(self.service)
        report = check_service("--core", core)
        check(report["complete"] and report["core"] == str(core), report)
        tid = report["threads"][0]["tid"]
        check_service("--core", core, "--tid", tid)
        _, err = tool("stack", "--core", core, "--tid", tid + 1, status=2)
        check(f"no thread {tid + 1}" in err, err)

    def test_core_moved(self):
        program = self.work / "moved"
        shutil.copy(self.service, program)
        core = self.kernel_core(program)
        root = self.work / "root"
        shutil.rmtree(root, ignore_errors=True)
        for line in run(["ldd", program])[0].splitlines():
            library = re.search(r"(/\S+)", line)
            if library:
                to = Path(f"{root}{os.path.realpath(library[1])}")
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(library[1], to)
        elsewhere = self.work / "elsewhere"
        program.rename(elsewhere)
        _, err = tool("stack", "--core", core, status=1)
        check(f"{program}: the file is gone" in err, err)
        check_service("--core", core, "--exe", elsewhere)
        for option, wrong, why in [
                ("exe", program, "No such file"),
                ("exe", root, "not a regular file"),
                ("sysroot", program, "No such file"),
                ("sysroot", elsewhere, "not a directory")]:
            _, err = tool("stack", "--core", core, f"--{option}={wrong}",
                          status=2)
            check(f"{wrong}: {why}" in err, err)
        inside = Path(f"{root}{program}")
        inside.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(elsewhere, inside)
        report = check_service("--core", core, "--sysroot", root)
        check(report["complete"], report)
        # Another program is not taken for it.
        compile_c(HERE / "service.c", program, "-O1", "-Wl,--build-id")
        without = self.work / "no-id"
        compile_c(HERE / "service.c", without, "-Wl,--build-id=none")
        wanted = self.build_id(elsewhere)
        for other, has, options in [
                (program, f"build ID {self.build_id(program)}", []),
                (self.far, f"build ID {self.build_id(self.far)}",
                 ["--exe", self.far]),
                (without, "no build ID", ["--exe", without]),
                (HERE / "far.c", "no build ID", ["--exe", HERE / "far.c"])]:
            _, err = tool("stack", "--core", core, *options, status=1)
            check(f"{other}: it has {has}, not {wanted} as what was mapped"
                  in err, err)

    def test_core_damaged(self):
        core = self.gcore()
        data = core.read_bytes()
        part = self.work / "part"
        for size in [0, 10, 63, 64, 1000, 5000, len(data) // 2,
                     len(data) - 1000]:
            part.write_bytes(data[:size])
            tool("stack", "--core", part, status=(0, 1, 2))
        rng = random.Random(1)
        for _ in range(60):
            broken = bytearray(data)
            for _ in range(20):
                broken[rng.randrange(8192)] = rng.randrange(256)
            part.write_bytes(broken)
            tool("stack", "--core", part, status=(0, 1, 2))
        for path, text in [(self.service, "not a core file"),
                           (HERE / "far.c", "not an ELF file"),
                           (HERE, "not a regular file"),
                           (self.work / "none", "No such file")]:
            out, err = tool("stack", "--core", path, status=2)
            check(text in err and out == "", out, err)

    # Kinds of programs, each live and as both kinds of cores; their lists begin
    # in TLS.

    def check_kind(self, compiler, flags):
        """Programs that COMPILER makes with FLAGS."""
        if not shutil.which(compiler[0]):
            raise Skip(f"no {compiler[0]}")
        for head in ([], ["-DTARGET_TLS_OFFSET"]):
            program = self.work / "kind"
            compile_c(TOOLS / "target.c", program, "-pthread", *head, *flags,
                      compiler=compiler)
            self.check_live_and_cores(program)

    def check_live_and_cores(self, *command):
        command = [*command, "sn"]
        with Target(*command) as t:
            self.check_threads("-p", t.pid)
            core = self.gcore_of(t)
        self.check_threads("--core", core)
        self.check_threads("--core", self.kernel_core(*command))

    @staticmethod
    def check_threads(*arguments):
        """Of three threads the second has coroutines."""
        report = shown(*arguments)[1]
        stacks = [names(t["frames"]) for t in report["threads"]]
        check(report["complete"] and len(stacks) == 3, report)
        check(between(stacks[1], "innermost*", "thread")
              == ["innermost*", "middle:1", "outer:2", "resume_described",
                  "walk_in", "thread"], arguments, *stacks)
        check("thread" in stacks[2], *stacks)
        check(not any(":" in name for name in stacks[0] + stacks[2]), *stacks)

    def test_kind_dynamic(self):
        self.check_kind(CC, ["-fPIE", "-pie"])

    def test_kind_static(self):
        self.check_kind(CC, ["-fno-pie", "-no-pie", "-static"])

    def test_kind_static_pie(self):
        self.check_kind(CC, ["-fPIE", "-static-pie"])

    def test_kind_musl_dynamic(self):
        self.check_kind(["musl-gcc"], ["-fPIE", "-pie"])

    def test_kind_musl_static(self):
        self.check_kind(["musl-gcc"], ["-fno-pie", "-no-pie", "-static"])

    def test_kind_musl_static_pie(self):
        # musl-gcc has no option for it.
        starts = list(Path("/usr/lib").glob("x86_64-linux-musl/rcrt1.o"))
        if not starts:
            raise Skip("no rcrt1.o of musl")
        self.check_kind(["musl-gcc"], [
            "-fPIE", "-static", "-nostartfiles", "-Wl,-pie,-z,text",
            "-Wl,--no-dynamic-linker", starts[0]])

    def check_dlopen(self, compiler):
        """A library that only some threads have used, whose TLS blocks are
        allocated at first use."""
        if not shutil.which(compiler[0]):
            raise Skip(f"no {compiler[0]}")
        library, load = self.work / "libkind.so", self.work / "kind-load"
        compile_c(TOOLS / "load.c", load, compiler=compiler)
        for head in ([], ["-DTARGET_TLS_OFFSET"]):
            compile_c(TOOLS / "target.c", library, "-pthread",
                      "-DTARGET_LIBRARY", "-fPIC", "-shared", *head,
                      compiler=compiler)
            self.check_live_and_cores(load, library)

    def test_kind_dlopen(self):
        self.check_dlopen(CC)

    def test_kind_musl_dlopen(self):
        self.check_dlopen(["musl-gcc"])

    # Permission, and being ended.

    def as_nobody(self):
        if os.geteuid() != 0:
            raise Skip("not root")

        def prepare():
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
        return prepare

    def refused(self, target, text, preexec_fn):
        out, err = tool("stack", "-p", target.pid, status=2,
                        preexec_fn=preexec_fn)
        check(text in err and out == "" and err.count("\n") == 1, out, err)

    def test_other_user(self):
        prepare = self.as_nobody()
        with self.start() as t:
            self.refused(t, "belongs to user 0: permission denied; run as that "
                         "user or as root", prepare)

    def test_undumpable(self):
        prepare = self.as_nobody()
        with self.start("secret", preexec_fn=prepare) as t:
            self.refused(t, "permission denied; it has or had rights that its "
                         "user has not; run as root", prepare)

    def test_seccomp_ptrace(self):
        with self.start() as t:
            self.refused(t, "a seccomp filter, as containers have",
                         lambda: forbid(101))
            check(t.is_untouched(), "touched")

    def test_seccomp_reading(self):
        """Where only process_vm_readv is forbidden there is another way."""
        with self.start() as t:
            check_service("-p", t.pid, preexec_fn=lambda: forbid(310))

    def test_ended_by_signals(self):
        rng = random.Random()
        with self.start("again") as t:
            for i in range(80):
                looker = subprocess.Popen(
                    [TOOL, "stack", "--repeat=0.001", "-p", str(t.pid)],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(rng.random() * 0.05)
                looker.send_signal(rng.choice(
                    [signal.SIGKILL, signal.SIGINT, signal.SIGTERM,
                     signal.SIGHUP]))
                looker.wait(TIMEOUT)
                check(t.is_untouched(), f"touched, time {i}")
            check(t.process.poll() is None, "it ended")

    # Hostile processes.

    def bounded(self, *arguments, status):
        """Look, with what time and memory this may take."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT, TIMEOUT))
            resource.setrlimit(resource.RLIMIT_DATA, (64 << 20, 64 << 20))
        return tool("stack", *arguments, status=status, preexec_fn=limit)

    def test_hostile_lists(self):
        for mode, text in [
                ("guard", "(service cut after 2 nodes: memory that cannot be "
                 "read)"),
                ("long", "(service cut after 10000 nodes: more nodes than the "
                 "limit)"),
                ("ring", "(service cut after 10000 nodes: more nodes than the "
                 "limit)"),
                ("gone", "(gone cut after 0 nodes: memory that cannot be "
                 "read)")]:
            with self.start(mode) as t:
                out, _ = self.bounded("-p", t.pid, status=1)
                check(text in out and "outer" in out, mode, out)
                check(t.is_untouched(), "touched")

    def with_section(self, contents, size):
        """A program whose section is CONTENTS, made longer with zeros to
        SIZE."""
        data = bytearray(self.service.read_bytes())
        offset, = struct.unpack_from("<Q", data, 40)
        _, num, names_index = struct.unpack_from("<HHH", data, 58)
        headers = [offset + 64 * i for i in range(num)]
        names_at, = struct.unpack_from("<Q", data, headers[names_index] + 24)
        for header in headers:
            at = names_at + struct.unpack_from("<I", data, header)[0]
            if data[at:data.index(0, at)] == b".sframe_coro":
                struct.pack_into("<QQ", data, header + 24, len(data), size)
                break
        program = self.work / "hostile"
        program.unlink(missing_ok=True)
        with open(program, "wb") as file:
            file.write(data)
            file.write(contents)
            file.truncate(len(data) + size)
        program.chmod(0o755)
        return program

    def test_hostile_sections(self):
        num = 1000000
        # All functions alike: sites, of no chain.
        site = struct.pack("<qqIIHBBI", 0, 0, 0, 0xffffffff, 0, 1, 0, 0)
        length = 32 + num * len(site) + 8
        header = struct.pack("<HBBBBBBIIIIII", 0xdec0, 1, 0, 3, 32, 80, 32,
                             length, 0, num, 0, 1, 0)
        for contents, size, text in [
                (b"", 4 << 30, "bytes, more than"),
                (header + site * num, length,
                 "1000000 functions, more than")]:
            with Target(self.with_section(contents, size), "wait") as t:
                out, err = self.bounded("-p", t.pid, status=1)
                check(text in err and "wait_forever" in out, out, err)
                check(t.is_untouched(), "touched")


def forbid(number):
    """Let system call NUMBER, of x86-64, fail with EPERM from now on."""
    libc = ctypes.CDLL(None, use_errno=True)
    # Load the number; if it is that one, return EPERM, else allow.
    code = struct.pack("<HBBIHBBIHBBIHBBI", 0x20, 0, 0, 0,
                       0x15, 0, 1, number, 0x06, 0, 0, 0x00050001,
                       0x06, 0, 0, 0x7fff0000)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("<HxxxxxxQ", 4, ctypes.addressof(buffer))
    if (libc.prctl(38, 1, 0, 0, 0) != 0
            or libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0) != 0):
        os._exit(99)


def main():
    passed = failed = skipped = 0
    # A shell that runs this in the background has it ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.uname().machine != "x86_64":
        print("the programs of this suite are for x86-64")
        return 77
    with tempfile.TemporaryDirectory() as work:
        tests = sorted(n for n in dir(Cases) if n.startswith("test_"))
        try:
            cases = Cases(Path(work))
        except Failure as failure:
            print("FAIL: the programs to look at")
            print("  " + str(failure).replace("\n", "\n  "))
            tests, failed = [], 1
        for name in tests:
            label = name[5:].replace("_", " ")
            if sys.argv[1:] and not any(w in label for w in sys.argv[1:]):
                continue
            try:
                getattr(cases, name)()
            except Skip as why:
                print(f"SKIP: {label}: {why}", flush=True)
                skipped += 1
            except Failure as failure:
                print("FAIL:", label)
                print("  " + str(failure).replace("\n", "\n  "), flush=True)
                failed += 1
            except Exception as error:
                print(f"FAIL: {label}: {reason(error)}", flush=True)
                failed += 1
            else:
                print("PASS:", label, flush=True)
                passed += 1
    print(f"{passed} passed, {failed} failed"
          + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
