"""The commands `coro bt', `coro chains', `coro tasks' and `coro info'.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import gdb

from . import describe, library, process, stack
from .describe import plural


class Command(gdb.Command):
    """What the commands have in common: they look at the selected thread."""

    takes_number = False

    def __init__(self, name):
        super().__init__("coro " + name, gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if gdb.selected_thread() is None:
            raise gdb.GdbError("No stack.")
        number = None
        if argument and not self.takes_number:
            raise gdb.GdbError("The command takes no argument.")
        if argument:
            try:
                number = int(argument)
            except ValueError:
                raise gdb.GdbError(f"\"{argument}\" is no number.") from None
        try:
            seen = stack.Stack()
        except (library.Error, RuntimeError) as error:
            raise gdb.GdbError(f"sframe-coro: {error}") from None
        self.show(seen, number)


def print_entry(seen, i, entries=None):
    description = describe.Description(seen, (entries or seen.entries)[i])
    gdb.write(f"#{i:<3} {description.text()}\n")
    return description


def note_nothing(seen):
    """Say why there is nothing to be seen."""
    if not seen.program.chains:
        gdb.write(f"(no module has a section {process.SECTION})\n")


class Backtrace(Command):
    """Print the stack of the selected thread, with coroutines that await.
Usage: coro bt [N]
With N, print the innermost N entries only, with a negative N the outermost.
Entries are numbered as `coro info' takes them; `bt' shows the same ones among
gdb's frames.  Lists that cannot be followed to their end are named below."""

    takes_number = True

    def __init__(self):
        super().__init__("bt")

    def show(self, seen, number):
        shown = range(len(seen.entries))
        if number is not None:
            shown = shown[:number] if number >= 0 else shown[number:]
        for i in shown:
            print_entry(seen, i)
        if shown and shown[-1] + 1 < len(seen.entries):
            gdb.write("(More entries follow...)\n")
        for line in describe.cuts(seen):
            gdb.write(line + "\n")
        for walked in seen.lists:
            if walked.blocked:
                print_blocked(seen, walked)
        note_nothing(seen)


def print_blocked(seen, walked):
    """Say who waits for list WALKED, if a thread does."""
    found = find_in_stacks(seen, walked.blocked)
    if found is not None:
        thread, function, _ = found
        gdb.write(f"({seen.program.chain_name(walked.chain)} is waited for in "
                  f"{function} of thread {thread})\n")


def find_in_stacks(seen, address):
    """Whose stack ADDRESS is in, or None: the thread's number, the frame's
    function and an address in that.  (The frame itself is of no use when
    another thread is selected.)"""
    selected, machine = gdb.selected_thread(), seen.program.machine
    chosen = gdb.selected_frame()
    try:
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            newest = gdb.newest_frame()
            if address < process.register(newest, machine.sp):
                continue
            for native in stack.native_frames(machine):
                if native.cfa is not None and address < native.cfa:
                    return (thread.num, native.frame.name()
                            or hex(native.pc), native.address)
    except (gdb.error, library.Error):
        pass
    finally:
        selected.switch()
        chosen.select()
    return None


class Chains(Command):
    """List the chains of the program's modules, and their lists in this thread.
Usage: coro chains
Of each chain: its name, how the head of its lists is found, and the lists that
the selected thread has now, with their first nodes and why they end."""

    def __init__(self):
        super().__init__("chains")

    def show(self, seen, number):
        program = seen.program
        for module in program.modules:
            if not module.sections:
                continue
            gdb.write(f"{module.name}\n")
            for i in range(len(program.chains)):
                if program.module_of(i) is module:
                    self.show_chain(seen, i)
        note_nothing(seen)

    @staticmethod
    def show_chain(seen, number):
        program = seen.program
        chain = program.chains[number].chain
        kinds = [library.HEAD_KINDS[chain.head[i].kind]
                 for i in range(chain.num_heads)]
        gdb.write(f"  {program.chain_name(number)} at {chain.address:#x}, "
                  f"head {', '.join(kinds)}")
        if seen.bases[number]:
            gdb.write(f" at {seen.bases[number]:#x}")
        gdb.write("\n")
        if chain.flags & library.CHAIN_PROCESS_SCOPE:
            gdb.write("    lists of the whole process, not of a thread\n")
            return
        if seen.group[number] != number:
            first = program.module_of(seen.group[number])
            gdb.write(f"    the same lists as in {first.name}\n")
            return
        lists = [w for w in seen.lists if w.chain == number]
        for walked in lists:
            gdb.write(f"    {list_text(seen, walked)}\n")
        if not lists:
            gdb.write("    no list in this thread\n")


def list_text(seen, walked):
    """List WALKED as a line."""
    text = plural(len(walked.nodes), "node")
    if len(walked.nodes):
        text += f" from {walked.nodes[0].address:#x} on"
    return f"{text}: {seen.lib.stop_text(walked.stop).decode()}"


class Tasks(Command):
    """List the tasks of the program, where a chain leads to all of them.
Usage: coro tasks
These lists belong to the process, not to a thread; the coroutines in them may
be suspended or wait to be resumed."""

    def __init__(self):
        super().__init__("tasks")

    def show(self, seen, number):
        found = seen.tasks()
        for chain, lists, stop in found:
            name = seen.program.chain_name(chain)
            for i, walked in enumerate(lists):
                gdb.write(f"task {i} of {name}:\n")
                entries = stack.task_entries(walked)
                for k in range(len(entries)):
                    print_entry(seen, k, entries)
                for line in describe.cuts(seen, [walked]):
                    gdb.write(line + "\n")
            if seen.lib.stop_is_cut(stop):
                gdb.write(f"(there are more tasks of {name}: "
                          f"{seen.lib.stop_text(stop).decode()})\n")
        if not any(lists for _, lists, _ in found):
            gdb.write("No tasks.\n")


class Info(Command):
    """Tell what is known of coroutines in the stack of the selected thread.
Usage: coro info [NUMBER]
NUMBER is that of an entry of `coro bt'; without it, all that are coroutines
are told about: the chain, the address of the node, its instruction pointer,
and where it goes on, as far as its suspend points tell."""

    takes_number = True

    def __init__(self):
        super().__init__("info")

    def show(self, seen, number):
        if number is not None and not 0 <= number < len(seen.entries):
            raise gdb.GdbError(f"There is no entry {number}.")
        shown = [i for i, entry in enumerate(seen.entries)
                 if number is None or i == number]
        for i in shown:
            if seen.entries[i].node is not None:
                self.show_node(seen, i)
            elif number is not None:
                print_entry(seen, i)
                gdb.write("  no coroutine\n")
        if all(entry.node is None for entry in seen.entries):
            gdb.write("No coroutines in this stack.\n")
            note_nothing(seen)

    @staticmethod
    def show_node(seen, i):
        description = print_entry(seen, i)
        entry, node = seen.entries[i], seen.entries[i].node
        walked = entry.list
        module = seen.program.module_of(walked.chain)
        rows = [("chain", f"{description.chain_name()} in {module.name}"),
                ("list", list_text(seen, walked)),
                ("node", f"{node.address:#x}, index {node.index}"),
                ("ip", ip_text(seen, node))]
        if description.chain.path[library.PATH_AUX].given:
            rows.append(("aux", f"{node.aux:#x}"))
        if node.resume_pc:
            rows.append(("goes on", code_text(seen, node.resume_pc)))
        frame = description.coroutine_frame()
        if frame is not None:
            rows.append(("frame", f"{frame:#x}"))
        for name, text in rows:
            gdb.write(f"  {name:8} {text}\n")


def ip_text(seen, node):
    if node.flags & library.NODE_NO_IP:
        return "cannot be read"
    return code_text(seen, node.ip) if node.ip else "none"


def code_text(seen, address):
    """ADDRESS with the symbol that it is at, and the offset from there."""
    symbol = seen.symbols.find(address)
    if symbol is None:
        return f"{address:#x}"
    return f"{address:#x} <{symbol.name}+{address - symbol.start}>"


class Prefix(gdb.Command):
    """Look at coroutines that the section .sframe_coro describes.
`bt' shows those that await among gdb's frames; `disable frame-filter global
sframe-coro' and `bt -no-filters' leave them out."""

    def __init__(self):
        super().__init__("coro", gdb.COMMAND_STACK, gdb.COMPLETE_NONE, True)


Prefix()
Backtrace()
Chains()
Tasks()
Info()
