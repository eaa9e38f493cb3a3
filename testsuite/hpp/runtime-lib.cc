/* The runtime, in a shared library, with coroutines of its own.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   See runtime-host.cc.  */

#include "runtime.hpp"

#ifdef TASK_LEAF_ELSEWHERE
/* For this library, it is here.  */
constinit thread_local void *demo_task_leaf = nullptr;
#endif

Task<int>
library_await (int n, Task<int> inner)
{
  co_return n + co_await std::move (inner);
}

void
library_resume (Task<int> &task)
{
  task.Resume ();
}
