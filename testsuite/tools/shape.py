#!/usr/bin/env python3
"""What `sframe-coro stack --json' says, in one line per thread.
Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later

usage: shape.py MODULE...  <JSON

Of the frames only those in the MODULEs (base names) are given.  Behind the name
of a function: "*" if it is a coroutine that runs, ":N" if it is node N and
awaits, "!" if it has no site, "^" if it is a native frame too.  A list that was
cut is told at the end of the line.  """

import json
import os
import sys


def show_frame(frame):
    text = "<signal>" if frame.get("signal") else frame.get("function", "?")
    node = frame.get("coroutine")
    if node is None:
        return text
    text += "*" if node["state"] == "running" else ":%d" % node["index"]
    if frame["native"]:
        text += "^"
    if not node["has_site"]:
        text += "!"
    return text


def show_thread(thread, modules):
    frames = [show_frame(f) for f in thread["frames"]
              if f.get("signal")
              or os.path.basename(f.get("module", "")) in modules]
    cuts = ["(%s)" % l["stop"] for l in thread["lists"] if l["cut"]]
    return "%s: %s" % (thread["name"], " ".join(frames + cuts))


report = json.load(sys.stdin)
assert report["version"] == 1
for thread in report["threads"]:
    print(show_thread(thread, sys.argv[1:]))
print("complete" if report["complete"] else "incomplete")
