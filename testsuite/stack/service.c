/* A service with coroutines, for sframe-coro to look at.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: service MODE [LIBRARY]

   Its coroutines are plain functions with nodes; what awaits is not on the stack.
   The thread has roots, one for each event loop; a registry has the tasks of the
   process.  In all modes `outer' runs an event loop by way of `helper', in which
   `inner' runs; modes say what that does when it has printed "ready PID":

     wait    waits
     vdso    asks for the time, which is answered in the vDSO
     stack   like wait, with 1 MiB of the stack in use
     guard   its list leads to a page that nobody may read
     long    its list has 10,000,000 nodes
     ring    its list is a ring of 10,000,000 nodes
     gone    the list is found through a variable of LIBRARY, which is closed
     again   opens and closes LIBRARY again and again
     half    LIBRARY is mapped as far as its code: its data are not there yet
     secret  nobody may trace it  */

#define _GNU_SOURCE 1

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__ ((noinline, noclone))

typedef struct node
{
  void (*resume) (struct node *);
  void (*destroy) (struct node *);
  struct node *next;
} node;

/* Of an event loop.  */
typedef struct root
{
  struct root *next;
  void *frame;
  node *top;
} root;

/* Of the registry.  */
typedef struct task
{
  struct task *next;
  node *top;
} task;

__attribute__ ((used, visibility ("hidden"))) root *service_roots;
__attribute__ ((used, visibility ("hidden"))) task *service_tasks;
/* In mode `gone' this is the variable of the library.  */
__attribute__ ((used, visibility ("hidden"))) node ***service_far;

#define NODES                                                                 \
  ".sframe_coro_path next, 16\n\t"                                            \
  ".sframe_coro_path ip, 0\n\t"                                               \
  ".sframe_coro_path ip_alt, 8\n\t"                                           \
  ".sframe_coro_ip entry\n\t"

__asm__ (".sframe_coro_chain service_chain, \"service\"\n\t"
	 ".sframe_coro_head global, service_roots\n\t"
	 ".sframe_coro_path head, 0\n\t"
	 ".sframe_coro_roots all, 8\n\t"
	 ".sframe_coro_path root_next, 0\n\t"
	 ".sframe_coro_path top, 16\n\t" NODES
	 ".sframe_coro_flags running_head\n\t"
	 ".sframe_coro_endchain");

__asm__ (".sframe_coro_chain service_registry, \"registry\"\n\t"
	 ".sframe_coro_head global, service_tasks\n\t"
	 ".sframe_coro_path head, 0\n\t"
	 ".sframe_coro_roots all\n\t"
	 ".sframe_coro_path root_next, 0\n\t"
	 ".sframe_coro_path top, 8\n\t" NODES
	 ".sframe_coro_flags process_scope\n\t"
	 ".sframe_coro_endchain");

__asm__ (".sframe_coro_chain service_gone, \"gone\"\n\t"
	 ".sframe_coro_head global, service_far\n\t"
	 ".sframe_coro_path head, 0, 0\n\t" NODES
	 ".sframe_coro_endchain");

#define LONG 10000000

static const char *mode, *library;
static void *handle;

static void
ready (void)
{
  printf ("ready %d\n", (int) getpid ());
  fflush (stdout);
}

NOINLINE static void
wait_forever (void)
{
  ready ();
  for (;;)
    pause ();
}

NOINLINE static void
ask_time (void)
{
  struct timespec t;

  ready ();
  for (;;)
    clock_gettime (CLOCK_MONOTONIC, &t);
}

NOINLINE static void
open_and_close (void)
{
  ready ();
  for (;;)
    {
      void *h = dlopen (library, RTLD_NOW);
      if (h == NULL)
	abort ();
      dlclose (h);
    }
}

NOINLINE static void
waste_stack (void)
{
  char room[1 << 20];

  __asm__ volatile ("" : : "r" (room) : "memory");
  wait_forever ();
  __asm__ volatile ("");
}

NOINLINE static void
destroy (node *n)
{
  n->next = NULL;
}

NOINLINE static void
waiter (node *n)
{
  n->resume = NULL;
}

/* The last node of lists that awaits.  */
NOINLINE static void
client (node *n)
{
  n->destroy = NULL;
}

NOINLINE static void
inner (node *n)
{
  (void) n;
  if (strcmp (mode, "vdso") == 0)
    ask_time ();
  else if (strcmp (mode, "again") == 0)
    open_and_close ();
  else if (strcmp (mode, "stack") == 0)
    waste_stack ();
  else
    wait_forever ();
  __asm__ volatile ("");
}

NOINLINE static void
resume (root *r)
{
  r->frame = __builtin_frame_address (0);
  r->next = service_roots;
  service_roots = r;
  r->top->resume (r->top);
  __asm__ volatile (".sframe_coro_startsite service_chain\n\t"
		    ".sframe_coro_endsite");
  service_roots = r->next;
}

NOINLINE static void
event_loop (root *r)
{
  resume (r);
  __asm__ volatile ("");
}

/* Many nodes, the last of which leads to LAST, or to the first if that is
   NULL and RING.  */
static node *
make_many (int ring)
{
  node *nodes = malloc (LONG * sizeof *nodes);

  if (nodes == NULL)
    abort ();
  for (size_t i = 0; i < LONG; i++)
    nodes[i] = (node){ waiter, destroy, &nodes[i + 1] };
  nodes[LONG - 1].next = ring ? &nodes[0] : NULL;
  return nodes;
}

/* What is behind the first two nodes of the inner list.  */
static node *
make_tail (void)
{
  if (strcmp (mode, "guard") == 0)
    return mmap (NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (strcmp (mode, "long") == 0 || strcmp (mode, "ring") == 0)
    return make_many (mode[0] == 'r');
  return NULL;
}

NOINLINE static void
helper (void)
{
  node second = { client, destroy, make_tail () };
  node first = { inner, destroy, &second };
  root r = { .top = &first };

  event_loop (&r);
  __asm__ volatile ("");
}

NOINLINE static void
outer (node *n)
{
  (void) n;
  helper ();
  __asm__ volatile ("");
}

/* Let `gone' begin in the library, and close that.  */
static void
lose_library (void)
{
  handle = dlopen (library, RTLD_NOW);
  if (handle == NULL || (service_far = dlsym (handle, "far_head")) == NULL)
    abort ();
  dlclose (handle);
}

/* Map what program header P of FILE says into the room from BASE on, which is
   LEN bytes long, or all of the room if WHOLE.  */
static char *
map_segment (int file, const Elf64_Phdr *p, char *base, size_t len, int whole)
{
  size_t in_page = p->p_vaddr % 4096;
  int prot = PROT_READ | (p->p_flags & PF_X ? PROT_EXEC : 0);
  char *at = base != NULL ? base + p->p_vaddr - in_page : NULL;
  char *got = mmap (at, whole ? len : p->p_filesz + in_page, prot,
		    MAP_PRIVATE | (at != NULL ? MAP_FIXED : 0), file,
		    (off_t) (p->p_offset - in_page));

  if (got == MAP_FAILED)
    abort ();
  return got;
}

/* As dynamic linkers do it: the first segment is mapped as long as all of them
   together, then come the others one by one; what is written to is last.  */
static void
map_half (void)
{
  int file = open (library, O_RDONLY);
  Elf64_Ehdr h;
  Elf64_Phdr p[16];
  char *base = NULL;
  size_t len = 0;

  if (file < 0 || read (file, &h, sizeof h) != sizeof h || h.e_phnum > 16
      || pread (file, p, h.e_phnum * sizeof *p, (off_t) h.e_phoff)
	     != (ssize_t) (h.e_phnum * sizeof *p))
    abort ();
  for (int i = 0; i < h.e_phnum; i++)
    if (p[i].p_type == PT_LOAD)
      len = p[i].p_vaddr + p[i].p_memsz;
  for (int i = 0; i < h.e_phnum; i++)
    if (p[i].p_type == PT_LOAD && !(p[i].p_flags & PF_W))
      {
	char *at = map_segment (file, &p[i], base, len, base == NULL);
	base = base != NULL ? base : at;
      }
  close (file);
}

int
main (int argc, char **argv)
{
  node nodes[]
      = { { outer, destroy, &nodes[1] }, { client, destroy, NULL },
	  { waiter, destroy, &nodes[3] }, { client, destroy, NULL },
	  { client, destroy, NULL } };
  task tasks[] = { { &tasks[1], &nodes[2] }, { NULL, &nodes[4] } };
  root r = { .top = &nodes[0] };

  mode = argc > 1 ? argv[1] : "wait";
  library = argc > 2 ? argv[2] : NULL;
  service_tasks = tasks;
  if (strcmp (mode, "gone") == 0)
    lose_library ();
  if (strcmp (mode, "half") == 0)
    map_half ();
  if (strcmp (mode, "secret") == 0)
    prctl (PR_SET_DUMPABLE, 0);
  event_loop (&r);
  return 0;
}
