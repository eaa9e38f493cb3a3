/* A list of nodes as a C program may have it.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   For C libraries for which there is no C++ library here.  Nodes begin like
   coroutine frames.  Two threads have lists, one never has.  */

#include "ready.h"
#include "sframe-coro.hpp"

struct node
{
  void (*resume) (struct node *);
  void (*destroy) (struct node *);
  long data;
  struct node *awaiter;
};

static __thread struct node *leaf __asm__ ("test_node_leaf")
  __attribute__ ((used));

#define NODE_CHAIN                                                            \
  SFRAME_CORO_CHAIN_OF_NODES (test_node_chain, "test.node",                   \
			      SFRAME_CORO_TLS (test_node_leaf), running,      \
			      __builtin_offsetof (struct node, awaiter))

static void
set_leaf (struct node *node)
{
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  leaf = node;
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
}

static __attribute__ ((noinline)) void
inner (struct node *node)
{
  stay ();
  node->data++;
  set_leaf (node->awaiter);
}

static __attribute__ ((noinline)) void
middle (struct node *node)
{
  node->data += 2;
}

static __attribute__ ((noinline)) void
outer (struct node *node)
{
  node->data += 3;
}

static void
destroy (struct node *node)
{
  node->data = 0;
}

static void
run (struct node *node)
{
  set_leaf (node);
  node->resume (node);
  SFRAME_CORO_SITE (NODE_CHAIN);
  set_leaf (NULL);
}

static void *
thread_main (void *unused)
{
  struct node nodes[3] = { { inner, destroy, 0, NULL },
			   { middle, destroy, 0, NULL },
			   { outer, destroy, 0, NULL } };

  (void) unused;
  nodes[0].awaiter = &nodes[1];
  nodes[1].awaiter = &nodes[2];
  expect ("inner <- middle", 1, "outer");
  run (&nodes[0]);
  return nodes[0].data == 1 ? NULL : (void *) "wrong";
}

static void *
idle_main (void *unused)
{
  (void) unused;
  expect ("", 0, NULL);
  stay ();
  return NULL;
}

int
main (void)
{
  pthread_t threads[2];
  void *results[3];

  ready_threads = 3;
  if (pthread_create (&threads[0], NULL, thread_main, NULL) != 0
      || pthread_create (&threads[1], NULL, idle_main, NULL) != 0)
    return 2;
  results[2] = thread_main (NULL);
  for (int i = 0; i < 2; i++)
    pthread_join (threads[i], &results[i]);
  return results[0] != NULL || results[1] != NULL || results[2] != NULL;
}
