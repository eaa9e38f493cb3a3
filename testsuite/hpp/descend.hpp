/* Coroutines that await each other down to a given depth.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef DESCEND_HPP
#define DESCEND_HPP

#include "task.hpp"

/* What the innermost one calls.  */
static void (*at_the_bottom) ();

[[gnu::noinline]] static Task<int>
descend (int n)
{
  if (n == 0)
    {
      at_the_bottom ();
      co_return 0;
    }
  co_return 1 + co_await descend (n - 1);
}

/* Run N + 1 of them; whether all went well.  */
[[gnu::noinline, maybe_unused]] static bool
run_descend (int n)
{
  Task<int> task = descend (n);

  task.Resume ();
  return task.Result () == n && demo_task_leaf == nullptr;
}

#endif /* DESCEND_HPP */
