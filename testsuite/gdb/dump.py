"""Run by gdb: what the script sees, as JSON for debugger.py.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import json

import gdb
from sframe_coro_gdb import commands, describe, library, stack


def row(seen, entry):
    """ENTRY of SEEN."""
    d = describe.Description(seen, entry)
    found = {"symbol": d.symbol(),
             "inlined": entry.native is not None and entry.native.inlined}
    if entry.node is None:
        return found
    flags = "r" if entry.running else ""
    flags += "n" if entry.flags & library.SPLICED_NO_SITE else ""
    flags += "f" if entry.node.flags & library.NODE_ALT_IP else ""
    line = d.line()
    found.update(
        chain=d.chain_name(), index=entry.node.index, flags=flags,
        cookie=[entry.node.aux, entry.node.ip] if entry.node.aux else None,
        resume=(line[1] if line and entry.node.resume_pc
                and not entry.running else None))
    return found


def blocked(seen, walked):
    """The list WALKED, its root and the function that waits for it."""
    found = commands.find_in_stacks(seen, walked.blocked)
    symbol = None
    if found is not None:
        symbol = seen.symbols.find(found[2])
    return [seen.program.chain_name(walked.chain), walked.blocked,
            symbol.name if symbol is not None else None]


def select(tid):
    """Select the thread with the kernel's number TID."""
    for thread in gdb.selected_inferior().threads():
        if tid in thread.ptid[:2] and thread.ptid[1] in (tid, 0):
            thread.switch()
            return
    raise gdb.GdbError(f"no thread {tid}")


def dump():
    """Print the selected thread's stack, and the tasks."""
    seen = stack.Stack()
    tasks = [[seen.program.chain_name(number),
              [row(seen, e) for e in stack.task_entries(walked)]]
             for number, lists, _ in seen.tasks() for walked in lists]
    print("JSON:" + json.dumps({
        "frames": [row(seen, entry) for entry in seen.entries],
        "tasks": tasks,
        "blocked": [blocked(seen, walked) for walked in seen.lists
                    if walked.blocked]}))
