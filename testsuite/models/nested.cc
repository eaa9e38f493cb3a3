/* Model: an event loop that is run inside a coroutine of another event loop.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A thread has a list of loops, innermost first.  Each loop is a root: it has
   the coroutine that it runs, and an address in the native frame that resumes
   it.  There are no sites.  */

/* expect three
     leaf
     read [loop:0] running
     parse [loop:1]
     run_loop
     block_on
     fetch [loop:0] running
     update [loop:1]
     run_loop
     block_on
     session [loop:0] running
     serve [loop:1]
     accept [loop:2]
     run_loop
     block_on
     main
*/

/* The innermost has ended: its root is gone.
   expect two
     leaf
     fetch [loop:0] running
     update [loop:1]
     run_loop
     block_on
     session [loop:0] running
     serve [loop:1]
     accept [loop:2]
     run_loop
     block_on
     main
*/

/* A loop that has nothing to run is a root without nodes.
   expect idle
     leaf
     run_loop
     block_on
     session [loop:0] running
     serve [loop:1]
     accept [loop:2]
     run_loop
     block_on
     main
*/

/* expect none
     leaf
     main
*/

#include <coroutine>

#include "coroutine.h"
#include "inside.h"

struct loop
{
  loop *next;	   /* The one this runs in.  */
  void *running;   /* A coroutine.  */
  void *frame;	   /* Of the native function that resumes.  */
};

[[gnu::used]] constinit thread_local loop *loops asm ("nested_loops");

__asm__ (".sframe_coro_chain nested_chain, \"loop\"\n\t"
	 ".sframe_coro_head tls, nested_loops\n\t"
	 ".sframe_coro_roots all, 16\n\t"
	 ".sframe_coro_path root_next, 0\n\t"
	 ".sframe_coro_path top, 8\n\t"
	 ".sframe_coro_path next, 16\n\t"
	 ".sframe_coro_path ip, 0\n\t"
	 ".sframe_coro_path ip_alt, 8\n\t"
	 ".sframe_coro_ip entry\n\t"
	 ".sframe_coro_test equal, 0, 8, stop\n\t"
	 ".sframe_coro_flags running_head\n\t"
	 ".sframe_coro_endchain");

struct runtime
{
  static void set_running (void *coroutine)
  {
    if (loops != nullptr)
      loops->running = coroutine;
  }
};
using task = basic_task<runtime>;

static FRAME void
leaf (const char *stop)
{
  INSIDE_STOP (stop);
}

static FRAME void
run_loop (loop *self, std::coroutine_handle<> coroutine)
{
  self->frame = __builtin_frame_address (0);
  publish (self->next, loops);
  publish (loops, self);
  if (coroutine)
    {
      runtime::set_running (coroutine.address ());
      coroutine.resume ();
      runtime::set_running (nullptr);
    }
  else
    leaf ("idle");
  publish (loops, self->next);
}

static FRAME void
block_on (task t)
{
  loop l = {};
  run_loop (&l, t.coroutine);
}

static FRAME task
read ()
{
  leaf ("three");
  co_return;
}

static FRAME task
parse ()
{
  co_await read ();
}

static FRAME task
fetch ()
{
  block_on (parse ());
  leaf ("two");
  co_return;
}

static FRAME task
update ()
{
  co_await fetch ();
}

static FRAME task
session ()
{
  block_on (update ());
  block_on (task ());
  co_return;
}

static FRAME task
serve ()
{
  co_await session ();
}

static FRAME task
accept ()
{
  co_await serve ();
}

int
main ()
{
  block_on (accept ());
  leaf ("none");
}
