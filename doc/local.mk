## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later
