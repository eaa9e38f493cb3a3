/* Coroutines of an executable and of a library await each other.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: runtime-host host|library

   Both have sites and a copy of the chain, and one variable, which is in both
   (the dynamic linker takes one), or only in the library if both are built
   with -DTASK_LEAF_ELSEWHERE.  What the argument names has the site that is on
   the stack; each coroutine must show up once.  */

#include <cstring>

#include "ready.h"
#include "runtime.hpp"

static Task<int>
host_leaf ()
{
  stay ();
  co_return 1;
}

static Task<int>
host_await (int n, Task<int> inner)
{
  co_return n + co_await std::move (inner);
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    return 2;

  Task<int> task
    = library_await (8, host_await (4, library_await (2, host_leaf ())));

  expect ("host_leaf() <- library_await(int, Task<int>)"
	  " <- host_await(int, Task<int>)",
	  1, "library_await(int, Task<int>)");
  if (std::strcmp (argv[1], "host") == 0)
    task.Resume ();
  else
    library_resume (task);
  return task.Result () != 15 || demo_task_leaf != nullptr;
}
