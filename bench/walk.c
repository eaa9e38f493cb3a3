/* Benchmark: walking one's own list, against following its pointers.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "bench.h"
#include "list.h"

/* What a plain walk keeps of a node.  */
typedef struct seen
{
  uint64_t address, ip;
} seen;

typedef size_t (*follow_fn) (const frame *first, seen *seen, size_t max);

typedef struct walks
{
  sframe_coro_chain chain;
  frame *first;
  size_t num, times;
  follow_fn follow;
  sframe_coro_node *nodes;
  seen *seen;
} walks;

static void
walk (void *arg)
{
  walks *w = arg;

  for (size_t i = 0; i < w->times; i++)
    {
      size_t num;
      sframe_coro_stop stop
	  = sframe_coro_walk_list (&w->chain, NULL, (uintptr_t) w->first,
				   w->nodes, w->num, &num);
      if (stop != SFRAME_CORO_STOP_END || num != w->num)
	abort ();
      BENCH_USE (w->nodes);
    }
}

static __attribute__ ((noinline)) size_t
follow (const frame *first, seen *seen, size_t max)
{
  size_t n = 0;

  for (const frame *f = first; f != NULL && n < max; f = f->next)
    {
      seen[n].address = (uintptr_t) f;
      seen[n++].ip = f->resume;
    }
  return n;
}

/* The same where three loads lead to the next frame.  */
static __attribute__ ((noinline)) size_t
follow_steps (const frame *first, seen *seen, size_t max)
{
  size_t n = 0;

  for (const frame *f = first; f != NULL && n < max;)
    {
      void **step = (void **) f->next;

      seen[n].address = (uintptr_t) f;
      seen[n++].ip = f->resume;
      f = step == NULL ? NULL : *(void **) *step;
    }
  return n;
}

static void
chase (void *arg)
{
  walks *w = arg;

  for (size_t i = 0; i < w->times; i++)
    {
      if (w->follow (w->first, w->seen, w->num) != w->num)
	abort ();
      BENCH_USE (w->seen);
    }
}

/* Lead from each frame to the next by way of two words of its own.  */
static void
add_steps (sframe_coro_chain *c, frame *first)
{
  for (frame *f = first, *next; f != NULL; f = next)
    {
      next = f->next;
      if (next == NULL)
	continue;
      f->step[1] = next;
      f->step[0] = &f->step[1];
      f->next = (frame *) (void *) &f->step[0];
    }
  c->path[SFRAME_CORO_PATH_NEXT].num_offs = 3;
}

static void
prepare (walks *w, size_t num, size_t times, bool steps)
{
  *w = (walks){ .chain = make_chain (), .first = make_list (num),
		.num = num, .times = times,
		.follow = steps ? follow_steps : follow };
  if (steps)
    add_steps (&w->chain, w->first);
  w->nodes = malloc (num * sizeof *w->nodes);
  w->seen = malloc (num * sizeof *w->seen);
}

static void
compare (const char *what, size_t num, size_t times, bool steps)
{
  walks w;

  prepare (&w, num, times, steps);
  bench_ratio (what, walk, (double) (num * times), "plain pointer chase",
	       chase, (double) (num * times), &w, 1.3);
  free (w.nodes);
  free (w.seen);
}

/* Without arguments print ratios; with those of bench_counted do the work once,
   of a list whose nodes are as many STEPS apart.  */
int
main (int argc, char **argv)
{
  if (argc == 4)
    {
      walks w;
      prepare (&w, 512, strtoul (argv[3], NULL, 10),
	       strcmp (argv[2], "3") == 0);
      bench_counted (argv, walk, chase, &w);
      return 0;
    }
  compare ("walk, 512 nodes, warm (node)", 512, 500, false);
  compare ("walk, 400,000 nodes, cold (node)", 400000, 1, false);
  compare ("walk by 3 steps, 512 nodes, warm (node)", 512, 500, true);
  compare ("walk by 3 steps, 400,000 nodes, cold", 400000, 1, true);
  return 0;
}
