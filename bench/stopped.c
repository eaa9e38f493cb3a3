/* Benchmark: for how long others stop a thread of this process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: stopped THREADS COMMAND [ARGUMENT...]

   Of the THREADS of a process all but one block, below 100 coroutines each; one
   looks at the clock all the time.  COMMAND is run with the process's number
   behind its arguments; afterwards the longest time for which the clock could
   not be looked at is printed, in microseconds: median of some runs.  */

#define _GNU_SOURCE 1

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define NUM_NODES 100
#define RUNS 15

typedef struct node
{
  void (*resume) (struct node *);
  void (*destroy) (struct node *);
  struct node *next;
  char rest[104];
} node;

__attribute__ ((used, visibility ("hidden"))) _Thread_local node *stopped_head;

__asm__ (".sframe_coro_chain stopped_chain, \"stopped\"\n\t"
	 ".sframe_coro_head tls, stopped_head\n\t"
	 ".sframe_coro_path head, 0\n\t"
	 ".sframe_coro_path next, 16\n\t"
	 ".sframe_coro_path ip, 0\n\t"
	 ".sframe_coro_ip entry\n\t"
	 ".sframe_coro_flags running_head\n\t"
	 ".sframe_coro_endchain");

static sem_t in_place;
static volatile uint64_t *longest; /* Shared with whoever measures; ns.  */

__attribute__ ((noinline)) static void
block (node *n)
{
  n->destroy = NULL;
  sem_post (&in_place);
  for (;;)
    pause ();
}

static void *
thread (void *arg)
{
  node *nodes = calloc (NUM_NODES, sizeof *nodes);

  for (int i = 0; i < NUM_NODES; i++)
    nodes[i] = (node){ .resume = block,
		       .next = i + 1 < NUM_NODES ? &nodes[i + 1] : NULL };
  stopped_head = nodes;
  nodes->resume (nodes);
  __asm__ volatile (".sframe_coro_startsite stopped_chain\n\t"
		    ".sframe_coro_endsite");
  return arg;
}

static uint64_t
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}

static void
be_stopped (int threads)
{
  pthread_attr_t attr;
  uint64_t last, t;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  sem_init (&in_place, 0, 0);
  pthread_attr_init (&attr);
  for (int i = 1; i < threads; i++)
    {
      pthread_t id;
      if (pthread_create (&id, &attr, thread, NULL) != 0)
	abort ();
      sem_wait (&in_place);
    }
  *longest = 1;
  for (last = now ();; last = t)
    {
      t = now ();
      if (t - last > *longest)
	*longest = t - last;
    }
}

/* Run COMMAND, whose last argument is NULL, and return how long it stopped the
   process.  */
static double
measure (char **command)
{
  pid_t pid;
  int status, null;

  *longest = 0;
  pid = fork ();
  if (pid == 0)
    {
      null = open ("/dev/null", O_RDWR);
      dup2 (null, 1);
      dup2 (null, 2);
      execvp (command[0], command);
      _exit (127);
    }
  if (waitpid (pid, &status, 0) != pid || !WIFEXITED (status)
      || WEXITSTATUS (status) > 1)
    abort ();
  return (double) *longest / 1000;
}

int
main (int argc, char **argv)
{
  char **command = calloc ((size_t) argc, sizeof *command), number[16];
  double times[RUNS];
  pid_t pid;

  if (argc < 3)
    return 2;
  longest = mmap (NULL, sizeof *longest, PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid = fork ();
  if (pid == 0)
    be_stopped (atoi (argv[1]));
  while (*longest == 0)
    usleep (1000);
  memcpy (command, argv + 2, (size_t) (argc - 2) * sizeof *command);
  snprintf (number, sizeof number, "%d", (int) pid);
  command[argc - 2] = number;
  for (int i = 0; i < RUNS; i++)
    times[i] = measure (command);
  qsort (times, RUNS, sizeof *times, bench_compare);
  printf ("%.1f\n", times[RUNS / 2]);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  free (command);
  return 0;
}
