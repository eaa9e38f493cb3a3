/* A coroutine that runs others to their end, and only then stays.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "descend.hpp"
#include "ready.h"

static void
nothing ()
{
}

static Task<int>
nester ()
{
  void *self = demo_task_leaf;
  Task<int> inner = descend (3);

  inner.Resume ();
  if (demo_task_leaf != self)
    co_return -1;
  stay ();
  co_return inner.Result ();
}

static Task<int>
outer ()
{
  co_return co_await nester () + 1;
}

int
main ()
{
  Task<int> task = outer ();

  at_the_bottom = nothing;
  expect ("nester()", 1, "outer()");
  task.Resume ();
  return task.Result () != 4;
}
