/* Benchmark: walking a list of another process, by pages that are kept, against
   one system call for each word.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#define _GNU_SOURCE 1

#include <signal.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "list.h"
#include "memory.h"

#define NUM_NODES 100

typedef struct remote
{
  pid_t pid;
  sframe_coro_chain chain;
  frame *first;
  memory *memory;
  sframe_coro_node nodes[NUM_NODES];
} remote;

/* A memory_source_fn.  */
static size_t
read_pieces (void *arg, const struct iovec *local, const struct iovec *far,
	     size_t num)
{
  const remote *r = arg;
  ssize_t n = process_vm_readv (r->pid, local, num, far, num, 0);
  return n > 0 ? (size_t) n : 0;
}

/* A sframe_coro_read_fn.  */
static int
read_word (void *arg, uint64_t address, void *buf, size_t len)
{
  const remote *r = arg;
  struct iovec local = { buf, len };
  struct iovec far = { (void *) (uintptr_t) address, len };

  return process_vm_readv (r->pid, &local, 1, &far, 1, 0) == (ssize_t) len
	     ? 0
	     : -1;
}

static void
walk (remote *r, const sframe_coro_memory *memory)
{
  size_t num;
  sframe_coro_stop stop
      = sframe_coro_walk_list (&r->chain, memory, (uintptr_t) r->first,
			       r->nodes, NUM_NODES, &num);

  if (stop != SFRAME_CORO_STOP_END || num != NUM_NODES)
    abort ();
  BENCH_USE (r->nodes);
}

static void
walk_pages (void *arg)
{
  remote *r = arg;
  sframe_coro_memory memory = { memory_read, r->memory };

  /* Nothing is known of another moment.  */
  memory_forget (r->memory);
  walk (r, &memory);
}

static void
walk_words (void *arg)
{
  sframe_coro_memory memory = { read_word, arg };
  walk (arg, &memory);
}

int
main (void)
{
  remote r = { .chain = make_chain (), .first = make_list (NUM_NODES) };

  r.memory = memory_new (read_pieces, &r);
  memory_prepare (r.memory);
  /* A copy of this process has the list where we know it to be.  */
  r.pid = fork ();
  if (r.pid == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      for (;;)
	pause ();
    }
  bench_ratio ("walk another process, 100 nodes (node)", walk_pages, NUM_NODES,
	       "a system call a word", walk_words, NUM_NODES, &r, 0.2);
  kill (r.pid, SIGKILL);
  waitpid (r.pid, NULL, 0);
  memory_free (r.memory);
  return 0;
}
