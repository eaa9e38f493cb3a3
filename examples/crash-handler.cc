/* A crash handler that shows which coroutines were awaiting.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Everything is prepared at the start.  The handler runs on a stack of its own,
   for the stack may be what is exhausted, and writes; it allocates nothing.  The
   splice is safe in a signal handler, what surrounds it as safe as it gets:
   _Unwind_Backtrace and backtrace_symbols_fd may wait for the dynamic linker if
   the program crashes in dlopen.  alarm ends that.  The former can be replaced
   by sframe_coro_self_unwind in programs with frame pointers, the latter by
   bare addresses.  Functions are shown as MODULE(+OFFSET), as they have no
   names without the symbol table; addr2line -f -C -e MODULE OFFSET knows.  */

#include <csignal>
#include <execinfo.h>
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

  alarm (10);
  Write ("crashed\n");
  _Unwind_Backtrace (AddFrame, nullptr);
  sframe_coro_self_stack (self, space, natives, num_natives, nullptr, &stack);
  for (size_t i = 0; i < stack.num; i++)
    {
      const sframe_coro_self_frame &frame = stack.frames[i];
      void *place = reinterpret_cast<void *> (PlaceOf (frame, natives));

      if (frame.node != nullptr)
	Write (frame.flags & SFRAME_CORO_SPLICED_RUNNING ? "running  "
							 : "awaiting ");
      else
	Write ("         ");
      backtrace_symbols_fd (&place, 1, STDERR_FILENO);
    }
  if (stack.num_cut != 0)
    Write ("(some lists could not be followed to their end)\n");
  /* Die of it, with a core file, if so configured.  */
  std::signal (signal, SIG_DFL);
  raise (signal);
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
  void *once[1];

  PrepareStacks ();
  backtrace (once, 1); /* Loads what it needs.  */
  action.sa_handler = Crash;
  action.sa_flags = SA_ONSTACK;
  sigaltstack (&other, nullptr);
  for (int signal : { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT })
    sigaction (signal, &action, nullptr);
  return RunCoroutines ();
}
