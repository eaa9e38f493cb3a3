"""Names of functions: which symbols are pieces of one coroutine.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import re

import gdb

# What compilers put behind a dot: pieces of a coroutine, and other pieces.
COROUTINE = {"actor", "destroy", "resume", "cleanup"}
PLAIN = {"cold", "part", "isra", "constprop", "lto_priv", "llvm", "clone",
         "localalias", "unlikely"}


def base(symbol):
    """SYMBOL without suffixes, and whether one of them was a coroutine's."""
    name, coroutine = symbol[:1] + symbol[1:].split("@")[0], False
    while True:
        # A number belongs to the suffix before it; alone it tells functions
        # apart.
        m = re.fullmatch(r"(.+?)\.([^.\d][^.]*)(?:\.\d*)?", name, re.S)
        if not m or m[2] not in COROUTINE | PLAIN:
            return name, coroutine
        coroutine |= m[2] in COROUTINE
        name = m[1]


def same_function(a, b):
    """Whether the symbols A and B are pieces of the same function."""
    return base(a) == base(b)


def coroutine_name(symbol):
    """The mangled name of the coroutine that SYMBOL is of: g++ names its
    pieces after a function that takes the frame, whose type is called
    NAME.Frame; the length is before it."""
    name = base(symbol)[0]
    if name.endswith(".Frame"):
        for m in re.finditer(r"(\d+)(?=(_.*)$)", name, re.S):
            if int(m[1]) == len(m[2]):
                return m[2][:-len(".Frame")]
    return name


def is_piece_of(symbol, name):
    """Whether SYMBOL is a piece of the coroutine that is called NAME by the
    compiler, or by gdb."""
    plain = coroutine_name(symbol)
    if m := re.search(r"\((_\S+)\.Frame ?\*\)$", name):
        name = m[1]
    return name in (plain, demangled(plain))


def demangled(symbol):
    """SYMBOL as it is written in the source.  What debugging information
    calls a symbol may be anything, and must not come to be a command."""
    if not re.fullmatch(r"_[\w.$]+", symbol):
        return symbol
    try:
        return gdb.execute("demangle -l c++ -- " + symbol,
                           to_string=True).rstrip("\n")
    except gdb.error:
        return symbol


def display(symbol):
    """What to show for SYMBOL, as `print demangle' asks for."""
    if not gdb.parameter("print demangle"):
        return symbol
    return demangled(coroutine_name(symbol))


def without_parameters(name):
    """The function name NAME without the types of its parameters."""
    m = re.search(r"\)( const)?$", name)
    depth, i = 0, m.start() if m else -1
    while i > 0:
        depth += {")": 1, "(": -1}.get(name[i], 0)
        if depth == 0:
            return name[:i]
        i -= 1
    return name


class Symbol:
    """The function that an instruction is in, by the file's symbols."""

    def __init__(self, name, start, module):
        self.name, self.start, self.module = name, start, module


class Symbols:
    """Looks symbols up, each address once."""

    def __init__(self):
        self.known = {}

    def find(self, address):
        """The Symbol that ADDRESS is in, or None."""
        if address not in self.known:
            self.known[address] = self.ask(address)
        return self.known[address]

    @staticmethod
    def ask(address):
        try:
            text = gdb.execute("with print demangle off -- info symbol "
                               f"{address:#x}", to_string=True)
        except gdb.error:
            return None
        m = re.match(r"(\S+)(?: \+ (\d+))? in section \S+(?: of (.*))?$",
                     text.split("\n")[0])
        if not m:
            return None
        return Symbol(m[1], address - int(m[2] or 0), m[3])
