/* sframe-coro: the processes that are sampled.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Keeps the sampler told of what is mapped and of the chains there are, and
   makes stacks out of samples.  */

#ifndef TARGETS_H
#define TARGETS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile.h"
#include "sampling.h"

typedef struct targets_counts
{
  uint64_t samples;
  uint64_t with_lists;	 /* Samples with nodes.  */
  uint64_t cut_natives;	 /* Samples whose native frames were cut.  */
  uint64_t cut_lists;	 /* Samples with a list that was cut.  */
  uint64_t no_site;	 /* Samples with a list that no site was found for.  */
  uint64_t bad;		 /* Samples that could not be understood.  */
  unsigned no_room;	 /* Modules and processes the sampler has no room
			    for.  */
  unsigned incomplete;	 /* Processes whose modules could not all be read.  */
} targets_counts;

typedef struct targets targets;

/* ALL: every process is one; else those that are added, and their children.
   Events go to SINK; a sample stands for PERIOD ns.  */
extern targets *targets_new (sampling *s, profile_sink sink, bool all,
			     uint64_t period);
extern void targets_free (targets *t);

/* Recording ends at END, CLOCK_MONOTONIC in ns: nothing new is looked at from
   then on.  */
extern void targets_set_end (targets *t, uint64_t end);

/* Add the running process PID.  False if the sink takes no more.  */
extern bool targets_add (targets *t, pid_t pid);
/* Add all processes that run, for ALL.  */
extern bool targets_add_all (targets *t);

/* Events of the kernel, and samples, in order of time.  False if the sink takes
   no more.  */
extern bool targets_event (targets *t, const profile_event *e);
extern bool targets_sample (targets *t, const sample *s);

/* Look again at processes that have changed; call it when all that is there
   was taken.  Return how many milliseconds later to come again; -1: no need.  */
extern int targets_refresh (targets *t);

extern const targets_counts *targets_count (const targets *t);

#endif /* TARGETS_H */
