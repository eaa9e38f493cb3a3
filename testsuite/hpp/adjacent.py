#!/usr/bin/env python3
"""Whether each site in an object file is right behind a call.

usage: adjacent.py OBJDUMP FILE NUMBER

The anchor relocation stands where a site is.  There have to be NUMBER sites or
more: compilers make copies.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import re
import subprocess
import sys


def main():
    objdump, file, number = sys.argv[1:]
    text = subprocess.run([objdump, "-drw", "--no-show-raw-insn", file],
                          check=True, capture_output=True, text=True).stdout
    sites, wrong = 0, []
    for section in text.split("\nDisassembly of section ")[1:]:
        before, previous = {}, ""
        for line in section.splitlines():
            if m := re.match(r"\s*([0-9a-f]+):\t(\S+.*)", line):
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
