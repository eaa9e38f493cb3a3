/* Timing for the benchmarks.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Two ways of doing the same are timed in turn, many times over, so that
   whatever else the machine does hits both; what is printed is the ratio.  */

#ifndef BENCH_H
#define BENCH_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BENCH_ROUNDS 61

/* Keep the compiler from knowing what P points to, and from dropping it.  */
#define BENCH_USE(P) __asm__ volatile ("" : : "g"(P) : "memory")

typedef void (*bench_fn) (void *arg);

/* Nanoseconds that FN takes.  */
static inline double
bench_time (bench_fn fn, void *arg)
{
  struct timespec a, b;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &a);
  fn (arg);
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &b);
  return (double) (b.tv_sec - a.tv_sec) * 1e9
	 + (double) (b.tv_nsec - a.tv_nsec);
}

static inline int
bench_compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

/* One line of the table; a GOAL of 0 is none.  bench/run.sh prints the same.  */
static inline void
bench_row (const char *what, const char *peer_name, double ours, double peer,
	   double min, double median, double max, double goal)
{
  printf ("%-38s %-24s %10.2f %10.2f %9.4f %9.4f %9.4f", what, peer_name, ours,
	  peer, min, median, max);
  if (goal != 0)
    printf ("  <= %.2f%s", goal, median <= goal ? "" : " missed");
  putchar ('\n');
  fflush (stdout);
}

/* Time OURS against PEER and print how they compare; each call of the
   functions does OURS_COUNT and PEER_COUNT of WHAT.  GOAL is the ratio that
   we want to stay below.  */
static inline void
bench_ratio (const char *what, bench_fn ours, double ours_count,
	     const char *peer_name, bench_fn peer, double peer_count,
	     void *arg, double goal)
{
  double ratio[BENCH_ROUNDS], a[BENCH_ROUNDS], b[BENCH_ROUNDS];
  const int mid = BENCH_ROUNDS / 2;

  ours (arg);
  peer (arg);
  for (int i = 0; i < BENCH_ROUNDS; i++)
    {
      a[i] = bench_time (ours, arg) / ours_count;
      b[i] = bench_time (peer, arg) / peer_count;
      ratio[i] = a[i] / b[i];
    }
  qsort (ratio, BENCH_ROUNDS, sizeof *ratio, bench_compare);
  qsort (a, BENCH_ROUNDS, sizeof *a, bench_compare);
  qsort (b, BENCH_ROUNDS, sizeof *b, bench_compare);
  bench_row (what, peer_name, a[mid], b[mid], ratio[0], ratio[mid],
	     ratio[BENCH_ROUNDS - 1], goal);
}

/* For who counts instructions: do what ARGV says, `ours' or `peer', SIZE,
   and TIMES, which the functions see to.  */
static inline void
bench_counted (char **argv, bench_fn ours, bench_fn peer, void *arg)
{
  (strcmp (argv[1], "ours") == 0 ? ours : peer) (arg);
}

/* A generator of numbers that differ little in quality from random ones.  */
static inline uint64_t
bench_random (uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

#endif /* BENCH_H */
