/* Model: a runtime in C that has its lists in thread-specific data.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A task is a record with the one that awaits it, and a function that goes on
   with it; to await is to return.  The value of the key is the first task.  C
   libraries keep the values of low and high keys in different places.  */

/* expect uncreated
     leaf
     main
*/

/* expect low
     leaf
     read_step [task:0] running
     parse_step [task:1]
     serve_step [task:2]
     drive
     serve
     main
*/

/* Another thread has no value.
   expect unset
     leaf
     thread
*/

/* ... and one of its own.
   expect own
     leaf
     write_step [task:0] running
     serve_step [task:1]
     drive
     thread
*/

/* The same with a key that is not among the first.
   expect high
     leaf
     read_step [task:0] running
     parse_step [task:1]
     serve_step [task:2]
     drive
     serve
     main
*/

/* expect highest
     leaf
     read_step [task:0] running
     parse_step [task:1]
     serve_step [task:2]
     drive
     serve
     main
*/

#include <pthread.h>
#include <stddef.h>

#include "inside.h"

typedef struct task
{
  long state;
  struct task *awaiter;
  void (*step) (struct task *self);
  const char *stop;
} task;

_Static_assert (offsetof (task, awaiter) == 8, "next");
_Static_assert (offsetof (task, step) == 16, "ip");

__attribute__ ((used, visibility ("hidden"))) pthread_key_t key_current
  = 0xffffffff;

__asm__ (".sframe_coro_chain key_chain, \"task\"\n\t"
	 ".sframe_coro_head pthread_key, key_current, 0xffffffff\n\t"
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
set_current (task *t)
{
  pthread_setspecific (key_current, t);
}

static FRAME void
drive (task *t)
{
  set_current (t);
  while ((t = pthread_getspecific (key_current)) != NULL)
    {
      t->step (t);
      __asm__ volatile (".sframe_coro_startsite key_chain\n\t"
			".sframe_coro_endsite" ::: "memory");
    }
}

static void
await (task *self, task *callee)
{
  callee->awaiter = self;
  self->state++;
  set_current (callee);
}

static FRAME void
read_step (task *self)
{
  leaf (self->stop);
  set_current (self->awaiter);
}

static FRAME void
write_step (task *self)
{
  leaf (self->stop);
  set_current (self->awaiter);
}

static task reader = { .step = read_step }, writer = { .step = write_step };

static FRAME void
parse_step (task *self)
{
  if (self->state == 0)
    await (self, &reader);
  else
    set_current (self->awaiter);
}

static task parser = { .step = parse_step };

static FRAME void
serve_step (task *self)
{
  if (self->state != 0)
    set_current (NULL);
  else
    await (self, self->stop != NULL ? &writer : &parser);
}

static FRAME void
serve (const char *stop)
{
  task server = { .step = serve_step };
  parser.state = 0;
  reader.stop = stop;
  drive (&server);
  NOT_LAST ();
}

static void *
thread (void *arg)
{
  task server = { .step = serve_step, .stop = "own" };
  leaf ("unset");
  writer.stop = "own";
  drive (&server);
  return arg;
}

/* Create keys until there is one of at least NUMBER.  */
static void
use_key (unsigned number)
{
  do
    if (pthread_key_create (&key_current, NULL) != 0)
      __builtin_abort ();
  while (key_current < number);
}

int
main (void)
{
  pthread_t other;

  leaf ("uncreated");
  use_key (0);
  if (key_current >= 32)
    __builtin_abort ();
  serve ("low");
  pthread_create (&other, NULL, thread, NULL);
  pthread_join (other, NULL);
  use_key (33);
  serve ("high");
  use_key (100);
  serve ("highest");
}
