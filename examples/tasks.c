/* List the coroutines of another process, thread by thread.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: tasks PID

   For x86-64: elsewhere the thread pointer is in other registers.  */

#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "modules.h"

#define MAX_NODES 1000
#define MAX_ROOTS 100

/* The memory of the process; ARG is its number.  All or nothing.  */
static int
read_process (void *arg, uint64_t address, void *buf, size_t len)
{
  struct iovec local = { buf, len };
  struct iovec remote = { (void *) (uintptr_t) address, len };

  return process_vm_readv (*(pid_t *) arg, &local, 1, &remote, 1, 0)
         == (ssize_t) len ? 0 : -1;
}

/* Stop thread TID and learn its thread pointer; 0 on success.  */
static int
stop_thread (pid_t tid, sframe_coro_thread *thread)
{
  struct user_regs_struct registers;
  int status;

  if (ptrace (PTRACE_SEIZE, tid, NULL, NULL) != 0)
    return -1;
  if (ptrace (PTRACE_INTERRUPT, tid, NULL, NULL) != 0
      || waitpid (tid, &status, __WALL) != tid || !WIFSTOPPED (status)
      || ptrace (PTRACE_GETREGS, tid, NULL, &registers) != 0)
    return -1;
  thread->tp = registers.fs_base;
  thread->tid = (uint64_t) tid;
  thread->libc = SFRAME_CORO_LIBC_GLIBC;
  return 0;
}

static void
print_list (const sframe_coro_chain *chain, const sframe_coro_root *root,
            const sframe_coro_node *nodes, Dwfl *modules)
{
  for (size_t i = root->first; i < root->first + root->num; i++)
    if (!(nodes[i].flags & SFRAME_CORO_NODE_HIDDEN))
      printf ("  %s:%" PRIu32 " %s\n", chain->name, nodes[i].index,
              modules_function (modules, nodes[i].ip));
  if (sframe_coro_stop_is_cut (root->stop))
    printf ("  (incomplete: %s)\n", sframe_coro_stop_text (root->stop));
}

/* All lists of CHAIN that belong to the thread.  */
static void
print_lists (const sframe_coro_chain *chain, const sframe_coro_walker *walker,
             Dwfl *modules)
{
  static sframe_coro_node nodes[MAX_NODES];
  static sframe_coro_root roots[MAX_ROOTS];
  size_t num;
  sframe_coro_stop stop
    = sframe_coro_walk_roots (chain, walker, nodes, MAX_NODES, roots,
                              MAX_ROOTS, &num, NULL);

  for (size_t i = 0; i < num; i++)
    print_list (chain, &roots[i], nodes, modules);
  if (sframe_coro_stop_is_cut (stop))
    printf ("  (%s incomplete: %s)\n", chain->name,
            sframe_coro_stop_text (stop));
}

static void
print_thread (pid_t pid, pid_t tid, const sframe_coro_index *index,
              Dwfl *modules)
{
  sframe_coro_memory memory = { read_process, &pid };
  sframe_coro_bodies bodies = sframe_coro_index_bodies (index);
  sframe_coro_thread thread = { 0 };
  sframe_coro_walker walker = { .memory = &memory, .thread = &thread,
                                .bodies = &bodies };

  if (stop_thread (tid, &thread) == 0)
    {
      printf ("thread %d\n", (int) tid);
      for (size_t i = 0; i < sframe_coro_index_num_chains (index); i++)
        print_lists (&sframe_coro_index_chain_at (index, i)->chain, &walker,
                     modules);
    }
  else
    perror ("ptrace");
  ptrace (PTRACE_DETACH, tid, NULL, NULL);
}

/* Each thread of the process; 0 on success.  */
static int
print_threads (pid_t pid, const sframe_coro_index *index, Dwfl *modules)
{
  char name[64];
  struct dirent *entry;
  DIR *threads;

  snprintf (name, sizeof name, "/proc/%d/task", (int) pid);
  threads = opendir (name);
  if (threads == NULL)
    return -1;
  while ((entry = readdir (threads)) != NULL)
    if (entry->d_name[0] != '.')
      print_thread (pid, atoi (entry->d_name), index, modules);
  closedir (threads);
  return 0;
}

int
main (int argc, char **argv)
{
  pid_t pid = argc == 2 ? atoi (argv[1]) : 0;
  Dwfl *modules = pid > 0 ? modules_of_process (pid) : NULL;
  sframe_coro_index *index = sframe_coro_index_new ();
  int status = 1;

  if (modules != NULL && index != NULL && modules_index (modules, index) == 0
      && print_threads (pid, index, modules) == 0)
    status = 0;
  sframe_coro_index_free (index);
  dwfl_end (modules);
  return status;
}
