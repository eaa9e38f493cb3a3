#!/usr/bin/env python3
"""What the .sframe_coro sections of a file say, whatever block says it.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later

Reads the output of `sframe-coro dump --json'.  Left out are the blocks, the
order of records, and addresses, which depend on where blocks are; names stay.
With --any-abi so is the ABI.
"""

import json
import sys


def chain(entry):
    """ENTRY without addresses."""
    entry.pop("address")
    for head in entry["heads"]:
        head.pop("address", None)
    if entry["end"] == "address":
        entry.pop("end_value")
    return entry


def function(entry):
    """ENTRY with addresses relative to its start."""
    entry.pop("chain")
    start = int(entry.pop("start"), 16)
    for row in entry.get("rows", []):
        row["start"] = int(row["start"], 16) - start
    for point in entry.get("points", []):
        point["address"] = int(point["address"], 16) - start
    return entry


def contents(dump, any_abi):
    """All records, and errors, of all files."""
    found = {"chains": [], "functions": [], "errors": []}
    for section in (s for f in dump["files"] for s in f["sections"]):
        found["errors"] += section["errors"]
        for block in section["blocks"]:
            abi = {} if any_abi else {"abi": block["abi"]}
            found["chains"] += [chain(c) | abi for c in block["chains"]]
            found["functions"] += [function(f) | abi for f in block["functions"]]
    for records in found.values():
        records.sort(key=lambda r: json.dumps(r, sort_keys=True))
    return found


json.dump(contents(json.load(sys.stdin), "--any-abi" in sys.argv[1:]),
          sys.stdout, indent=1, sort_keys=True)
