/* Native frames by the compiler's unwinder.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef NATIVES_H
#define NATIVES_H

#include <unwind.h>

#include "sframe-coro-api.h"

struct natives
{
  sframe_coro_native *frames;
  size_t max, num;
};

static inline _Unwind_Reason_Code
natives_add (struct _Unwind_Context *context, void *arg)
{
  struct natives *n = (struct natives *) arg;
  sframe_coro_native *f = &n->frames[n->num];
  int before = 0;

  if (n->num == n->max)
    return _URC_END_OF_STACK;
  f->node = 0;
  f->pc = _Unwind_GetIPInfo (context, &before);
  f->flags = before ? 0 : SFRAME_CORO_NATIVE_RETURN_ADDRESS;
  if (f->pc == 0)
    return _URC_NO_REASON;
  /* What this gives is the CFA of the frame before.  */
  if (n->num != 0)
    {
      f[-1].cfa = _Unwind_GetCFA (context);
      f[-1].flags |= SFRAME_CORO_NATIVE_CFA;
    }
  n->num++;
  return _URC_NO_REASON;
}

/* The stack of the calling thread, at most MAX FRAMES; return how many.  */
static inline size_t
natives_unwind (sframe_coro_native *frames, size_t max)
{
  struct natives n = { frames, max, 0 };

  _Unwind_Backtrace (natives_add, &n);
  return n.num;
}

#endif /* NATIVES_H */
