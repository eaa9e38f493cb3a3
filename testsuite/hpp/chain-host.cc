/* A program that knows nothing of coroutines, but for a library of its.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: chain-host [LIBRARY]

   With LIBRARY it is opened when threads are running already; without, or if
   built with -DLINKED, chain-lib is linked.  Three threads have lists of
   different depth, one has none.  */

#include <cstdio>
#include <dlfcn.h>

#include "ready.h"

using Run = int (int, void (*) ());

#ifdef LINKED
extern "C" Run chain_run;
#endif

static Run *run;
static int failures;
static pthread_barrier_t opened;

static void *
thread_main (void *arg)
{
  int depth = static_cast<int> (reinterpret_cast<long> (arg));

  pthread_barrier_wait (&opened);
  expect ("descend(int)", depth + 1, nullptr);
  if (!run (depth, stay))
    __atomic_add_fetch (&failures, 1, __ATOMIC_RELAXED);
  return nullptr;
}

static void *
idle_main (void *)
{
  pthread_barrier_wait (&opened);
  expect ("", 0, nullptr);
  stay ();
  return nullptr;
}

static Run *
find_run ([[maybe_unused]] const char *library)
{
#ifdef LINKED
  return chain_run;
#else
  void *handle = library ? dlopen (library, RTLD_NOW | RTLD_LOCAL) : nullptr;

  if (!handle)
    {
      std::fprintf (stderr, "%s\n", library ? dlerror () : "no library");
      return nullptr;
    }
  return reinterpret_cast<Run *> (dlsym (handle, "chain_run"));
#endif
}

int
main (int, char **argv)
{
  pthread_t threads[3];

  ready_threads = 4;
  pthread_barrier_init (&opened, nullptr, 4);
  for (long i = 0; i < 3; i++)
    if (pthread_create (&threads[i], nullptr, i < 2 ? thread_main : idle_main,
			reinterpret_cast<void *> (2 * i + 1))
	!= 0)
      return 2;
  run = find_run (argv[1]);
  if (!run)
    return 2;
  thread_main (nullptr);
  for (pthread_t thread : threads)
    pthread_join (thread, nullptr);
  return failures != 0;
}
