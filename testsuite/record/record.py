"""Tests of `sframe-coro record': real programs, the running kernel.
Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later

usage: record.py [NAME...]	the groups of tests to run; all of them
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import runtimes  # noqa: E402 (the line above keeps the source tree clean)

SRC = os.environ["top_srcdir"]
BUILD = os.environ["top_builddir"]
TOOL = os.environ.get("SFRAME_CORO", BUILD + "/tools/sframe-coro")
CXX = os.environ.get("CXX", "g++").split()
CLANGXX = ["clang++-19"]
HERE = SRC + "/testsuite/record"
NOBODY = 65534
NODE = re.compile(r"\bnode_(\d+)_(\d+)\b")

HANGS = 300  # Seconds after which what is waited for will never be.

counts = {"passed": 0, "failed": 0, "skipped": 0}
started = []  # Processes, none of which outlives its test.
work = tempfile.mkdtemp()
os.chmod(work, 0o755)
os.chdir(work)


class Died(runtimes.Failure):
    """A test cannot go on; the text says why, in one line."""


def last_line(text):
    """The last thing that was said: what went wrong."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it said nothing"


def check(name, good, *details):
    counts["passed" if good else "failed"] += 1
    print(f"{'ok  ' if good else 'FAIL'} {name}")
    if not good:
        for d in details:
            print("   ", str(d)[:2000])
    sys.stdout.flush()


def skip(name, why):
    counts["skipped"] += 1
    print(f"skip {name}: {why}")


def command(*args):
    return [TOOL, "record", *args]


def run(args, **more):
    """Run to the end; a hang is a failure."""
    return subprocess.run(args, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=HANGS, **more)


def start(args, **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    p = subprocess.Popen(args, text=True, **more)
    started.append(p)
    return p


def end_all():
    """Kill what a test has left behind."""
    while started:
        p = started.pop()
        if p.poll() is None:
            p.kill()
            p.wait()


def finish(p):
    """What a started process printed, at its end."""
    try:
        p.out, p.err = p.communicate(timeout=HANGS)
    except subprocess.TimeoutExpired:
        p.kill()
        p.out, p.err = p.communicate()
        p.err = (p.err or "") + "\n(it hung)"
    if p.err is None:
        p.err = said(p)
    return p


def summary(err):
    """The counts at the end: samples, lost, with lists, of them cut."""
    m = re.search(r"(\d+) samples, (\d+) lost; (\d+) with lists, (\d+)", err)
    return tuple(map(int, m.groups())) if m else None


def program_of(pid):
    """The number of the BPF program that process PID has loaded."""
    try:
        fds = os.listdir(f"/proc/{pid}/fdinfo")
    except OSError:
        raise Died(f"the recorder, process {pid}, has ended") from None
    for fd in fds:
        try:
            m = re.search(r"^prog_id:\s*(\d+)",
                          open(f"/proc/{pid}/fdinfo/{fd}").read(), re.M)
        except OSError:
            continue
        if m:
            return m.group(1)
    return None


def is_gone(program):
    """Whether the kernel has freed it; that takes a moment."""
    return wait_for(lambda: run(["bpftool", "prog", "show", "id", program])
                    .returncode != 0)


# Programs.

def build(output, compiler, *flags):
    r = run([*compiler, "-std=c++20", "-O2", "-I" + SRC + "/include",
             "-I" + SRC + "/examples", HERE + "/busy.cc", "-o", output,
             "-pthread", *flags])
    if r.returncode != 0:
        check("build " + output, False, r.stderr)
    return r.returncode == 0


def variants():
    """Programs to look at: name and whether it is attached to."""
    fp, nofp = "-fno-omit-frame-pointer", "-fomit-frame-pointer"
    have_clang = shutil.which(CLANGXX[0])
    sets = [("gcc-fp", CXX, fp, "exe"), ("gcc-nofp", CXX, nofp, "exe"),
            ("gcc-lib", CXX, nofp, "lib")]
    if have_clang:
        sets += [("clang-fp", CLANGXX, fp, "exe"),
                 ("clang-nofp", CLANGXX, nofp, "exe"),
                 ("clang-lib", CLANGXX, fp, "lib")]
    else:
        skip("clang", "no " + CLANGXX[0])
    for name, compiler, flag, kind in sets:
        os.makedirs(name, exist_ok=True)
        if kind == "exe":
            if build(name + "/busy", compiler, flag, "-DMODE_EXE"):
                yield name, name.endswith("nofp")
        elif (build(name + "/libbusy.so", compiler, flag, "-DMODE_LIB",
                    "-shared", "-fPIC")
              and build(name + "/opened", compiler, flag, "-DMODE_OPENED",
                        "-ldl")
              and build(name + "/busy", compiler, flag, "-DMODE_LINKED",
                        "-L" + name, "-lbusy", "-Wl,-rpath,$ORIGIN")):
            yield name, True
            os.makedirs(name + "-opened", exist_ok=True)
            os.rename(name + "/opened", name + "-opened/busy")
            shutil.copy(name + "/libbusy.so", name + "-opened/")
            yield name + "-opened", name.startswith("gcc")


# Stacks.

def stacks_of(data):
    """The stacks of a profile, innermost first, as lists of symbols; for each
    the process before it."""
    r = run(["perf", "script", "-i", data, "-F", "comm,pid,tid,ip,sym",
             "--max-stack", "2000"])
    pid, stack = None, []
    for line in r.stdout.splitlines() + [""]:
        if not line.strip():
            if stack:
                yield pid, stack
            stack = []
        elif re.match(r"\s+[0-9a-f]+ \S", line):
            stack.append(line.split(None, 1)[1].strip())
        elif (m := re.search(r" (\d+)/\d+ *$", line)) is not None:
            pid = int(m.group(1))


def stacks(data):
    return (stack for _, stack in stacks_of(data))


def read_awaits(log):
    """Who awaited whom."""
    awaits = set()
    for line in log.splitlines():
        words = line.split()
        if words and words[0] == "await":
            a, b, c, d = map(int, words[1:])
            awaits.add(((a, b), (c, d)))
    return awaits


def nodes_of(stack):
    """The nodes in a stack, innermost first."""
    nodes = [tuple(map(int, m.groups()))
             for m in map(NODE.search, stack) if m]
    # Just when a coroutine suspends to let another one run, the list begins
    # with that already, and the native stack ends with itself.
    return nodes[1:] if len(nodes) > 2 and nodes[0] == nodes[2] else nodes


def judge(nodes, awaits):
    """`whole', `part' or `wrong'."""
    if not all((b, a) in awaits for a, b in zip(nodes, nodes[1:])):
        return "wrong"
    return "whole" if nodes and nodes[-1] == (0, 0) else "part"


def check_chains(name, data, log, err=""):
    """Of samples inside coroutines 99 % have the whole chain, none a wrong
    one.  Nothing but coroutines computes.  What a process runs before the
    recorder has read it counts for wrong chains only."""
    awaits = read_awaits(log)
    verdicts = {"early": 0, "whole": 0, "part": 0, "wrong": 0}
    wrong, part, longest, known = [], [], 0, set()
    for pid, stack in stacks_of(data):
        nodes = nodes_of(stack)
        if not nodes and not any("compute" in s for s in stack):
            continue
        verdict = judge(nodes, awaits)
        # The outermost coroutine by itself tells nothing.
        if verdict == "whole" and len(nodes) > 2:
            known.add(pid)
        elif verdict == "part" and pid not in known:
            verdict = "early"
        verdicts[verdict] += 1
        longest = max(longest, len(nodes))
        if verdict in ("part", "wrong"):
            (wrong if verdict == "wrong" else part).append(stack)
    total = sum(verdicts.values()) - verdicts["early"]
    print(f"     {total} samples inside coroutines: {verdicts}")
    check(name + ": enough samples", total >= 50, total, err)
    check(name + ": whole chains", verdicts["whole"] >= 0.99 * total
          and longest == 13, part[:3])
    check(name + ": no wrong chain", verdicts["wrong"] == 0, wrong[:3])


def test_chains():
    for name, attach in variants():
        data = work + "/" + name + ".data"
        if attach:
            p = start(["./busy", "600000", "3"], cwd=name)
            r = begin("-p", str(p.pid), output=data)
            end_busy(p.pid, 1)
            log = finish(p).out
            finish(r)
        else:
            r = begin("--", "./busy", "600000", "3", output=data, cwd=name)
            end_busy(child_of(r.pid), 1)
            log = finish(r).out
        check_status(name, r, r.err)
        check_chains(name, data, log, r.err)


def check_status(name, recorder, err):
    """That RECORDER, which said ERR, ended well: with 0, or 1 if samples were
    lost, as they are where much else runs."""
    s = summary(err)
    check(name + ": exit status",
          s and recorder.returncode == (1 if s[1] else 0),
          recorder.returncode, err)


def lives(pid):
    """Whether there is a process PID that has not ended."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def child_of(pid):
    """The one process that PID has created."""
    def children():
        return run(["pgrep", "-P", str(pid)]).stdout.split()

    wait_for(lambda: children() or not lives(pid))
    found = children()
    if len(found) != 1:
        raise Died(f"process {pid} " + (f"has {len(found)} children"
                                        if lives(pid) else "has ended"))
    return int(found[0])


def end_busy(pid, seconds=0.5):
    """Let process PID compute, then end it."""
    let_compute(pid, seconds)
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        raise Died(f"process {pid} has ended") from None


MODEL_BUILD = ("g++", "-O2")


def build_model(tools, model, defines):
    where = runtimes.Path(tempfile.mkdtemp(dir=work))
    return runtimes.build(tools, model, defines, MODEL_BUILD, where)


def try_model(model, defines, program):
    name = "models: " + " ".join([model, *defines])
    try:
        program = program.result()
        data = str(program) + ".data"
        log, r = runtimes.sample_model(
            [program], lambda pid: begin("-p", str(pid), output=data))
        finish(r)
        judge = runtimes.Judge(program, model, [*MODEL_BUILD, *defines], log)
        for sample in runtimes.samples(data):
            judge.take(*sample)
        judge.report()
    except runtimes.Failure as failure:
        check(name, False, failure)
        return
    print(f"     {judge.seen}")
    check_status(name, r, r.err)


def test_models():
    """Runtimes of all kinds, at each of their stops."""
    tools = runtimes.models.Tools()
    with ThreadPoolExecutor(2) as pool:
        programs = [(case, pool.submit(build_model, tools, *case))
                    for case in runtimes.MODELS]
        for case, program in programs:
            try_model(*case, program)


def test_namespace():
    """A model that knows itself by other numbers than we do: in a PID name
    space of its own.  In such a one record says that it cannot."""
    tools = runtimes.models.Tools()
    try:
        program = build_model(tools, "tid.c", [])
        log, r = runtimes.sample_model(
            ["unshare", "-pf", program],
            lambda pid: begin("-p", str(child_of(pid)), output="namespace"))
        finish(r)
        judge = runtimes.Judge(program, "tid.c", MODEL_BUILD, log)
        check("namespace: it has a number of its own",
              any(stop[1] == 1 for stop in log.stops), log.stops)
        for _, stamp, frames in runtimes.samples("namespace"):
            judge.take(None, stamp, frames)
        judge.report()
        check_status("namespace", r, r.err)
    except runtimes.Failure as failure:
        check("namespace: stacks", False, failure)
    check_error("in a name space",
                ["unshare", "-pf", "--mount-proc", *command("--", "true")],
                "record from outside")


def simple_busy():
    """A program for tests that need one of any kind."""
    return os.path.exists("busy") or build("busy", CXX, "-DMODE_EXE")


def wait_for(what, seconds=HANGS):
    end = time.time() + seconds
    while time.time() < end:
        if what():
            return True
        time.sleep(0.02)
    return False


def said(p):
    """What recorder P has said so far."""
    with open(p.messages) as f:
        return f.read()


def begin(*args, output, **more):
    """A recorder that has begun, as it says itself."""
    with tempfile.NamedTemporaryFile("w", dir=work, delete=False) as f:
        p = start(command("-v", "-o", output, *args), stderr=f, **more)
    p.messages = f.name
    wait_for(lambda: ": recording\n" in said(p) or p.poll() is not None)
    if ": recording\n" not in said(p):
        raise Died("the recorder " + (
            "does not begin" if p.poll() is None
            else f"ended with {p.returncode}: {last_line(said(p))}"))
    return p


def lists_of(data):
    """What report knows of the lists of a profile."""
    r = run([TOOL, "report", "--json", "--limit=0", data])
    if r.returncode != 0:
        raise Died(f"report ended with {r.returncode}: {last_line(r.stderr)}")
    return json.loads(r.stdout)["chains"][0]


def cpu_time(pid):
    """The seconds that process PID has computed."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
    except OSError:
        raise Died(f"process {pid} has ended") from None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def let_compute(pid, seconds=0.5):
    """Wait until process PID has computed for SECONDS more."""
    end = cpu_time(pid) + seconds
    wait_for(lambda: cpu_time(pid) >= end or not lives(pid))
    if cpu_time(pid) < end:
        raise Died(f"process {pid} " + ("does not compute" if lives(pid)
                                        else "has ended"))


def test_deep():
    """Lists of nearly, and of more than, 512 nodes."""
    simple_busy()
    for nodes, whole in (500, True), (700, False):
        data = f"deep{nodes}"
        p = start(["./busy", "deep", "600000", str(nodes)])
        r = begin("-p", str(p.pid), output=data)
        end_busy(p.pid)
        finish(p)
        finish(r)
        # Before all are there, nothing is computed.
        some = [sum("deep" in f for f in s) for s in stacks(data)
                if any("compute" in f for f in s)]
        # The native stack has one of them, and may have that as well which
        # awaits it.
        limit = nodes if whole else 512
        check(f"deep {nodes}: all are there", some
              and all(limit <= n <= limit + 2 for n in some), set(some),
              r.err)
        stops = lists_of(data)["stops"]
        cut = stops.get("more nodes than the limit", 0)
        check(f"deep {nodes}: {'nothing' if whole else 'that it'} is cut",
              cut == 0 and stops.get("end of the list", 0) >= len(some)
              if whole else cut >= len(some), stops, r.err)


def test_killed():
    """The target is killed while it is sampled."""
    simple_busy()
    p = start(["./busy", "600000", "3"])
    r = begin("-p", str(p.pid), output="killed")
    let_compute(p.pid)
    p.kill()
    finish(p)
    finish(r)
    check_status("killed", r, r.err)
    check("killed: there are samples",
          sum(len(nodes_of(s)) > 1 for s in stacks("killed")) > 10, r.err)


def test_exec():
    """The target becomes another program, and has children."""
    simple_busy()
    p = start(["sh", "-c", "read go; ./busy 600000 & exec ./busy 600000 2"],
              stdin=subprocess.PIPE, stderr=None)
    r = begin("-p", str(p.pid), output="exec")
    p.stdin.write("\n")
    p.stdin.flush()
    end_busy(child_of(p.pid), 1)
    end_busy(p.pid)
    log = p.communicate()[0]
    finish(r)
    check_chains("exec", "exec", log, r.err)
    pids = run(["perf", "script", "-i", "exec", "-F", "comm,pid,ip"]).stdout
    busy = set(re.findall(r"^busy +(\d+)", pids, re.M))
    check("exec: parent and child", len(busy) == 2, busy)


def test_short():
    """A thousand threads that live for some ms each."""
    simple_busy()
    r = run(command("-o", "short", "--", "./busy", "short", "1000"))
    check_status("short", r, r.stderr)
    check_chains("short", "short", r.stdout, r.stderr)
    tids = run(["perf", "script", "-i", "short", "-F", "tid,ip"]).stdout
    check("short: many threads are seen",
          len(set(re.findall(r"^ *(\d+) *$", tids, re.M))) > 100)


def test_overrun():
    """A ring that is too small for a recorder that is held up."""
    simple_busy()
    p = start(["./busy", "600000", "2"])
    r = begin("--ring", "16", "-p", str(p.pid), output="overrun")
    let_compute(p.pid)
    r.send_signal(signal.SIGSTOP)
    let_compute(p.pid, 1)
    r.send_signal(signal.SIGCONT)
    let_compute(p.pid)
    r.send_signal(signal.SIGINT)
    finish(r)
    p.kill()
    finish(p)
    s = summary(r.err)
    check("overrun: lost samples are counted", s and s[0] > 0 and s[1] > 0,
          r.err)
    check("overrun: exit status", r.returncode == 1, r.returncode)
    report = run(["perf", "report", "-i", "overrun", "--stats"]).stdout
    check("overrun: the profile says so", "LOST" in report, report)


def test_interrupt():
    """Interrupted, the recorder ends a command, not a process."""
    simple_busy()
    p = start(["./busy", "600000"])
    r = begin("-p", str(p.pid), output="interrupt")
    program = program_of(r.pid)
    let_compute(p.pid)
    r.send_signal(signal.SIGINT)
    finish(r)
    check("interrupt: nothing is left", program and is_gone(program), program)
    check_status("interrupt", r, r.err)
    check("interrupt: the process goes on", p.poll() is None)
    check("interrupt: the profile is whole",
          any(len(nodes_of(s)) > 1 for s in stacks("interrupt")), r.err)
    r = begin("-p", str(p.pid), output="interrupt")
    program = program_of(r.pid)
    r.kill()
    finish(r)
    check("interrupt: nothing is left when it is killed",
          program and is_gone(program), program)
    check("interrupt: the process goes on", p.poll() is None)
    r = begin("-p", str(p.pid), output="interrupt",
              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    r.send_signal(signal.SIGHUP)
    let_compute(p.pid)
    check("interrupt: nohup lasts", r.poll() is None, r.returncode)
    r.send_signal(signal.SIGTERM)
    finish(r)
    check_status("interrupt: nohup can be ended", r, r.err)
    p.kill()
    finish(p)
    r = begin("--", "./busy", "600000", output="interrupt")
    child = child_of(r.pid)
    let_compute(child)
    r.send_signal(signal.SIGTERM)
    finish(r)
    check_status("interrupt: with a command", r, r.err)
    check("interrupt: the command ends", not os.path.exists(f"/proc/{child}"))


def test_all():
    """The whole system."""
    simple_busy()
    p = start(["./busy", "600000"])
    r = begin("-a", output="all")
    let_compute(p.pid, 1)
    r.send_signal(signal.SIGINT)
    finish(r)
    check_status("all", r, r.err)
    check("all: chains", sum(len(nodes_of(s)) > 1 for s in stacks("all")) > 10,
          r.err)
    r = run(command("-d", "1", "-p", str(p.pid), "-o", "duration"))
    check_status("duration", r, r.stderr)
    check("duration: the process goes on", p.poll() is None)
    p.kill()
    finish(p)


def test_formats():
    """One sample, one count."""
    simple_busy()
    r = run(command("--format=folded", "-o", "folded", "--", "./busy", "short", "200"))
    s = summary(r.stderr)
    if not s:
        raise Died(f"the recorder ended with {r.returncode}: "
                   + last_line(r.stderr))
    num = sum(int(line.split()[-1]) for line in open("folded"))
    check("formats: folded stacks sum up", s and s[0] == num > 0, num, r.stderr)
    r = run(command("-v", "-o", "report", "--", "./busy", "short", "200"))
    m = re.search(r"processed (\d+) instructions", r.stderr)
    check("formats: the verifier has room to spare",
          m and 0 < int(m.group(1)) <= 50000, r.stderr)
    s = summary(r.stderr)
    r = run([TOOL, "report", "--json", "--limit=0", "report"])
    if not s or r.returncode != 0:
        raise Died(f"report ended with {r.returncode}: {last_line(r.stderr)}")
    top = json.loads(r.stdout)
    names = {f["function"]: f for f in top["functions"]}
    chains = {c["chain"]: c for c in top["chains"]}
    check("formats: report counts what record counts",
          s and top["samples"] == s[0] and top["lost"] == s[1]
          and chains["demo.task"]["samples"] == s[2]
          and chains["demo.task"]["cut"] == s[3], s, r.stdout, r.stderr)
    check("formats: report knows who awaits",
          names["node_0_0(unsigned int)"]["await"] > s[2] // 2
          and names["compute(unsigned int, int)"]["await"] == 0, r.stdout)
    for form in "folded", "speedscope", "flamegraph", "pprof":
        r = run([TOOL, "report", "--format=" + form, "-o", "out." + form,
                 "report"])
        check("formats: report makes " + form,
              r.returncode == 0 and not r.stderr, r.stderr)
    num = sum(int(line.split()[-1]) for line in open("out.folded"))
    check("formats: converted to folded stacks", num == s[0], num, s)
    report = run(["perf", "report", "--stdio", "--children", "-i", "report"])
    check("formats: perf report has the names", "node_0_0" in report.stdout,
          report.stdout[:2000], report.stderr)


def check_error(name, args, message, **more):
    r = run(args, **more)
    check(f"errors: {name}", r.returncode == 2 and re.search(message, r.stderr)
          and not r.stdout, r.returncode, r.stdout, r.stderr)


def test_errors():
    """What cannot be is said."""
    check_error("no target", command(), "give --pid")
    check_error("two targets", command("-a", "-p", "1"), "only one")
    check_error("no process", command("-p", "4194304"), "no process")
    check_error("frequency", command("-F", "2000000", "--", "true"),
                "frequency")
    check_error("format", command("--format=x", "--", "true"), "format")
    check_error("ring", command("--ring=5", "--", "true"), "power of 2")
    check_error("no command", command("-o", "o", "--", "./missing"),
                "missing: No such file")
    check_error("no file", command("-o", "/missing/o", "--", "true"),
                "/missing/o")
    # One line, however much of it cannot be written.
    simple_busy()
    check_error("full disk", command("-F", "5000", "-o", "/dev/full", "--", "sh",
                                     "-c", "exec ./busy 300 >/dev/null"),
                r"\A\S+: /dev/full: cannot write: No space left on device\n\Z")
    tool = shutil.copy(TOOL, work)
    check_error("no privilege",
                [tool, "record", "-o", "/dev/null", "--", "true"],
                "run as root", user=NOBODY, group=NOBODY)
    check_error("no types of the kernel",
                ["unshare", "-m", "sh", "-c",
                 "mount -t tmpfs none /sys/kernel/btf && exec \"$@\"", "sh",
                 *command("--", "true")], "CONFIG_DEBUG_INFO_BTF")


def compile_sampler(name, source, good, bad):
    """The sampler with GOOD, in file SOURCE, replaced by BAD: an object."""
    clang = os.environ.get("BPF_CLANG", "clang-19").split()
    shutil.copytree(SRC + "/bpf", name)
    text = open(f"{name}/{source}").read()
    open(f"{name}/{source}", "w").write(text.replace(good, bad, 1))
    multiarch = run(["gcc", "-print-multiarch"]).stdout.strip()
    arch = "arm64" if os.uname().machine == "aarch64" else "x86"
    r = run([*clang, "-target", "bpf", "-g", "-O2", "-ffreestanding",
             f"-D__TARGET_ARCH_{arch}", f"-I/usr/include/{multiarch}",
             f"-I{SRC}/include", f"-I{SRC}/libsframe-coro", f"-I{name}",
             "-c", f"{name}/sampler.bpf.c", "-o", name + ".o"])
    check(f"verifier: {name} compiles", good in text and r.returncode == 0,
          r.stderr)
    return name + ".o"


def log_named(err):
    """What is in the file that a message says the verifier's log is in."""
    m = re.search(r"its log is in ([^ )\n]+)", err)
    return open(m.group(1)).read() if m else ""


def test_verifier():
    """Samplers that the verifier refuses: without a bound everywhere, and only
    where the small one has nothing."""
    env = dict(os.environ, TMPDIR=work)
    broken = compile_sampler("broken", "scratch.bpf.h",
                             'asm volatile ("%0 &= %1"', 'asm volatile (""')
    args = command("--sampler=" + broken, "--", "true")
    check_error("verifier", args, r"\A[^\n]*verifier of this kernel refuses the "
                r"sampler \([^\n]*\); its log is in [^\n]+\n\Z", env=env)
    check("verifier: the log is kept",
          re.search(r"processed \d+ insns", log_named(run(args, env=env).stderr)))
    bound = "  offset = s->pc - s->is_return - m->base;\n"
    small = compile_sampler("small", "natives.bpf.h", bound,
                            bound + "  s->natives[offset].pc = 0;\n")
    os.makedirs("small-fp", exist_ok=True)
    build("small-fp/busy", CXX, "-fno-omit-frame-pointer", "-DMODE_EXE")
    p = start(["small-fp/busy", "600000"])
    r = begin("--sampler=" + small, "-p", str(p.pid), output="small.data",
              env=env)
    end_busy(p.pid, 1)
    log = finish(p).out
    finish(r)
    check("small: what is refused is said in one line", re.search(
        r"^sframe-coro: the verifier of this kernel refuses the whole sampler "
        r".*; the small one is used: native frames by frame pointer", r.err,
        re.M) and "insns" not in r.err.replace("instructions", ""), r.err)
    check("small: the log is kept", "processed" in log_named(r.err), r.err)
    check("small: exit status", r.returncode == 0, r.returncode, r.err)
    check_chains("small", "small.data", log, r.err)
    text = run([TOOL, "report", "small.data"]).stdout
    check("small: report says so",
          "recorded with the small sampler: native frames by" in text, text)
    top = json.loads(run([TOOL, "report", "--json", "small.data"]).stdout)
    check("small: report says so to programs",
          (top["note"] or "").startswith("native frames by"), top["note"])
    run([TOOL, "report", "--format=flamegraph", "-o", "small.html",
         "small.data"])
    check("small: a flame graph says so",
          "recorded with the small sampler" in open("small.html").read())


def test_stages():
    """What the verifier of this kernel looks at, for each stage."""
    r = run(["unshare", "-m", "sh", "-c", "mount -t bpf none /sys/fs/bpf &&"
             " exec bpftool -d prog load \"$1\" /sys/fs/bpf/sampler", "sh",
             BUILD + "/bpf/sampler.bpf.o"])
    stage, counts_of = "take_sample", {}
    for line in (r.stdout + r.stderr).splitlines():
        if m := re.match(r"Validating (\w+)\(\) func", line):
            stage = m.group(1)
        elif re.match(r"\d+: \([0-9a-f]{2}\) ", line):
            counts_of[stage] = counts_of.get(stage, 0) + 1
    print("    ", sorted(counts_of.items(), key=lambda c: -c[1])[:5])
    check("stages: they are told apart", len(counts_of) > 10
          and r.returncode == 0, r.returncode, (r.stdout + r.stderr)[-500:])
    check("stages: none is above 20,000", max(counts_of.values(), default=0)
          <= 20000, counts_of)
    check("stages: all are within 50,000", sum(counts_of.values()) <= 50000,
          counts_of)


def as_nobody(*capabilities):
    """The beginning of a command that runs as nobody, with CAPABILITIES."""
    caps = ",".join(["-all", *("+" + c for c in capabilities)])
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
            "--inh-caps=" + caps, "--ambient-caps=" + caps,
            "--bounding-set=" + caps]


def test_capabilities():
    """Two capabilities are enough, whatever perf_event_paranoid is; where one
    is missing, that is said."""
    simple_busy()
    tool = shutil.copy(TOOL, work + "/tool")
    os.makedirs("nobody", exist_ok=True)
    os.chown("nobody", NOBODY, NOBODY)
    for caps, missing in (((), "both are missing"),
                          (("cap_39",), "CAP_PERFMON is missing"),
                          (("cap_38",), "CAP_BPF is missing")):
        check_error("with " + ("+".join(caps) or "none"),
                    [*as_nobody(*caps), tool, "record", "-o", "/dev/null",
                     "--", "true"], missing + ".*run as root")
    paranoid = "/proc/sys/kernel/perf_event_paranoid"
    before = open(paranoid).read()
    open(paranoid, "w").write("3")
    try:
        r = run([*as_nobody("cap_38", "cap_39"), tool, "record", "-o",
                 "nobody/data", "--", work + "/busy", "1000"])
    finally:
        open(paranoid, "w").write(before)
    check("capabilities: two are enough", r.returncode == 0, r.returncode,
          r.stderr)
    # perf does not read another user's.
    os.chown("nobody/data", 0, 0)
    check_chains("capabilities", "nobody/data", r.stdout, r.stderr)


NO_RING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <sys/syscall.h>
/* As on a kernel without ring buffers.  */
long
syscall (long number, ...)
{
  long (*real) (long, ...) = dlsym (RTLD_NEXT, "syscall"), a[6];
  va_list args;
  va_start (args, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg (args, long);
  va_end (args);
  if (number == SYS_bpf && a[0] == BPF_MAP_CREATE
      && ((union bpf_attr *) a[1])->map_type == BPF_MAP_TYPE_RINGBUF)
    {
      errno = EINVAL;
      return -1;
    }
  return real (number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
"""


def test_old():
    """A kernel without ring buffers."""
    open("no-ring.c", "w").write(NO_RING)
    r = run(["gcc", "-shared", "-fPIC", "-o", "no-ring.so", "no-ring.c"])
    check("old: it compiles", r.returncode == 0, r.stderr)
    check_error("no ring buffers", command("--", "true"),
                r"\A[^\n]*does not have BPF ring buffers \(Linux 5.8\)[^\n]*\n\Z",
                env=dict(os.environ, LD_PRELOAD=work + "/no-ring.so"))


def can_record():
    """Whether anything can be recorded.  If not, and for a reason that is not
    the recorder's, the suite is skipped."""
    r = run(command("-o", "try", "--", "true"))
    if r.returncode != 2:
        return True
    why = last_line(r.stderr)
    if any(known in why for known in ("cannot record", "run as root",
                                      "CONFIG_DEBUG_INFO_BTF")):
        print("nothing can be recorded here:", why)
        sys.exit(77)
    check(f"record begins: {why}", False, r.stderr)
    return False


def try_test(name, test):
    """Run TEST; if it does not come to its end, that is a case that failed."""
    try:
        test()
    except Died as why:
        check(f"{name}: {why}", False)
    except (Exception, SystemExit) as why:
        where = traceback.extract_tb(why.__traceback__)[-1]
        check(f"{name}: {type(why).__name__}: {last_line(str(why))} "
              f"({os.path.basename(where.filename)}:{where.lineno})", False)
    finally:
        end_all()


def main():
    if not shutil.which("perf"):
        print("no perf (package linux-perf)")
        sys.exit(77)
    tests = {name[5:]: f for name, f in globals().items()
             if name.startswith("test_")}
    if can_record():
        for name in sys.argv[1:] or tests:
            try_test(name, tests[name])
    print(f"{counts['passed']} passed, {counts['failed']} failed, "
          f"{counts['skipped']} skipped")
    shutil.rmtree(work)
    sys.exit(counts["failed"] != 0)


if __name__ == "__main__":
    main()
