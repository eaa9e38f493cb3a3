/* Model: promises of different alignment and layout in one chain.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   As in cppcoro and stdexec: a node is a coroutine frame, the continuation is
   in the promise, behind a result whose size and alignment depend on the
   coroutine.  So `next' differs from function to function, and is given by the
   body of each.  The chain's own `next' fits none of them.  */

/* expect chain
     leaf
     cache_line [aligned.task:0] running
     page_part [aligned.task:1]
     plain [aligned.task:2]
     pair [aligned.task:3]
     byte [aligned.task:4]
     drive
     main
*/

/* At its final suspend point a coroutine has lost its resume pointer, and is
   found by its destroy pointer.
   expect final
     leaf
     {clang++-19 -O0} ?
     cache_line [aligned.task:0] running final
     page_part [aligned.task:1]
     plain [aligned.task:2]
     pair [aligned.task:3]
     byte [aligned.task:4]
     drive
     main
*/

#include <atomic>
#include <coroutine>
#include <exception>
#include <utility>

#include "inside.h"
#include "sframe-coro.hpp"

[[gnu::used]] constinit thread_local void *current asm ("aligned_current");

__asm__ (".sframe_coro_chain aligned_chain, \"aligned.task\"\n\t"
	 ".sframe_coro_head tls, aligned_current\n\t"
	 ".sframe_coro_path next, 8\n\t"
	 ".sframe_coro_path ip, 0\n\t"
	 ".sframe_coro_path ip_alt, 8\n\t"
	 ".sframe_coro_ip entry\n\t"
	 ".sframe_coro_test equal, 0, 8, stop\n\t"
	 ".sframe_coro_flags running_head\n\t"
	 ".sframe_coro_endchain");

/* In a coroutine whose promise has the type P.  */
#define BODY(P)                                                               \
  __asm__ volatile ("#body aligned_chain next %c0"                            \
		    : : "i"(sframe_coro::promise_offset<P>                    \
			    + __builtin_offsetof (P, continuation)))

static FRAME void
leaf (const char *stop)
{
  INSIDE_STOP (stop);
}

static bool stop_at_end;

struct final_awaiter
{
  bool await_ready () const noexcept { return false; }

  template <class P>
  [[gnu::always_inline]] inline std::coroutine_handle<>
  await_suspend (std::coroutine_handle<P> self) const noexcept
  {
    if (std::exchange (stop_at_end, false))
      leaf ("final");
    std::coroutine_handle<> awaiter = self.promise ().continuation;
    std::atomic_signal_fence (std::memory_order_seq_cst);
    current = awaiter.address ();
    return awaiter ? awaiter : std::noop_coroutine ();
  }

  void await_resume () const noexcept {}
};

template <class T> struct task
{
  struct promise_type
  {
    T result;
    std::coroutine_handle<> continuation;

    task get_return_object ()
    {
      return { std::coroutine_handle<promise_type>::from_promise (*this) };
    }
    std::suspend_always initial_suspend () const noexcept { return {}; }
    final_awaiter final_suspend () const noexcept { return {}; }
    void unhandled_exception () { std::terminate (); }
    void return_value (const T &value) { result = value; }
  };

  std::coroutine_handle<promise_type> coroutine;

  ~task () { coroutine.destroy (); }

  bool await_ready () const noexcept { return false; }
  std::coroutine_handle<> await_suspend (std::coroutine_handle<> caller)
  {
    coroutine.promise ().continuation = caller;
    std::atomic_signal_fence (std::memory_order_seq_cst);
    current = coroutine.address ();
    return coroutine;
  }
  T await_resume () { return coroutine.promise ().result; }
};

/* Results, each with another layout of the promise.  */
struct alignas (16) aligned_16 { long value[2]; };
struct alignas (64) aligned_64 { long value[1]; };
struct alignas (256) aligned_256 { char value[300]; };
struct large { char value[200]; };

static_assert (alignof (task<char>::promise_type) == 8);
static_assert (alignof (task<aligned_16>::promise_type) == 16);
static_assert (alignof (task<aligned_64>::promise_type) == 64);
static_assert (alignof (task<aligned_256>::promise_type) == 256);

static task<aligned_64>
cache_line ()
{
  BODY (task<aligned_64>::promise_type);
  leaf ("chain");
  stop_at_end = true;
  co_return {};
}

static task<aligned_256>
page_part ()
{
  BODY (task<aligned_256>::promise_type);
  co_await cache_line ();
  co_return {};
}

static task<large>
plain ()
{
  BODY (task<large>::promise_type);
  co_await page_part ();
  co_return {};
}

static task<aligned_16>
pair ()
{
  BODY (task<aligned_16>::promise_type);
  co_await plain ();
  co_return {};
}

static task<char>
byte ()
{
  BODY (task<char>::promise_type);
  co_await pair ();
  co_return 0;
}

static FRAME void
drive (std::coroutine_handle<> coroutine)
{
  current = coroutine.address ();
  coroutine.resume ();
  __asm__ volatile (".sframe_coro_startsite aligned_chain\n\t"
		    ".sframe_coro_endsite" ::: "memory");
  current = nullptr;
}

int
main ()
{
  task<char> t = byte ();
  drive (t.coroutine);
  NOT_LAST ();
}
