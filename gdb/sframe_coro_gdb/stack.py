"""The stack of the selected thread: its lists, spliced into its frames.

Walking and splicing is the library's; what is here asks it, in the order in
which the command `sframe-coro stack' does.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes

import gdb

from . import library, names, process

MAX_NATIVES = 65536
MAX_NODES = 10000  # Of all lists together.
MAX_ROOTS = 16  # Of a chain, in a thread.
MAX_TASKS = 1024  # Of a chain, in the process.


class NativeFrame:
    """A frame of gdb's."""

    def __init__(self, frame, younger):
        self.frame = frame
        self.inlined = frame.type() == gdb.INLINE_FRAME
        # Of those that share a frame, inlined ones come first.
        self.innermost = younger is None or not younger.inlined
        self.returned = younger is not None and (
            younger.returned if younger.inlined
            else younger.frame.type() != gdb.SIGTRAMP_FRAME)
        self.is_signal = frame.type() == gdb.SIGTRAMP_FRAME
        self.pc = frame.pc()
        self.cfa = None
        self.site = False
        self.registers = younger.registers if (younger and younger.inlined) \
            else {}
        self.is_leaf = younger is None or (younger.inlined and younger.is_leaf)

    @property
    def address(self):
        """Of an instruction that is being executed."""
        return max(self.pc - self.returned, 0)


class WalkedList:
    """A list of chain number CHAIN, as a sframe_coro_list and more."""

    def __init__(self, chain, nodes, stop, frame=0, blocked=0, base=0):
        self.chain, self.group, self.nodes = chain, chain, nodes
        self.stop, self.frame, self.blocked = stop, frame, blocked
        self.base = base


class Entry:
    """An entry of a stack: a native frame, a node of a list, or both."""

    def __init__(self, native, walked, position, flags):
        self.native, self.list, self.flags = native, walked, flags
        self.node = walked.nodes[position] if walked is not None else None
        self.is_task = False

    @property
    def running(self):
        return bool(self.flags & library.SPLICED_RUNNING)


def task_entries(walked):
    """The entries of a list of the process."""
    entries = [Entry(None, walked, i, 0) for i in range(len(walked.nodes))]
    for entry in entries:
        entry.is_task = True
    return entries


def native_frames(machine):
    """The frames of the selected thread, leaf first."""
    natives, frame, physical = [], gdb.newest_frame(), 0
    while frame is not None and frame.is_valid() \
            and len(natives) < MAX_NATIVES:
        native = NativeFrame(frame, natives[-1] if natives else None)
        if native.innermost and natives:
            # This frame's stack pointer is the CFA of those before.
            try:
                cfa = machine.cfa(frame)
            except library.Error:
                cfa = None
            for other in natives[physical:]:
                other.cfa = cfa
            physical = len(natives)
        natives.append(native)
        try:
            frame = frame.older()
        except gdb.error:
            break
    return natives


class Stack:
    """The stack of the selected thread.  ENTRIES is the whole, LISTS what was
    walked."""

    def __init__(self):
        self.program = process.current()
        self.lib = self.program.lib
        self.memory = process.Memory()
        self.symbols = names.Symbols()
        self.natives = native_frames(self.program.machine)
        self.lists, self.group, self.bases = [], [], []
        self.nodes_left = MAX_NODES
        self.buffer = (library.Node * MAX_NODES)()
        self.thread = self.find_thread()
        for native in self.natives:
            native.site = native.innermost and native.returned and any(
                self.program.sites(native.pc))
        self.walk_all()
        self.splice()
        if self.memory.interrupted:
            raise KeyboardInterrupt

    def find_thread(self):
        """The selected thread, for the library."""
        tid = gdb.selected_thread().ptid[1]
        pointer = self.program.machine.thread_pointer(gdb.newest_frame())
        return library.Thread(pointer, tid, self.program.libc)

    # Walking.

    def walk_roots(self, number, head=None, max_roots=MAX_ROOTS):
        """Walk the roots of chain NUMBER, from HEAD if it is of FRAME kind:
        the lists, why there are no more roots, and the base of the head."""
        block = (self.program.tls_block(number, self.memory)
                 if self.program.needs_block(number) else None)
        walker = library.Walker(
            ctypes.pointer(self.memory.structure),
            ctypes.pointer(self.thread),
            ctypes.pointer(block) if block is not None else None,
            ctypes.pointer(self.program.bodies),
            ctypes.pointer(ctypes.c_uint64(head)) if head is not None
            else None)
        roots = (library.Root * max_roots)()
        num, base = ctypes.c_size_t(0), ctypes.c_uint64(0)
        stop = self.lib.walk_roots(self.program.chains[number].chain, walker,
                                   self.buffer, self.nodes_left, roots,
                                   max_roots, num, base)
        lists = []
        for root in roots[:num.value]:
            size = root.num * ctypes.sizeof(library.Node)
            nodes = (library.Node * root.num)()
            start = root.first * ctypes.sizeof(library.Node)
            ctypes.memmove(nodes, ctypes.addressof(self.buffer) + start, size)
            lists.append(WalkedList(number, nodes, root.stop, root.frame,
                                    root.blocked, base.value))
        return lists, stop, base.value

    def add(self, walked):
        self.lists.append(walked)
        self.nodes_left -= len(walked.nodes)

    def walk_chain(self, number, head=None, frame=0):
        """Add the lists of chain NUMBER; whether it has roots."""
        lists, stop, base = self.walk_roots(number, head)
        if head is None:
            self.bases[number] = base
            if self.join_group(number, base):
                return True
        for walked in lists:
            if head is not None:
                walked.frame = frame
            if len(walked.nodes) or self.lib.stop_is_cut(walked.stop):
                self.add(walked)
        if self.lib.stop_is_cut(stop):
            self.add(WalkedList(number, (library.Node * 0)(), stop))
        return bool(lists)

    def join_group(self, number, base):
        """A header-only runtime has a copy of a chain in each module: put
        NUMBER in the group of an earlier one that is the same.  Whether there
        is one."""
        chains = self.program.chains
        for i in range(number if base else 0):
            if (self.bases[i] == base and self.group[i] == i
                    and self.lib.chain_equal(chains[number].chain,
                                             chains[i].chain)):
                self.group[number] = i
                return True
        return False

    def walk_all(self):
        for number, chain in enumerate(self.program.chains):
            self.group.append(number)
            self.bases.append(0)
            if chain.chain.flags & library.CHAIN_PROCESS_SCOPE:
                continue
            if not self.walk_chain(number) \
                    and self.program.has_frame_head(number):
                self.walk_frames(number)

    def walk_frames(self, number):
        """Walk the lists of chain NUMBER that begin at native frames; those
        that give the same head share one."""
        last = 0
        for native in self.natives:
            row = self.find_row(number, native)
            if row is None:
                continue
            frame = native.cfa - 1 if native.cfa is not None else 0
            head = self.row_head(number, row, native)
            if head is None:
                self.add(WalkedList(number, (library.Node * 0)(),
                                    library.STOP_UNREADABLE, frame))
                continue
            if head != last:
                self.walk_chain(number, head, frame)
            last = head

    def find_row(self, number, native):
        """The row for NATIVE of a site of chain NUMBER, or None."""
        row = library.Row()
        if not native.returned:
            return None
        for function, chain in self.program.sites(native.pc):
            if (chain == number
                    and self.lib.index_row(self.program.index, function,
                                           native.pc, row) == library.ERR_OK
                    and (row.base != library.BASE_CFA
                         or native.cfa is not None)):
                return row
        return None

    def row_head(self, number, row, native):
        """Where ROW says that the list of NATIVE begins, or None."""
        head = ctypes.c_uint64(0)

        @library.RegisterFn
        def read_register(_, regno, value):
            found = self.register(native, regno)
            if found is None:
                return -1
            value[0] = found
            return 0

        err = self.lib.row_head(row, bool(self.program.chains[number]
                                          .chain.swap),
                                self.memory.structure, native.cfa or 0,
                                read_register, None, head)
        return head.value if err == library.ERR_OK else None

    def register(self, native, regno):
        """DWARF register REGNO of NATIVE, or None: in callers, only those are
        known that calls preserve."""
        machine = self.program.machine
        if regno >= len(machine.registers):
            return None
        name = machine.registers[regno]
        if not native.is_leaf and regno not in machine.preserved \
                and name != machine.sp:
            return None
        try:
            return process.register(native.frame, name)
        except library.Error:
            return None

    def tasks(self):
        """The lists of the process: of each that is no repetition, its chain's
        number, the lists, and why there are no more."""
        found, seen = [], []
        for number, chain in enumerate(self.program.chains):
            if not chain.chain.flags & library.CHAIN_PROCESS_SCOPE:
                continue
            lists, stop, base = self.walk_roots(number, None, MAX_TASKS)
            if base and any(base == other and self.lib.chain_equal(
                    chain.chain, self.program.chains[i].chain)
                            for i, other in seen):
                continue
            seen.append((number, base))
            found.append((number, lists, stop))
        return found

    # Splicing.

    def is_site(self, group, native):
        if not native.returned or not native.innermost:
            return False
        return any(self.group[chain] == group
                   for _, chain in self.program.sites(native.pc))

    def is_function(self, ip, native):
        """Whether NATIVE executes the coroutine whose node has IP."""
        own = self.symbols.find(native.address)
        other = self.symbols.find(ip)
        if own is None and other is None:
            # Nothing has names.
            start = self.program.function_start(native.address)
            return (not native.inlined and start is not None
                    and start == self.program.function_start(ip))
        if own is None or other is None:
            return False
        same = own.start == other.start or (
            own.module == other.module
            and names.same_function(own.name, other.name))
        if not native.inlined:
            return same
        # A coroutine may be inlined into its awaiter.
        function = native.frame.function()
        return (not same and function is not None
                and any(names.is_piece_of(other.name, name) for name in
                        (function.linkage_name, function.name) if name))

    def splice_ops(self, natives):
        """The callbacks; NATIVES is the array that they get pointers into."""
        base, size = ctypes.addressof(natives), ctypes.sizeof(library.Native)
        failures = []

        def guarded(function):
            # The library goes on whatever happens; it is told afterwards.
            def call(_, what, pointer):
                try:
                    i = (ctypes.addressof(pointer.contents) - base) // size
                    return bool(function(what, self.natives[i]))
                except (Exception, KeyboardInterrupt) as failure:
                    failures.append(failure)
                    return False
            return call

        ops = library.SpliceOps(library.IsSiteFn(guarded(self.is_site)),
                                library.IsFunctionFn(guarded(
                                    self.is_function)), None)
        return ops, failures

    def splice(self):
        natives = (library.Native * max(len(self.natives), 1))()
        for to, native in zip(natives, self.natives):
            to.pc, to.cfa = native.pc, native.cfa or 0
            if native.returned:
                to.flags |= library.NATIVE_RETURN_ADDRESS
            if native.cfa is not None:
                to.flags |= library.NATIVE_CFA
        lists = (library.List * max(len(self.lists), 1))()
        for to, walked in zip(lists, self.lists):
            flags = self.program.chains[walked.chain].chain.flags
            to.chain, to.num = self.group[walked.chain], len(walked.nodes)
            to.nodes = ctypes.cast(walked.nodes,
                                   ctypes.POINTER(library.Node))
            to.frame = walked.frame
            to.head_is_running = bool(flags & library.CHAIN_HEAD_IS_RUNNING)
        room = len(self.natives) + sum(len(w.nodes) for w in self.lists)
        out, num = (library.Spliced * max(room, 1))(), ctypes.c_size_t(0)
        ops, failures = self.splice_ops(natives)
        err = self.lib.splice(natives, len(self.natives), lists,
                              len(self.lists), ops, out, room, num)
        if failures:
            raise failures[0]
        if err != library.ERR_OK:
            raise library.Error(self.lib.text(err))
        self.entries = [
            Entry(None if s.native == library.NO_INDEX
                  else self.natives[s.native],
                  None if s.list == library.NO_INDEX else self.lists[s.list],
                  s.node, s.flags) for s in out[:num.value]]
