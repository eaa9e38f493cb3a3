/* sframe-coro: files in /proc.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc.h"
#include "tool.h"

size_t
proc_read (char *buf, size_t size, const char *format, ...)
{
  char path[64];
  va_list args;
  ssize_t n;
  int fd;

  va_start (args, format);
  vsnprintf (path, sizeof path, format, args);
  va_end (args);
  buf[0] = 0;
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  n = read (fd, buf, size - 1);
  close (fd);
  buf[n > 0 ? n : 0] = 0;
  return n > 0 ? (size_t) n : 0;
}

bool
proc_stat (pid_t pid, pid_t tid, char *state, unsigned long *flags)
{
  char buf[1024], *behind_comm;

  if (!proc_read (buf, sizeof buf, "/proc/%d/task/%d/stat", pid, tid))
    return false;
  behind_comm = strrchr (buf, ')');
  return (behind_comm != NULL
	  && sscanf (behind_comm, ") %c %*d %*d %*d %*d %*d %lu", state,
		     flags) == 2);
}

long
proc_status (pid_t pid, const char *key)
{
  char buf[4096], *p;

  if (!proc_read (buf, sizeof buf, "/proc/%d/status", pid))
    return -1;
  p = strstr (buf, key);
  return p != NULL ? strtol (p + strlen (key), NULL, 10) : -1;
}

pid_t
proc_own_tid (pid_t tid)
{
  char buf[4096], *p;
  pid_t own = tid;

  if (!proc_read (buf, sizeof buf, "/proc/%d/status", tid)
      || (p = strstr (buf, "NSpid:")) == NULL)
    return tid;
  /* From our name space inwards.  */
  for (p += strcspn (p, "\t\n"); *p == '\t'; p += strcspn (p, "\t\n"))
    own = (pid_t) strtol (++p, NULL, 10);
  return own;
}

bool
proc_has_ended (pid_t pid, pid_t tid)
{
  unsigned long flags;
  char state;

  return (!proc_stat (pid, tid, &state, &flags) || state == 'Z'
	  || state == 'X');
}

bool
proc_each_thread (pid_t pid, proc_thread_fn fn, void *arg)
{
  char path[64];
  struct dirent *e;
  bool on = true;
  DIR *dir;

  snprintf (path, sizeof path, "/proc/%d/task", pid);
  dir = opendir (path);
  while (on && dir != NULL && (e = readdir (dir)) != NULL)
    if (isdigit ((unsigned char) e->d_name[0]))
      on = fn (arg, atoi (e->d_name));
  if (dir != NULL)
    closedir (dir);
  return on;
}

/* Like any directory, that of threads has a link from each one in it, and two
   more (proc_task_getattr in fs/proc/base.c of Linux).  */
size_t
proc_num_threads (pid_t pid)
{
  char path[64];
  struct stat st;

  snprintf (path, sizeof path, "/proc/%d/task", pid);
  return stat (path, &st) == 0 && st.st_nlink > 2 ? st.st_nlink - 2 : 0;
}

typedef struct live_search
{
  pid_t pid, found;
} live_search;

static bool
look_for_live (void *arg, pid_t tid)
{
  live_search *s = arg;

  if (proc_has_ended (s->pid, tid))
    return true;
  s->found = tid;
  return false;
}

pid_t
proc_live_thread (pid_t pid)
{
  live_search s = { pid, 0 };
  proc_each_thread (pid, look_for_live, &s);
  return s.found;
}

/* Whether the program of PID is for another word size or machine than this
   one; false if that cannot be seen.  */
static bool
is_foreign (pid_t pid, const char **what)
{
  Elf64_Ehdr h, self;
  char buf[sizeof h + 1];

  if (proc_read (buf, sizeof buf, "/proc/%d/exe", pid) < sizeof h)
    return false;
  memcpy (&h, buf, sizeof h);
  if (memcmp (h.e_ident, ELFMAG, SELFMAG) != 0)
    return false;
  if (h.e_ident[EI_CLASS] == ELFCLASS32)
    {
      *what = "a 32-bit program; only 64-bit ones are supported";
      return true;
    }
  if (proc_read (buf, sizeof buf, "/proc/self/exe") < sizeof self)
    return false;
  memcpy (&self, buf, sizeof self);
  *what = "a program for another machine than this one";
  return h.e_machine != self.e_machine;
}

bool
proc_is_suitable (pid_t pid)
{
  unsigned long flags = 0;
  const char *what;
  char state;

  if (pid == getpid ())
    tool_error ("process %d is sframe-coro itself", pid);
  else if (!proc_stat (pid, pid, &state, &flags))
    tool_error ("there is no process %d", pid);
  else if (flags & 0x00200000) /* PF_KTHREAD.  */
    tool_error ("process %d is a thread of the kernel", pid);
  else if (proc_live_thread (pid) == 0)
    tool_error ("process %d has ended (it is a zombie)", pid);
  else if (is_foreign (pid, &what))
    tool_error ("process %d is %s", pid, what);
  else
    return true;
  return false;
}

/* Whether Yama stands in the way; its mode in *MODE.  */
static bool
is_yama (char *mode)
{
  char scope[16];

  *mode = '0';
  if (proc_read (scope, sizeof scope, "/proc/sys/kernel/yama/ptrace_scope"))
    *mode = scope[0];
  return *mode == '3' || (*mode != '0' && geteuid () != 0);
}

/* Whether the kernel keeps the memory of PID from its own user: it runs a
   program with rights of its own, or asked for it (PR_SET_DUMPABLE).  Its
   files in /proc are root's then.  */
static bool
is_undumpable (pid_t pid)
{
  char path[64];
  struct stat st;

  snprintf (path, sizeof path, "/proc/%d/mem", pid);
  return stat (path, &st) == 0 && st.st_uid == 0 && geteuid () != 0;
}

void
proc_explain_refusal (pid_t pid, int err)
{
  long tracer = proc_status (pid, "TracerPid:");
  long uid = proc_status (pid, "Uid:");
  bool permission = err == EPERM || err == EACCES;
  char mode;

  if (tracer > 0)
    tool_error ("process %d is traced by process %ld; only one tracer is "
		"possible, detach that one first", pid, tracer);
  else if (permission && geteuid () != 0 && uid >= 0
	   && (uid_t) uid != geteuid ())
    tool_error ("process %d belongs to user %ld: permission denied; run as "
		"that user or as root", pid, uid);
  else if (permission && is_yama (&mode) && mode == '3')
    tool_error ("process %d: permission denied; kernel.yama.ptrace_scope is "
		"3, which forbids it to everybody until the next boot", pid);
  else if (permission && is_yama (&mode))
    tool_error ("process %d: permission denied; run as root, or set "
		"kernel.yama.ptrace_scope to 0 (it is %c)", pid, mode);
  else if (permission && is_undumpable (pid))
    tool_error ("process %d: permission denied; it has or had rights that its "
		"user has not; run as root", pid);
  else if (permission && proc_status (getpid (), "Seccomp:") > 0)
    tool_error ("process %d: permission denied; a seccomp filter, as "
		"containers have, is on this program: run it outside, or "
		"allow ptrace in the container", pid);
  else if (permission)
    tool_error ("process %d: permission denied; run as root with "
		"CAP_SYS_PTRACE", pid);
  else
    tool_error ("process %d: %s", pid, strerror (err));
}
