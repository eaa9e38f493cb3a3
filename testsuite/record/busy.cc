/* A program that computes in coroutines, and logs who awaits whom.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: busy SECONDS [DEPTH [THREADS]]

   Each thread runs a tree of coroutines: even and odd levels are different
   functions, the innermost one computes.  All the time but a vanishing part of
   it is spent there, below DEPTH awaiting coroutines.  */

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "task.hpp"

static std::chrono::steady_clock::time_point end;

/* Some thousands of instructions that no compiler leaves out.  */
[[gnu::noinline]] unsigned
compute (unsigned n)
{
  for (int i = 0; i < 20000; i++)
    {
      n = n * 1664525 + 1013904223;
      asm volatile ("" : "+r"(n));
    }
  return n;
}

Task<unsigned>
leaf (unsigned n)
{
  while (std::chrono::steady_clock::now () < end)
    n = compute (n);
  co_return n;
}

Task<unsigned> odd (unsigned depth);

Task<unsigned>
even (unsigned depth)
{
  if (depth == 0)
    co_return co_await leaf (1);
  co_return 1 + co_await odd (depth - 1);
}

Task<unsigned>
odd (unsigned depth)
{
  if (depth == 0)
    co_return co_await leaf (2);
  co_return 2 + co_await even (depth - 1);
}

[[gnu::noinline]] static void
run (unsigned depth)
{
  Task<unsigned> task = even (depth);
  task.Resume ();
  asm volatile ("" : : "r"(task.Result ()));
}

int
main (int argc, char **argv)
{
  unsigned depth = argc > 2 ? std::atoi (argv[2]) : 10;
  unsigned threads = argc > 3 ? std::atoi (argv[3]) : 1;
  std::vector<std::thread> all;

  end = std::chrono::steady_clock::now ()
	+ std::chrono::milliseconds (std::atoi (argc > 1 ? argv[1] : "1") * 1000);
  for (unsigned i = 1; i < threads; i++)
    all.emplace_back (run, depth);
  run (depth);
  for (auto &t : all)
    t.join ();
}
