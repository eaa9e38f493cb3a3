/* Awaiting coroutines in a stack from libunwind.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "stacks.hpp"

/* The native stack, leaf first; return how many frames.  */
static size_t
Unwind (unw_cursor_t cursor, sframe_coro_native *natives)
{
  size_t num = 0;
  unw_word_t pc, sp;
  unw_proc_info_t function;

  do
    {
      sframe_coro_native *n = &natives[num];

      unw_get_reg (&cursor, UNW_REG_IP, &pc);
      unw_get_reg (&cursor, UNW_REG_SP, &sp);
      /* Interrupted code has not called anything.  */
      *n = NativeFrame (pc, num != 0 && unw_is_signal_frame (&cursor) <= 0);
      /* The canonical frame address is the caller's stack pointer.  */
      if (num != 0)
	{
	  n[-1].cfa = sp;
	  n[-1].flags |= SFRAME_CORO_NATIVE_CFA;
	}
      if (unw_get_proc_info (&cursor, &function) == 0)
	{
	  n->func_start = function.start_ip;
	  n->func_end = function.end_ip;
	  n->flags |= SFRAME_CORO_NATIVE_FUNC;
	}
      num++;
    }
  while (num < max_natives && unw_step (&cursor) > 0);
  return num;
}

static void
ShowStack ()
{
  static sframe_coro_native natives[max_natives];
  unw_context_t context;
  unw_cursor_t cursor, place;
  char name[1024];

  unw_getcontext (&context);
  unw_init_local (&cursor, &context);
  sframe_coro_self_result stack = Splice (natives, Unwind (cursor, natives));
  for (size_t i = 0; i < stack.num; i++)
    {
      unw_word_t offset;

      /* It names what a cursor is at, if that is not a return address.  */
      unw_init_local2 (&place, &context, UNW_INIT_SIGNAL_FRAME);
      unw_set_reg (&place, UNW_REG_IP, PlaceOf (stack.frames[i], natives));
      PrintFrame (stack.frames[i],
		  unw_get_proc_name (&place, name, sizeof name, &offset) == 0
		    ? name
		    : nullptr);
    }
}

int
main ()
{
  PrepareStacks ();
  return RunCoroutines ();
}
