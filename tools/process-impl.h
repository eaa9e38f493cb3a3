/* sframe-coro: what the kinds of processes share; for process.c, stop.c and
   core.c only.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef PROCESS_IMPL_H
#define PROCESS_IMPL_H

#include "core.h"
#include "memory.h"
#include "process.h"

/* The stack pointer, and the thread pointer where that is among the general
   registers.  */
#if defined __x86_64__
#define PROCESS_SP(R) ((R)->rsp)
#define PROCESS_TP(R) ((R)->fs_base)
#elif defined __aarch64__
#define PROCESS_SP(R) ((R)->sp)
#elif defined __s390x__
#define PROCESS_SP(R) ((R)->gprs[15])
#define PROCESS_TP(R) ((uint64_t) (R)->acrs[0] << 32 | (R)->acrs[1])
#else
#error "where is the stack pointer?"
#endif

struct process
{
  pid_t pid;
  char *name;
  pid_t reader; /* A thread whose files in /proc show the address space: that
		   of the process itself is empty once its first thread has
		   ended.  */
  process_thread *threads;
  size_t num_threads, room_threads;
  bool held;
  int mem; /* /proc/PID/mem, where process_vm_readv is not allowed; or -1.  */
  memory *memory;
  mappings maps;
  core *core; /* NULL: it is alive.  */
  char *root;
  bool code_changed;
  unsigned num_stops;
  uint64_t stopped_ns, stop_began; /* Of CLOCK_MONOTONIC.  */
};

extern process *process_new (pid_t pid, const char *name,
			     memory_source_fn source);

/* Return the new thread; it is valid until the next call.  */
extern process_thread *process_add_thread (process *p, pid_t tid);
extern void process_sort_threads (process *p);

/* Thread TID, if it is one of the first NUM of P, which are sorted.  */
extern const process_thread *process_find_among (const process *p, size_t num,
						 pid_t tid);

/* Set the names of the threads, as far as they are still there.  */
extern void process_name_threads (process *p);

/* Copy NAME, which is to be shown, to the name of T, and make it
   printable.  */
extern void process_set_comm (process_thread *t, const char *name);

#endif /* PROCESS_IMPL_H */
