#!/usr/bin/env python3
"""Whether each site in an object file is right behind a call.

usage: adjacent.py [--jumps] OBJDUMP FILE NUMBER

The anchor relocation stands where a site is.  There have to be NUMBER sites or
more: compilers make copies.  With --jumps, a jump of two bytes to the site may
be in between, which sites of three bytes allow for.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import re
import subprocess
import sys


def main():
    jumps = sys.argv[1] == "--jumps"
    objdump, file, number = sys.argv[1 + jumps:]
    text = subprocess.run([objdump, "-drw", "--no-show-raw-insn", file],
                          check=True, capture_output=True, text=True).stdout
    sites, wrong = 0, []
    for section in text.split("\nDisassembly of section ")[1:]:
        before, previous, jumped = {}, "", 0
        for line in section.splitlines():
            if m := re.match(r"\s*([0-9a-f]+):\t(\S+.*)", line):
                if jumps and previous.startswith(f"jmp    {m[1]} "):
                    jumped += 1
                    previous = before[int(m[1], 16) - 2]
                before[int(m[1], 16)] = previous
                previous = m[2]
        for place in re.findall(r"([0-9a-f]+): R_X86_64_NONE", section):
            sites += 1
            instruction = before.get(int(place, 16), "no instruction")
            if not instruction.startswith("call"):
                wrong.append(f"{section.split()[0]} {place}: behind "
                             + instruction)
    if sites < int(number):
        wrong.append(f"{sites} sites, not {number}")
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
