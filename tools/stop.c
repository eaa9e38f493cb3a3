/* sframe-coro: holding a process still.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Threads are seized, not attached to: no signal is sent, a process that
   was stopped stays stopped, and whatever ends this program ends the hold.  */

#include "config.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "proc.h"
#include "process-impl.h"
#include "tool.h"

/* A thread in an uninterruptible sleep does not stop before that ends; this
   long is waited for any thread to stop.  */
#define PATIENCE_MS 2000
#define SLICE_MS 10

/* As often the CPU is left to others before a thread that does not stop at once
   is waited for.  */
#define MAX_YIELDS 50

/* While a process is held, these end this program and so the hold.  */
static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define NUM_ENDING_SIGNALS (sizeof ending_signals / sizeof *ending_signals)

static struct sigaction old_actions[NUM_ENDING_SIGNALS], old_child_action;
static sigset_t old_mask;

/* The threads to let go, for the signal handler.  Entries are complete before
   they are counted.  */
static pid_t *volatile held_tids;
static volatile size_t num_held, room_held;

static void
release_and_die (int sig)
{
  for (size_t i = 0; i < num_held; i++)
    ptrace (PTRACE_DETACH, held_tids[i], NULL, NULL);
  signal (sig, SIG_DFL);
  raise (sig);
}

static void
catch_signals (void)
{
  struct sigaction action = { .sa_handler = release_and_die };
  struct sigaction child = { .sa_handler = SIG_DFL };
  sigset_t mask;

  /* A process must not stay stopped because this program was suspended.
     SIGCHLD, which tells of stops, is waited for, not handled.  */
  sigemptyset (&mask);
  sigaddset (&mask, SIGTSTP);
  sigaddset (&mask, SIGCHLD);
  sigprocmask (SIG_BLOCK, &mask, &old_mask);
  sigaction (SIGCHLD, &child, &old_child_action);
  for (size_t i = 0; i < NUM_ENDING_SIGNALS; i++)
    {
      sigaction (ending_signals[i], NULL, &old_actions[i]);
      if (old_actions[i].sa_handler != SIG_IGN)
	sigaction (ending_signals[i], &action, NULL);
    }
}

static void
restore_signals (void)
{
  for (size_t i = 0; i < NUM_ENDING_SIGNALS; i++)
    sigaction (ending_signals[i], &old_actions[i], NULL);
  sigaction (SIGCHLD, &old_child_action, NULL);
  sigprocmask (SIG_SETMASK, &old_mask, NULL);
}

static void
hold (pid_t tid)
{
  if (num_held == room_held)
    {
      size_t room = room_held ? room_held * 2 : 64;
      pid_t *old = held_tids, *new = tool_calloc (room, sizeof *new);
      if (num_held != 0)
	memcpy (new, old, num_held * sizeof *new);
      held_tids = new;
      room_held = room;
      free (old);
    }
  held_tids[num_held] = tid;
  num_held = num_held + 1;
}

/* Stopping.  */

/* Threads that are new, of which the first NUM_KNOWN are not, and sorted.  */
typedef struct pass
{
  process *process;
  size_t num_known;
} pass;

/* Seize TID if it is new.  Threads that end meanwhile are no error.  */
static bool
seize (void *arg, pid_t tid)
{
  const pass *s = arg;
  process *p = s->process;

  if (process_find_among (p, s->num_known, tid) != NULL)
    return true;
  hold (tid);
  if (ptrace (PTRACE_SEIZE, tid, NULL, NULL) != 0)
    {
      int err = errno;
      num_held = num_held - 1;
      if (err == ESRCH || proc_has_ended (p->pid, tid))
	return true;
      /* One that did not stop could not be let go either.  */
      if (proc_status (tid, "TracerPid:") == getpid ())
	{
	  num_held = num_held + 1;
	  process_add_thread (p, tid);
	  return true;
	}
      proc_explain_refusal (p->pid, err);
      return false;
    }
  process_add_thread (p, tid);
  return true;
}

/* Look at what T has come to; whether it is stopped or gone.  Nothing is
   consumed: if this program is killed, a signal that was about to be
   delivered still is.  */
static bool
has_stopped (process_thread *t, bool *gone)
{
  siginfo_t info;

  for (;;)
    {
      info.si_pid = 0;
      if (waitid (P_PID, t->tid, &info,
		  WSTOPPED | WEXITED | __WALL | WNOHANG | WNOWAIT) != 0)
	return *gone = true;
      if (info.si_pid == 0)
	return false;
      if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
	return *gone = true;
      if (info.si_status >> 8 == PTRACE_EVENT_STOP)
	return t->stopped = true;
      /* A signal on its way: let it pass, the stop comes next.  */
      if (ptrace (PTRACE_CONT, t->tid, NULL,
		  (void *) (uintptr_t) (info.si_status & 0xff)) != 0)
	return *gone = true;
    }
}

/* Wait until T has stopped or is gone; return whether that came to pass before
   long.  */
static bool
await_stop (process_thread *t)
{
  static const struct timespec slice = { 0, SLICE_MS * 1000000 };
  bool gone = false, done;
  sigset_t child;

  /* On another CPU it takes less than going to sleep and waking up does.  */
  for (int i = 0; !(done = has_stopped (t, &gone)) && i < MAX_YIELDS; i++)
    sched_yield ();
  sigemptyset (&child);
  sigaddset (&child, SIGCHLD);
  while (!done && sigtimedwait (&child, NULL, &slice) >= 0)
    done = has_stopped (t, &gone);
  t->gone = gone;
  return done;
}

/* Wait until the threads from number FIRST on have stopped.  */
static void
await_stops (process *p, size_t first)
{
  size_t num = p->num_threads - first, left = num;
  bool *done = tool_calloc (num, sizeof *done);

  for (int waited_ms = 0; left != 0 && waited_ms < PATIENCE_MS;)
    for (size_t i = 0; i < num; i++)
      if (!done[i])
	{
	  done[i] = await_stop (&p->threads[first + i]);
	  left -= done[i];
	  waited_ms = done[i] ? 0 : waited_ms + SLICE_MS;
	}
  free (done);
}

/* Seize and stop all threads there are now; *NUM_NEW is how many had not been
   seen before.  */
static bool
stop_pass (process *p, size_t *num_new)
{
  pass s = { p, p->num_threads };
  bool good = proc_each_thread (p->pid, seize, &s);

  *num_new = p->num_threads - s.num_known;
  if (!good || *num_new == 0)
    return good;
  /* Seizing does not stop yet.  */
  if (p->stop_began == 0)
    p->stop_began = tool_now_ns ();
  for (size_t i = s.num_known; i < p->num_threads; i++)
    ptrace (PTRACE_INTERRUPT, p->threads[i].tid, NULL, NULL);
  await_stops (p, s.num_known);
  process_sort_threads (p);
  return true;
}

/* Whether all threads that there are have stopped, as far as can be told without
   another look at each: then nobody can start more.  */
static bool
has_all (const process *p)
{
  for (size_t i = 0; i < p->num_threads; i++)
    if (!p->threads[i].stopped)
      return false;
  return proc_num_threads (p->pid) == p->num_threads;
}

static bool
get_registers (pid_t tid, int set, void *buf, size_t size)
{
  struct iovec iov = { buf, size };
  return (ptrace (PTRACE_GETREGSET, tid, (void *) (uintptr_t) set, &iov) == 0
	  && iov.iov_len >= size);
}

static void
read_registers (process_thread *t)
{
  t->has_registers = get_registers (t->tid, NT_PRSTATUS, &t->registers,
				    sizeof t->registers);
#if defined __aarch64__
  t->has_tp = get_registers (t->tid, NT_ARM_TLS, &t->tp, sizeof t->tp);
#else
  t->has_tp = t->has_registers;
  t->tp = PROCESS_TP (&t->registers);
#endif
}

/* Forget the threads that have ended, and get what is to be known of the
   others.  */
static void
note_threads (process *p)
{
  size_t num = 0;

  for (size_t i = 0; i < p->num_threads; i++)
    if (!p->threads[i].gone)
      p->threads[num++] = p->threads[i];
  p->num_threads = num;
  for (size_t i = 0; i < p->num_threads; i++)
    if (p->threads[i].stopped)
      {
	read_registers (&p->threads[i]);
	if (p->reader == 0)
	  p->reader = p->threads[i].tid;
      }
}

/* Read the mappings as they are now.  */
static bool
note_mappings (process *p)
{
  char path[32];

  snprintf (path, sizeof path, "/proc/%d/maps", p->reader);
  return mappings_update (&p->maps, path, &p->code_changed);
}

bool
process_stop (process *p)
{
  size_t num_new;
  bool good;

  if (p->core != NULL || p->held)
    return true;
  p->num_threads = 0;
  /* The thread that it was may have ended.  */
  p->reader = 0;
  p->held = true;
  p->stop_began = 0;
  p->num_stops++;
  memory_forget (p->memory);
  memory_prepare (p->memory);
  catch_signals ();
  do
    good = stop_pass (p, &num_new);
  while (good && num_new != 0 && !has_all (p));
  if (!good)
    return false;
  note_threads (p);
  if (p->reader != 0 && note_mappings (p))
    return true;
  if (process_is_gone (p))
    tool_error ("process %d has ended meanwhile", p->pid);
  else
    tool_error ("process %d does not stop: it is in an uninterruptible "
		"sleep", p->pid);
  return false;
}

/* What is read after the process went on would belong to no stack.  */
void
process_release (process *p)
{
  if (!p->held)
    return;
  memory_freeze (p->memory);
  for (size_t i = 0; i < num_held; i++)
    ptrace (PTRACE_DETACH, held_tids[i], NULL, NULL);
  if (p->stop_began != 0)
    p->stopped_ns += tool_now_ns () - p->stop_began;
  num_held = 0;
  p->held = false;
  /* Now threads end again; the first one, which is preferred here, hardly ever
     does before the process.  */
  p->reader = proc_live_thread (p->pid);
  restore_signals ();
  process_name_threads (p);
}
