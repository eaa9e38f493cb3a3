/* sframe-coro: stacks out of samples.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef STACKS_H
#define STACKS_H

#include "describe.h"
#include "profile.h"
#include "sampling.h"

/* The stack of a sample.  */
typedef struct stack
{
  profile_frame *frames;
  size_t num_frames;
  profile_list lists[SAMPLER_MAX_LISTS];
  size_t num_lists;
  uint32_t cut;	   /* profile_cut.  */
  bool has_nodes;
  bool cut_lists;  /* A list was not followed to its end.  */
  bool no_site;	   /* One was appended for want of a site.  */
} stack;

/* Make K of S, which is of process P.  Its memory is used again for the next
   one; to begin, fill it with zeros.  */
extern void stack_make (stack *k, const describer *d, const description *p,
			const sample *s);
extern void stack_free (stack *k);

#endif /* STACKS_H */
