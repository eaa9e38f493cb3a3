/* A small Task<T> runtime whose coroutines can be seen from outside.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A Task starts when it is resumed or awaited, runs on the thread that does
   so, and continues whoever awaits it when it is done.  Only other Tasks can
   be awaited.

   What belongs to .sframe_coro is marked (1) to (5); everything else is what
   such a runtime looks like anyway.  */

#ifndef TASK_HPP
#define TASK_HPP

#include <atomic>
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "sframe-coro.hpp"

/* (1) The frame address of the coroutine that the thread is executing, null
   while it executes none.  Header-only runtimes declare it like this; one that
   has a library defines it there, and its header says `extern'.  */
#ifdef TASK_LEAF_ELSEWHERE
extern constinit thread_local void *demo_task_leaf asm ("demo_task_leaf");
#else
SFRAME_CORO_TLS_HEAD (demo_task_leaf);
#endif

/* (2) How the coroutines hang together: from the leaf, which is running, to
   its awaiter and so on, through a member of the promise.  */
#define TASK_CHAIN                                                            \
  SFRAME_CORO_CHAIN (demo_task_chain, "demo.task",                            \
		     SFRAME_CORO_TLS (demo_task_leaf), running, PromiseBase,  \
		     continuation)

/* (3) The one place where the leaf changes.  Whoever interrupts the thread
   must find all stores made before this one, and none made after it.  */
inline void
SetLeaf (std::coroutine_handle<> coroutine) noexcept
{
  std::atomic_signal_fence (std::memory_order_seq_cst);
  demo_task_leaf = coroutine.address ();
  std::atomic_signal_fence (std::memory_order_seq_cst);
}

/* At its end a coroutine continues its awaiter, or else returns to Resume.  */
struct FinalAwaiter
{
  bool
  await_ready () const noexcept
  {
    return false;
  }

  template <class Promise>
  std::coroutine_handle<>
  await_suspend (std::coroutine_handle<Promise> self) const noexcept
  {
    std::coroutine_handle<> awaiter = self.promise ().continuation;

    /* The awaiter destroys this coroutine: the leaf has to be off it.  */
    SetLeaf (awaiter);
    if (awaiter)
      return awaiter;
    return std::noop_coroutine ();
  }

  void
  await_resume () const noexcept
  {
  }
};

/* What the promises of all Tasks have in common.  */
struct PromiseBase
{
  std::coroutine_handle<> continuation; /* Who awaits it; or null.  */
  std::exception_ptr error;

  std::suspend_always
  initial_suspend () const noexcept
  {
    return {};
  }

  FinalAwaiter
  final_suspend () const noexcept
  {
    return {};
  }

  void
  unhandled_exception () noexcept
  {
    error = std::current_exception ();
  }

  void
  RethrowError () const
  {
    if (error)
      std::rethrow_exception (error);
  }
};

template <class T> struct PromiseOf : PromiseBase
{
  std::optional<T> value;

  template <class U>
  void
  return_value (U &&result)
  {
    value.emplace (std::forward<U> (result));
  }

  T
  TakeResult ()
  {
    RethrowError ();
    return std::move (*value);
  }
};

template <> struct PromiseOf<void> : PromiseBase
{
  void
  return_void () const noexcept
  {
  }

  void
  TakeResult () const
  {
    RethrowError ();
  }
};

template <class T = void> class [[nodiscard]] Task
{
public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct promise_type : PromiseOf<T>
  {
    Task
    get_return_object () noexcept
    {
      /* (4) An error here if T needs so large an alignment that the
	 continuation would be somewhere else than in other Tasks.  */
      SFRAME_CORO_CHECK (TASK_CHAIN, promise_type);
      return Task (Handle::from_promise (*this));
    }

    /* Of other awaitables this runtime knows nothing, in particular not who
       resumes the coroutine.  */
    template <class U>
    auto
    await_transform (Task<U> &&task) const noexcept
    {
      return typename Task<U>::Awaiter (task.coroutine_);
    }
  };

  class Awaiter
  {
  public:
    explicit Awaiter (Handle callee) noexcept : callee_ (callee) {}

    bool
    await_ready () const noexcept
    {
      return false;
    }

    std::coroutine_handle<>
    await_suspend (std::coroutine_handle<> caller) const noexcept
    {
      /* First complete the callee, then let the leaf point to it.  */
      callee_.promise ().continuation = caller;
      SetLeaf (callee_);
      return callee_;
    }

    T
    await_resume () const
    {
      return callee_.promise ().TakeResult ();
    }

  private:
    Handle callee_;
  };

  Task (Task &&other) noexcept
    : coroutine_ (std::exchange (other.coroutine_, {}))
  {
  }

  Task &
  operator= (Task other) noexcept
  {
    std::swap (coroutine_, other.coroutine_);
    return *this;
  }

  ~Task ()
  {
    if (coroutine_)
      coroutine_.destroy ();
  }

  /* Run it, and what it awaits, to its end.  May be called by a coroutine as
     well, which then is again the leaf afterwards.  */
  void
  Resume ()
  {
    std::coroutine_handle<> outer
      = std::coroutine_handle<>::from_address (demo_task_leaf);

    SetLeaf (coroutine_);
    coroutine_.resume ();
    SFRAME_CORO_SITE (TASK_CHAIN); /* (5) Nothing between this and the call. */
    SetLeaf (outer);
  }

  T
  Result ()
  {
    return coroutine_.promise ().TakeResult ();
  }

  Handle
  Coroutine () const noexcept
  {
    return coroutine_;
  }

private:
  template <class> friend class Task;

  explicit Task (Handle coroutine) noexcept : coroutine_ (coroutine) {}

  Handle coroutine_;
};

#endif /* TASK_HPP */
