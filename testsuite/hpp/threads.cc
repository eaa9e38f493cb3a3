/* Threads with lists of different depth, and one that never had any.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: threads [N [syscall|running|signal]]

   The main thread has 1 coroutine, N threads have 2, 3, ..., one more never
   touches the variable.  The main thread stays in a system call, or executes
   instructions, or is in the handler of a signal.  */

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "descend.hpp"
#include "ready.h"

static void
handler (int)
{
  stay ();
}

static void
stay_in_handler ()
{
  std::signal (SIGUSR1, handler);
  std::raise (SIGUSR1);
}

static int failures;

static void *
thread_main (void *arg)
{
  int depth = static_cast<int> (reinterpret_cast<long> (arg));

  expect ("descend(int)", depth + 1, nullptr);
  if (!run_descend (depth))
    __atomic_add_fetch (&failures, 1, __ATOMIC_RELAXED);
  return nullptr;
}

static void *
idle_main (void *)
{
  expect ("", 0, nullptr);
  stay ();
  return nullptr;
}

static thread_local bool is_main;
static void (*main_stays) () = stay;

static void
bottom ()
{
  if (is_main)
    main_stays ();
  else
    stay ();
}

int
main (int argc, char **argv)
{
  int num = argc > 1 ? std::atoi (argv[1]) : 3;
  const char *how = argc > 2 ? argv[2] : "syscall";
  pthread_t threads[READY_MAX_THREADS];

  if (num < 0 || num > READY_MAX_THREADS - 2)
    return 2;
  if (std::strcmp (how, "running") == 0)
    main_stays = stay_running;
  else if (std::strcmp (how, "signal") == 0)
    main_stays = stay_in_handler;
  is_main = true;
  at_the_bottom = bottom;
  ready_threads = num + 2;
  for (long i = 0; i <= num; i++)
    if (pthread_create (&threads[i], nullptr, i < num ? thread_main : idle_main,
			reinterpret_cast<void *> (i + 1))
	!= 0)
      return 2;
  thread_main (nullptr);
  for (int i = 0; i <= num; i++)
    pthread_join (threads[i], nullptr);
  return failures != 0;
}
