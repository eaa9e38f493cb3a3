/* How test programs say what must be seen of them.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A program prints, for each thread that matters, a line

     expect TID NAME <- NAME <- ...

   with the coroutines that the thread must show, leaf first; then a line

     ready PID TID...

   and then stays as it is until its standard input is closed.  C and C++.  */

#ifndef READY_H
#define READY_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define READY_MAX_THREADS 64

static pthread_mutex_t ready_mutex = PTHREAD_MUTEX_INITIALIZER;
static pid_t ready_tids[READY_MAX_THREADS];
static int ready_arrived;
/* How many threads call stay or stay_running; the last one prints `ready'.  */
static int ready_threads = 1;

static inline pid_t
ready_tid (void)
{
  return (pid_t) syscall (SYS_gettid);
}

/* Expect on this thread NAME, COUNT times, and then LAST unless it is NULL.  */
static inline void
expect (const char *name, int count, const char *last)
{
  pthread_mutex_lock (&ready_mutex);
  printf ("expect %ld", (long) ready_tid ());
  for (int i = 0; i < count; i++)
    printf ("%s%s", i > 0 ? " <- " : " ", name);
  if (last != NULL)
    printf ("%s%s", count > 0 ? " <- " : " ", last);
  printf ("\n");
  pthread_mutex_unlock (&ready_mutex);
}

static inline void
ready_arrive (void)
{
  pthread_mutex_lock (&ready_mutex);
  ready_tids[ready_arrived++] = ready_tid ();
  if (ready_arrived == ready_threads)
    {
      prctl (PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
      printf ("ready %ld", (long) getpid ());
      for (int i = 0; i < ready_arrived; i++)
	printf (" %ld", (long) ready_tids[i]);
      printf ("\n");
      fflush (stdout);
    }
  pthread_mutex_unlock (&ready_mutex);
}

/* Stay in a system call until standard input is closed.  */
static inline void
stay (void)
{
  char byte;

  ready_arrive ();
  while (read (STDIN_FILENO, &byte, 1) > 0)
    ;
}

static volatile int ready_closed;

static void *
ready_watch (void *unused)
{
  char byte;

  (void) unused;
  while (read (STDIN_FILENO, &byte, 1) > 0)
    ;
  ready_closed = 1;
  return NULL;
}

/* The same without a system call: the thread runs all the time, and another
   one reads.  For one thread of a program.  */
static inline void
stay_running (void)
{
  pthread_t watcher;

  if (pthread_create (&watcher, NULL, ready_watch, NULL) != 0)
    abort ();
  ready_arrive ();
  while (!ready_closed)
    ;
  pthread_join (watcher, NULL);
}

#endif /* READY_H */
