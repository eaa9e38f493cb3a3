"""Complete a compiler's assembly by what only a compiler knows.

Coroutines are cut into functions after all that a source file can say.  A
compiler that writes .sframe_coro would give each a BODY; here the body comes
from marks in the source, which are comments in the assembly:

    #body CHAIN [next OFF]	in a coroutine: its resume function is a body
    #point N			the place where its N-th `co_await' goes on, from 1

In the resume function, which g++ calls X.actor and clang X.resume, the
suspend index is the one field of its size that is stored to: g++ counts 2 for
the initial suspend point, 4, 6 and so on, in two bytes; clang from 0, in one.
The destroy function gets the body too, without index: it is all that is left of
a coroutine at its final suspend point.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import re

LABEL = re.compile(r'^"?([\w.$]+)"?:')
SIZE = re.compile(r'^\s*\.size\s+"?([\w.$]+)"?,')
MARK = re.compile(r"^\s*#(body|point) (.*)")
STORE = re.compile(r"^\s*mov([bw])\s+[$%]\w+, (\d*)\((?!%rbp|%rsp)%\w+\)")
RESUME, DESTROY = (".actor", ".resume"), (".destroy",)


class Function:
    """The lines [start, end) of a function; `name' is its label."""

    def __init__(self, name, start, end, lines):
        self.name, self.start, self.end = name, start, end
        self.coroutine, dot, self.part = name.rpartition(".")
        self.part = dot + self.part
        self.lines = lines[start:end]

    def marks(self, kind):
        return [(i + self.start, m[2].strip())
                for i, line in enumerate(self.lines)
                if (m := MARK.match(line)) and m[1] == kind]


def functions(lines):
    """All functions among LINES."""
    labels = {}
    for i, line in enumerate(lines):
        if m := LABEL.match(line):
            labels[m[1]] = i
        elif (m := SIZE.match(line)) and m[1] in labels:
            yield Function(m[1], labels[m[1]], i, lines)


def find_index(function, points):
    """Offset and size of the suspend index of FUNCTION, and its value at each
    of POINTS, which are numbers of `co_await's."""
    gcc = function.part == ".actor"
    found = {int(m[2] or 0) for line in function.lines
             if (m := STORE.match(line)) and m[1] == ("w" if gcc else "b")}
    if len(found) != 1:
        raise ValueError(f"{function.name}: suspend index at {found}")
    return (found.pop(), 2 if gcc else 1,
            {n: 2 + 2 * n if gcc else n for n in points})


def complete(text):
    """TEXT with directives for the bodies that its marks ask for."""
    lines = text.splitlines()
    all_functions = list(functions(lines))
    asked = {}
    before, instead, behind = {}, {}, {}
    for f in all_functions:
        if f.part in RESUME and f.marks("body"):
            asked[f.coroutine] = f.marks("body")[0][1]
    for f in all_functions:
        if f.coroutine not in asked or f.part not in RESUME + DESTROY:
            continue
        chain, *rest = asked[f.coroutine].split(None, 1)
        head = [f"\t.sframe_coro_startbody {chain}"]
        if rest:
            name, off = rest[0].split()
            head.append(f"\t.sframe_coro_path {name}, {off}")
        points = [(i, int(n)) for i, n in f.marks("point")]
        if f.part in RESUME and points:
            off, size, values = find_index(f, [n for _, n in points])
            head.append(f"\t.sframe_coro_index {off}, {size}")
            for i, n in points:
                instead[i] = f"\t.sframe_coro_point {values[n]}"
        behind[f.start] = head
        before[f.end] = ["\t.sframe_coro_endbody"]
    out = []
    for i, line in enumerate(lines):
        out += before.get(i, [])
        out.append(instead.get(i, line))
        out += behind.get(i, [])
    return "\n".join(out) + "\n"
