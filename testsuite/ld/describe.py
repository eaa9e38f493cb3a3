#!/usr/bin/env python3
# What a linked file describes, whatever blocks it is in.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: describe.py [--heads] SFRAME-CORO FILE

Print one line for each chain and each function of FILE, sorted, without
addresses, so that two links of the same objects compare.  A function's line
has all of its chain's.  With --heads, a TLS head counts by the offset that its
stub has, which is known in executables for x86-64.
"""
import json
import subprocess
import sys


def stub_offset(file, segments, address):
    """The offset that "mov $N, %rax" at ADDRESS loads."""
    for offset, vaddr, size in segments:
        if vaddr <= address < vaddr + size:
            with open(file, "rb") as image:
                image.seek(offset + address - vaddr)
                code = image.read(7)
            if code[:3] != b"\x48\xc7\xc0":
                sys.exit(f"{file}: no immediate at {address:#x}")
            return int.from_bytes(code[3:], "little", signed=True)
    sys.exit(f"{file}: no code at {address:#x}")


def load_segments(file):
    text = subprocess.run(["readelf", "-lW", file], check=True,
                          capture_output=True, text=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return [(int(row[1], 16), int(row[2], 16), int(row[4], 16))
            for row in rows if row[:1] == ["LOAD"]]


def main():
    args = sys.argv[1:]
    heads = args[:1] == ["--heads"]
    tool, file = args[heads:]
    dump = json.loads(subprocess.run([tool, "dump", "--json", file],
                                     check=True, capture_output=True).stdout)
    segments = load_segments(file) if heads else []
    blocks = [block for section in dump["files"][0]["sections"]
              for block in section["blocks"]]
    chains = {}
    for block in blocks:
        for chain in block["chains"]:
            address = chain.pop("address")
            chain.pop("address_name", None)
            if chain["end"] == "address":
                chain.pop("end_value")
            for head in chain["heads"]:
                if "address" in head and not head.get("address_name"):
                    where = head.pop("address")
                    if heads and head["kind"] == "tls":
                        head["offset"] = stub_offset(file, segments,
                                                     int(where, 16))
                else:
                    head.pop("address", None)
            chains[address] = json.dumps(chain, sort_keys=True)
    lines = {"chain " + chain for chain in chains.values()}
    for block in blocks:
        for func in block["functions"]:
            chain = chains[func.pop("chain")]
            func.pop("start")
            func.pop("chain_name", None)
            lines.add("function " + json.dumps(func, sort_keys=True)
                      + " of " + chain)
    print("\n".join(sorted(lines)))


main()
