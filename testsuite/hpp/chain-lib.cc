/* A shared library that has a chain, coroutines and sites all to itself.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Build it with -fvisibility=hidden, and g++ with -fno-gnu-unique, or dlclose
   does not unload it.  -DPAD_TLS=65536 makes its thread-local variables too
   large for what C libraries set aside for dlopen.  */

#include "descend.hpp"

#ifndef PAD_TLS
#define PAD_TLS 1024
#endif

#define EXPORT extern "C" [[gnu::visibility ("default")]]

[[gnu::used]] static thread_local char padding[PAD_TLS];

/* Run DEPTH + 1 coroutines, of which the innermost calls BOTTOM.  */
EXPORT int
chain_run (int depth, void (*bottom) ())
{
  padding[0]++;
  at_the_bottom = bottom;
  return run_descend (depth);
}

/* Leave the head of this thread at NODE.  */
EXPORT void
chain_leave (void *node)
{
  SetLeaf (std::coroutine_handle<>::from_address (node));
}
