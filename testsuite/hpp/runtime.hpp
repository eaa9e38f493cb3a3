/* What the library runtime-lib offers.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "task.hpp"

/* Add N to the result of INNER.  */
Task<int> library_await (int n, Task<int> inner);

void library_resume (Task<int> &task);
