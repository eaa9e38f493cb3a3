## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

EXTRA_DIST += examples/demo.sh examples/factorial.cc examples/task.hpp

## Those of the manual, compiled by testsuite/manual.
EXTRA_DIST += $(MANUAL_EXAMPLES) \
	examples/modules.h examples/profile.h examples/profiled.cc
