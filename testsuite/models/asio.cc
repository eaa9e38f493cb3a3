/* Model: asio's awaitable, which has no thread_local variable at all.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A node is a promise.  It has the coroutine's handle, so the IP takes two
   loads; the caller is at +16.  The function that resumes has `this' at hand,
   which leads to the bottom of its stack of coroutines, and that to the top: in
   a slot of its frame by default, in a register that calls preserve with
   REGISTER.  There is no symmetric transfer: whoever awaits returns to pump.  */

/* expect nested
     leaf
     echo [awaitable:0] running
     session [awaitable:1]
     awaitable_thread::pump
     run
     accept [awaitable:0] running
     listen [awaitable:1]
     serve [awaitable:2]
     awaitable_thread::pump
     run
     main
*/

/* expect back
     leaf
     listen [awaitable:0] running
     serve [awaitable:1]
     awaitable_thread::pump
     run
     main
*/

#include <cstddef>

#include <coroutine>
#include <exception>
#include <utility>

#include "inside.h"

struct awaitable_thread;

struct frame_base
{
  std::coroutine_handle<> coro = nullptr;
  awaitable_thread *attached_thread = nullptr;
  frame_base *caller = nullptr;
  void *pending_exception = nullptr;
  void *resume_context = nullptr;
  frame_base *top_of_stack = nullptr; /* Of the bottom frame only.  */
};

static_assert (offsetof (frame_base, coro) == 0);
static_assert (offsetof (frame_base, caller) == 16);
static_assert (offsetof (frame_base, top_of_stack) == 40);

__asm__ (".sframe_coro_chain asio_chain, \"awaitable\"\n\t"
	 ".sframe_coro_head frame\n\t"
	 ".sframe_coro_path head, 0, 40\n\t"
	 ".sframe_coro_path next, 16\n\t"
	 ".sframe_coro_path ip, 0, 0\n\t"
	 ".sframe_coro_path ip_alt, 0, 8\n\t"
	 ".sframe_coro_ip entry\n\t"
	 ".sframe_coro_flags running_head\n\t"
	 ".sframe_coro_endchain");

struct awaitable_thread
{
  frame_base *bottom_of_stack;

  FRAME void pump ();
};

void
awaitable_thread::pump ()
{
#ifdef REGISTER
  register awaitable_thread *self __asm__ ("rbx") = this;
#define HEAD_AT ".sframe_coro_head_at reg, %0"
#define HEAD "+r"
#else
  awaitable_thread *self = this;
#define HEAD_AT ".sframe_coro_head_at %0"
#define HEAD "+m"
#endif

  while (frame_base *top = self->bottom_of_stack->top_of_stack)
    {
      std::coroutine_handle<> coro = top->coro;
      __asm__ volatile (".sframe_coro_startsite asio_chain\n\t"
			HEAD_AT : HEAD (self) : : "memory");
      coro.resume ();
      __asm__ volatile (".sframe_coro_endsite" : HEAD (self) : : "memory");
    }
}

struct awaitable
{
  struct promise_type : frame_base
  {
    struct final_awaiter
    {
      bool await_ready () const noexcept { return false; }
      void await_suspend (std::coroutine_handle<promise_type> self) noexcept
      {
	frame_base *frame = &self.promise ();
	frame->attached_thread->bottom_of_stack->top_of_stack = frame->caller;
	if (frame->caller != nullptr)
	  std::swap (frame->attached_thread, frame->caller->attached_thread);
      }
      void await_resume () const noexcept {}
    };

    awaitable get_return_object ()
    {
      coro = std::coroutine_handle<promise_type>::from_promise (*this);
      return { this };
    }
    std::suspend_always initial_suspend () const noexcept { return {}; }
    final_awaiter final_suspend () const noexcept { return {}; }
    void unhandled_exception () { std::terminate (); }
    void return_void () {}
  };

  promise_type *frame;

  ~awaitable () { frame->coro.destroy (); }
  bool await_ready () const noexcept { return false; }
  void await_suspend (std::coroutine_handle<promise_type> caller)
  {
    frame_base *from = &caller.promise ();
    frame->caller = from;
    std::swap (frame->attached_thread, from->attached_thread);
    frame->attached_thread->bottom_of_stack->top_of_stack = frame;
  }
  void await_resume () const noexcept {}
};

static FRAME void
leaf (const char *stop)
{
  INSIDE_STOP (stop);
}

static FRAME void
run (const awaitable &a)
{
  awaitable_thread thread = { a.frame };
  a.frame->top_of_stack = a.frame;
  a.frame->attached_thread = &thread;
  thread.pump ();
  NOT_LAST ();
}

static FRAME awaitable
echo ()
{
  leaf ("nested");
  co_return;
}

static FRAME awaitable
session ()
{
  co_await echo ();
}

static FRAME awaitable
accept ()
{
  run (session ());
  co_return;
}

static FRAME awaitable
listen ()
{
  co_await accept ();
  leaf ("back");
}

static FRAME awaitable
serve ()
{
  co_await listen ();
}

int
main ()
{
  run (serve ());
  NOT_LAST ();
}
