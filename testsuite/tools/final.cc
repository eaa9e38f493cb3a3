/* A coroutine that is looked at while it is at its final suspend point: its
   resume pointer is null already, and it still runs.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <coroutine>
#include <cstdio>
#include <exception>
#include <unistd.h>

#include "sframe-coro.hpp"

SFRAME_CORO_TLS_HEAD (final_leaf);

#define FINAL_CHAIN                                                           \
  SFRAME_CORO_CHAIN (final_chain, "final", SFRAME_CORO_TLS (final_leaf),      \
		     running, Promise, continuation)

[[gnu::noinline]] static void
block ()
{
  std::printf ("ready %d\n", static_cast<int> (getpid ()));
  std::fflush (stdout);
  pause ();
}

struct Final
{
  bool
  await_ready () const noexcept
  {
    return false;
  }

  template <class P>
  [[gnu::noinline]] std::coroutine_handle<>
  await_suspend (std::coroutine_handle<P> self) const noexcept
  {
    if (self.promise ().blocks)
      block ();
    final_leaf = self.promise ().continuation.address ();
    return self.promise ().continuation
	       ? self.promise ().continuation
	       : std::coroutine_handle<> (std::noop_coroutine ());
  }

  void
  await_resume () const noexcept
  {
  }
};

struct Promise
{
  std::coroutine_handle<> continuation;
  bool blocks = false;

  std::coroutine_handle<Promise>
  get_return_object () noexcept
  {
    return std::coroutine_handle<Promise>::from_promise (*this);
  }

  std::suspend_always
  initial_suspend () const noexcept
  {
    return {};
  }

  Final
  final_suspend () const noexcept
  {
    return {};
  }

  void
  return_void () const noexcept
  {
  }

  void
  unhandled_exception () const noexcept
  {
    std::terminate ();
  }
};

struct Task
{
  using promise_type = Promise;
  std::coroutine_handle<Promise> coroutine;

  Task (std::coroutine_handle<Promise> handle) noexcept : coroutine (handle) {}

  bool
  await_ready () const noexcept
  {
    return false;
  }

  std::coroutine_handle<>
  await_suspend (std::coroutine_handle<> caller) const noexcept
  {
    coroutine.promise ().continuation = caller;
    final_leaf = coroutine.address ();
    return coroutine;
  }

  void
  await_resume () const noexcept
  {
    coroutine.destroy ();
  }
};

/* Other coroutines next to those in question, so that what is near in the file
   cannot be taken for what belongs together.  */
[[gnu::noinline]] static Task
bystander (int n)
{
  std::printf ("%d\n", n);
  co_return;
}

[[gnu::noinline]] static Task
inner (int n)
{
  std::printf ("inner %d\n", n);
  co_return;
}

[[gnu::noinline]] static Task
outer (int n)
{
  Task task = inner (n);
  task.coroutine.promise ().blocks = true;
  co_await task;
  co_await bystander (n);
}

int
main ()
{
  Task task = outer (1);
  final_leaf = task.coroutine.address ();
  task.coroutine.resume ();
  SFRAME_CORO_SITE (FINAL_CHAIN);
  final_leaf = nullptr;
  task.coroutine.destroy ();
  return 0;
}
