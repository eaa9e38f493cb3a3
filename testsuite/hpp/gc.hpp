/* Sites in templates that two translation units share.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef GC_HPP
#define GC_HPP

#include <coroutine>

#include "sframe-coro.hpp"

SFRAME_CORO_TLS_HEAD (test_gc_leaf);

struct GcPromise
{
  virtual ~GcPromise () = default;
  std::coroutine_handle<> continuation;
};

#define GC_CHAIN                                                              \
  SFRAME_CORO_CHAIN (test_gc_chain, "test.gc",                                \
		     SFRAME_CORO_TLS (test_gc_leaf), running, GcPromise,      \
		     continuation)

/* The same code for every N.  */
template <int N>
[[gnu::noinline]] void
resume (void *frame)
{
  std::coroutine_handle<>::from_address (frame).resume ();
  SFRAME_CORO_SITE (GC_CHAIN);
}

void other (void *frame);

#endif /* GC_HPP */
