/* Several threads with lists, walked by each for itself and from outside by
   the first.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cross.h"
#include "sframe-coro-api.h"

#ifdef LIBC_MUSL
#define LIBC SFRAME_CORO_LIBC_MUSL
#else
#define LIBC SFRAME_CORO_LIBC_GLIBC
#endif

__thread node *program_head;
pthread_key_t program_key = (pthread_key_t) -1;

/* Functions that nodes are in; nobody calls them.  */
#define STEPS 5
static void step_0 (void) { }
static void step_1 (void) { }
static void step_2 (void) { }
static void step_3 (void) { }
static void step_4 (void) { }
static void (*const step[STEPS]) (void)
  = { step_0, step_1, step_2, step_3, step_4 };

extern const char program_records[], program_of_library_records[],
  key_records[];

/* The library, linked with the program or opened late.  */
#ifdef OPEN
static void (*begin) (node *);
static void *library;

static const void *
block_of (const char *name)
{
  const void *(*f) (void) = (const void *(*) (void)) dlsym (library, name);
  return f ();
}
#else
#define begin library_begin
#endif

typedef struct chains
{
  const char *name;
  sframe_coro_chain chain;
} chains;

static chains all[5];
static size_t num_chains;

static void
fail (const char *what, int err)
{
  fprintf (stderr, "%s: %s\n", what, sframe_coro_errmsg (err));
  exit (1);
}

static void
add_chain (const void *bytes)
{
  sframe_coro_header header;
  sframe_coro_section section;
  sframe_coro_block block = { 0 };
  chains *c = &all[num_chains++];
  int err;

  memcpy (&header, bytes, sizeof header);
  err = sframe_coro_section_open (&section, bytes, header.length,
				  (uintptr_t) bytes, NULL);
  if (err == SFRAME_CORO_OK)
    err = sframe_coro_section_next_block (&section, &block, NULL);
  if (err == SFRAME_CORO_OK)
    err = sframe_coro_block_chain (&block, 0, &c->chain, NULL);
  if (err != SFRAME_CORO_OK)
    fail ("records", err);
  c->name = c->chain.name;
}

/* Threads 2 and 3 there are before the library is opened; thread 2 never
   touches it.  */
#define THREADS 5
#define IDLE 2
#define IS_EARLY(I) ((I) == IDLE || (I) == 3)
static struct thread
{
  pthread_t id;
  node program[STEPS], library[STEPS], key[1];
  sframe_coro_thread at;
} threads[THREADS];
static pthread_barrier_t opened, made, seen;
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

static int
read_memory (void *arg, uint64_t address, void *buf, size_t len)
{
  (void) arg;
  memcpy (buf, (const void *) (uintptr_t) address, len);
  return 0;
}

static void
print_ip (uint64_t ip)
{
  for (int i = 0; i < STEPS; i++)
    if (ip == (uintptr_t) step[i])
      {
	printf (" step_%d", i);
	return;
      }
  printf (" 0x%llx", (unsigned long long) ip);
}

static void
walk (const char *who, size_t number, const sframe_coro_memory *memory)
{
  static const char *const stops[] = {
#define STOP(NAME, TEXT) #NAME,
    SFRAME_CORO_STOPS (STOP)
#undef STOP
  };
  sframe_coro_node nodes[8];
  size_t num;

  pthread_mutex_lock (&printing);
  for (size_t i = 0; i < num_chains; i++)
    {
      sframe_coro_stop stop
	= sframe_coro_walk (&all[i].chain, memory, &threads[number].at, NULL,
			    nodes, 8, &num, NULL);
      printf ("%s %zu: %s: %s", who, number, all[i].name, stops[stop]);
      for (size_t k = 0; k < num; k++)
	print_ip (nodes[k].ip);
      putchar ('\n');
    }
  pthread_mutex_unlock (&printing);
}

/* Link the nodes of steps FIRST, FIRST + BY, ... as many as COUNT.  */
static node *
make_list (node *nodes, int first, int by, int count)
{
  for (int i = 0; i < count; i++)
    nodes[i] = (node){ step[first + i * by], step[first + i * by],
		       i + 1 < count ? &nodes[i + 1] : NULL };
  return count > 0 ? nodes : NULL;
}

static void
wait_at (pthread_barrier_t *barrier)
{
  pthread_barrier_wait (barrier);
}

/* Thread I has I nodes in the program's list, 5 - I in the library's, and one
   in that of the key; thread IDLE touches the library and the key not at
   all.  */
static void *
run (void *arg)
{
  struct thread *t = arg;
  int i = (int) (t - threads);

  t->at = (sframe_coro_thread){ (uintptr_t) __builtin_thread_pointer (), 0,
				LIBC };
  program_head = make_list (t->program, 0, 1, i);
  wait_at (&opened);
  if (i != IDLE)
    {
      begin (make_list (t->library, STEPS - 1, -1, STEPS - i));
      pthread_setspecific (program_key, make_list (t->key, i, 1, 1));
    }
  walk ("own", (size_t) i, NULL);
  wait_at (&made);
  wait_at (&seen);
  return NULL;
}

static void
open_library (void)
{
#ifdef OPEN
  library = dlopen ("./library.so", RTLD_NOW);
  if (library == NULL)
    {
      fprintf (stderr, "%s\n", dlerror ());
      exit (1);
    }
  begin = (void (*) (node *)) dlsym (library, "library_begin");
  add_chain (block_of ("library_block"));
  add_chain (block_of ("library_of_program_block"));
#else
  add_chain (library_block ());
  add_chain (library_of_program_block ());
  add_chain (program_of_library_records);
#endif
}

static void
start (int i)
{
  if (pthread_create (&threads[i].id, NULL, run, &threads[i]) != 0)
    exit (1);
}

int
main (void)
{
  const sframe_coro_memory memory = { read_memory, NULL };

  pthread_barrier_init (&opened, NULL, THREADS + 1);
  pthread_barrier_init (&made, NULL, THREADS + 1);
  pthread_barrier_init (&seen, NULL, THREADS + 1);
  add_chain (program_records);
  add_chain (key_records);
  /* Before the key is created; then one that is not in the first block.  */
  threads[0].at = (sframe_coro_thread){
    (uintptr_t) __builtin_thread_pointer (), 0, LIBC
  };
  walk ("early", 0, NULL);
  for (int i = 0; i < 40; i++)
    if (pthread_key_create (&program_key, NULL) != 0)
      return 1;
  for (int i = 0; i < THREADS; i++)
    if (IS_EARLY (i))
      start (i);
  open_library ();
  for (int i = 0; i < THREADS; i++)
    if (!IS_EARLY (i))
      start (i);
  wait_at (&opened);
  wait_at (&made);
  for (size_t i = 0; i < THREADS; i++)
    walk ("other", i, &memory);
  wait_at (&seen);
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i].id, NULL);
  return 0;
}
