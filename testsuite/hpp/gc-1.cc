/* Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Live: resume<1> here and in the other file, resume<2> here.  */

#include "gc.hpp"

void
dead_1 (void *frame)
{
  resume<1> (frame);
  resume<3> (frame);
}

int
main ()
{
  void *frame = std::noop_coroutine ().address ();

  resume<1> (frame);
  resume<2> (frame);
  other (frame);
  return test_gc_leaf != nullptr;
}
