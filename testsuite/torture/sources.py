#!/usr/bin/env python3
"""Sources of many translation units that share coroutines and chains.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later

    sources.py NUMBER DIRECTORY

writes NUMBER of them, as C++ compilers write them: inline coroutines in COMDAT
groups, each in several units; functions of one unit in sections of their own;
chains of headers in COMDAT groups, and one that each unit which uses it has for
itself.  DIRECTORY/facts.json says which functions there are, which of them can
be reached from _start, and how many chains there are.
"""

import json
import random
import sys
from pathlib import Path

CHAINS = 12
CALLS = 2  # of other functions, by each.

HEADER = """\t.sframe_coro_chain chain{0}, "header {0}", comdat
\t.sframe_coro_head tls, leaf
\t.sframe_coro_path next, {1}
\t.sframe_coro_path ip, 0
\t.sframe_coro_ip entry
\t.sframe_coro_endchain
"""

LOCAL = """\t.sframe_coro_chain own, "local"
\t.sframe_coro_head global, list
\t.sframe_coro_path next, 8
\t.sframe_coro_endchain
"""


def function(name, chain, calls, comdat):
    """A coroutine that resumes others, or one of them."""
    group = f"G\", @progbits, {name}, comdat" if comdat else "\", @progbits"
    text = f"\t.section .text.{name}, \"ax{group}\n"
    text += f"\t.{'weak' if comdat else 'globl'} {name}\n\t.hidden {name}\n"
    text += f"\t.type {name}, @function\n{name}:\n"
    text += f"\t.sframe_coro_startbody {chain}\n"
    text += f"\t.sframe_coro_startsite {chain}\n\tcall *(%rdi)\n"
    text += "\t.sframe_coro_endsite\n"
    text += "".join(f"\tcall {callee}\n" for callee in calls)
    return text + f"\tret\n\t.sframe_coro_endbody\n\t.size {name}, .-{name}\n"


class Program:
    """What is in which unit, the same for equal numbers of units."""

    def __init__(self, units):
        self.random = random.Random(units)
        self.units = units
        inline = [f"inline{i}" for i in range(units // 4)]
        # What refers to what; a third of the units is never called.
        plain = [f"unit{i}" for i in range(units)]
        called = inline + plain[: units * 2 // 3]
        self.calls = {f: self.random.sample(called, CALLS)
                      for f in inline + plain}
        self.chain = {f: f"chain{i % CHAINS}" for i, f in enumerate(inline)}
        self.calls["_start"] = plain[: units // 3]

    def inline_of(self, unit):
        """Inline functions that must be in UNIT, or may be."""
        needed = [f for f in self.calls[f"unit{unit}"] if f in self.chain]
        if unit == 0:
            needed += self.chain
        more = self.random.sample(sorted(self.chain), 3)
        return sorted(set(needed + more))

    def source(self, unit):
        """The source of UNIT."""
        inline = self.inline_of(unit)
        own = "own" if unit % 5 == 0 else f"chain{unit % CHAINS}"
        chains = {self.chain[f] for f in inline} | {own}
        text = LOCAL if own == "own" else ""
        for chain in sorted(chains - {"own"}):
            number = int(chain.removeprefix("chain"))
            text += HEADER.format(number, 8 * number + 16)
        for name in inline:
            text += function(name, self.chain[name], self.calls[name], True)
        text += function(f"unit{unit}", own, self.calls[f"unit{unit}"], False)
        if unit == 0:
            text += self.start()
        return text + "\t.hidden leaf\n\t.hidden list\n"\
            "\t.section .note.GNU-stack, \"\", @progbits\n"

    def start(self):
        """The entry of the program, and its variables."""
        calls = "".join(f"\tcall {f}\n" for f in self.calls["_start"])
        return ("\t.text\n\t.globl _start\n\t.type _start, @function\n_start:\n"
                f"{calls}\tret\n\t.size _start, .-_start\n"
                "\t.globl leaf\n\t.section .tbss, \"awT\", @nobits\n"
                "\t.type leaf, @object\nleaf:\t.zero 8\n"
                "\t.globl list\n\t.data\nlist:\t.zero 8\n")

    def live(self):
        """What can be reached from _start."""
        seen, todo = set(), ["_start"]
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += self.calls[name]
        return sorted(seen - {"_start"})


def main():
    """Write everything."""
    units, directory = int(sys.argv[1]), Path(sys.argv[2])
    program = Program(units)
    for unit in range(units):
        (directory / f"{unit}.s").write_text(program.source(unit))
    facts = {
        "all": sorted(set(program.calls) - {"_start"}),
        "live": program.live(),
        "header_chains": CHAINS,
        "local_chains": len(range(0, units, 5)),
    }
    (directory / "facts.json").write_text(json.dumps(facts))


main()
