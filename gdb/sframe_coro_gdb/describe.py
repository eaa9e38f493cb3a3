"""What there is to say about an entry of a stack.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import re

import gdb
from gdb.FrameDecorator import FrameDecorator, SymValueWrapper

from . import library, names

POINTER_SIZE = 8


class Description:
    """Of ENTRY of STACK."""

    def __init__(self, stack, entry):
        self.stack, self.entry = stack, entry
        self.node, self.native = entry.node, entry.native
        self.chain = None
        if self.node is not None:
            self.chain = stack.program.chains[entry.list.chain].chain

    # Which code.

    def is_code(self):
        """Whether the node's IP is an address of code."""
        return (self.node.ip != 0 and self.chain.ip_kind
                not in (library.IP_NONE, library.IP_COOKIE))

    def code_address(self):
        """Of an instruction of the function; None if there is none."""
        if self.native is not None:
            return self.native.address
        if not self.is_code():
            return None
        return self.node.ip - (self.chain.ip_kind
                               == library.IP_RETURN_ADDRESS)

    def symbol(self):
        """The mangled name of the function, or None."""
        if self.native is not None and self.native.inlined:
            function = self.native.frame.function()
            return function.linkage_name if function is not None else None
        address = self.code_address()
        found = self.stack.symbols.find(address) if address else None
        return found.name if found is not None else None

    def function(self):
        """The name that is shown, with the types of parameters."""
        symbol = self.symbol()
        if self.native is not None and self.native.is_signal:
            return "<signal handler called>"
        if symbol:
            return names.display(symbol)
        if self.native is not None:
            return self.native.frame.name() or f"{self.native.pc:#018x}"
        if self.chain.ip_kind == library.IP_COOKIE:
            return f"cookie {self.node.ip:#x}, {self.node.aux:#x}"
        if self.node.ip:
            return f"{self.node.ip:#018x}"
        return "(no code address)"

    def module(self):
        """The file that the function is in, or None."""
        address = self.code_address()
        found = self.stack.symbols.find(address) if address else None
        if found is not None and found.module:
            return found.module
        return gdb.solib_name(address) if address else None

    def address(self):
        """Where execution is, or goes on; None if that is not known: most
        coroutines only tell their functions."""
        if self.native is not None:
            return self.native.pc
        if self.node.resume_pc:
            return self.node.resume_pc
        if self.is_code() \
                and self.chain.ip_kind != library.IP_FUNCTION_ENTRY:
            return self.node.ip
        return None

    # Where in the source.

    def line(self):
        """A pair of file and line, or None: of the native frame; else of the
        suspend point, which is better where g++ gives the line of the function
        to what calls the next coroutine."""
        sal = None
        if self.node is not None and self.node.resume_pc \
                and not self.entry.running:
            sal = gdb.find_pc_line(self.node.resume_pc)
        if (sal is None or sal.symtab is None or sal.line == 0) \
                and self.native is not None:
            sal = self.native.frame.find_sal()
        if sal is None and self.is_code() \
                and self.chain.ip_kind != library.IP_FUNCTION_ENTRY:
            sal = gdb.find_pc_line(self.code_address())
        if sal is None or sal.symtab is None or sal.line == 0:
            return None
        return sal.symtab.filename, sal.line

    # What it is.

    def chain_name(self):
        return self.stack.program.chain_name(self.entry.list.chain)

    def mark(self):
        """What is said of nodes, in brackets; "" for others."""
        if self.node is None:
            return ""
        state = "running" if self.entry.running else "awaiting"
        if self.entry.is_task:
            state = "task"
        words = [state, f"{self.chain_name()}:{self.node.index}"]
        if self.node.flags & library.NODE_ALT_IP:
            words.append("at its final suspend point")
        if self.entry.flags & library.SPLICED_NO_SITE:
            words.append("no resume site in this stack")
        return "[" + ", ".join(words) + "]"

    # Arguments.

    def coroutine_frame(self):
        """The address of a C++ coroutine's frame, or None: it begins with the
        resume pointer, which may have been cleared, and the destroy
        pointer."""
        path = self.chain.path[library.PATH_IP]
        if self.chain.ip_kind != library.IP_FUNCTION_ENTRY \
                or not path.given or path.num_offs != 1:
            return None
        frame = (self.node.address + path.off[0]) & (2**64 - 1)
        data = self.stack.memory.fetch(frame, POINTER_SIZE)
        order = "big" if self.stack.program.big else "little"
        if data is None or int.from_bytes(data, order) != self.node.ip:
            return None
        return frame

    def frame_type(self):
        """The type of the coroutine's frame by what the compiler says of the
        function that resumes it, and a function that tells fields which are
        copies of parameters; or None."""
        block = gdb.block_for_pc(self.node.ip)
        while block is not None and block.function is None:
            block = block.superblock
        symbols = list(block) if block is not None else []
        parameters = {s.name: s for s in symbols if s.is_argument}
        for symbol in symbols:
            # clang++ describes the frame as a variable.
            if symbol.name == "__coro_frame":
                return symbol.type, parameters.__contains__
        if "frame_ptr" in parameters:
            # g++ passes it; what is no parameter has a name that says so.
            return parameters["frame_ptr"].type.target(), lambda name: (
                not re.search(r"^_|\.|_\d+_\d+$", name))
        return None

    def coroutine_arguments(self):
        """Pairs of names and values of the copies of its parameters that the
        coroutine keeps in its frame; None if that is not known."""
        frame = self.coroutine_frame()
        found = self.frame_type() if frame is not None else None
        if found is None:
            return None
        kind, is_parameter = found
        value = gdb.Value(frame).cast(kind.pointer()).dereference()
        return [(field.name, value[field]) for field in kind.fields()
                if field.name and is_parameter(field.name)]

    def arguments(self):
        """Arguments, as FrameDecorator has them; None if they are not
        known."""
        try:
            if self.node is not None and self.is_code():
                found = self.coroutine_arguments()
                if found is not None:
                    return [SymValueWrapper(*pair) for pair in found]
            if self.native is not None:
                return FrameDecorator(self.native.frame).frame_args() or []
        except (gdb.error, RuntimeError):
            pass
        return None

    def arguments_text(self):
        """Arguments as text, without parentheses; None if they are not
        known."""
        found = self.arguments()
        if found is None:
            return None
        parts = []
        for item in found:
            try:
                value = item.value()
                if value is None:
                    value = item.symbol().value(self.native.frame)
                text = value.format_string() if is_scalar(value) else "..."
            except (gdb.error, RuntimeError) as error:
                text = f"<error: {error}>"
            parts.append(f"{item.symbol()}={text}")
        return ", ".join(parts)

    def text(self):
        """The entry as a line, without its number."""
        name, arguments = self.function(), self.arguments_text()
        if self.native is not None and self.native.is_signal:
            return name
        if arguments is not None and gdb.parameter("print demangle"):
            name = names.without_parameters(name)
        words = [name]
        if arguments is not None:
            words.append(f"({arguments})")
        line, module = self.line(), self.module()
        if line is not None:
            words.append(f"at {os.path.basename(line[0])}:{line[1]}")
        elif module is not None and (self.native is not None
                                     or self.symbol() is None):
            words.append(f"in {os.path.basename(module)}")
        if self.node is not None:
            words.append(self.mark())
        return " ".join(words)


def is_scalar(value):
    """Whether gdb shows VALUE in backtraces, not dots for it."""
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        kind = kind.target().strip_typedefs()
    return kind.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION,
                             gdb.TYPE_CODE_ARRAY)


def plural(number, what):
    return f"{number} {what}" + ("" if number == 1 else "s")


def cuts(stack, lists=None):
    """A line for each of LISTS, or of those of the thread, that was not
    followed to its end."""
    return [f"({stack.program.chain_name(walked.chain)} cut after "
            f"{plural(len(walked.nodes), 'node')}: "
            f"{stack.lib.stop_text(walked.stop).decode()})"
            for walked in (stack.lists if lists is None else lists)
            if stack.lib.stop_is_cut(walked.stop)]
