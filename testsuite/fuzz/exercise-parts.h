/* What the parts of exercise.h share.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef EXERCISE_PARTS_H
#define EXERCISE_PARTS_H

#include <stdlib.h>
#include <string.h>

#include "../require.h"
#include "exercise.h"

#define MAX_NODES 64

/* Memory that is everywhere the same few bytes.  */
typedef struct tile
{
  const unsigned char *bytes;
  size_t size;
  size_t reads;
} tile;

/* A sframe_coro_read_fn with a tile for ARG.  */
extern int exercise_read_tile (void *arg, uint64_t address, void *buf,
			       size_t len);

/* Follow lists as exercise_walk does, once: WHICH, of NUM_WHICH, says with how
   many nodes at most.  */
#define NUM_WHICH 4
extern void exercise_walk_once (const sframe_coro_chain *chain, tile *t,
				unsigned which);

/* Check what a walk of ROOTS promises: it stopped for STOP.  */
extern void exercise_expect_roots (const sframe_coro_root *roots, size_t num,
				   size_t max_roots, size_t max_nodes,
				   sframe_coro_stop stop);

/* Bytes to decide by; zeros when they are used up.  */
typedef struct choices
{
  const unsigned char *bytes;
  size_t size;
} choices;

static inline unsigned
choose (choices *c, unsigned n)
{
  if (c->size == 0)
    return 0;
  c->size--;
  return *c->bytes++ % n;
}

#endif /* EXERCISE_PARTS_H */
