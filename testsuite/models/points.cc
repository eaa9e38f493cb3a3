/* Model: coroutines are shown at the line where they await.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   The body of each function says where its suspend index is, and where it goes
   on for which index.  That is the compiler's knowledge; see bodies.py.  */

/* expect first
     leaf
     third [task:0] running
     second [task:1] at second-only
     one [task:2] at one-first
     resume
     main
*/

/* expect again
     leaf
     third [task:0] running
     second [task:1] at second-only
     one [task:2] at one-again
     resume
     main
*/

/* One coroutine function twice, suspended at different points.
   expect recursion
     leaf
     third [task:0] running
     descend [task:1] at descend-end
     descend [task:2] at descend-deeper
     descend [task:3] at descend-deeper
     one [task:4] at one-loop
     resume
     main
*/

/* A coroutine that runs is where it runs, whatever its suspend index.
   expect running
     leaf
     one [task:0] running
     resume
     main
*/

#include "coroutine.h"
#include "inside.h"
#include "sframe-coro.hpp"

SFRAME_CORO_TLS_HEAD (points_current);

static FRAME void
leaf (const char *stop)
{
  INSIDE_STOP (stop);
}

struct runtime
{
  static void set_running (void *coroutine)
  {
    publish (points_current, coroutine);
  }
};

using task = basic_task<runtime>;

#define CHAIN                                                                 \
  SFRAME_CORO_CHAIN (points_chain, "task", SFRAME_CORO_TLS (points_current),  \
		     running, task::promise_type, continuation)

#define BODY() __asm__ volatile ("#body points_chain")

/* The N-th `co_await' of its coroutine.  The instruction has this line.  */
#define AWAIT(N, EXPRESSION)                                                  \
  co_await EXPRESSION;                                                        \
  __asm__ volatile ("#point " #N "\n\tnop")

/* Back to who resumed, who goes on with this coroutine: so the native stack has
   nothing left of what went before.  */
static std::coroutine_handle<> paused;

struct give_way
{
  bool await_ready () const noexcept { return false; }
  void await_suspend (std::coroutine_handle<> self) const noexcept
  {
    paused = self;
  }
  void await_resume () const noexcept {}
};

static FRAME void
resume (std::coroutine_handle<> coroutine)
{
  runtime::set_running (coroutine.address ());
  coroutine.resume ();
  SFRAME_CORO_SITE (CHAIN);
  runtime::set_running (nullptr);
}

static const char *stop = "first";

static FRAME task
third ()
{
  BODY ();
  leaf (stop);
  co_return;
}

static FRAME task
second ()
{
  BODY ();
  AWAIT (1, third ()); /* at: second-only */
}

static FRAME task
descend (int depth)
{
  BODY ();
  if (depth != 0)
    {
      AWAIT (1, descend (depth - 1)); /* at: descend-deeper */
    }
  else
    {
      AWAIT (2, third ()); /* at: descend-end */
    }
}

static FRAME task
one ()
{
  BODY ();
  AWAIT (1, second ()); /* at: one-first */
  AWAIT (2, give_way ());
  stop = "again";
  AWAIT (3, second ()); /* at: one-again */
  AWAIT (4, give_way ());
  stop = "recursion";
  for (int i = 0; i < 1; i++)
    {
      AWAIT (5, descend (2)); /* at: one-loop */
    }
  AWAIT (6, give_way ());
  leaf ("running");
}

int
main ()
{
  task t = one ();
  paused = t.coroutine;
  while (paused)
    resume (std::exchange (paused, {}));
}
