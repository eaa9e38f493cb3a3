/* A program that computes in coroutines, and says who awaited whom.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: busy MILLISECONDS [THREADS]
	  busy deep MILLISECONDS NODES
	  busy short THREADS

   SIGTERM ends the first two early.

   Each thread runs trees of coroutines over and over: node_D_B of depth D
   computes a little, awaits a node of depth D + 1, of one of WIDTH kinds, and
   computes again; the deepest compute only.  At the end each await that there
   was is printed as "await D B D' B'".

   MODE_EXE: all in the program.  MODE_LIB: the library libbusy.so, whose
   function is run_busy.  MODE_LINKED, MODE_OPENED: a program that has it
   linked or opens it (./libbusy.so) when it has run for a while.  */

#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined MODE_EXE || defined MODE_LIB

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "task.hpp"

#define DEPTH 12
#define WIDTH 2

static std::chrono::steady_clock::time_point end;
static volatile std::sig_atomic_t is_told;
static std::atomic<bool> awaited[DEPTH][WIDTH][WIDTH];

[[gnu::noinline]] static unsigned
compute (unsigned n, int steps)
{
  for (int i = 0; i < steps; i++)
    {
      n = n * 1664525 + 1013904223;
      asm volatile ("" : "+r"(n));
    }
  return n;
}

/* Where coroutine node_D_B begins: compute and await one of the next depth, of
   which N tells the kind.  */
#define AWAIT(D, B, NEXT, B2)                                                 \
  case B2:                                                                    \
    awaited[D][B][B2].store (true, std::memory_order_relaxed);                \
    n += co_await node_##NEXT##_##B2 (n);                                     \
    break;

#define NODE(D, B, NEXT)                                                      \
  Task<unsigned> node_##D##_##B (unsigned n)                                  \
  {                                                                           \
    n = compute (n, 300);                                                     \
    switch ((n >> 16) % WIDTH)                                                \
      {                                                                       \
	AWAIT (D, B, NEXT, 0)                                                 \
	AWAIT (D, B, NEXT, 1)                                                 \
      }                                                                       \
    co_return compute (n, 300);                                               \
  }

#define LAST(D, B)                                                            \
  Task<unsigned> node_##D##_##B (unsigned n)                                  \
  {                                                                           \
    co_return compute (n, 20000);                                             \
  }

#define LEVEL(D, NEXT) NODE (D, 0, NEXT) NODE (D, 1, NEXT)

LAST (12, 0) LAST (12, 1)
LEVEL (11, 12) LEVEL (10, 11) LEVEL (9, 10) LEVEL (8, 9) LEVEL (7, 8)
LEVEL (6, 7) LEVEL (5, 6) LEVEL (4, 5) LEVEL (3, 4) LEVEL (2, 3) LEVEL (1, 2)
LEVEL (0, 1)

static bool
goes_on ()
{
  return !is_told && std::chrono::steady_clock::now () < end;
}

[[gnu::noinline]] static void
run_thread (unsigned n)
{
  while (goes_on ())
    {
      Task<unsigned> task = node_0_0 (n);
      task.Resume ();
      n = task.Result ();
    }
}

static Task<unsigned>
deep (unsigned more)
{
  if (more == 0)
    {
      unsigned n = 0;
      while (goes_on ())
	n = compute (n, 20000);
      co_return n;
    }
  co_return 1 + co_await deep (more - 1);
}

static void
set_end (int ms)
{
  std::signal (SIGTERM, [] (int) { is_told = 1; });
  end = std::chrono::steady_clock::now () + std::chrono::milliseconds (ms);
}

extern "C" void
run_deep (int ms, int nodes)
{
  set_end (ms);
  Task<unsigned> task = deep (nodes - 1);
  task.Resume ();
  task.Result ();
}

static void
run_tree (unsigned n)
{
  for (int i = 0; i < 60; i++)
    {
      Task<unsigned> task = node_0_0 (n);
      task.Resume ();
      n = task.Result ();
    }
}

static void
print_awaits ()
{
  for (int d = 0; d < DEPTH; d++)
    for (int b = 0; b < WIDTH; b++)
      for (int b2 = 0; b2 < WIDTH; b2++)
	if (awaited[d][b][b2])
	  std::printf ("await %d %d %d %d\n", d, b, d + 1, b2);
}

extern "C" void
run_short (int threads)
{
  for (int i = 0; i < threads;)
    {
      std::vector<std::thread> some;
      for (int k = 0; k < 20 && i < threads; k++, i++)
	some.emplace_back (run_tree, i);
      for (auto &t : some)
	t.join ();
    }
  print_awaits ();
}

extern "C" void
run_busy (int ms, int threads)
{
  std::vector<std::thread> others;

  set_end (ms);
  for (int i = 1; i < threads; i++)
    others.emplace_back (run_thread, i);
  run_thread (0);
  for (auto &t : others)
    t.join ();
  print_awaits ();
}

#else

extern "C" void run_busy (int ms, int threads);

#endif

#ifdef MODE_OPENED

#include <dlfcn.h>
#include <thread>

static void
run (int ms, int threads)
{
  using function = void (int, int);

  std::this_thread::sleep_for (std::chrono::milliseconds (100));
  void *library = dlopen ("./libbusy.so", RTLD_NOW);
  if (!library)
    {
      std::fprintf (stderr, "%s\n", dlerror ());
      std::exit (1);
    }
  reinterpret_cast<function *> (dlsym (library, "run_busy")) (ms, threads);
}

#elif !defined MODE_LIB

static void
run (int ms, int threads)
{
  run_busy (ms, threads);
}

#endif

#ifndef MODE_LIB
int
main (int argc, char **argv)
{
#ifdef MODE_EXE
  if (argc > 3 && !std::strcmp (argv[1], "deep"))
    run_deep (std::atoi (argv[2]), std::atoi (argv[3]));
  else if (argc > 2 && !std::strcmp (argv[1], "short"))
    run_short (std::atoi (argv[2]));
  else
#endif
  run (argc > 1 ? std::atoi (argv[1]) : 1000,
       argc > 2 ? std::atoi (argv[2]) : 1);
}
#endif
