/* Models of runtimes: what C++20 makes of a simple task type.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   The continuation is the first member of the promise.  */

#ifndef COROUTINE_H
#define COROUTINE_H

#include <atomic>
#include <coroutine>
#include <exception>
#include <utility>

/* Store VALUE to PLACE; who interrupts the thread finds what was stored
   before.  */
template <class T, class U>
inline void
publish (T &place, U value)
{
  std::atomic_signal_fence (std::memory_order_seq_cst);
  place = value;
  std::atomic_signal_fence (std::memory_order_seq_cst);
}

/* RUNTIME::set_running is told which coroutine runs, and may be given null.  */
template <class Runtime> struct basic_task
{
  struct promise_type;
  using handle = std::coroutine_handle<promise_type>;

  struct final_awaiter
  {
    bool await_ready () const noexcept { return false; }
    std::coroutine_handle<> await_suspend (handle self) const noexcept
    {
      std::coroutine_handle<> awaiter = self.promise ().continuation;
      Runtime::set_running (awaiter.address ());
      return awaiter ? awaiter : std::noop_coroutine ();
    }
    void await_resume () const noexcept {}
  };

  struct promise_type
  {
    std::coroutine_handle<> continuation;

    basic_task get_return_object ()
    {
      return basic_task (handle::from_promise (*this));
    }
    std::suspend_always initial_suspend () const noexcept { return {}; }
    final_awaiter final_suspend () const noexcept { return {}; }
    void unhandled_exception () { std::terminate (); }
    void return_void () {}
  };

  handle coroutine;

  basic_task () = default;
  explicit basic_task (handle h) : coroutine (h) {}
  basic_task (basic_task &&other)
    : coroutine (std::exchange (other.coroutine, {})) {}
  ~basic_task ()
  {
    if (coroutine)
      coroutine.destroy ();
  }

  bool await_ready () const noexcept { return false; }
  std::coroutine_handle<> await_suspend (std::coroutine_handle<> caller)
  {
    coroutine.promise ().continuation = caller;
    Runtime::set_running (coroutine.address ());
    return coroutine;
  }
  void await_resume () const noexcept {}
};

#endif /* COROUTINE_H */
