"""The frame filter: backtraces with the coroutines that await, in place.

gdb has no frames for these, so each takes that of the native frame before it,
and is shown as one of those that gdb calls elided: indented below that frame,
without a number.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import gdb
from gdb.FrameDecorator import FrameDecorator

from . import describe, library, names, process, stack

NAME = "sframe-coro"


class NativeFrame(FrameDecorator):
    """A frame of gdb's, with the coroutines that follow it as CHILDREN."""

    def __init__(self, base, children):
        super().__init__(base)
        self.children = children

    def function(self):
        """As gdb shows it where there are no filters: FrameDecorator adds the
        types of parameters."""
        name, frame = super().function(), self.inferior_frame()
        function = frame.function()
        if isinstance(name, int) or (function is not None
                                     and name == str(function)):
            return frame.name() or "??"
        return name

    def elided(self):
        own = super().elided()
        return iter([*(own or []), *self.children]) if self.children else own


class Node:
    """What is shown differently of an entry that is a node."""

    def function(self):
        d = self.description
        name = d.function()
        if d.arguments() is not None and gdb.parameter("print demangle"):
            name = names.without_parameters(name)
        return f"{name} {d.mark()}"

    def filename(self):
        line = self.description.line()
        return line[0] if line is not None else None

    def line(self):
        line = self.description.line()
        return line[1] if line is not None else None

    def frame_args(self):
        return self.description.arguments()


class NativeNode(Node, NativeFrame):
    """A native frame that executes a coroutine."""

    def __init__(self, base, children, description):
        super().__init__(base, children)
        self.description = description


class AwaitingNode(Node, FrameDecorator):
    """A coroutine that has no native frame; that before it is BASE."""

    def __init__(self, base, description):
        super().__init__(base)
        self.description = description

    def address(self):
        return self.description.address()

    def frame_locals(self):
        return None

    def elided(self):
        return None


class Filter:
    """Puts coroutines into what gdb, and filters before this one, give."""

    def __init__(self):
        self.name, self.enabled, self.priority = NAME, True, 100
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        try:
            seen = stack.Stack()
        except (library.Error, gdb.error, RuntimeError) as error:
            gdb.write(f"sframe-coro: {error}\n", gdb.STDERR)
            return (NativeFrame(frame, []) for frame in frames)
        return weave(frames, seen)


def order(seen):
    """By the level of a native frame: the node that it executes; the nodes
    that follow it."""
    executed, behind, level = {}, {}, -1
    for entry in seen.entries:
        description = describe.Description(seen, entry)
        if entry.native is None:
            behind.setdefault(level, []).append(description)
            continue
        level = entry.native.frame.level()
        if entry.node is not None:
            executed[level] = description
    return executed, behind


def weave(frames, seen):
    """FRAMES with the coroutines of SEEN as their children: what follows a
    frame that another filter has left out goes to the one before."""
    executed, behind = order(seen)
    frames = iter(frames)
    frame = next(frames, None)
    while frame is not None:
        following = next(frames, None)
        end = (following.inferior_frame().level() if following is not None
               else len(seen.natives))
        children = [AwaitingNode(frame, description)
                    for level in sorted(behind) if level < end
                    for description in behind.pop(level)]
        level = frame.inferior_frame().level()
        if level in executed:
            yield NativeNode(frame, children, executed[level])
        else:
            yield NativeFrame(frame, children)
        frame = following
    for line in describe.cuts(seen):
        gdb.write(f"    {line}\n")


for event in ("cont", "new_objfile", "clear_objfiles", "exited"):
    getattr(gdb.events, event).connect(process.forget)
Filter()
