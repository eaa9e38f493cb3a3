/* sframe-coro: holding a process still, and reading it.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct process_thread
{
  pid_t tid;
  bool stopped;	 /* Else it could not be stopped, or is gone.  */
  bool has_tp;
  uint64_t tp;	 /* Thread pointer.  */
  char comm[32]; /* Printable.  */
} process_thread;

typedef struct process process;

/* Stop all threads of process PID.  Return NULL after a message if that
   cannot be done.  Until process_release, signals that end this program let
   the process go first, and none suspends it.  */
extern process *process_stop (pid_t pid);

/* Let the process go on as it was.  P can still be asked for its threads,
   and its memory be read as far as it was read before.  */
extern void process_release (process *p);
extern void process_free (process *p);

extern pid_t process_pid (const process *p);
extern size_t process_num_threads (const process *p);
extern const process_thread *process_thread_at (const process *p, size_t i);

/* A thread whose files in /proc show the address space: that of the process
   itself is empty once its first thread has ended.  */
extern pid_t process_reader (const process *p);

/* Whether the process has ended although it was held: killed.  */
extern bool process_is_gone (const process *p);

/* Read memory; a sframe_coro_read_fn with a process for ARG.  */
extern int process_read (void *arg, uint64_t address, void *buf, size_t len);

#endif /* PROCESS_H */
