/* A profiler of coroutines, inside of the program.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Everything that allocates is done before and after.  The handler walks the
   lists of its thread, wherever that was interrupted, and stores what it
   finds.  */

#define _GNU_SOURCE
#include "profile.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "modules.h"

#define MAX_SAMPLES 65536
#define MAX_NODES 16

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

typedef struct sample
{
  uint32_t num;
  sframe_coro_stop stop;
  uint64_t ip[MAX_NODES]; /* Innermost first.  */
} sample;

static Dwfl *modules;
static sframe_coro_index *index_of_all;
static sample samples[MAX_SAMPLES];
static _Atomic unsigned num_samples;

static _Thread_local timer_t timer;
static _Thread_local volatile sig_atomic_t num_of_thread;

/* Walk CHAIN, the lists of which are the calling thread's own.  */
static void
take_sample (const sframe_coro_chain *chain, sample *s)
{
  static const sframe_coro_memory own = { NULL, NULL };
  sframe_coro_thread thread = {
    .tp = (uintptr_t) __builtin_thread_pointer (),
    .libc = SFRAME_CORO_LIBC_GLIBC
  };
  sframe_coro_node nodes[MAX_NODES];
  size_t num;

  s->stop = sframe_coro_walk (chain, &own, &thread, NULL, nodes, MAX_NODES,
                              &num, NULL);
  s->num = 0;
  for (size_t i = 0; i < num; i++)
    if (!(nodes[i].flags & SFRAME_CORO_NODE_HIDDEN))
      s->ip[s->num++] = nodes[i].ip;
}

static void
on_signal (int signo)
{
  int saved = errno;

  (void) signo;
  for (size_t i = 0; i < sframe_coro_index_num_chains (index_of_all); i++)
    {
      unsigned n = atomic_fetch_add (&num_samples, 1);

      if (n < MAX_SAMPLES)
        take_sample (&sframe_coro_index_chain_at (index_of_all, i)->chain,
                     &samples[n]);
    }
  num_of_thread++;
  errno = saved;
}

int
profile_open (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

  index_of_all = sframe_coro_index_new ();
  modules = modules_of_process (getpid ());
  if (index_of_all == NULL || modules == NULL
      || modules_index (modules, index_of_all) != 0)
    return -1;
  return sigaction (SIGPROF, &action, NULL);
}

int
profile_start (long interval)
{
  struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
                            .sigev_signo = SIGPROF };
  struct itimerspec time = { .it_interval.tv_nsec = interval,
                             .it_value.tv_nsec = interval };

  event.sigev_notify_thread_id = gettid ();
  return timer_create (CLOCK_MONOTONIC, &event, &timer) != 0
         || timer_settime (timer, 0, &time, NULL) != 0;
}

void
profile_stop (void)
{
  timer_delete (timer);
}

unsigned
profile_count (void)
{
  return (unsigned) num_of_thread;
}

static int
compare (const void *a, const void *b)
{
  return memcmp (a, b, sizeof (sample));
}

static void
print_stack (const sample *s, size_t times)
{
  if (sframe_coro_stop_is_cut (s->stop))
    printf ("incomplete, %s: ", sframe_coro_stop_text (s->stop));
  for (uint32_t i = s->num; i-- > 0;)
    printf ("%s%s", modules_function (modules, s->ip[i]), i ? ";" : "");
  if (s->num == 0)
    printf ("no coroutine");
  printf (" %zu\n", times);
}

void
profile_print (void)
{
  size_t num = num_samples < MAX_SAMPLES ? num_samples : MAX_SAMPLES;

  if (num < num_samples)
    printf ("lost: %zu\n", num_samples - num);
  qsort (samples, num, sizeof *samples, compare);
  for (size_t i = 0, first = 0; i < num; i++)
    if (i + 1 == num || compare (&samples[i], &samples[i + 1]) != 0)
      {
        print_stack (&samples[i], i + 1 - first);
        first = i + 1;
      }
}
