/* sframe-coro: holding a process still, and reading it.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Threads are seized, not attached to: no signal is sent, a process that
   was stopped stays stopped, and whatever ends this program ends the hold.  */

#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "tool.h"

/* A thread in an uninterruptible sleep does not stop before that ends; this
   long is waited for any thread to stop.  */
#define PATIENCE_MS 2000

#define MEMORY_PAGE 4096
#define NUM_PAGES 256

typedef struct page
{
  uint64_t address;
  enum { PAGE_EMPTY, PAGE_VALID, PAGE_UNREADABLE } state;
  unsigned char bytes[MEMORY_PAGE];
} page;

struct process
{
  pid_t pid, reader;
  process_thread *threads;
  size_t num_threads, room_threads;
  bool held;
  int mem; /* /proc/PID/mem, where process_vm_readv is not allowed; or -1.  */
  page *pages;
};

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

/* Files in /proc.  */

/* Read the small file FORMAT names into BUF as a string.  */
static bool __attribute__ ((format (printf, 3, 4)))
read_proc (char *buf, size_t size, const char *format, ...)
{
  char path[64];
  va_list args;
  ssize_t n;
  int fd;

  va_start (args, format);
  vsnprintf (path, sizeof path, format, args);
  va_end (args);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  n = read (fd, buf, size - 1);
  close (fd);
  buf[n > 0 ? n : 0] = 0;
  return n > 0;
}

/* State letter and kernel flags of thread TID.  */
static bool
read_stat (pid_t pid, pid_t tid, char *state, unsigned long *flags)
{
  char buf[1024], *behind_comm;

  if (!read_proc (buf, sizeof buf, "/proc/%d/task/%d/stat", pid, tid))
    return false;
  behind_comm = strrchr (buf, ')');
  return (behind_comm != NULL
	  && sscanf (behind_comm, ") %c %*d %*d %*d %*d %*d %lu", state,
		     flags) == 2);
}

/* The number behind KEY in /proc/PID/status; -1 if there is none.  */
static long
read_status (pid_t pid, const char *key)
{
  char buf[4096], *p;

  if (!read_proc (buf, sizeof buf, "/proc/%d/status", pid))
    return -1;
  p = strstr (buf, key);
  return p != NULL ? strtol (p + strlen (key), NULL, 10) : -1;
}

static void
read_comm (pid_t pid, process_thread *t)
{
  if (!read_proc (t->comm, sizeof t->comm, "/proc/%d/task/%d/comm", pid,
		  t->tid))
    t->comm[0] = 0;
  t->comm[strcspn (t->comm, "\n")] = 0;
  for (char *p = t->comm; *p != 0; p++)
    if (iscntrl ((unsigned char) *p))
      *p = '?';
}

/* Whether TID has ended, still there as a zombie or not.  */
static bool
has_ended (pid_t pid, pid_t tid)
{
  unsigned long flags;
  char state;

  return (!read_stat (pid, tid, &state, &flags) || state == 'Z'
	  || state == 'X');
}

/* Whether any thread of PID has not ended.  */
static bool
has_live_thread (pid_t pid)
{
  char path[64];
  struct dirent *e;
  bool found = false;
  DIR *dir;

  snprintf (path, sizeof path, "/proc/%d/task", pid);
  dir = opendir (path);
  while (!found && dir != NULL && (e = readdir (dir)) != NULL)
    found = (isdigit ((unsigned char) e->d_name[0])
	     && !has_ended (pid, atoi (e->d_name)));
  if (dir != NULL)
    closedir (dir);
  return found;
}

/* Whether the program of PID is for another word size or machine than this
   one; false if that cannot be seen.  */
static bool
is_foreign (pid_t pid, const char **what)
{
  Elf64_Ehdr h, self;
  char buf[sizeof h + 1];

  if (!read_proc (buf, sizeof buf, "/proc/%d/exe", pid))
    return false;
  memcpy (&h, buf, sizeof h);
  if (memcmp (h.e_ident, ELFMAG, SELFMAG) != 0)
    return false;
  if (h.e_ident[EI_CLASS] == ELFCLASS32)
    {
      *what = "a 32-bit program; only 64-bit ones are supported";
      return true;
    }
  if (!read_proc (buf, sizeof buf, "/proc/self/exe"))
    return false;
  memcpy (&self, buf, sizeof self);
  *what = "a program for another machine than this one";
  return h.e_machine != self.e_machine;
}

/* Refuse what can never be shown, with a message.  */
static bool
is_suitable (pid_t pid)
{
  unsigned long flags = 0;
  const char *what;
  char state;

  if (pid == getpid ())
    tool_error ("process %d is sframe-coro itself", pid);
  else if (!read_stat (pid, pid, &state, &flags))
    tool_error ("there is no process %d", pid);
  else if (flags & 0x00200000) /* PF_KTHREAD.  */
    tool_error ("process %d is a thread of the kernel", pid);
  else if (!has_live_thread (pid))
    tool_error ("process %d has ended (it is a zombie)", pid);
  else if (is_foreign (pid, &what))
    tool_error ("process %d is %s", pid, what);
  else
    return true;
  return false;
}

/* Say why seizing a thread of PID failed with ERR, and what to do.  */
static void
explain_refusal (pid_t pid, int err)
{
  long tracer = read_status (pid, "TracerPid:");
  long uid = read_status (pid, "Uid:");
  char scope[16];

  if (tracer > 0)
    tool_error ("process %d is traced by process %ld; only one tracer is "
		"possible, detach that one first", pid, tracer);
  else if (err == EPERM && geteuid () != 0 && uid >= 0
	   && (uid_t) uid != geteuid ())
    tool_error ("process %d belongs to user %ld: permission denied; run as "
		"that user or as root", pid, uid);
  else if (err == EPERM
	   && read_proc (scope, sizeof scope,
			 "/proc/sys/kernel/yama/ptrace_scope")
	   && scope[0] != '0')
    tool_error ("process %d: permission denied; run as root, or set "
		"kernel.yama.ptrace_scope to 0 (it is %c)", pid, scope[0]);
  else if (err == EPERM)
    tool_error ("process %d: permission denied; run as root with "
		"CAP_SYS_PTRACE", pid);
  else
    tool_error ("process %d: %s", pid, strerror (err));
}

/* Stopping.  */

static process_thread *
find_thread (process *p, pid_t tid)
{
  for (size_t i = 0; i < p->num_threads; i++)
    if (p->threads[i].tid == tid)
      return &p->threads[i];
  return NULL;
}

static void
add_thread (process *p, pid_t tid)
{
  process_thread *t;

  if (p->num_threads == p->room_threads)
    {
      p->room_threads = p->room_threads ? p->room_threads * 2 : 16;
      p->threads
	  = tool_realloc (p->threads, p->room_threads, sizeof *p->threads);
    }
  t = &p->threads[p->num_threads++];
  *t = (process_thread){ .tid = tid };
  read_comm (p->pid, t);
}

/* Seize TID and ask it to stop.  Threads that end meanwhile are no error.  */
static bool
seize (process *p, pid_t tid)
{
  hold (tid);
  if (ptrace (PTRACE_SEIZE, tid, NULL, NULL) != 0)
    {
      int err = errno;
      num_held = num_held - 1;
      if (err == ESRCH || has_ended (p->pid, tid))
	return true;
      explain_refusal (p->pid, err);
      return false;
    }
  ptrace (PTRACE_INTERRUPT, tid, NULL, NULL);
  add_thread (p, tid);
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

/* Wait until the threads from number FIRST on have stopped.  */
static void
await_stops (process *p, size_t first)
{
  static const struct timespec slice = { 0, 10 * 1000 * 1000 };
  size_t num = p->num_threads - first, left = num;
  bool *done = tool_calloc (num, sizeof *done);
  sigset_t child;

  sigemptyset (&child);
  sigaddset (&child, SIGCHLD);
  for (int waited_ms = 0; left != 0 && waited_ms < PATIENCE_MS;)
    {
      size_t before = left;
      for (size_t i = 0; i < num; i++)
	if (!done[i])
	  {
	    process_thread *t = &p->threads[first + i];
	    bool gone = false;
	    done[i] = has_stopped (t, &gone);
	    left -= done[i];
	    if (gone)
	      t->tid = 0;
	  }
      if (left != before)
	waited_ms = 0;
      else if (sigtimedwait (&child, NULL, &slice) < 0)
	waited_ms += 10;
    }
  free (done);
}

/* Seize and stop all threads there are now; *NUM_NEW is how many had not been
   seen before.  */
static bool
stop_pass (process *p, size_t *num_new)
{
  size_t first = p->num_threads;
  char path[64];
  struct dirent *e;
  bool good = true;
  DIR *dir;

  snprintf (path, sizeof path, "/proc/%d/task", p->pid);
  dir = opendir (path);
  while (good && dir != NULL && (e = readdir (dir)) != NULL)
    if (isdigit ((unsigned char) e->d_name[0])
	&& find_thread (p, atoi (e->d_name)) == NULL)
      good = seize (p, atoi (e->d_name));
  if (dir != NULL)
    closedir (dir);
  *num_new = p->num_threads - first;
  if (good)
    await_stops (p, first);
  return good;
}

static void
read_tp (process_thread *t)
{
#if defined __x86_64__
  struct user_regs_struct regs;
  struct iovec iov = { &regs, sizeof regs };
  int set = NT_PRSTATUS;
#elif defined __aarch64__
  uint64_t regs;
  struct iovec iov = { &regs, sizeof regs };
  int set = NT_ARM_TLS;
#elif defined __s390x__
  s390_regs regs;
  struct iovec iov = { &regs, sizeof regs };
  int set = NT_PRSTATUS;
#else
#error "how is the thread pointer of a thread found here?"
#endif
  size_t want = iov.iov_len;

  if (ptrace (PTRACE_GETREGSET, t->tid, (void *) (uintptr_t) set, &iov) != 0
      || iov.iov_len < want)
    return;
  t->has_tp = true;
#if defined __x86_64__
  t->tp = regs.fs_base;
#elif defined __aarch64__
  t->tp = regs;
#else
  t->tp = (uint64_t) regs.acrs[0] << 32 | regs.acrs[1];
#endif
}

/* Threads by number, as they were created.  */
static int
compare_threads (const void *a, const void *b)
{
  pid_t x = ((const process_thread *) a)->tid;
  pid_t y = ((const process_thread *) b)->tid;
  return x < y ? -1 : x > y;
}

/* Forget the threads that have ended, and get what is to be known of the
   others.  */
static void
note_threads (process *p)
{
  size_t num = 0;

  for (size_t i = 0; i < p->num_threads; i++)
    if (p->threads[i].tid != 0)
      p->threads[num++] = p->threads[i];
  p->num_threads = num;
  qsort (p->threads, p->num_threads, sizeof *p->threads, compare_threads);
  for (size_t i = 0; i < p->num_threads; i++)
    if (p->threads[i].stopped)
      {
	read_tp (&p->threads[i]);
	if (p->reader == 0)
	  p->reader = p->threads[i].tid;
      }
}

process *
process_stop (pid_t pid)
{
  long tgid = read_status (pid, "Tgid:");
  process *p;
  size_t num_new;
  bool good;

  if (tgid > 0)
    pid = (pid_t) tgid;
  if (!is_suitable (pid))
    return NULL;
  p = tool_calloc (1, sizeof *p);
  *p = (process){ .pid = pid, .mem = -1, .held = true };
  p->pages = tool_calloc (NUM_PAGES, sizeof *p->pages);
  catch_signals ();
  do
    good = stop_pass (p, &num_new);
  while (good && num_new != 0);
  if (good)
    note_threads (p);
  if (good && p->reader == 0)
    {
      good = false;
      if (process_is_gone (p))
	tool_error ("process %d has ended meanwhile", pid);
      else
	tool_error ("process %d does not stop: it is in an uninterruptible "
		    "sleep", pid);
    }
  if (good)
    return p;
  process_free (p);
  return NULL;
}

void
process_release (process *p)
{
  if (!p->held)
    return;
  for (size_t i = 0; i < num_held; i++)
    ptrace (PTRACE_DETACH, held_tids[i], NULL, NULL);
  num_held = 0;
  p->held = false;
  restore_signals ();
}

void
process_free (process *p)
{
  if (p == NULL)
    return;
  process_release (p);
  if (p->mem >= 0)
    close (p->mem);
  free (p->pages);
  free (p->threads);
  free (p);
}

pid_t
process_pid (const process *p)
{
  return p->pid;
}

size_t
process_num_threads (const process *p)
{
  return p->num_threads;
}

const process_thread *
process_thread_at (const process *p, size_t i)
{
  return &p->threads[i];
}

pid_t
process_reader (const process *p)
{
  return p->reader;
}

bool
process_is_gone (const process *p)
{
  siginfo_t info;

  /* Of a thread that was killed the kernel says at once that it is not
     stopped; it takes a while to become a zombie.  */
  if (p->held && p->reader != 0
      && ptrace (PTRACE_GETSIGINFO, p->reader, NULL, &info) != 0
      && errno == ESRCH)
    return true;
  return !has_live_thread (p->pid);
}

/* Memory.  */

/* Read the page at ADDRESS; process_vm_readv may be filtered where the file
   in /proc is not.  */
static bool
read_page (process *p, uint64_t address, void *buf)
{
  struct iovec local = { buf, MEMORY_PAGE };
  struct iovec remote = { (void *) (uintptr_t) address, MEMORY_PAGE };

  if (p->mem < 0)
    {
      char path[64];
      ssize_t n = process_vm_readv (p->reader, &local, 1, &remote, 1, 0);

      if (n == MEMORY_PAGE)
	return true;
      if (n >= 0 || (errno != ENOSYS && errno != EPERM))
	return false;
      snprintf (path, sizeof path, "/proc/%d/mem", p->reader);
      p->mem = open (path, O_RDONLY | O_CLOEXEC);
      if (p->mem < 0)
	return false;
    }
  return pread (p->mem, buf, MEMORY_PAGE, (off_t) address) == MEMORY_PAGE;
}

static const page *
find_page (process *p, uint64_t address)
{
  page *g = &p->pages[address / MEMORY_PAGE % NUM_PAGES];

  if (g->state == PAGE_EMPTY || g->address != address)
    {
      /* What is read after the process went on belongs to no stack.  */
      if (!p->held)
	return NULL;
      g->address = address;
      g->state = (read_page (p, address, g->bytes) ? PAGE_VALID
						   : PAGE_UNREADABLE);
    }
  return g->state == PAGE_VALID ? g : NULL;
}

int
process_read (void *arg, uint64_t address, void *buf, size_t len)
{
  unsigned char *out = buf;

  while (len != 0)
    {
      uint64_t off = address % MEMORY_PAGE;
      size_t n = MEMORY_PAGE - off < len ? MEMORY_PAGE - off : len;
      const page *g = find_page (arg, address - off);

      if (g == NULL)
	return -1;
      memcpy (out, g->bytes + off, n);
      out += n;
      address += n;
      len -= n;
    }
  return 0;
}
