/* A process that looks at itself, in one way after the other.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: program WAY [LIBRARY]

   `inner' runs, `middle' and `outer' await.  In `inner' the program takes its
   stack: in a call, in a handler on the stack or on another one, in a child, or
   where the kernel forbids process_vm_readv; or with a list that leads astray;
   or with a LIBRARY whose file is no longer where it was.  It prints problems,
   the nodes of the stack, whether they are where they have to be, and what was
   cut.  Nothing may be allocated meanwhile.  */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__ /* musl has no headers of the kernel.  */
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

#include "../require.h"
#include "no-malloc.h"
#include "sframe-coro-api.h"
#include "sframe-coro.hpp"

#define MAX_FRAMES 64
#define MAX_NODES 64
#define STACK_SIZE 65536

typedef struct node
{
  void (*resume) (struct node *);
  void (*destroy) (struct node *);
  long data;
  struct node *awaiter;
} node;

static __thread node *leaf __asm__ ("test_self_leaf") __attribute__ ((used));

#define CHAIN                                                                 \
  SFRAME_CORO_CHAIN_OF_NODES (test_self_chain, "test.self",                   \
			      SFRAME_CORO_TLS (test_self_leaf), running,      \
			      offsetof (node, awaiter))

static const char *way;
static sframe_coro_self *self;
static sframe_coro_self_space *space;
static char other_stack[STACK_SIZE];
static void *site; /* Where `inner' returns to.  */

static void inner (node *);
static void middle (node *);
static void outer (node *);

static const char *
name_of (uint64_t ip)
{
  if (ip == (uintptr_t) inner)
    return "inner";
  if (ip == (uintptr_t) middle)
    return "middle";
  return ip == (uintptr_t) outer ? "outer" : "?";
}

static void
print (const sframe_coro_self_result *r)
{
  const sframe_coro_self_frame *last = NULL;

  for (size_t i = 0; i < r->num; i++)
    {
      const sframe_coro_self_frame *f = &r->frames[i];
      if (f->node != NULL)
	printf ("%s %s:%u%s%s%s\n", name_of (f->node->ip), f->chain,
		(unsigned) f->node->index,
		f->flags & SFRAME_CORO_SPLICED_RUNNING ? " running" : "",
		f->native != SFRAME_CORO_NO_INDEX ? " native" : "",
		f->flags & SFRAME_CORO_SPLICED_NO_SITE ? " no-site" : "");
      else if (last != NULL && last->node != NULL)
	puts (f->pc == (uintptr_t) site ? "site" : "elsewhere");
      if (f->stop != SFRAME_CORO_STOP_END)
	printf ("cut here: %s\n", sframe_coro_stop_text (f->stop));
      last = f;
    }
  if (r->num_cut != 0)
    printf ("%zu cut, %s: %s\n", r->num_cut, r->cut_chain,
	    sframe_coro_stop_text ((int) r->cut));
  fflush (stdout);
}

/* Take the stack from CONTEXT on, and print it.  */
static void
look (const void *context)
{
  static sframe_coro_native natives[MAX_FRAMES];
  sframe_coro_self_result result;
  size_t num;

  errno = 4711;
  no_malloc_here = 1;
  REQUIRE (sframe_coro_self_unwind (self, space, context, natives, MAX_FRAMES,
				    &num)
	   == SFRAME_CORO_OK);
  REQUIRE (sframe_coro_self_stack (self, space, natives, num, NULL, &result)
	   == SFRAME_CORO_OK);
  no_malloc_here = 0;
  REQUIRE (errno == 4711);
  REQUIRE (num > 2);
  print (&result);
}

static void
handle (int signal, siginfo_t *info, void *context)
{
  char here;

  (void) signal;
  (void) info;
  REQUIRE (strcmp (way, "altstack") != 0
	   || (&here >= other_stack && &here < other_stack + STACK_SIZE));
  look (context);
}

static void
catch (int number, int flags)
{
  struct sigaction action = { .sa_sigaction = handle,
			      .sa_flags = SA_SIGINFO | flags };
  REQUIRE (sigaction (number, &action, NULL) == 0);
}

static void
use_other_stack (void)
{
  stack_t s = { .ss_sp = other_stack, .ss_size = STACK_SIZE };
  REQUIRE (sigaltstack (&s, NULL) == 0);
}

static void
look_in_child (void)
{
  int status;
  pid_t child = fork ();

  REQUIRE (child >= 0);
  if (child == 0)
    {
      REQUIRE (sframe_coro_self_refresh (self) == SFRAME_CORO_OK);
      look (NULL);
      _exit (0);
    }
  REQUIRE (waitpid (child, &status, 0) == child && status == 0);
}

static void __attribute__ ((noinline))
inner (node *n)
{
  site = __builtin_return_address (0);
  if (strcmp (way, "signal") == 0 || strcmp (way, "altstack") == 0)
    __asm__ volatile ("int3");
  else if (strstr (way, "fork") != NULL)
    look_in_child ();
  else
    look (NULL);
  n->data++;
}

static void __attribute__ ((noinline))
middle (node *n)
{
  n->data += 2;
}

static void __attribute__ ((noinline))
outer (node *n)
{
  n->data += 3;
}

static void __attribute__ ((noinline))
run (node *n)
{
  leaf = n;
  n->resume (n);
  SFRAME_CORO_SITE (CHAIN);
  leaf = NULL;
}

/* Let the kernel refuse a system call.  */
static void
forbid_readv (void)
{
#ifdef __GLIBC__
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  };
  struct sock_fprog program = { sizeof code / sizeof *code, code };

  REQUIRE (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
	   && prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
#else
  REQUIRE (!"not here");
#endif
}

static void
print_problem (void *arg, const char *module, int err,
	       const sframe_coro_where *where)
{
  const char *slash = strrchr (module, '/');

  (void) arg;
  printf ("%s: %s", slash != NULL ? slash + 1 : module,
	  sframe_coro_errmsg (err));
  if (where != NULL)
    printf (" at %zu, %s %s", where->offset,
	    where->record != NULL ? where->record : "-",
	    where->field != NULL ? where->field : "-");
  puts ("");
}

/* Load LIBRARY, and let its file be elsewhere, or be no more.  */
static void
load (const char *library)
{
  char other[4096];
  void *handle = dlopen (library, RTLD_NOW);

  REQUIRE (handle != NULL);
  if (strcmp (way, "elsewhere") == 0)
    REQUIRE (chdir ("/") == 0);
  else if (strcmp (way, "deleted") == 0)
    REQUIRE (unlink (library) == 0);
  else
    {
      snprintf (other, sizeof other, "%s.other", library);
      REQUIRE (rename (other, library) == 0);
    }
}

int
main (int argc, char **argv)
{
  node nodes[] = { { .resume = inner }, { .resume = middle },
		   { .resume = outer } };
  void *gone = mmap (NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);

  way = argc > 1 ? argv[1] : "call";
  if (strstr (way, "no-readv") != NULL)
    forbid_readv ();
  if (argc > 2)
    load (argv[2]);
  sframe_coro_self_init (&self, print_problem, NULL);
  space = sframe_coro_self_space_new (
      MAX_FRAMES, strcmp (way, "small") == 0 ? 2 : MAX_NODES);
  REQUIRE (self != NULL && space != NULL);
  if (strcmp (way, "altstack") == 0)
    use_other_stack ();
  catch (SIGTRAP, strcmp (way, "altstack") == 0 ? SA_ONSTACK : 0);
  nodes[0].awaiter = &nodes[1];
  nodes[1].awaiter = strcmp (way, "gone") == 0 ? gone : &nodes[2];
  if (strcmp (way, "cycle") == 0)
    nodes[2].awaiter = &nodes[1];
  run (&nodes[0]);
  REQUIRE (nodes[0].data == 1);
  sframe_coro_self_space_free (space);
  sframe_coro_self_free (self);
  return 0;
}
