/* Benchmark: a program that does nothing but await.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: await N  */

#include <cstdio>
#include <cstdlib>

#include "task.hpp"

/* Not inlined, or there would be nothing left to await.  */
[[gnu::noinline]] static Task<long>
next (long n)
{
  co_return n + 1;
}

[[gnu::noinline]] static Task<long>
count (long times)
{
  long n = 0;

  while (n < times)
    n = co_await next (n);
  co_return n;
}

int
main (int argc, char **argv)
{
  Task<long> task = count (argc > 1 ? std::atol (argv[1]) : 0);

  task.Resume ();
  std::printf ("%ld\n", task.Result ());
  return 0;
}
