/* Model: two runtimes that know nothing of each other on one native stack.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Each has a list of roots, and sites.  The head of one is found by its offset
   in the TLS block, that of the other by a word that the runtime fills in.  */

/* expect four
     leaf
     b4 [b:0] running
     drive_b
     a3 [a:0] running
     a2 [a:1]
     drive_a
     b3 [b:0] running
     b2 [b:1]
     b1 [b:2]
     drive_b
     a1 [a:0] running
     drive_a
     main
*/

/* The outer list of the one has no root any more when the inner one is looked
   at: the lists of the other are where they were.
   expect three
     leaf
     a3 [a:0] running
     a2 [a:1]
     drive_a
     b3 [b:0] running
     b2 [b:1]
     b1 [b:2]
     drive_b
     a1 [a:0] running
     drive_a
     main
*/

#include "coroutine.h"
#include "inside.h"

struct root
{
  root *next;
  void *running;
};

[[gnu::used, gnu::visibility ("hidden")]] constinit thread_local root *
    roots_a asm ("two_roots_a");
static constinit thread_local root *roots_b;
[[gnu::used, gnu::visibility ("hidden")]] long slot_b asm ("two_slot_b");

#define CHAIN(NAME, TEXT, HEAD)                                               \
  ".sframe_coro_chain " NAME ", \"" TEXT "\"\n\t"                             \
  ".sframe_coro_head " HEAD "\n\t"                                            \
  ".sframe_coro_roots all\n\t"                                                \
  ".sframe_coro_path root_next, 0\n\t"                                        \
  ".sframe_coro_path top, 8\n\t"                                              \
  ".sframe_coro_path next, 16\n\t"                                            \
  ".sframe_coro_path ip, 0\n\t"                                               \
  ".sframe_coro_path ip_alt, 8\n\t"                                           \
  ".sframe_coro_ip entry\n\t"                                                 \
  ".sframe_coro_test equal, 0, 8, stop\n\t"                                   \
  ".sframe_coro_flags running_head\n\t"                                       \
  ".sframe_coro_endchain\n\t"

__asm__ (CHAIN ("two_a", "a", "tls_offset, two_roots_a")
	 CHAIN ("two_b", "b", "tp_slot, two_slot_b"));

struct runtime_a
{
  static void set_running (void *coroutine)
  {
    publish (roots_a->running, coroutine);
  }
};

struct runtime_b
{
  static void set_running (void *coroutine)
  {
    publish (roots_b->running, coroutine);
  }
};

using task_a = basic_task<runtime_a>;
using task_b = basic_task<runtime_b>;

static FRAME void
leaf (const char *stop)
{
  INSIDE_STOP (stop);
}

static FRAME void
drive_a (const task_a &t)
{
  root r = { roots_a, t.coroutine.address () };
  publish (roots_a, &r);
  t.coroutine.resume ();
  __asm__ volatile (".sframe_coro_startsite two_a\n\t"
		    ".sframe_coro_endsite" ::: "memory");
  publish (roots_a, r.next);
}

static FRAME void
drive_b (const task_b &t)
{
  root r = { roots_b, t.coroutine.address () };
  publish (roots_b, &r);
  t.coroutine.resume ();
  __asm__ volatile (".sframe_coro_startsite two_b\n\t"
		    ".sframe_coro_endsite" ::: "memory");
  publish (roots_b, r.next);
}

static FRAME task_b
b4 ()
{
  leaf ("four");
  co_return;
}

static FRAME task_a
a3 ()
{
  drive_b (b4 ());
  leaf ("three");
  co_return;
}

static FRAME task_a
a2 ()
{
  co_await a3 ();
}

static FRAME task_b
b3 ()
{
  drive_a (a2 ());
  co_return;
}

static FRAME task_b
b2 ()
{
  co_await b3 ();
}

static FRAME task_b
b1 ()
{
  co_await b2 ();
}

static FRAME task_a
a1 ()
{
  drive_b (b1 ());
  co_return;
}

int
main ()
{
  slot_b = (char *) &roots_b - (char *) __builtin_thread_pointer ();
  drive_a (a1 ());
  NOT_LAST ();
}
