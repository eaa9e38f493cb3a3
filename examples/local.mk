## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

EXTRA_DIST += examples/demo.sh examples/factorial.cc examples/task.hpp

## How a program looks at itself, with one unwinder or another; compiled by
## testsuite/self.
EXTRA_DIST += examples/stacks.hpp examples/crash-handler.cc \
	examples/boost-stacktrace.cc examples/elfutils.cc \
	examples/libbacktrace.cc examples/libunwind.cc

## Those of the manual, compiled by testsuite/manual.
EXTRA_DIST += $(MANUAL_EXAMPLES) \
	examples/modules.h examples/profile.h examples/profiled.cc
