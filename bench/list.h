/* Lists for the benchmarks.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef LIST_H
#define LIST_H

#include "bench.h"
#include "sframe-coro-api.h"

/* What a coroutine frame begins with, and a promise with the continuation.  */
typedef struct frame
{
  uint64_t resume, destroy;
  struct frame *next; /* Or the first of the steps to it.  */
  void *step[2];      /* Each holds the next one.  */
} frame;

/* As SFRAME_CORO_CHAIN in the C++ header describes a runtime.  */
static inline sframe_coro_chain
make_chain (void)
{
  sframe_coro_chain c = { .abi_arch = SFRAME_CORO_ABI_AMD64_LE,
			  .flags = SFRAME_CORO_CHAIN_HEAD_IS_RUNNING,
			  .num_heads = 1,
			  .num_tests = 1,
			  .ip_kind = SFRAME_CORO_IP_FUNCTION_ENTRY };

  c.path[SFRAME_CORO_PATH_NEXT]
      = (sframe_coro_path){ .given = 1, .num_offs = 1,
			    .off = { offsetof (frame, next) } };
  c.path[SFRAME_CORO_PATH_IP]
      = (sframe_coro_path){ .given = 1, .num_offs = 1,
			    .off = { offsetof (frame, resume) } };
  c.path[SFRAME_CORO_PATH_IP_ALT]
      = (sframe_coro_path){ .given = 1, .num_offs = 1,
			    .off = { offsetof (frame, destroy) } };
  c.test[0] = (sframe_coro_test){ .kind = SFRAME_CORO_TEST_EQUAL, .width = 8,
				  .actions = SFRAME_CORO_ACT_STOP,
				  .off = offsetof (frame, resume),
				  .mask = UINT64_MAX,
				  .value = offsetof (frame, destroy) };
  return c;
}

/* A list of NUM frames of 96 to 256 bytes, in no order of addresses.  */
static inline frame *
make_list (size_t num)
{
  frame **frames = malloc (num * sizeof *frames);
  uint64_t state = 88172645463325252;
  frame *first;

  for (size_t i = 0; i < num; i++)
    {
      frames[i] = malloc (96 + 16 * (bench_random (&state) % 11));
      frames[i]->resume = 0x401000 + i * 64;
      frames[i]->destroy = frames[i]->resume + 32;
    }
  for (size_t i = num; i > 1; i--)
    {
      size_t k = bench_random (&state) % i;
      frame *t = frames[k];
      frames[k] = frames[i - 1];
      frames[i - 1] = t;
    }
  for (size_t i = 0; i < num; i++)
    frames[i]->next = i + 1 < num ? frames[i + 1] : NULL;
  first = frames[0];
  free (frames);
  return first;
}

#endif /* LIST_H */
