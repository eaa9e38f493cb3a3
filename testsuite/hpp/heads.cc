/* Four lists at once, on one thread, one for each kind of head.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Each list has two nodes, neither of them running.  */

#include <atomic>
#include <cstdlib>

#include "ready.h"
#include "sframe-coro.hpp"

struct Node
{
  void (*resume) (Node *);
  void (*destroy) (Node *);
  Node *next;
};

SFRAME_CORO_TLS_HEAD (test_tls);
SFRAME_CORO_TLS_OFFSET_HEAD (test_tls_offset);
SFRAME_CORO_TP_SLOT_HEAD (test_tp_slot);
SFRAME_CORO_GLOBAL_HEAD (test_global);

static thread_local void *slot_leaf;

#define CHAIN(NAME, HEAD)                                                     \
  SFRAME_CORO_CHAIN_OF_NODES (test_chain_##NAME, "test." #NAME, HEAD,         \
			      awaiting, offsetof (Node, next))

static void
set (void *&head, void *value)
{
  std::atomic_signal_fence (std::memory_order_seq_cst);
  head = value;
  std::atomic_signal_fence (std::memory_order_seq_cst);
}

/* A list of two named functions, and a function that calls NEXT at a site.  */
#define LEVEL(NAME, HEAD, VARIABLE, NEXT)                                     \
  static void NAME##_first (Node *) {}                                        \
  static void NAME##_second (Node *) {}                                       \
  static void NAME##_destroy (Node *) {}                                      \
  [[gnu::noinline]] static void NAME##_level ()                               \
  {                                                                           \
    Node second = { NAME##_second, NAME##_destroy, nullptr };                 \
    Node first = { NAME##_first, NAME##_destroy, &second };                   \
    void (*volatile call) () = NEXT;                                          \
									      \
    set (VARIABLE, &first);                                                   \
    call ();                                                                  \
    SFRAME_CORO_SITE (CHAIN (NAME, HEAD));                                    \
    set (VARIABLE, nullptr);                                                  \
  }

LEVEL (tls, SFRAME_CORO_TLS (test_tls), test_tls, stay)
LEVEL (offset, SFRAME_CORO_TLS_OFFSET (test_tls_offset), test_tls_offset,
       tls_level)
LEVEL (slot, SFRAME_CORO_TP_SLOT (test_tp_slot), slot_leaf, offset_level)
LEVEL (global, SFRAME_CORO_GLOBAL (test_global), test_global, slot_level)

int
main ()
{
  test_tp_slot = reinterpret_cast<char *> (&slot_leaf)
		 - static_cast<char *> (__builtin_thread_pointer ());
  expect ("tls_first(Node*) <- tls_second(Node*)"
	  " <- offset_first(Node*) <- offset_second(Node*)"
	  " <- slot_first(Node*) <- slot_second(Node*)",
	  1, "global_first(Node*) <- global_second(Node*)");
  global_level ();
  return 0;
}
