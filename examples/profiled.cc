/* Threads that run coroutines, and a profile of them.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: profiled [SAMPLES [INTERVAL]]

   Goes on until each of two threads has taken so many samples of itself, one
   each INTERVAL nanoseconds.  */

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "profile.h"
#include "task.hpp"

/* Something to do: what allocates is a good place to be interrupted at.  */
[[gnu::noinline]] static void
work (int n)
{
  for (int i = 0; i < n; i++)
    std::make_unique<volatile char[]> (64 + 16 * i)[0] = 1;
}

static Task<>
parse ()
{
  work (20);
  co_return;
}

static Task<>
request ()
{
  work (5);
  co_await parse ();
  work (5);
}

static Task<>
serve ()
{
  work (5);
  co_await request ();
  work (5);
}

static Task<int>
pack (int n)
{
  work (10);
  if (n == 0)
    co_return 0;
  co_return 1 + co_await pack (n - 1);
}

static Task<>
store ()
{
  work (5);
  co_await pack (2);
  work (5);
}

static int samples = 1000;
static long interval = 1000000;

static void
run (Task<> (*coroutine) ())
{
  if (profile_start (interval) != 0)
    {
      std::perror ("timer");
      std::exit (1);
    }
  while (static_cast<int> (profile_count ()) < samples)
    {
      Task<> task = coroutine ();
      task.Resume ();
      work (5);
    }
  profile_stop ();
}

int
main (int argc, char **argv)
{
  if (argc > 1)
    samples = std::atoi (argv[1]);
  if (argc > 2)
    interval = std::atol (argv[2]);
  if (argc > 3 || samples < 1 || interval < 1 || interval > 999999999)
    {
      std::fprintf (stderr, "usage: profiled [SAMPLES [INTERVAL]]\n");
      return 2;
    }
  if (profile_open () != 0)
    return 1;
  {
    std::jthread one (run, serve), two (run, store);
  }
  profile_print ();
  return 0;
}
