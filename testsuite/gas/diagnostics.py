#!/usr/bin/env python3
"""Does every message of the assembler have a test?

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later

    diagnostics.py SOURCES... -- EXPECTED...

SOURCES are those of the assembler, in which messages, and what is put into
them, are _("...") or N_("..."); EXPECTED are the files with the messages that
tests expect.  Prints each text that is in none of them.
"""

import re
import sys
from pathlib import Path

# No test could wait for these.
UNREACHABLE = {
    # It takes rows of 4 GiB.
    "too many rows and points for section `%s'",
}

LITERAL = r'"(?:[^"\\]|\\.)*"'
TEXT = re.compile(r'\b(?:N_|_) ?\(((?:\s*' + LITERAL + r')+)\s*\)')
CONVERSION = re.compile(r"%(?:l?u|d|s)")


def texts(source):
    """The texts of SOURCE, with the number of their line."""
    code = Path(source).read_text(encoding="ascii")
    for match in TEXT.finditer(code):
        parts = re.findall(LITERAL, match[1])
        text = "".join(part[1:-1] for part in parts)
        yield code.count("\n", 0, match.start()) + 1, text


def pattern(text):
    """What TEXT looks like once printed."""
    kinds = [".+" if c == "%s" else "[0-9]+" for c in CONVERSION.findall(text)]
    parts = [re.escape(part) for part in CONVERSION.split(text)]
    return "".join(p + k for p, k in zip(parts, kinds + [""]))


def main():
    """Look for all texts."""
    middle = sys.argv.index("--")
    expected = "\n".join(Path(name).read_text(encoding="utf-8")
                         for name in sys.argv[middle + 1:])
    number = missing = 0
    for source in sys.argv[1:middle]:
        for line, text in texts(source):
            number += 1
            if text in UNREACHABLE:
                continue
            if not re.search(pattern(text), expected):
                missing += 1
                print(f"{Path(source).name}:{line}: no test expects: {text}")
    if number < 100:
        sys.exit(f"only {number} texts found")
    sys.exit(missing > 0)


main()
