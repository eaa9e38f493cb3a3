/* A program for sframe-coro to look at.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: target THREADS [COUNTER-FILE]

   THREADS has a letter for each thread but the first one; the name of a thread
   is "t-" and its letter.  All but `n' and `k' walk into a list of three nodes, of
   which `innermost' runs and two more await.

     s  blocks in a system call
     r  runs; it counts in COUNTER-FILE
     h  a signal interrupted it; the handler blocks
     a  ditto, with the handler on a stack of its own
     n  has no list
     c  the list is cyclic
     d  the list has 3000 nodes
     u  the list leads to memory that cannot be read
     x  the list is that of a thread whose call sites are not described

     k  makes other threads, which end at once, all the time

   `m' makes the first thread end, so that only others are left; `v' makes it
   wait for a child as vfork does.  When all threads are where they should be
   the program prints "ready PID".  It counts the signals SIGRTMIN that it gets
   in COUNTER-FILE as well.

   The section is written by hand: neither the header for C++ nor the assembler
   has a part in it.  With TARGET_TLS_OFFSET its head is an offset in the TLS
   block of this module, else a stub.  With TARGET_LIBRARY this is to be a
   library; load.c has the main program.  */

#define _GNU_SOURCE 1

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NOINLINE __attribute__ ((noinline, noclone))

struct node
{
  void (*resume) (struct node *);
  void (*destroy) (struct node *);
  struct node *next;
  char letter;
};

_Thread_local struct node *target_head __asm__ ("target_head");

#ifdef TARGET_TLS_OFFSET
#define HEAD "2, 0\n .2byte 0\n .4byte .Lip - .Ldata\n"                       \
	     " .8byte target_head@dtpoff\n"
#else
#define HEAD "1, 0\n .2byte 0\n .4byte .Lip - .Ldata\n"                       \
	     " .8byte target_stub - .\n"
__asm__ (".pushsection .text.sframe_coro,\"ax\",@progbits\n"
	 "target_stub:\n"
	 "	leaq target_head@tlsdesc(%rip), %rax\n"
	 "	call *target_head@tlscall(%rax)\n"
	 ".popsection\n");
#endif

/* One block: a chain that begins at target_head, and a site.  */
__asm__ (".pushsection .sframe_coro,\"a\",@progbits\n"
	 ".balign 8\n"
	 ".Lblock:\n"
	 "	.2byte 0xdec0\n"		/* magic */
	 "	.byte 1, 1, 3, 32, 80, 32\n"	/* version ... func_size */
	 "	.4byte .Lend - .Lblock\n"	/* length */
	 "	.4byte 1, 1\n"			/* num_chains, num_funcs */
	 "	.4byte .Lstrings - .Ldata\n"	/* data_len */
	 "	.4byte .Lpad - .Lstrings\n"	/* strings_len */
	 "	.4byte 0\n"
	 ".Lchain:\n"
	 "	.4byte 0, 1\n"			/* name, running head */
	 "	.byte 1, 0, 1, 0, 0, 0\n"	/* one head, entry, null */
	 "	.2byte 0\n"
	 "	.4byte 0, 0\n"
	 "	.8byte 0\n"
	 "	.4byte .Lhead - .Ldata, -1\n"	/* no tests */
	 "	.4byte -1\n"
	 "	.4byte .Lnext - .Ldata\n"
	 "	.4byte .Lip - .Ldata\n"
	 "	.4byte .Lip_alt - .Ldata\n"
	 "	.4byte -1, -1, -1, -1\n"
	 "	.8byte 0\n"
	 "	.8byte target_site - .\n"
	 "	.8byte .Lchain - .\n"
	 "	.4byte 0, -1\n"			/* size, no rows */
	 "	.2byte 0\n"
	 "	.byte 1, 0\n"			/* site */
	 "	.4byte 0\n"
	 ".Ldata:\n"
	 ".Lhead:\n"
	 "	.byte " HEAD			/* its path is {0} */
	 "	.8byte 0\n"
	 ".Lnext:	.4byte 1, 16\n"
	 ".Lip:	.4byte 1, 0\n"
	 ".Lip_alt:	.4byte 1, 8\n"
	 ".Lstrings:	.string \"target.list\"\n"
	 ".Lpad:	.balign 8\n"
	 ".Lend:\n"
	 ".popsection\n");

static sem_t in_place;
static volatile uint64_t *counter;

NOINLINE static void
block (void)
{
  sem_post (&in_place);
  for (;;)
    pause ();
}

NOINLINE static void
run (void)
{
  sem_post (&in_place);
  for (;;)
    ++*counter;
}

NOINLINE static void
handler (int sig)
{
  (void) sig;
  block ();
}

static void
count (int sig)
{
  (void) sig;
  __atomic_add_fetch (counter, 1, __ATOMIC_RELAXED);
}

/* Interrupt this thread in the middle of a function that is no call.  */
NOINLINE static void
interrupt_me (void)
{
  __asm__ volatile ("ud2");
}

NOINLINE static void
innermost (struct node *n)
{
  switch (n->letter)
    {
    case 'r':
      run ();
      break;
    case 'h':
    case 'a':
      interrupt_me ();
      break;
    default:
      block ();
    }
  __asm__ volatile ("");
}

NOINLINE static void
middle (struct node *n)
{
  n->resume = NULL;
}

NOINLINE static void
outer (struct node *n)
{
  n->letter = 0;
}

NOINLINE static void
destroy (struct node *n)
{
  n->next = NULL;
}

/* The one place that is described.  */
NOINLINE static void
resume_described (struct node *n)
{
  n->resume (n);
  __asm__ volatile (".globl target_site\n.hidden target_site\n"
		    "target_site:" ::: "memory");
}

NOINLINE static void
resume_undescribed (struct node *n)
{
  n->resume (n);
  __asm__ volatile ("");
}

#define DEEP 3000

static void
walk_in (char letter)
{
  static struct node deep[DEEP];
  struct node nodes[3] = { { innermost, destroy, &nodes[1], letter },
			   { middle, destroy, &nodes[2], letter },
			   { outer, destroy, NULL, letter } };

  if (letter == 'c')
    nodes[2].next = &nodes[1];
  if (letter == 'u')
    nodes[2].next = (struct node *) 0x1000;
  if (letter == 'd')
    {
      nodes[2].next = &deep[0];
      for (int i = 0; i < DEEP - 3; i++)
	deep[i] = (struct node){ middle, destroy,
				 i < DEEP - 4 ? &deep[i + 1] : NULL, 0 };
    }
  target_head = nodes;
  if (letter == 'x')
    resume_undescribed (nodes);
  else
    resume_described (nodes);
}

static void *
brief_thread (void *arg)
{
  return arg;
}

NOINLINE static void
make_threads (void)
{
  sem_post (&in_place);
  for (;;)
    {
      pthread_t t;
      if (pthread_create (&t, NULL, brief_thread, NULL) == 0)
	pthread_join (t, NULL);
    }
}

static void *
thread (void *arg)
{
  char letter = (char) (intptr_t) arg, name[] = "t-?", stack[65536];
  stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };

  name[2] = letter;
  prctl (PR_SET_NAME, name);
  if (letter == 'n')
    block ();
  if (letter == 'k')
    make_threads ();
  if (letter == 'a')
    sigaltstack (&alternate, NULL);
  walk_in (letter);
  return NULL;
}

static void
start_threads (const char *letters)
{
  for (const char *p = letters; *p != 0; p++)
    {
      pthread_t t;
      if (*p == 'm' || *p == 'v')
	continue;
      if (pthread_create (&t, NULL, thread, (void *) (intptr_t) *p) != 0)
	exit (2);
      sem_wait (&in_place);
    }
}

static void
open_counter (const char *path)
{
  static volatile uint64_t own;
  int fd;

  counter = &own;
  if (path == NULL)
    return;
  fd = open (path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || ftruncate (fd, sizeof *counter) != 0)
    exit (2);
  counter = mmap (NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED,
		  fd, 0);
  if (counter == MAP_FAILED)
    exit (2);
}

#ifdef TARGET_LIBRARY
#define main target_main
extern int target_main (int argc, char **argv);
#endif

int
main (int argc, char **argv)
{
  const char *letters = argc > 1 ? argv[1] : "";
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
  struct sigaction counting = { .sa_handler = count };

  sem_init (&in_place, 0, 0);
  open_counter (argc > 2 ? argv[2] : NULL);
  sigaction (SIGILL, &action, NULL);
  sigaction (SIGRTMIN, &counting, NULL);
  start_threads (letters);
  printf ("ready %d\n", (int) getpid ());
  fflush (stdout);
  if (strchr (letters, 'm') != NULL)
    pthread_exit (NULL);
  if (strchr (letters, 'v') != NULL && vfork () == 0)
    for (;;)
      pause ();
  block ();
  return 0;
}
