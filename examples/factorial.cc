/* A factorial by coroutines that await each other.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: factorial [N [read|pause]]

   At n == 0 all coroutines but one wait for another, none of them on the
   stack of the thread; there the program stops, so that one can have a look:

     sframe-coro stack -p PID

   It goes on when it can read a byte, or, after `pause', has caught a
   signal.  */

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <unistd.h>

#include "task.hpp"

static bool pauses;

static void
wake (int)
{
}

[[gnu::noinline]] static int
leaf (int n)
{
  char byte;

  std::printf ("ready %d\n", static_cast<int> (getpid ()));
  std::fflush (stdout);
  if (pauses)
    pause ();
  else if (read (STDIN_FILENO, &byte, 1) < 0)
    std::perror ("read");
  return n + 1;
}

static Task<int>
factorial (int n)
{
  if (n == 0)
    co_return leaf (n);
  co_return n * co_await factorial (n - 1);
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? std::atoi (argv[1]) : 3;

  if (argc > 3 || n < 0 || n > 12
      || (argc == 3 && std::strcmp (argv[2], "read") != 0
	  && std::strcmp (argv[2], "pause") != 0))
    {
      std::fprintf (stderr, "usage: factorial [0...12 [read|pause]]\n");
      return 2;
    }
  pauses = argc == 3 && std::strcmp (argv[2], "pause") == 0;
  std::signal (SIGUSR1, wake);
  /* Where only parents may trace: let everyone.  */
  prctl (PR_SET_PTRACER, PR_SET_PTRACER_ANY);

  Task<int> task = factorial (n);
  task.Resume ();
  std::printf ("%d! = %d\n", n, task.Result ());
  return 0;
}
