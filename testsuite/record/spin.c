/* Models of runtimes, to be sampled: each stop computes for a while.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Takes the place of testsuite/models/inside.c.  Before `main' begins the line
   "ready" is printed, and one is waited for.  Each stop prints "stop", its name,
   its thread, and when it began and ended, as samples are stamped.  */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"

/* CPU time that a stop takes.  */
#define SPIN_NS 60000000

static uint64_t
read_clock (clockid_t clock)
{
  struct timespec t;
  clock_gettime (clock, &t);
  return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}

__attribute__ ((constructor)) static void
wait_to_begin (void)
{
  int c;

  puts ("ready");
  fflush (stdout);
  while ((c = getchar ()) != '\n')
    if (c == EOF)
      _exit (1);
}

void
inside_word (const void *value, const char *text)
{
  printf ("word\t%#" PRIx64 "\t%s\n", (uint64_t) (uintptr_t) value, text);
}

void
inside_stop (const char *name)
{
  uint64_t begin = read_clock (CLOCK_MONOTONIC);
  uint64_t end = read_clock (CLOCK_THREAD_CPUTIME_ID) + SPIN_NS;

  while (read_clock (CLOCK_THREAD_CPUTIME_ID) < end)
    for (int i = 0; i < 1000000; i++)
      __asm__ volatile ("" ::: "memory");
  printf ("stop\t%s\t%ld\t%" PRIu64 "\t%" PRIu64 "\n", name,
	  (long) syscall (SYS_gettid), begin, read_clock (CLOCK_MONOTONIC));
}
