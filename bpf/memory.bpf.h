/* sframe-coro: the memory of what is sampled, in the kernel.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT OR GPL-2.0-only

   Gives the library's sources what they ask their includer for.  */

#ifndef MEMORY_BPF_H
#define MEMORY_BPF_H

#include "sampler.h"

/* A piece of the current process's memory.  A call of the kernel's helper costs
   more than all else that a node takes, however much it reads.  The window is
   what MEMORY is here; null: each word is read by itself.  */
#define WINDOW_SIZE 1024
/* From a node's address on: what is most often read of it.  */
#define NODE_SIZE 64
#define PAGE_SIZE UINT64_C (4096)
typedef struct window
{
  uint64_t address; /* 0: it shows nothing.  */
  uint64_t last;    /* Address of the node before.  */
  unsigned char bytes[WINDOW_SIZE];
} window;

#define memset __builtin_memset

static __always_inline bool
core_load (const sframe_coro_memory *memory, uint64_t address, void *buf,
	   size_t len)
{
  const window *w = (const window *) memory;
  uint64_t off;

  if (w != NULL && w->address != 0)
    {
      off = address - w->address;
      asm volatile ("" : "+r"(off));
      if (off <= WINDOW_SIZE - len)
	{
	  __builtin_memcpy (buf, w->bytes + off, len);
	  return true;
	}
    }
  return bpf_probe_read_user (buf, len, (const void *) address) == 0;
}

/* Bodies have no argument.  */
#define CORE_FIND_BODY(BODIES, IP) ((void) (BODIES), find_body (IP))
#define CORE_FIND_POINT(R, INDEX) find_point (R, INDEX)

static const sframe_coro_body_rules *find_body (uint64_t ip);
static uint64_t find_point (const sframe_coro_body_rules *r, uint64_t index);

/* What most nodes do not need are stages.  */
#define CORE_TESTS(MEMORY, C, NODE, ACTIONS)                                  \
  (test_node ((window *) (MEMORY), C, NODE, ACTIONS) != 0)
#define CORE_MORE_IP(MEMORY, C, NODE)                                         \
  ((void) add_ip ((window *) (MEMORY), C, NODE))
#define CORE_BODY(MEMORY, C, BODIES, NODE, NEXT)                              \
  ((void) (BODIES),                                                           \
   (enum core_next) ask_body ((window *) (MEMORY), C, NODE, NEXT))

int test_node (window *w, const sframe_coro_chain *c, uint64_t node,
	       unsigned *actions);
int add_ip (window *w, const sframe_coro_chain *c, sframe_coro_node *node);
int ask_body (window *w, const sframe_coro_chain *c, sframe_coro_node *node,
	      uint64_t *next);

#include "roots-core.h"
#include "tls-core.h"

#endif /* MEMORY_BPF_H */
