/* sframe-coro: the sampler in the kernel.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef SAMPLING_H
#define SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cfi-rows.h"
#include "sampler.h"

typedef struct sampling_options
{
  size_t ring;	      /* Bytes for samples that are not taken out yet; a power
			 of 2, and whole pages.  */
  const char *object; /* Another sampler, a file; or NULL.  */
} sampling_options;

typedef struct sampling sampling;

/* Load the sampler; after a message the small one, where the kernel refuses the
   whole one.  NULL after a message.  All of it goes with sampling_free, which
   takes NULL, or with this process.  */
extern sampling *sampling_new (const sampling_options *o);
extern void sampling_free (sampling *s);

/* Sample thread TID, and what it will create, FREQUENCY times for each second
   it runs; ON_EXEC: from its next execve on.  A thread that is gone, *GONE, is
   no error.  False after a message.  */
extern bool sampling_add_thread (sampling *s, pid_t tid, unsigned frequency,
				 bool on_exec, bool *gone);
/* Sample what CPU runs.  */
extern bool sampling_add_cpu (sampling *s, int cpu, unsigned frequency);
/* No more samples are taken.  */
extern void sampling_stop (sampling *s);

/* A sample; the parts follow each other.  */
typedef struct sample
{
  const sampler_header *header;
  const sampler_native *natives;
  const uint64_t *kernel;
  const sampler_list *lists;
  const sampler_node *nodes;
  const sampler_words *words;
} sample;

/* Whether the SIZE bytes at DATA are a sample, in *S.  */
extern bool sample_parse (const void *data, size_t size, sample *s);

/* Readable when there are samples.  */
extern int sampling_fd (const sampling *s);
/* Give FN the bytes of all samples there are.  */
typedef void (*sampling_fn) (void *arg, const void *data, size_t size);
extern void sampling_drain (sampling *s, sampling_fn fn, void *arg);

/* Samples there was no room for, so far.  */
extern uint64_t sampling_lost (const sampling *s);

/* Whether it is the small sampler, and what that does.  */
extern bool sampling_is_small (const sampling *s);
extern const char sampling_small_text[];

/* What loading took, in milliseconds.  */
extern unsigned sampling_load_ms (const sampling *s);

/* Instructions that the kernel's verifier looked at.  */
extern unsigned sampling_verified (const sampling *s);

/* What the sampler is told.  */

/* Give table T to the sampler; false, without a message, if there is no room
   for it.  M gets where it is.  */
extern bool sampling_add_table (sampling *s, const cfi_rows *t,
				sampler_mapping *m);

/* What is to be known of a process.  */
typedef struct sampling_process
{
  sampler_process entry; /* Without `first_mapping' and its like.  */
  const sampler_mapping *mappings;
  const sampler_chain *chains;
  sampler_site *sites; /* NULL if there are none.  */
} sampling_process;

/* Tell of process PID, in place of what was told before; *FIRST_CHAIN is the
   number that lists of its first chain have in samples, the next ones follow.
   That number is not given to other chains for some seconds after it has gone
   out of use.  False, without a message, if there is no room.  */
extern bool sampling_set_process (sampling *s, uint32_t pid,
				  const sampling_process *p,
				  uint32_t *first_chain);
extern void sampling_drop_process (sampling *s, uint32_t pid);

/* Tell of a BODY, or of its suspend point INDEX at PC.  */
extern bool sampling_add_body (sampling *s, uint32_t pid,
			       const sframe_coro_body_rules *rules);
extern bool sampling_add_point (sampling *s, uint32_t pid, uint64_t start,
				uint32_t index, uint64_t pc);

#endif /* SAMPLING_H */
