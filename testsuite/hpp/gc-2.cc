/* Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "gc.hpp"

void
dead_2 (void *frame)
{
  resume<2> (frame);
  resume<4> (frame);
}

void
other (void *frame)
{
  resume<1> (frame);
}
