/* Model: a list of the states of all threads, told apart by thread ID.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   CPython has such a list, in which readers find a thread without help of its
   TLS.  The ID is what the thread itself gets from the kernel: in a PID name
   space of its own it is another number than from outside.  A task is a record
   with the one that awaits it, and a function that goes on with it.  */

/* expect alone
     leaf
     read_step [task:0] running
     serve_step [task:1]
     drive
     main
*/

/* Another thread, whose state is the first in the list.
   expect other
     leaf
     write_step [task:0] running
     serve_step [task:1]
     drive
     thread
*/

/* Behind the state of a thread that has nothing to do.
   expect both
     leaf
     read_step [task:0] running
     serve_step [task:1]
     drive
     main
*/

/* A thread that has no state.
   expect stateless
     leaf
     thread
*/

#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inside.h"

typedef struct task
{
  const char *stop;
  struct task *awaiter;
  void (*step) (struct task *self);
} task;

typedef struct state
{
  struct state *next;
  unsigned long tid;
  task *current;
} state;

_Static_assert (offsetof (task, awaiter) == 8, "next");
_Static_assert (offsetof (task, step) == 16, "ip");
_Static_assert (offsetof (state, tid) == 8, "root_key");
_Static_assert (offsetof (state, current) == 16, "top");

__attribute__ ((used, visibility ("hidden"))) state *tid_states;

__asm__ (".sframe_coro_chain tid_chain, \"task\"\n\t"
	 ".sframe_coro_head global, tid_states\n\t"
	 ".sframe_coro_path head, 0\n\t"
	 ".sframe_coro_roots tid\n\t"
	 ".sframe_coro_path root_next, 0\n\t"
	 ".sframe_coro_path root_key, 8\n\t"
	 ".sframe_coro_path top, 16\n\t"
	 ".sframe_coro_path next, 8\n\t"
	 ".sframe_coro_path ip, 16\n\t"
	 ".sframe_coro_ip entry\n\t"
	 ".sframe_coro_flags running_head\n\t"
	 ".sframe_coro_endchain");

static FRAME void
leaf (const char *stop)
{
  INSIDE_STOP (stop);
}

static void
add_state (state *s)
{
  s->tid = (unsigned long) syscall (SYS_gettid);
  s->next = tid_states;
  NOT_LAST ();
  tid_states = s;
}

static FRAME void
drive (state *s, task *t)
{
  s->current = t;
  while ((t = s->current) != NULL)
    {
      t->step (t);
      __asm__ volatile (".sframe_coro_startsite tid_chain\n\t"
			".sframe_coro_endsite" ::: "memory");
      s->current = t->awaiter;
    }
}

static FRAME void
read_step (task *self)
{
  leaf (self->stop);
  NOT_LAST ();
}

static FRAME void
write_step (task *self)
{
  leaf (self->stop);
  NOT_LAST ();
}

static FRAME void
serve_step (task *self)
{
  (void) self;
  NOT_LAST ();
}

static void *
thread (void *arg)
{
  static state s;
  task server = { .step = serve_step };
  task writer = { .step = write_step, .awaiter = &server, .stop = "other" };

  if (arg == NULL)
    {
      leaf ("stateless");
      return NULL;
    }
  add_state (&s);
  drive (&s, &writer);
  return arg;
}

static void
run_thread (void *arg)
{
  pthread_t other;

  pthread_create (&other, NULL, thread, arg);
  pthread_join (other, NULL);
}

int
main (void)
{
  static state s;
  task server = { .step = serve_step };
  task reader = { .step = read_step, .awaiter = &server, .stop = "alone" };

  add_state (&s);
  drive (&s, &reader);
  run_thread (&s);
  reader.stop = "both";
  drive (&s, &reader);
  run_thread (NULL);
}
