/* Model: a registry of all tasks of a process, most of them suspended.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   The registry is a circular list of links, with a sentinel, in the tasks.
   Each has its innermost coroutine.  The outermost one of a task is continued
   by nobody, which is told by a pointer that is none: 1.  Tasks are listed, and
   not spliced, whichever thread looks.  */

/* expect empty
     leaf
     main
*/

/* expect some
     leaf
     main
     task registry:
     timer [registry:0] at timer
     task registry:
     connection [registry:0] at connection
     serve [registry:1] at serve
     task registry:
     connection [registry:0] at connection
     retry [registry:1] at retry
     serve [registry:2] at serve-again
*/

/* One of them runs.  Its coroutines are on no stack of the thread: that takes a
   chain of the thread.
   expect running
     leaf
     timer
     resume
     main
     task registry:
     timer [registry:0] at timer
     task registry:
     connection [registry:0] at connection
     serve [registry:1] at serve
*/

/* expect thread
     leaf
     thread
     task registry:
     connection [registry:0] at connection
     serve [registry:1] at serve
*/

#include <pthread.h>
#include <stdint.h>

#include "inside.h"

#include <coroutine>
#include <exception>
#include <utility>

struct link
{
  link *next = nullptr, *previous = nullptr;
};

struct registered : link
{
  void *top = nullptr; /* A coroutine.  */
};

[[gnu::used, gnu::visibility ("hidden")]] link all asm ("registry_all");

__asm__ (".sframe_coro_chain registry_chain, \"registry\"\n\t"
	 ".sframe_coro_head global, registry_all\n\t"
	 ".sframe_coro_path head, 0\n\t"
	 ".sframe_coro_roots all\n\t"
	 ".sframe_coro_path root_next, 0\n\t"
	 ".sframe_coro_path top, 16\n\t"
	 ".sframe_coro_path next, 16\n\t"
	 ".sframe_coro_path ip, 0\n\t"
	 ".sframe_coro_path ip_alt, 8\n\t"
	 ".sframe_coro_ip entry\n\t"
	 ".sframe_coro_end value, 1\n\t"
	 ".sframe_coro_flags process_scope\n\t"
	 ".sframe_coro_endchain");

#define BODY() __asm__ volatile ("#body registry_chain")
#define AWAIT(N, EXPRESSION)                                                  \
  co_await EXPRESSION;                                                        \
  __asm__ volatile ("#point " #N "\n\tnop")

/* A coroutine and those it awaits, which have one task.  */
struct task
{
  struct promise_type;
  using handle = std::coroutine_handle<promise_type>;

  struct final_awaiter
  {
    bool await_ready () const noexcept { return false; }
    std::coroutine_handle<> await_suspend (handle self) const noexcept
    {
      promise_type &p = self.promise ();
      if (reinterpret_cast<uintptr_t> (p.continuation) == 1)
	return std::noop_coroutine ();
      p.owner->top = p.continuation;
      return std::coroutine_handle<>::from_address (p.continuation);
    }
    void await_resume () const noexcept {}
  };

  struct promise_type
  {
    void *continuation = reinterpret_cast<void *> (1);
    registered *owner = nullptr;

    task get_return_object () { return { handle::from_promise (*this) }; }
    std::suspend_always initial_suspend () const noexcept { return {}; }
    final_awaiter final_suspend () const noexcept { return {}; }
    void unhandled_exception () { std::terminate (); }
    void return_void () {}
  };

  handle coroutine;

  ~task () { coroutine.destroy (); }
  bool await_ready () const noexcept { return false; }
  std::coroutine_handle<> await_suspend (handle caller)
  {
    promise_type &p = coroutine.promise ();
    p.continuation = caller.address ();
    p.owner = caller.promise ().owner;
    p.owner->top = coroutine.address ();
    return coroutine;
  }
  void await_resume () const noexcept {}
};

static FRAME void
leaf (const char *stop)
{
  INSIDE_STOP (stop);
}

/* What all tasks wait for.  */
struct event
{
  bool await_ready () const noexcept { return false; }
  void await_suspend (std::coroutine_handle<>) const noexcept {}
  void await_resume () const noexcept {}
};

static FRAME void
resume (registered &r)
{
  std::coroutine_handle<>::from_address (r.top).resume ();
  NOT_LAST ();
}

static FRAME void
spawn (registered &r, const task &t)
{
  t.coroutine.promise ().owner = &r;
  r.top = t.coroutine.address ();
  r.next = all.next;
  r.previous = &all;
  all.next->previous = &r;
  all.next = &r;
  resume (r);
  NOT_LAST ();
}

static void
forget (registered &r)
{
  r.next->previous = r.previous;
  r.previous->next = r.next;
}

static FRAME task
connection ()
{
  BODY ();
  AWAIT (1, event ()); /* at: connection */
}

static FRAME task
retry ()
{
  BODY ();
  AWAIT (1, connection ()); /* at: retry */
}

static FRAME task
serve (bool again)
{
  BODY ();
  if (again)
    {
      AWAIT (1, retry ()); /* at: serve-again */
    }
  else
    {
      AWAIT (2, connection ()); /* at: serve */
    }
}

static FRAME task
timer ()
{
  BODY ();
  AWAIT (1, event ()); /* at: timer */
  leaf ("running");
  AWAIT (2, event ());
}

static void *
thread (void *arg)
{
  leaf ("thread");
  return arg;
}

int
main ()
{
  all.next = all.previous = &all;
  leaf ("empty");

  task first = serve (true), second = serve (false), third = timer ();
  registered a, b, c;
  spawn (a, first);
  spawn (b, second);
  spawn (c, third);
  leaf ("some");
  forget (a);
  resume (c);
  forget (c);

  pthread_t other;
  pthread_create (&other, nullptr, thread, nullptr);
  pthread_join (other, nullptr);
}
