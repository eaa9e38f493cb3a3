/* sframe-coro: a process, live or as a core file: its threads, its memory.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "proc.h"
#include "process-impl.h"
#include "ranges.h"
#include "tool.h"

/* So much of a stack, from the innermost frame on, is kept, and so much of all
   stacks together.  */
#define MAX_STACK (UINT64_C (256) << 10)
#define MAX_STACKS (UINT64_C (24) << 20)

/* Bytes below the stack pointer that a function may use (x86-64 psABI).  */
#define RED_ZONE 128

process *
process_new (pid_t pid, const char *name, memory_source_fn source)
{
  process *p = tool_calloc (1, sizeof *p);

  *p = (process){ .pid = pid, .mem = -1, .name = tool_strdup (name) };
  p->memory = memory_new (source, p);
  return p;
}

void
process_free (process *p)
{
  if (p == NULL)
    return;
  process_release (p);
  core_free (p->core);
  memory_free (p->memory);
  mappings_free (&p->maps);
  if (p->mem >= 0)
    close (p->mem);
  free (p->threads);
  free (p->root);
  free (p->name);
  free (p);
}

/* Threads.  */

process_thread *
process_add_thread (process *p, pid_t tid)
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
  return t;
}

static int
compare_threads (const void *a, const void *b)
{
  pid_t x = ((const process_thread *) a)->tid;
  pid_t y = ((const process_thread *) b)->tid;
  return x < y ? -1 : x > y;
}

void
process_sort_threads (process *p)
{
  qsort (p->threads, p->num_threads, sizeof *p->threads, compare_threads);
}

const process_thread *
process_find_among (const process *p, size_t num, pid_t tid)
{
  process_thread key = { .tid = tid };

  return (num != 0 ? bsearch (&key, p->threads, num, sizeof key,
			      compare_threads)
		   : NULL);
}

void
process_set_comm (process_thread *t, const char *name)
{
  snprintf (t->comm, sizeof t->comm, "%s", name);
  t->comm[strcspn (t->comm, "\n")] = 0;
  for (char *p = t->comm; *p != 0; p++)
    if (iscntrl ((unsigned char) *p))
      *p = '?';
}

void
process_name_threads (process *p)
{
  char name[32];

  for (size_t i = 0; i < p->num_threads; i++)
    {
      proc_read (name, sizeof name, "/proc/%d/task/%d/comm", p->pid,
		 p->threads[i].tid);
      process_set_comm (&p->threads[i], name);
    }
}

/* Memory.  */

/* Read through the file in /proc; process_vm_readv may be filtered where that
   is not.  */
static size_t
read_mem_file (process *p, const struct iovec *local,
	       const struct iovec *remote, size_t num)
{
  char path[64];
  size_t done = 0;

  if (p->mem < 0)
    {
      snprintf (path, sizeof path, "/proc/%d/mem", p->reader);
      p->mem = open (path, O_RDONLY | O_CLOEXEC);
    }
  for (size_t i = 0; p->mem >= 0 && i < num; i++)
    {
      ssize_t n = pread (p->mem, local[i].iov_base, local[i].iov_len,
			 (off_t) (uintptr_t) remote[i].iov_base);
      done += n > 0 ? (size_t) n : 0;
      if (n < 0 || (size_t) n != local[i].iov_len)
	break;
    }
  return done;
}

/* A memory_source_fn.  */
static size_t
read_live (void *arg, const struct iovec *local, const struct iovec *remote,
	   size_t num)
{
  process *p = arg;

  if (p->mem < 0)
    {
      ssize_t n = process_vm_readv (p->reader, local, num, remote, num, 0);
      if (n >= 0 || (errno != ENOSYS && errno != EPERM))
	return n > 0 ? (size_t) n : 0;
    }
  return read_mem_file (p, local, remote, num);
}

int
process_read (void *arg, uint64_t address, void *buf, size_t len)
{
  process *p = arg;
  return memory_read (p->memory, address, buf, len);
}

/* Unite those of the NUM sorted ranges at R that overlap; return how many are
   left.  */
static size_t
unite_ranges (memory_range *r, size_t num)
{
  size_t n = 0;

  for (size_t i = 0; i < num; i++)
    if (n != 0 && r[i].start <= r[n - 1].end)
      r[n - 1].end = r[i].end > r[n - 1].end ? r[i].end : r[n - 1].end;
    else
      r[n++] = r[i];
  return n;
}

void
process_keep_stacks (process *p)
{
  memory_range *ranges = tool_calloc (p->num_threads, sizeof *ranges);
  uint64_t total = 0;
  size_t num = 0;

  for (size_t i = 0; p->core == NULL && i < p->num_threads; i++)
    {
      const process_thread *t = &p->threads[i];
      uint64_t sp = PROCESS_SP (&t->registers);
      const mapping *m;
      memory_range r;

      if (!t->has_registers || (m = mappings_find (&p->maps, sp)) == NULL)
	continue;
      r.start = sp - m->start > RED_ZONE ? sp - RED_ZONE : m->start;
      r.end = m->end - sp > MAX_STACK ? sp + MAX_STACK : m->end;
      total += r.end - r.start;
      if (total > MAX_STACKS)
	break;
      ranges[num++] = r;
    }
  if (num != 0)
    {
      qsort (ranges, num, sizeof *ranges, ranges_compare);
      memory_keep (p->memory, ranges, unite_ranges (ranges, num));
    }
  free (ranges);
}

bool
process_missed (process *p)
{
  uint64_t address = memory_missed (p->memory);
  const mapping *m = mappings_find (&p->maps, address);

  return address != 0 && m != NULL && m->readable;
}

/* Files.  */

/* Open PATH if it is a regular file, and number INODE unless that is 0.  */
static int
open_regular (char *path, uint64_t inode)
{
  struct stat st;
  int fd = -1;

  /* Opening a device may do something.  */
  if (stat (path, &st) == 0 && S_ISREG (st.st_mode)
      && (inode == 0 || st.st_ino == inode))
    fd = open (path, O_RDONLY | O_CLOEXEC);
  free (path);
  return fd;
}

/* Through the kernel's link to it, which is right in containers, and for files
   that were deleted or replaced, but takes privileges; else by its name in the
   process's own name space; the program's file has a link of its own.  Some
   file systems give other numbers to mappings than to files.  */
int
process_open_file (const process *p, const mapping *m, bool *doubt)
{
  int fd;

  *doubt = false;
  if (p->core != NULL)
    {
      *doubt = true;
      return core_open_file (p->core, m);
    }
  fd = open_regular (tool_printf ("/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
				  p->reader, m->start, m->end), 0);
  if (fd < 0 && !m->deleted)
    fd = open_regular (tool_printf ("/proc/%d/root%s", p->reader, m->name),
		       m->inode);
  if (fd < 0)
    fd = open_regular (tool_printf ("/proc/%d/exe", p->reader), m->inode);
  if (fd >= 0 || m->deleted)
    return fd;
  *doubt = true;
  return open_regular (tool_printf ("/proc/%d/root%s", p->reader, m->name),
		       0);
}

char *
process_file_name (const process *p, const mapping *m)
{
  return p->core != NULL ? core_file_name (p->core, m) : tool_strdup (m->name);
}

uint64_t
process_auxval (const process *p, uint64_t type)
{
  char buf[4096];
  Elf64_auxv_t a;
  size_t len;

  if (p->core != NULL)
    return core_auxval (p->core, type);
  len = proc_read (buf, sizeof buf, "/proc/%d/auxv", p->reader);
  for (size_t i = 0; i + sizeof a <= len; i += sizeof a)
    {
      memcpy (&a, buf + i, sizeof a);
      if (a.a_type == type)
	return a.a_un.a_val;
    }
  return 0;
}

/* Opening, and what there is to know.  */

void
process_forget (process *p)
{
  memory_forget (p->memory);
}

bool
process_code_changed (const process *p)
{
  return p->code_changed;
}

uint64_t
process_sp (const process_thread *t)
{
  return PROCESS_SP (&t->registers);
}

unsigned
process_num_stops (const process *p)
{
  return p->num_stops;
}

process *
process_open (pid_t pid)
{
  long tgid = proc_status (pid, "Tgid:");
  char text[64];
  process *p;

  if (tgid > 0)
    pid = (pid_t) tgid;
  if (!proc_is_suitable (pid))
    return NULL;
  snprintf (text, sizeof text, "process %d", pid);
  p = process_new (pid, text, read_live);
  p->reader = proc_live_thread (pid);
  p->root = tool_printf ("/proc/%d/root", p->reader);
  snprintf (text, sizeof text, "/proc/%d/maps", p->reader);
  if (mappings_read (&p->maps, text))
    return p;
  if (errno == EACCES || errno == EPERM)
    proc_explain_refusal (pid, errno);
  else
    tool_error ("process %d has ended meanwhile", pid);
  process_free (p);
  return NULL;
}

bool
process_is_gone (const process *p)
{
  siginfo_t info;

  if (p->core != NULL)
    return false;
  /* Of a thread that was killed the kernel says at once that it is not
     stopped; it takes a while to become a zombie.  */
  if (p->held && p->reader != 0)
    {
      if (ptrace (PTRACE_GETSIGINFO, p->reader, NULL, &info) == 0)
	return false;
      if (errno == ESRCH)
	return true;
    }
  return proc_live_thread (p->pid) == 0;
}

bool
process_is_ending (const process *p)
{
  char byte[2];

  /* The address space goes before the threads.  */
  return (process_is_gone (p)
	  || (p->core == NULL
	      && proc_read (byte, sizeof byte, "/proc/%d/maps", p->reader)
		     == 0));
}

pid_t
process_pid (const process *p)
{
  return p->pid;
}

const char *
process_core (const process *p)
{
  return p->core != NULL ? p->name : NULL;
}

const char *
process_name (const process *p)
{
  return p->name;
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

const process_thread *
process_find_thread (const process *p, pid_t tid)
{
  return process_find_among (p, p->num_threads, tid);
}

uint64_t
process_stopped_us (const process *p)
{
  return p->stopped_ns / 1000;
}

const mappings *
process_mappings (const process *p)
{
  return &p->maps;
}

const char *
process_root (const process *p)
{
  return p->root;
}
