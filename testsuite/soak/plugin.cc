/* A library with coroutines, that comes and goes.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "soak.h"

static Job
Plugin (Kind, int levels, void (*look) (void *), void *arg)
{
  if (levels == 0)
    look (arg);
  else
    co_await Plugin (Kind::plugin, levels - 1, look, arg);
}

void
soak_plugin (int levels, void (*look) (void *), void *arg)
{
  Job job = Plugin (Kind::plugin, levels, look, arg);

  Drive (job.Coroutine ());
}
