## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

EXTRA_DIST += examples/demo.sh examples/factorial.cc examples/task.hpp
