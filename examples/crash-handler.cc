/* A crash handler that shows which coroutines were awaiting.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Everything is prepared at the start.  The handler runs on a stack of its own,
   for the stack may be what is exhausted; it allocates nothing and waits for
   nobody.  _Unwind_Backtrace is as safe as that after its first call, if glibc
   is 2.35 or later, gcc 12 or later and the program not static; the manual has
   more.  Link with -z now, lest functions be looked for in the handler.  Shown
   are modules and offsets; addr2line -f -C -e MODULE OFFSET gives names.  */

#include <cerrno>
#include <charconv>
#include <csignal>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include "stacks.hpp"

static sframe_coro_native natives[max_natives];
static size_t num_natives;

static void
Write (const char *text)
{
  if (write (STDERR_FILENO, text, std::strlen (text)) < 0)
    _exit (2);
}

static void
WritePlace (uint64_t place)
{
  dl_find_object found;
  char digits[17] = {};

  if (_dl_find_object (reinterpret_cast<void *> (place), &found) == 0)
    {
      const char *name = found.dlfo_link_map->l_name;

      Write (*name ? name : program_invocation_name);
      place -= found.dlfo_link_map->l_addr;
    }
  std::to_chars (digits, digits + 16, place, 16);
  Write ("+0x");
  Write (digits);
}

static _Unwind_Reason_Code
AddFrame (_Unwind_Context *context, void *)
{
  int before = 0;
  uint64_t pc = _Unwind_GetIPInfo (context, &before);

  if (num_natives == max_natives || pc == 0)
    return _URC_END_OF_STACK;
  natives[num_natives++] = NativeFrame (pc, !before);
  return _URC_NO_REASON;
}

static void
Crash (int signal)
{
  sframe_coro_self_result stack;

  Write ("crashed");
  num_natives = 0;
  _Unwind_Backtrace (AddFrame, nullptr);
  sframe_coro_self_stack (self, space, natives, num_natives, nullptr, &stack);
  for (size_t i = 0; i < stack.num; i++)
    {
      const sframe_coro_self_frame &frame = stack.frames[i];

      if (frame.node == nullptr)
	Write ("\n         ");
      else
	Write (frame.flags & SFRAME_CORO_SPLICED_RUNNING ? "\nrunning  "
							 : "\nawaiting ");
      WritePlace (PlaceOf (frame, natives));
    }
  if (stack.num_cut != 0)
    Write ("\n(some lists could not be followed to their end)");
  Write ("\n");
  raise (signal); /* Die of it, with a core file, if so configured.  */
}

static void
ShowStack ()
{
  static volatile int *volatile nowhere;

  *nowhere = 1;
}

int
main ()
{
  static char other_stack[65536];
  stack_t other = { .ss_sp = other_stack, .ss_flags = 0,
		    .ss_size = sizeof other_stack };
  struct sigaction action = {};

  PrepareStacks ();
  _Unwind_Backtrace (AddFrame, nullptr); /* What it does the first time.  */
  action.sa_handler = Crash;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  sigaltstack (&other, nullptr);
  for (int signal : { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT })
    sigaction (signal, &action, nullptr);
  return RunCoroutines ();
}
