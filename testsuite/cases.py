"""What suites in Python have in common.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import subprocess
import traceback

# Seconds after which a program counts as hung.  No verdict depends on how fast
# it is: it may run beside much else.
HANGS = 300


def reason(error):
    """Why a case could not go on, in one line, where the suite did not expect
    ERROR: a process that had ended, say."""
    if isinstance(error, subprocess.TimeoutExpired):
        command = error.cmd if isinstance(error.cmd, str) \
            else " ".join(map(str, error.cmd))
        return "hangs: " + command
    if isinstance(error, subprocess.CalledProcessError) and error.stderr:
        return f"{error}: {last_line(error.stderr)}"
    frames = traceback.extract_tb(error.__traceback__)
    place = frames[-1] if frames else None
    for frame in frames:
        if "testsuite" in frame.filename:
            place = frame
    text = f"{type(error).__name__}: {last_line(str(error))}"
    return text + (f" ({os.path.basename(place.filename)}:{place.lineno})"
                   if place else "")


def last_line(text):
    """The last thing that was said: what went wrong."""
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it said nothing"
