/* A library with coroutines of its own.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Unless the program exports the variable in which its own list begins, there
   is another one, in no thread before it is used.  SIZE makes
   libraries that differ.  */

#include "plugin.h"
#include "task.hpp"

#ifndef SIZE
#define SIZE 0
#endif

[[gnu::used]] static char ballast[SIZE * 8192 + 1];

static Task<int>
Level (int levels, void (*look) (void *), void *arg)
{
  if (levels == 0)
    {
      look (arg);
      co_return 1;
    }
  co_return 1 + co_await Level (levels - 1, look, arg);
}

#if SIZE
/* More coroutines, sites and code before those of the other one.  */
static Task<void>
Nothing ()
{
  ballast[SIZE]++;
  co_return;
}
#endif

int
plugin_run (int levels, void (*look) (void *), void *arg)
{
  Task<int> task = Level (levels, look, arg);

#if SIZE
  Task<void> other = Nothing ();
  other.Resume ();
#endif
  task.Resume ();
  return task.Result ();
}
