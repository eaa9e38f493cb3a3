/* A list that ends with the noop coroutine, which nobody wants to see.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "descend.hpp"
#include "ready.h"

int
main ()
{
  Task<int> task = descend (2);

  at_the_bottom = stay;
  task.Coroutine ().promise ().continuation = std::noop_coroutine ();
  expect ("descend(int)", 3, nullptr);
  task.Resume ();
  return task.Result () != 2;
}
