/* The half of the matrix program that has the threads.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Prints a line `expect TID NAMES' for each thread, with the coroutines that
   it must show, then `ready', and ends when its standard input does.  */

#include <cstdio>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef MATRIX_DLOPEN
#include <dlfcn.h>
#endif

#include "matrix.h"

enum
{
  THREADS = 4
};

static decltype (matrix_run) *run;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting;
static bool over;
static thread_local int my_depth;

/* Say what this thread must show, and wait for the end.  */
static void
leaf ()
{
  static const char *const names[] = { "matrix::even(int)",
				       "matrix::odd(int)" };

  pthread_mutex_lock (&mutex);
  std::printf ("expect %ld ", syscall (SYS_gettid));
  for (int i = 0; i <= my_depth; i++)
    std::printf ("%s%s", i ? " <- " : "", names[i % 2]);
  std::printf ("\n");
  waiting++;
  pthread_cond_broadcast (&changed);
  while (!over)
    pthread_cond_wait (&changed, &mutex);
  pthread_mutex_unlock (&mutex);
}

/* Thread number ARG runs coroutines, but for number 0, whose head is never
   touched.  */
static void *
thread (void *arg)
{
  long number = reinterpret_cast<long> (arg);

  my_depth = static_cast<int> (number == 0 ? -1 : 3 * number - 2);
  if (number == 0)
    leaf ();
  else
    run (my_depth, leaf);
  return nullptr;
}

/* The main thread runs coroutines too, and looks after the others while its
   own wait.  */
static void
main_leaf ()
{
  char byte;

  pthread_mutex_lock (&mutex);
  std::printf ("expect %ld matrix::even(int) <- matrix::odd(int) <- "
	       "matrix::even(int)\n",
	       syscall (SYS_gettid));
  while (waiting < THREADS)
    pthread_cond_wait (&changed, &mutex);
  pthread_mutex_unlock (&mutex);
  std::printf ("ready\n");
  std::fflush (stdout);
  while (read (STDIN_FILENO, &byte, 1) > 0)
    ;
  pthread_mutex_lock (&mutex);
  over = true;
  pthread_cond_broadcast (&changed);
  pthread_mutex_unlock (&mutex);
}

int
main (int argc, char **argv)
{
  pthread_t threads[THREADS];

#ifdef MATRIX_DLOPEN
  /* Threads begun before the library comes have an older DTV.  */
  pthread_create (&threads[0], nullptr, thread, nullptr);
  void *library = argc > 1 ? dlopen (argv[1], RTLD_NOW) : nullptr;
  if (library == nullptr)
    {
      std::fprintf (stderr, "%s\n", dlerror ());
      return 1;
    }
  run = reinterpret_cast<decltype (run)> (dlsym (library, "matrix_run"));
#else
  (void) argc;
  (void) argv;
  pthread_create (&threads[0], nullptr, thread, nullptr);
  run = matrix_run;
#endif
  for (long i = 1; i < THREADS; i++)
    pthread_create (&threads[i], nullptr, thread, reinterpret_cast<void *> (i));
  run (2, main_leaf);
  for (pthread_t t : threads)
    pthread_join (t, nullptr);
  return 0;
}
