/* What the header accepts; and, with a macro defined, what it must not.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <coroutine>

#include "sframe-coro.hpp"

SFRAME_CORO_TLS_HEAD (test_rejects_leaf);

struct Base
{
#ifdef MEMBER
  int continuation[4];
#else
  void *continuation;
#endif
};

#ifdef TEXT
#define NAME "test %0"
#else
#define NAME "test.rejects"
#endif

#define CHAIN                                                                 \
  SFRAME_CORO_CHAIN (test_rejects_chain, NAME,                                \
		     SFRAME_CORO_TLS (test_rejects_leaf), running, Base,      \
		     continuation)

struct Other
{
  long member;
};

template <class First> struct
#ifdef ALIGNMENT
alignas (32)
#else
alignas (16)
#endif
Promise :
#ifdef BASE
Other,
#endif
Base
{
  First first;
};

template <class T>
void
resume (std::coroutine_handle<T> handle)
{
  SFRAME_CORO_CHECK (CHAIN, T);
  SFRAME_CORO_CHECK (CHAIN, Promise<long>);
  handle.resume ();
  SFRAME_CORO_SITE (CHAIN);
}

template void resume (std::coroutine_handle<Promise<int>>);
