/* A coroutine that is at its final suspend point, and has no resume pointer
   any more.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Its runtime is another one than that of the examples: the head is in a
   structure, and -DPROMISE_ALIGN=64 moves the promises in their frames.  */

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdlib>

#include "ready.h"
#include "sframe-coro.hpp"

#ifndef PROMISE_ALIGN
#define PROMISE_ALIGN 8
#endif

struct ThreadState
{
  long other;
  std::coroutine_handle<> leaf;
};

[[gnu::used]] static constinit thread_local ThreadState
  state asm ("test_thread_state") = { 7, nullptr };

#define JOB_CHAIN                                                             \
  SFRAME_CORO_CHAIN (test_job_chain, "test.job",                              \
		     SFRAME_CORO_TLS (test_thread_state,                      \
				      offsetof (ThreadState, leaf)),          \
		     running, Job::promise_type, awaiter)

static void
set_leaf (std::coroutine_handle<> leaf)
{
  std::atomic_signal_fence (std::memory_order_seq_cst);
  state.leaf = leaf;
  std::atomic_signal_fence (std::memory_order_seq_cst);
}

struct Job
{
  struct alignas (PROMISE_ALIGN) promise_type
  {
    long number = 0;
    std::coroutine_handle<> awaiter;

    Job
    get_return_object ()
    {
      return { Handle::from_promise (*this) };
    }

    std::suspend_always
    initial_suspend () noexcept
    {
      return {};
    }

    auto
    final_suspend () noexcept
    {
      struct Final
      {
	bool
	await_ready () noexcept
	{
	  return false;
	}

	std::coroutine_handle<>
	await_suspend (std::coroutine_handle<promise_type> self) noexcept
	{
	  std::coroutine_handle<> next = self.promise ().awaiter;

	  /* That this is the case at all, is what is tested.  */
	  if (*static_cast<void **> (self.address ()) != nullptr)
	    std::abort ();
	  if (next)
	    stay ();
	  set_leaf (next);
	  return next ? next : std::noop_coroutine ();
	}

	void
	await_resume () noexcept
	{
	}
      };
      return Final ();
    }

    void
    return_value (long result)
    {
      number = result;
    }

    void
    unhandled_exception ()
    {
      std::abort ();
    }
  };
  using Handle = std::coroutine_handle<promise_type>;

  Handle handle;

  bool
  await_ready ()
  {
    return false;
  }

  Handle
  await_suspend (std::coroutine_handle<> caller)
  {
    handle.promise ().awaiter = caller;
    set_leaf (handle);
    return handle;
  }

  long
  await_resume ()
  {
    return handle.promise ().number;
  }
};

static Job
finished ()
{
  co_return 42;
}

static Job
waiting ()
{
  Job job = finished ();
  long number = co_await job;

  job.handle.destroy ();
  co_return number;
}

int
main ()
{
  Job job = waiting ();
  long number;

  expect ("finished()", 1, "waiting()");
  set_leaf (job.handle);
  job.handle.resume ();
  SFRAME_CORO_SITE (JOB_CHAIN);
  set_leaf (nullptr);
  number = job.handle.promise ().number;
  job.handle.destroy ();
  return number != 42;
}
