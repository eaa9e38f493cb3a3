// One of three parts of a program, each with a site of the same chain.
// Copyright (C) 2026 The libsframe-coro authors.
// SPDX-License-Identifier: GPL-3.0-or-later

#include <coroutine>
#include <cstdlib>

#include "sframe-coro.hpp"

SFRAME_CORO_TLS_HEAD (program_leaf);
#define PROGRAM_CHAIN                                                         \
  SFRAME_CORO_CHAIN (program_chain, "demo.program",                           \
		     SFRAME_CORO_TLS (program_leaf), running, promise,        \
		     continuation)

struct promise
{
  void *continuation = nullptr;
  std::coroutine_handle<promise>
  get_return_object ()
  {
    return std::coroutine_handle<promise>::from_promise (*this);
  }
  std::suspend_always initial_suspend () { return {}; }
  std::suspend_always final_suspend () noexcept { return {}; }
  void return_void () {}
  void unhandled_exception () { std::abort (); }
};

struct task
{
  using promise_type = ::promise;
  std::coroutine_handle<promise_type> handle;
  task (std::coroutine_handle<promise_type> h) : handle (h) {}
};

#if defined OTHER
#define PART other
#elif defined THIRD
#define PART third
#else
#define PART first
#endif

static int ran;

static task
work ()
{
  ran++;
  co_return;
}

__attribute__ ((noinline)) int
PART ()
{
  task t = work ();
  program_leaf = t.handle.address ();
  t.handle.resume (); SFRAME_CORO_SITE (PROGRAM_CHAIN);
  program_leaf = nullptr;
  t.handle.destroy ();
  return ran;
}

#if !defined OTHER && !defined THIRD
int other ();
int third ();

int
main ()
{
  return first () + other () + third () == 3 ? 0 : 1;
}
#endif
