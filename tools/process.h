/* sframe-coro: a process, live or as a core file: its threads, its memory.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A live process runs on when it is opened; it can be read all the same, and
   mappings and modules be looked at.  What belongs together, registers and
   stacks, lists and their heads, has to be read while it is stopped.  */

#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>
#ifdef __s390x__
#include <asm/ptrace.h>
#endif

#include "maps.h"

/* General registers, as PTRACE_GETREGSET gives them for NT_PRSTATUS.  */
#if defined __s390x__
typedef s390_regs process_registers;
#else
typedef struct user_regs_struct process_registers;
#endif

typedef struct process_thread
{
  pid_t tid;
  bool stopped; /* Else it could not be stopped, or is gone.  */
  bool gone;	/* Not to be seen outside of stop.c.  */
  bool has_registers;
  bool has_tp;
  uint64_t tp; /* Thread pointer.  */
  process_registers registers;
  char comm[32]; /* Printable.  */
} process_thread;

typedef struct process process;

/* Open process PID, or the process that thread PID belongs to.  It runs on.
   Return NULL after a message if it cannot be looked at.  */
extern process *process_open (pid_t pid);

/* Open core file PATH.  What was mapped from files and is not in it is read
   from the files, below the directory SYSROOT if that is not NULL; EXE, if not
   NULL, is the program's.  It is as a process that is always stopped.  NULL
   after a message.  */
extern process *process_open_core (const char *path, const char *exe,
				   const char *sysroot);

/* Stop all threads of P; false after a message if that cannot be done.  Until
   process_release, signals that end this program let the process go first, and
   none suspends it.  Mappings and threads are then those of now, and memory
   that was read before is forgotten.  */
extern bool process_stop (process *p);

/* Let the process go on as it was.  P can still be asked for its threads and
   its mappings, and its memory be read as far as it was read while it was
   stopped.  No effect on cores.  */
extern void process_release (process *p);

/* Forget what was read while P was stopped; reading it reads the process as it
   goes on.  */
extern void process_forget (process *p);

/* Whether the code that is mapped changed with the last process_stop.  */
extern bool process_code_changed (const process *p);

/* Takes NULL as well; releases.  */
extern void process_free (process *p);

extern pid_t process_pid (const process *p);

/* The path of the core file, or NULL.  */
extern const char *process_core (const process *p);

/* The process, for messages: "process 4711" or the name of the core.  */
extern const char *process_name (const process *p);

/* Threads, by number.  There are none before it is stopped.  */
extern size_t process_num_threads (const process *p);
extern const process_thread *process_thread_at (const process *p, size_t i);
extern const process_thread *process_find_thread (const process *p,
						  pid_t tid);

/* The stack pointer of T, which has registers.  */
extern uint64_t process_sp (const process_thread *t);

/* Whether the process has ended, though it was held: killed.  */
extern bool process_is_gone (const process *p);

/* The same, or that it has begun to end, so that it cannot be read.  */
extern bool process_is_ending (const process *p);

/* How long it was stopped in all, in microseconds: from when the first thread
   was told to stop to when the last one could go on.  */
extern uint64_t process_stopped_us (const process *p);

/* How often it was stopped.  */
extern unsigned process_num_stops (const process *p);

extern const mappings *process_mappings (const process *p);

/* Open the file of MAP for reading: the very file, also if it was deleted or
   replaced, or is in another mount name space.  -1 if there is no way to it;
   *DOUBT is set if it is not certain that it is the same file.  */
extern int process_open_file (const process *p, const mapping *map,
			      bool *doubt);

/* What that file is called in messages, to be freed.  */
extern char *process_file_name (const process *p, const mapping *map);

/* What the kernel told the program of type AT_* when it started (getauxval);
   0 if nothing.  */
extern uint64_t process_auxval (const process *p, uint64_t type);

/* A directory in which the files of the process are by their names, "" for
   that of this program; as long as P lives.  */
extern const char *process_root (const process *p);

/* Read memory; a sframe_coro_read_fn with a process for ARG.  */
extern int process_read (void *arg, uint64_t address, void *buf, size_t len);

/* Keep the stacks of the threads, as far as they are of reasonable size, so
   that they can be read after process_release.  */
extern void process_keep_stacks (process *p);

/* Whether memory was asked for, since the last call, that can no longer be read
   but could have been before process_release.  */
extern bool process_missed (process *p);

#endif /* PROCESS_H */
