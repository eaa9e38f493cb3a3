/* Coroutines that tell when they are born and when they die.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef SOAK_H
#define SOAK_H

#include "task.hpp"

/* Which function a coroutine is of; its name is in soak.py.  */
enum class Kind : unsigned
{
  dead,
  outer,
  middle,
  inner,
  host,
  plugin
};

/* Note that the coroutine with frame address FRAME is of KIND from now on, or
   that there is none any more.  The program has it, for its libraries too.  */
extern "C" void soak_log (const void *frame, Kind kind);

/* Await LEVELS coroutines of the library from another one, and call LOOK with
   ARG in the last.  */
typedef void (*soak_plugin_fn) (int levels, void (*look) (void *), void *arg);
extern "C" [[gnu::visibility ("default")]] void
soak_plugin (int levels, void (*look) (void *), void *arg);

/* Makes all coroutines that await each other give up.  */
struct Cancelled
{
};

/* Awaiting it suspends all coroutines up to the resume; REST is who goes on
   later.  */
struct Park
{
  std::coroutine_handle<> *rest;

  bool
  await_ready () const noexcept
  {
    return false;
  }

  void
  await_suspend (std::coroutine_handle<> leaf) const noexcept
  {
    *rest = leaf;
    SetLeaf (nullptr);
  }

  void
  await_resume () const noexcept
  {
  }
};

/* Like a Task, but it can be suspended in the middle, go on in another thread,
   or be destroyed there.  Each has its kind as its first argument.  */
class [[nodiscard]] Job
{
public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct promise_type : PromiseOf<void>
  {
    template <class... Arguments>
    explicit promise_type (Kind kind, const Arguments &...)
    {
      SFRAME_CORO_CHECK (TASK_CHAIN, promise_type);
      soak_log (Handle::from_promise (*this).address (), kind);
    }

    promise_type (const promise_type &) = delete;
    promise_type &operator= (const promise_type &) = delete;

    ~promise_type ()
    {
      soak_log (Handle::from_promise (*this).address (), Kind::dead);
    }

    Job
    get_return_object () noexcept
    {
      return Job (Handle::from_promise (*this));
    }
  };

  Job () noexcept = default;
  Job (Job &&other) noexcept : handle_ (std::exchange (other.handle_, {})) {}

  Job &
  operator= (Job other) noexcept
  {
    std::swap (handle_, other.handle_);
    return *this;
  }

  ~Job ()
  {
    if (handle_)
      handle_.destroy ();
  }

  bool
  await_ready () const noexcept
  {
    return false;
  }

  std::coroutine_handle<>
  await_suspend (std::coroutine_handle<> caller) const noexcept
  {
    handle_.promise ().continuation = caller;
    SetLeaf (handle_);
    return handle_;
  }

  void
  await_resume () const
  {
    handle_.promise ().TakeResult ();
  }

  Handle
  Coroutine () const noexcept
  {
    return handle_;
  }

private:
  explicit Job (Handle handle) noexcept : handle_ (handle) {}

  Handle handle_;
};

/* Let LEAF go on until all that await it are done, or suspended.  The leaf that
   the thread had is that again afterwards.  */
[[gnu::noinline]] static void
Drive (std::coroutine_handle<> leaf)
{
  std::coroutine_handle<> before
    = std::coroutine_handle<>::from_address (demo_task_leaf);

  SetLeaf (leaf);
  leaf.resume ();
  SFRAME_CORO_SITE (TASK_CHAIN);
  SetLeaf (before);
}

#endif /* SOAK_H */
