"""Are the chains in a profile of `busy' those that the program had?
Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later

usage: chains.py LOG DEPTH < perf-script

LOG is what the program printed; standard input what `perf script -F
comm,tid,ip,sym' prints of the profile.  Prints counts and exits with 0 if 99 %
of the samples inside coroutines have a complete chain and none a wrong one.
"""

import re
import sys

NODE = re.compile(r"\bnode_(\d+)_(\d+)\b")


def stacks(lines):
    """The stacks, innermost first, as lists of symbols."""
    stack = []
    for line in lines:
        if not line.strip():
            if stack:
                yield stack
            stack = []
        elif line[0].isspace() and not re.match(r"\s+\d+\s*$", line):
            stack.append(line.split(None, 1)[1].strip())
    if stack:
        yield stack


def is_path(nodes, awaits):
    """Whether each node is awaited by the next one."""
    return all((b, a) in awaits for a, b in zip(nodes, nodes[1:]))


def judge(nodes, awaits):
    """`whole', `part' or `wrong'."""
    # Just when a coroutine suspends to let another one run, the list begins
    # with that already, and the native stack ends with itself.
    if len(nodes) > 2 and nodes[0] == nodes[2]:
        nodes = nodes[1:]
    if not is_path(nodes, awaits):
        return "wrong"
    return "whole" if nodes[-1] == (0, 0) else "part"


def main():
    log, depth = sys.argv[1], int(sys.argv[2])
    awaits = set()
    for line in open(log):
        words = line.split()
        if words and words[0] == "await":
            a, b, c, d = map(int, words[1:])
            awaits.add(((a, b), (c, d)))
    counts = {"whole": 0, "part": 0, "wrong": 0}
    longest = 0
    for stack in stacks(sys.stdin):
        nodes = [tuple(map(int, m.groups()))
                 for m in map(NODE.search, stack) if m]
        # Where coroutines are run, and nothing but them computes.
        if not nodes and not any(s.startswith("compute") for s in stack):
            continue
        verdict = judge(nodes, awaits) if nodes else "part"
        counts[verdict] += 1
        longest = max(longest, len(nodes))
        if verdict == "wrong":
            print("wrong:", stack)
    total = sum(counts.values())
    print(f"{total} samples inside coroutines: {counts}, longest {longest}")
    good = (total >= 100 and counts["wrong"] == 0
            and counts["whole"] >= 0.99 * total and longest > depth)
    sys.exit(0 if good else 1)


main()
