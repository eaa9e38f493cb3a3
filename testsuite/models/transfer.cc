/* Model: the seed design, coroutine by coroutine.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Described by sframe-coro.hpp.  Symmetric transfer, in both directions; a
   coroutine that goes on in another thread; a list that ends with a noop
   coroutine; a coroutine at its final suspend point, whose resume pointer is
   null.  */

/* expect down
     leaf
     three [task:0] running
     two [task:1]
     one [task:2]
     resume
     main
*/

/* A coroutine goes on after the one it awaited, which is gone.  Without
   optimisation transfers are calls of g++, and what they were made by is still
   there.
   expect up
     leaf
     two [task:0] running
     {g++ -O0} three
     {g++ -O0} two
     one [task:1]
     resume
     main
*/

/* At the final suspend point the head is still the coroutine that ends.
   expect final
     leaf
     {-O0} basic_task<runtime>::final_awaiter::await_suspend
     {clang++-19 -O0} ?
     ending [task:0] running final
     waiting [task:1]
     resume
     main
*/

/* expect before
     leaf
     traveller [task:0] running
     resume
     main
*/

/* The same coroutine, in another thread.
   expect after
     leaf
     traveller [task:0] running
     resume
     thread
*/

/* The thread it came from has nothing.
   expect left
     leaf
     main
*/

/* expect noop
     leaf
     alone [task:0] running
     resume
     main
*/

#include <pthread.h>

#include "coroutine.h"
#include "inside.h"
#include "sframe-coro.hpp"

SFRAME_CORO_TLS_HEAD (transfer_current);

static FRAME void
leaf (const char *stop)
{
  INSIDE_STOP (stop);
}

static bool stop_at_end;

struct runtime
{
  [[gnu::always_inline]] static void set_running (void *coroutine)
  {
    if (stop_at_end)
      leaf ("final");
    stop_at_end = false;
    publish (transfer_current, coroutine);
  }
};

using task = basic_task<runtime>;

#define CHAIN                                                                 \
  SFRAME_CORO_CHAIN (transfer_chain, "task",                                  \
		     SFRAME_CORO_TLS (transfer_current), running,             \
		     task::promise_type, continuation)

static FRAME void
resume (std::coroutine_handle<> coroutine)
{
  runtime::set_running (coroutine.address ());
  coroutine.resume ();
  SFRAME_CORO_SITE (CHAIN);
  runtime::set_running (nullptr);
}

static FRAME task
three ()
{
  leaf ("down");
  co_return;
}

static FRAME task
two ()
{
  co_await three ();
  leaf ("up");
}

static FRAME task
one ()
{
  co_await two ();
}

static FRAME task
ending ()
{
  stop_at_end = true;
  co_return;
}

static FRAME task
waiting ()
{
  co_await ending ();
}

static FRAME task
alone ()
{
  leaf ("noop");
  co_return;
}

/* Leaves the thread; another one goes on.  */
struct leave
{
  bool await_ready () const noexcept { return false; }
  void await_suspend (std::coroutine_handle<>) const noexcept {}
  void await_resume () const noexcept {}
};

static FRAME task
traveller ()
{
  leaf ("before");
  co_await leave ();
  leaf ("after");
}

static void *
thread (void *arg)
{
  resume (std::coroutine_handle<>::from_address (arg));
  NOT_LAST ();
  return nullptr;
}

int
main ()
{
  {
    task t = one ();
    resume (t.coroutine);
  }
  {
    task t = waiting ();
    resume (t.coroutine);
  }
  {
    task t = traveller ();
    pthread_t other;
    resume (t.coroutine);
    leaf ("left");
    pthread_create (&other, nullptr, thread, t.coroutine.address ());
    pthread_join (other, nullptr);
  }
  {
    task t = alone ();
    t.coroutine.promise ().continuation = std::noop_coroutine ();
    resume (t.coroutine);
  }
}
