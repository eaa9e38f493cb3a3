/* sframe-coro: telling the sampler what a process is made of.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "functions.h"
#include "modules.h"
#include "process.h"
#include "profile.h"
#include "sampling.h"

/* A process, as described to the sampler.  */
typedef struct description
{
  pid_t pid;
  process *process; /* NULL: it has not been read.  */
  modules modules;
  functions *functions;
  uint32_t generation; /* As in samples.  */
  size_t num_chains;	 /* That the sampler knows.  */
  size_t *index_of;	 /* Where they are in the index of the modules.  */
  uint32_t *group;	 /* The first of them with the same rules.  */
  uint32_t *numbers;	 /* For each in the index, its number in profiles.  */
  bool unresolved;	 /* A head could not be located yet.  */
  bool tables_missing; /* Tables for unwinding are still to be made.  */
  bool incomplete;
} description;

typedef struct describer describer;

extern describer *describer_new (sampling *s, profile_sink sink);
extern void describer_free (describer *d);

/* Recording ends at END, CLOCK_MONOTONIC in ns; what describes more slowly is
   left undone.  */
extern void describer_set_end (describer *d, uint64_t end);

/* Read process P->pid, again if it was read before, and tell the sampler of its
   chains; of tables for unwinding only of those that have been made for other
   processes.  False if the sink takes no more.  That the process has ended is no
   error.  */
extern bool describe (describer *d, description *p);

/* Make one of the tables that are missing, and tell the sampler; true if there
   are more.  */
extern bool describe_table (describer *d, description *p);

/* Look again at what the dynamic linker may have filled in.  If modules are
   mapped otherwise than they were, P is read again: true.  */
extern bool describe_again (describer *d, description *p);

/* Forget what P says; the sampler too.  */
extern void describe_nothing (describer *d, description *p);

/* The chain that lists with number NUMBER are of, by its index in P's modules;
   SIZE_MAX if it is gone.  */
extern size_t describe_find_chain (const describer *d, const description *p,
				   uint32_t number);

/* Modules and processes that the sampler had no room for.  */
extern unsigned describer_no_room (const describer *d);

#endif /* DESCRIBE_H */
