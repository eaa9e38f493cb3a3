/* Awaiting coroutines in a stack from libbacktrace, the library of g++.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   It calls a function for each frame, and another for what it finds about an
   address.  Other unwinders with callbacks are used likewise.  */

#include <backtrace.h>

#include "stacks.hpp"

static backtrace_state *state;

struct Natives
{
  sframe_coro_native frames[max_natives];
  size_t num;
};

static void
Tell (void *, const char *message, int)
{
  std::fprintf (stderr, "libbacktrace: %s\n", message);
}

static int
AddFrame (void *arg, uintptr_t pc)
{
  Natives *natives = static_cast<Natives *> (arg);

  if (pc == UINTPTR_MAX)
    return 0;
  /* It has made an address in the call out of the return address.  */
  natives->frames[natives->num++] = NativeFrame (pc + 1, true);
  return natives->num == max_natives;
}

static void
NoteName (void *arg, uintptr_t, const char *name, uintptr_t, uintptr_t)
{
  *static_cast<const char **> (arg) = name;
}

static void
ShowStack ()
{
  static Natives natives;

  natives.num = 0;
  backtrace_simple (state, 0, AddFrame, Tell, &natives);
  sframe_coro_self_result stack = Splice (natives.frames, natives.num);
  for (size_t i = 0; i < stack.num; i++)
    {
      const char *name = nullptr;

      backtrace_syminfo (state, PlaceOf (stack.frames[i], natives.frames),
			 NoteName, Tell, &name);
      PrintFrame (stack.frames[i], name);
    }
}

int
main ()
{
  PrepareStacks ();
  state = backtrace_create_state (nullptr, 0, Tell, nullptr);
  return RunCoroutines ();
}
