/* sframe-coro: files in /proc.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Source: proc(5).  */

#ifndef PROC_H
#define PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Read the small file FORMAT names into BUF, as a string; return its length,
   0 if it is empty or cannot be read.  */
extern size_t proc_read (char *buf, size_t size, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* State letter and kernel flags (PF_*) of thread TID.  */
extern bool proc_stat (pid_t pid, pid_t tid, char *state,
		       unsigned long *flags);

/* The number behind KEY in /proc/PID/status; -1 if there is none.  */
extern long proc_status (pid_t pid, const char *key);

/* The ID of thread TID as it knows it itself, in its PID name space.  */
extern pid_t proc_own_tid (pid_t tid);

/* Whether TID has ended, still there as a zombie or not.  */
extern bool proc_has_ended (pid_t pid, pid_t tid);

/* Any thread of PID that has not ended; 0 if there is none.  */
extern pid_t proc_live_thread (pid_t pid);

/* Call FN for each thread of PID until it returns false; return whether it
   never did.  */
typedef bool (*proc_thread_fn) (void *arg, pid_t tid);
extern bool proc_each_thread (pid_t pid, proc_thread_fn fn, void *arg);

/* How many threads PID has, those that have ended and are still there too; 0 if
   the kernel does not tell.  */
extern size_t proc_num_threads (pid_t pid);

/* Refuse what can never be looked at, with a message.  */
extern bool proc_is_suitable (pid_t pid);

/* Say why tracing PID failed with ERR, and what to do.  */
extern void proc_explain_refusal (pid_t pid, int err);

#endif /* PROC_H */
