"""What gdb knows of the program: modules with sections, memory, threads.

Sources: link.h and the symbols _thread_db_*, by which glibc tells debuggers
where its structures have what, for TLS blocks; "ELF Handling For Thread-Local
Storage" (U. Drepper) for that of the program; the DWARF register numbers are
those of the psABIs; "Exception Frame Header" in the Linux Standard Base for the
tables of functions.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import bisect
import ctypes
import re
import struct

import gdb

from . import library

SECTION = ".sframe_coro"
# A section of more bytes than this is taken for damaged.
MAX_SECTION = 1 << 26
LINE = 256  # Bytes that are read at once.

MACHINES = {
    # The thread pointer; registers by DWARF number, those that calls preserve;
    # the stack pointer's, and how far above it in the caller the CFA is.
    "i386:x86-64": ("fs_base",
                    ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
                     *(f"r{n}" for n in range(8, 16))],
                    {3, 6, 12, 13, 14, 15}, "rsp", 0),
    "aarch64": ("tpidr", [*(f"x{n}" for n in range(31)), "sp"],
                set(range(19, 30)), "sp", 0),
    "s390:64-bit": (None, [f"r{n}" for n in range(16)], set(range(6, 14)),
                    "r15", 160),
}


class Machine:
    """How registers are named on the program's architecture."""

    def __init__(self):
        name = gdb.selected_inferior().architecture().name()
        if name not in MACHINES:
            raise library.Error(f"nothing is known of architecture {name}")
        (self.pointer, self.registers, self.preserved, self.sp,
         self.sp_to_cfa) = MACHINES[name]

    def thread_pointer(self, frame):
        """The thread pointer of the thread of FRAME."""
        if self.pointer is not None:
            return register(frame, self.pointer)
        high, low = register(frame, "acr0"), register(frame, "acr1")
        return (high & 0xffffffff) << 32 | low & 0xffffffff

    def cfa(self, caller):
        """The CFA of the frame that CALLER is the caller of."""
        return register(caller, self.sp) + self.sp_to_cfa


def register(frame, name):
    """Register NAME of FRAME, or library.Error if that is not known."""
    try:
        value = frame.read_register(name)
        if value.is_optimized_out:
            raise library.Error(f"register {name} is not known")
        return int(value) & 0xffffffffffffffff
    except (gdb.error, ValueError) as error:
        raise library.Error(f"register {name}: {error}") from None


class Memory:
    """The program's memory, for the library, kept for the time of one look."""

    def __init__(self):
        self.inferior = gdb.selected_inferior()
        self.lines = {}
        self.interrupted = False
        self.function = library.ReadFn(self.read)  # Must live on.
        self.structure = library.Memory(self.function, None)

    def line(self, address):
        """The bytes of the line at ADDRESS; None if they cannot be read."""
        if address not in self.lines:
            try:
                data = bytes(self.inferior.read_memory(address, LINE))
            except (gdb.error, OverflowError):
                data = None
            self.lines[address] = data
        return self.lines[address]

    def fetch(self, address, size):
        """SIZE bytes at ADDRESS, or None."""
        parts, end = [], address + size
        while address < end:
            start = address - address % LINE
            data = self.line(start)
            if data is None:
                return None
            parts.append(data[address - start:end - start])
            address = start + LINE
        return b"".join(parts)

    def read(self, _, address, buffer, size):
        """As a sframe_coro_read_fn.  Nothing may be raised from here."""
        try:
            data = None if self.interrupted else self.fetch(address, size)
        except KeyboardInterrupt:
            self.interrupted, data = True, None
        if data is None:
            return -1
        ctypes.memmove(buffer, data, size)
        return 0


# Modules.

class Module:
    """A file that is mapped, with the addresses of sections of interest."""

    def __init__(self, name):
        self.name = name
        self.sections = []  # (start, size) of each SECTION.
        self.dynamic = None  # Where .dynamic is.
        self.table = None  # (start, size) of .eh_frame_hdr.
        self.start, self.end = 2**64, 0
        self.is_program = False
        self.functions = None  # Their starts, sorted, once they are read.

    def read_functions(self, order):
        """Read the table of functions, as all linkers write it: a header, and
        pairs of words that are offsets from the table's start.  ORDER is that of
        bytes."""
        self.functions = []
        if self.table is None or self.table[1] < 12:
            return
        start, size = self.table
        try:
            data = bytes(gdb.selected_inferior().read_memory(
                start, min(size, MAX_SECTION)))
        except gdb.error:
            return
        version, _, count_encoding, encoding, _, count = struct.unpack_from(
            order + "BBBBiI", data)
        if (version, count_encoding, encoding) != (1, 0x03, 0x3b):
            return
        count = min(count, (len(data) - 12) // 8)
        self.functions = sorted(start + offset for offset in struct.unpack_from(
            f"{order}{2 * count}i", data, 12)[::2])


def read_modules():
    """The modules of the program, by what gdb says of its files."""
    modules, program = {}, "the program"
    for line in gdb.execute("info files", to_string=True).splitlines():
        if m := re.match(r"\s*`(.*)', file type ", line):
            program = m[1]
        m = re.match(r"\s*0x([0-9a-f]+) - 0x([0-9a-f]+) is (\S+)(?: in (.*))?$",
                     line)
        if not m:
            continue
        name = m[4] or program
        module = modules.setdefault(name, Module(name))
        module.is_program = not m[4]
        start, end = int(m[1], 16), int(m[2], 16)
        module.start = min(module.start, start)
        module.end = max(module.end, end)
        if m[3] == ".dynamic":
            module.dynamic = start
        elif m[3] == ".eh_frame_hdr":
            module.table = (start, end - start)
        elif m[3] == SECTION:
            module.sections.append((start, end - start))
    return list(modules.values())


def find_libc():
    """Whose thread control blocks the program has."""
    for objfile in gdb.objfiles():
        name = (objfile.filename or "").rsplit("/", 1)[-1]
        if name.startswith(("ld-musl-", "libc.musl-")):
            return library.LIBC_MUSL
        if name == "libc.so.6" or name.startswith(("ld-linux", "ld64.so")):
            return library.LIBC_GLIBC
    for symbol, libc in (("__libc_setup_tls", library.LIBC_GLIBC),
                         ("__init_tp", library.LIBC_MUSL)):
        if address_of(symbol) is not None:
            return libc
    return library.LIBC_UNKNOWN


def address_of(symbol):
    """The address of SYMBOL in the program, or None."""
    try:
        return int(gdb.parse_and_eval("&" + symbol))
    except gdb.error:
        return None


# TLS blocks; only heads of the kind tls_offset need them.

class Words:
    """Reads words in the program's byte order."""

    def __init__(self, memory, big):
        self.memory, self.order = memory, ">" if big else "<"

    def read(self, address, what):
        """Numbers at ADDRESS, as struct.unpack has them for WHAT."""
        what = self.order + what
        data = self.memory.fetch(address, struct.calcsize(what))
        if data is None:
            raise library.Error(f"memory at {address:#x} cannot be read")
        return struct.unpack(what, data)


def auxv(name):
    """The number that the kernel gave the program as NAME, or None."""
    text = gdb.execute("info auxv", to_string=True)
    m = re.search(rf"^\d+\s+{name}\s.*\s(0x[0-9a-f]+|\d+)$", text, re.M)
    return int(m[1], 0) if m else None


def program_tls(words):
    """The program's block: below the thread pointer, as near as its size and
    alignment allow.  (The other variant has no such heads.)"""
    table, number = auxv("AT_PHDR"), auxv("AT_PHNUM")
    for i in range(min(number or 0, 1000) if table else 0):
        kind, _, _, start, _, _, size, align = words.read(table + 56 * i,
                                                          "IIQQQQQQ")
        if kind == 7:  # PT_TLS.
            room = size + ((-start - size) & (max(align, 1) - 1))
            return library.TlsBlock(library.TLS_STATIC, -room, 0)
    return library.TlsBlock()


def library_tls(words, module):
    """The block of MODULE, by the dynamic linker's entry for it."""
    debug = address_of("_r_debug")
    fields = [address_of("_thread_db_link_map_l_tls_" + name)
              for name in ("offset", "modid")]
    if None in (debug, module.dynamic, *fields):
        return library.TlsBlock()
    link, left = words.read(debug + 8, "Q")[0], 100000
    while link and left:
        _, _, dynamic, following = words.read(link, "QQQQ")
        if dynamic == module.dynamic:
            break
        link, left = following, left - 1
    if not link or not left:
        return library.TlsBlock()
    offset, number = (words.read(link + words.read(field, "III")[2], "Q")[0]
                      for field in fields)
    # None yet, or known never to have one.
    if offset not in (0, 2**64 - 1):
        return library.TlsBlock(library.TLS_STATIC, -offset, 0)
    return library.TlsBlock(library.TLS_DYNAMIC, 0, number)


# The whole.

class Program:
    """What is the same in all threads: modules, chains, sites.  The library
    has the index; problems are texts to be told once."""

    def __init__(self):
        self.lib = library.get()
        self.machine = Machine()
        self.libc = find_libc()
        self.modules = read_modules()
        self.problems, self.contents, self.blocks = [], [], {}
        self.big = False
        self.index = self.lib.index_new()
        if not self.index:
            raise library.Error("out of memory")
        for number, module in enumerate(self.modules):
            for start, size in module.sections:
                self.add(number, module, start, size)
        self.lib.index_finish(self.index)
        self.chains = [self.lib.index_chain_at(self.index, i).contents
                       for i in range(self.lib.index_num_chains(self.index))]
        self.bodies = self.lib.index_bodies(self.index)

    def __del__(self):
        if getattr(self, "index", None):
            self.lib.index_free(self.index)

    def add(self, number, module, start, size):
        """Add the section at START of MODULE, which is that NUMBER."""
        where = library.Where()
        section = library.Section()
        try:
            if size > MAX_SECTION:
                raise library.Error(f"{size} bytes are too many")
            data = gdb.selected_inferior().read_memory(start, size)
        except (gdb.error, library.Error) as error:
            self.problems.append(f"{module.name}: {SECTION}: {error}")
            return
        data = ctypes.create_string_buffer(bytes(data), max(size, 1))
        self.contents.append(data)
        err = self.lib.section_open(section, ctypes.addressof(data), size,
                                    start, where)
        if err == library.ERR_OK:
            err = self.lib.index_add(self.index, section, number, where)
            self.big |= section.abi_arch in (1, 4)
        if err != library.ERR_OK:
            self.problems.append(f"{module.name}: {SECTION}+{where.offset:#x}"
                                 f": {self.lib.text(err)}")

    def function_start(self, address):
        """Where the function that ADDRESS is in starts, by the table that is
        there for exceptions; or None."""
        for module in self.modules:
            # A core, too, is a file with addresses.
            if module.table is None \
                    or not module.start <= address < module.end:
                continue
            if module.functions is None:
                module.read_functions(">" if self.big else "<")
            i = bisect.bisect_right(module.functions, address)
            return module.functions[i - 1] if i else None
        return None

    def module_of(self, number):
        """The module that chain NUMBER is in."""
        return self.modules[self.chains[number].module or 0]

    def tls_block(self, number, memory):
        """The TLS block of the module of chain NUMBER."""
        module = self.module_of(number)
        if module.name not in self.blocks:
            words = Words(memory, self.big)
            try:
                block = (program_tls(words) if module.is_program
                         else library_tls(words, module))
            except library.Error:
                block = library.TlsBlock()
            self.blocks[module.name] = block
        return self.blocks[module.name]

    def chain_name(self, number):
        """The name of chain NUMBER, or what stands for it."""
        chain = self.chains[number].chain
        return ((chain.name or b"").decode(errors="replace")
                or f"chain@{chain.address:#x}")

    def needs_block(self, number):
        chain = self.chains[number].chain
        return any(library.HEAD_KINDS[min(chain.head[i].kind, 6)]
                   == "tls_offset" for i in range(chain.num_heads))

    def has_frame_head(self, number):
        """Whether rows of sites say where lists of chain NUMBER begin."""
        chain = self.chains[number].chain
        return any(chain.head[i].kind == library.HEAD_FRAME
                   for i in range(chain.num_heads))

    def sites(self, pc):
        """The sites that a frame with return address PC is at: pairs of the
        function and the number of the chain."""
        cursor, chain = ctypes.c_size_t(0), ctypes.c_size_t(0)
        while True:
            found = self.lib.index_find(self.index, pc, library.FUNC_SITE,
                                        cursor, chain)
            if not found:
                return
            if chain.value != library.NO_INDEX:
                yield found, chain.value


_program, _key = None, None


def forget(_=None):
    """Modules may have come or gone."""
    global _program
    _program = None


def current():
    """The selected inferior's Program."""
    global _program, _key
    inferior = gdb.selected_inferior()
    key = (inferior.num, inferior.pid,
           tuple(o.filename for o in gdb.objfiles()))
    if _program is None or key != _key:
        _program, _key = Program(), key
        for problem in _program.problems:
            gdb.write(f"sframe-coro: {problem}\n", gdb.STDERR)
    return _program
