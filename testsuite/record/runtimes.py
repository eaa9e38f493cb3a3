"""Models of runtimes, sampled: what perf shows of them.
Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later

The models of testsuite/models say in comments what the stack is at each of
their stops.  Here they compute there (spin.c), and every sample that was taken
meanwhile must have just that stack.
"""

import re
import subprocess
import sys
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SRC / "models"))
sys.dont_write_bytecode = True
import models  # noqa: E402

Failure = models.Failure
MODELS = models.MODELS
LINE = re.compile(r"(\S+)(?: \[\S+:\d+\].*?)?(?: at (\S+))?$")
SAMPLE = re.compile(r"(\d+) +(\d+)\.(\d+): *$")
FRAME = re.compile(r"\s+([0-9a-f]+) (.*)$")


def build(tools, model, defines, build_name, where):
    """Compile MODEL; the program."""
    spin = where / "spin.o"
    models.run([models.compiler("spin.c", build_name), "-O2", "-Wall",
                "-Wextra", f"-I{models.HERE}", "-c", SRC / "record/spin.c",
                "-o", spin])
    return models.build_model(tools, model, defines, build_name, where, [spin])


def expected(model, words):
    """For each stop of MODEL its frames, leaf first: name and mark."""
    stacks = {}
    for name, lines in models.read_expected(model, words).items():
        stack = stacks[name] = []
        for line in lines:
            if line.startswith(("task ", "blocked ")):
                break
            stack.append(LINE.match(line).groups())
    return stacks


class Log:
    """What a model printed: the words of its cookies, and its stops."""

    def __init__(self, text):
        self.words, self.stops = {}, []
        owner = None
        for line in text.splitlines():
            kind, *more = line.split("\t")
            if kind == "word":
                # Instructions come behind their code.
                owner = owner if more[1].isdigit() else more[1]
                self.words[int(more[0], 16)] = f"{owner}@{more[1]}"
            elif kind == "stop":
                self.stops.append((more[0], *map(int, more[1:])))

    def stop_at(self, tid, time):
        """The stop of thread TID, None if it has another number there, at
        TIME."""
        for name, of, begin, end in self.stops:
            if tid in (of, None) and begin <= time <= end:
                return name
        return None


def samples(data):
    """The samples of DATA: thread, time in ns, frames leaf first."""
    text = models.run(["perf", "script", "-i", data, "--ns", "--no-inline",
                       "-F", "tid,time,ip,sym", "--max-stack", "2000"])
    sample = None
    for line in text.splitlines():
        if (m := SAMPLE.search(line)) is not None:
            sample = (int(m[1]), int(m[2]) * 10**9 + int(m[3]), [])
        elif (m := FRAME.match(line)) is not None:
            sample[2].append((int(m[1], 16), m[2].strip()))
        elif sample is not None:
            yield sample
            sample = None
    if sample is not None:
        yield sample


class Judge:
    """Compares samples with what is expected."""

    def __init__(self, program, model, words, log):
        self.program, self.log = program, log
        self.names, self.marks = models.Names(), models.find_marks(model)
        self.stacks = expected(model, words)
        self.seen = {name: 0 for name in self.stacks}
        self.wrong = []

    def name(self, ip, symbol):
        if ip in self.log.words:
            return self.log.words[ip]
        if symbol == "[unknown]" or "__await_suspend_wrapper__" in symbol:
            return "?"
        return self.names(symbol)

    def frames(self, frames):
        """Those that are compared: address and name."""
        named = [(ip, self.name(ip, s)) for ip, s in frames]
        plain = [n for _, n in named]
        if "inside_stop" not in plain:
            return None
        first = plain.index("inside_stop") + 1
        # A node may be in `main' as well.
        last = max(i for i, name in enumerate(plain)
                   if name in ("main", "thread", "inside_stop"))
        return [(ip, name) for ip, name in named[first:last + 1]
                if not name.startswith(("std::", "__gnu_cxx::"))]

    def mark(self, ip):
        """What the line of IP, an offset in the file, is marked with."""
        line = models.run(["addr2line", "-e", self.program, hex(ip)])
        line = int(re.match(r"\d+", line.split(":")[-1])[0])
        return self.marks.get(line, f"line {line}")

    def take(self, tid, time, frames):
        stop = self.log.stop_at(tid, time)
        if stop is None:
            return
        seen = self.frames(frames)
        # Just before or behind the loop.
        if seen is None:
            return
        self.seen[stop] += 1
        if not self.is_expected(stop, seen):
            self.wrong.append((stop, seen, frames))

    def is_expected(self, stop, seen):
        wanted = self.stacks[stop]
        return (len(seen) == len(wanted)
                and all(name == want and (mark is None
                                          or self.mark(ip) == mark)
                        for (ip, name), (want, mark) in zip(seen, wanted)))

    def report(self):
        """Failure if anything is not as it must be."""
        never = [name for name, num in self.seen.items() if num == 0]
        if never:
            raise Failure("no samples of: " + " ".join(never))
        if self.wrong:
            stop, seen, frames = self.wrong[0]
            raise Failure(
                f"{len(self.wrong)} of {sum(self.seen.values())} samples are "
                f"wrong; the first, at {stop}:\n"
                f"expected {[name for name, _ in self.stacks[stop]]}\n"
                f"seen     {[name for _, name in seen]}\n"
                + "\n".join(f"{ip:x} {name}" for ip, name in frames))


def sample_model(command, record):
    """Run COMMAND, a model, with a recorder, which RECORD, a function, starts
    for its process; what it printed, and the recorder."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True,
                          stdout=subprocess.PIPE) as process:
        try:
            if process.stdout.readline() != "ready\n":
                raise Failure("the model does not begin")
            recorder = record(process.pid)
            text, _ = process.communicate("\n", models.TIMEOUT)
        except subprocess.TimeoutExpired:
            raise Failure("the model hangs") from None
        finally:
            # No more than it was asked for keeps it from its end.
            process.kill()
    if process.returncode != 0:
        raise Failure(f"the model ends with {process.returncode}")
    return Log(text), recorder
