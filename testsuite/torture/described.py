#!/usr/bin/env python3
"""Are the functions that .sframe_coro describes those that there are?

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later

    nm FILE | described.py FACTS all|live|any DUMP

compares what is described, in the output of `sframe-coro dump --json', with
the symbols of FILE, and these, but for "any", with what sources.py said there
would be; prints what differs.
"""

import json
import sys
from collections import Counter


def records(dump):
    """All blocks, chains and functions of the one file."""
    sections = dump["files"][0]["sections"]
    if len(sections) != 1 or sections[0]["errors"]:
        sys.exit("not one section without errors")
    blocks = sections[0]["blocks"]
    return (blocks, [c for b in blocks for c in b["chains"]],
            [f for b in blocks for f in b["functions"]])


def differ(what, got, want):
    """Whether the counters differ; say how."""
    if got == want:
        return False
    print(f"{what}: too much {list((got - want).items())[:5]},"
          f" missing {list((want - got).items())[:5]}")
    return True


def main():
    """Compare."""
    with open(sys.argv[1], encoding="ascii") as file:
        facts = json.load(file)
    with open(sys.argv[3], encoding="utf-8") as file:
        blocks, chains, functions = records(json.load(file))
    names = {line.split()[-1] for line in sys.stdin
             if line.split()[-2] in "tTwW"}
    symbols = Counter({name: 1 for name in names if name in facts["all"]})
    bad = differ("linked", symbols, Counter(facts.get(sys.argv[2], symbols)))
    for kind in "site", "body":
        described = Counter(f["start_name"] for f in functions
                            if f["kind"] == kind)
        bad |= differ(kind, described, symbols)
    # A linker that knows the section makes one block, and equal chains one.
    merged = len(blocks) == 1
    want = Counter({f"header {i}": 1 for i in range(facts["header_chains"])})
    want["local"] = 1 if merged else facts["local_chains"]
    bad |= differ("chain", Counter(c["name"] for c in chains), want)
    # None of them is referred to by another address.
    places = {c["address"] for c in chains}
    bad |= not {f["chain"] for f in functions} <= places
    print("merged" if merged else f"{len(blocks)} blocks")
    sys.exit(bad)


main()
