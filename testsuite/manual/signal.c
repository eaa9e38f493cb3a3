/* Every function that is called signal-safe, called by a signal handler.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Threads allocate, free and use the library as fast as they can while timers
   interrupt them; what the handlers are told must be what was told before.
   Linked with --wrap for whatever allocates: no handler may come there.  */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sframe-coro-api.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define NUM_THREADS 3
#define NUM_SIGNALS 2000
#define INTERVAL 50000 /* Nanoseconds.  */
#define CODE 0x401000
#define BODY 0x402000

#define REQUIRE(X)                                                            \
  do                                                                          \
    if (!(X))                                                                 \
      fail (#X);                                                              \
  while (0)

static void
fail (const char *what)
{
  ssize_t n = write (STDERR_FILENO, what, strlen (what));

  (void) n;
  _exit (1);
}

/* Allocation.  */

static _Thread_local volatile sig_atomic_t in_handler;

#define WRAP(TYPE, NAME, PARAMETERS, ARGUMENTS)                               \
  extern TYPE __real_##NAME PARAMETERS;                                       \
  extern TYPE __wrap_##NAME PARAMETERS;                                       \
  TYPE __wrap_##NAME PARAMETERS                                               \
  {                                                                           \
    if (in_handler)                                                           \
      fail ("a handler calls " #NAME);                                        \
    return __real_##NAME ARGUMENTS;                                           \
  }
WRAP (void *, malloc, (size_t n), (n))
WRAP (void *, calloc, (size_t n, size_t m), (n, m))
WRAP (void *, realloc, (void *p, size_t n), (p, n))
WRAP (void, free, (void *p), (p))
WRAP (char *, strdup, (const char *s), (s))
WRAP (void, qsort,
      (void *p, size_t n, size_t m, int (*f) (const void *, const void *)),
      (p, n, m, f))

/* What is described.  */

struct frame
{
  uint64_t ip;
  struct frame *next;
};

static struct frame outer = { BODY, NULL };
static struct frame middle = { BODY + 64, &outer };
static struct frame inner = { BODY, &middle };
static struct frame *head = &inner;
_Thread_local int signal_variable __attribute__ ((used));

extern const char signal_stub[];
__asm__ (".text\n"
	 "signal_stub: leaq signal_variable@tlsdesc(%rip), %rax\n"
	 "call *signal_variable@tlscall(%rax)\n");

static unsigned char *bytes;
static size_t size;
static sframe_coro_section section;
static sframe_coro_index *functions;

static sframe_coro_path
load (int32_t off)
{
  return (sframe_coro_path){ .given = 1, .num_offs = 1, .off = { off } };
}

/* A chain, a site with a row and a body with a point.  */
static void
encode (unsigned char **to, size_t *len)
{
  static const sframe_coro_func site
      = { .start = CODE, .size = 16, .kind = SFRAME_CORO_FUNC_SITE, .num = 1 };
  static const sframe_coro_func code
      = { .start = BODY, .size = 32, .kind = SFRAME_CORO_FUNC_BODY, .num = 1 };
  static const sframe_coro_row row
      = { .base = SFRAME_CORO_BASE_CFA, .off = -16 };
  static const sframe_coro_body body = { .index_off = 8, .index_size = 8 };
  static const sframe_coro_point point = { .pc_off = 8 };
  sframe_coro_chain chain = { .name = "signal", .num_heads = 1,
			      .ip_kind = SFRAME_CORO_IP_FUNCTION_ENTRY };
  sframe_coro_encoder *e = sframe_coro_encoder_new (SFRAME_CORO_ABI_AMD64_LE);
  uint32_t number;

  chain.head[0] = (sframe_coro_head){ .kind = SFRAME_CORO_HEAD_GLOBAL,
				      .value = (uintptr_t) &head,
				      .path = load (0) };
  chain.path[SFRAME_CORO_PATH_NEXT] = load (offsetof (struct frame, next));
  chain.path[SFRAME_CORO_PATH_IP] = load (offsetof (struct frame, ip));
  REQUIRE (e != NULL
	   && sframe_coro_encoder_add_chain (e, &chain, &number) == 0
	   && sframe_coro_encoder_add_func (e, &site, number, &row, NULL, NULL)
		  == 0
	   && sframe_coro_encoder_add_func (e, &code, number, NULL, &body,
					    &point)
		  == 0
	   && sframe_coro_encoder_write (e, 0x500000, to, len) == 0);
  sframe_coro_encoder_free (e);
}

static sframe_coro_index *
make_index (void)
{
  sframe_coro_index *index = sframe_coro_index_new ();

  REQUIRE (index != NULL
	   && sframe_coro_index_add (index, &section, NULL, NULL) == 0
	   && sframe_coro_index_finish (index) == 0);
  return index;
}

/* All that there is to ask.  Filled with zeros before, so that two of them are
   equal if their bytes are.  */
typedef struct answers
{
  sframe_coro_section section;
  sframe_coro_block block;
  sframe_coro_chain chain, at;
  sframe_coro_func func[3];
  sframe_coro_row row[3];
  sframe_coro_body body;
  sframe_coro_point point;
  sframe_coro_tls_ref ref, descriptor;
  sframe_coro_node nodes[4][4];
  sframe_coro_root root;
  sframe_coro_spliced spliced[8];
  const void *pointers[8];
  const char *names[12];
  uint64_t values[8];
  size_t counts[12];
  int results[24];
} answers;

static void
ask_section (answers *a)
{
  int *r = a->results;

  r[0] = sframe_coro_section_open (&a->section, bytes, size, 0x500000, NULL);
  r[1] = sframe_coro_section_next_block (&section, &a->block, NULL);
  r[2] = sframe_coro_block_chain (&a->block, 0, &a->chain, NULL);
  r[3] = sframe_coro_block_func (&a->block, 0, &a->func[0], NULL);
  r[4] = sframe_coro_func_row (&a->block, &a->func[0], 0, &a->row[0], NULL);
  r[5] = sframe_coro_block_find (&a->block, BODY + 4, SFRAME_CORO_FUNC_BODY,
				 &a->func[1]);
  r[6] = sframe_coro_func_body (&a->block, &a->func[1], &a->body, NULL);
  r[7] = sframe_coro_func_point (&a->block, &a->func[1], 0, &a->point, NULL);
  r[8] = sframe_coro_section_find (&section, CODE + 5, SFRAME_CORO_FUNC_SITE,
				   &a->func[2]);
  r[9] = sframe_coro_section_chain_at (&section, a->func[2].chain, &a->at);
  a->counts[11] = 1;
  r[20] = sframe_coro_func_take (&a->block, 0, &a->func[0], &a->counts[11],
				 NULL);
  a->counts[0] = sframe_coro_func_covers (&a->func[0], CODE + 16);
  a->counts[1] = sframe_coro_chain_equal (&a->chain, &a->at);
}

static void
ask_names (answers *a)
{
  a->names[0] = sframe_coro_errmsg (SFRAME_CORO_ERR_OVERLAP);
  a->names[1] = sframe_coro_version ();
  a->names[2] = sframe_coro_abi_name (SFRAME_CORO_ABI_AMD64_LE);
  a->names[3] = sframe_coro_head_kind_name (SFRAME_CORO_HEAD_GLOBAL);
  a->names[4] = sframe_coro_ip_kind_name (SFRAME_CORO_IP_COOKIE);
  a->names[5] = sframe_coro_end_kind_name (SFRAME_CORO_END_SELF);
  a->names[6] = sframe_coro_roots_name (SFRAME_CORO_ROOTS_ALL);
  a->names[7] = sframe_coro_path_name (SFRAME_CORO_PATH_NEXT);
  a->names[8] = sframe_coro_func_kind_name (SFRAME_CORO_FUNC_BODY);
  a->names[9] = sframe_coro_stop_text (SFRAME_CORO_STOP_CYCLE);
  a->counts[2] = sframe_coro_stop_is_cut (SFRAME_CORO_STOP_CYCLE);
}

static void
ask_index (answers *a)
{
  size_t cursor = 0;
  const sframe_coro_func *site
      = sframe_coro_index_find (functions, CODE + 5, SFRAME_CORO_FUNC_SITE,
				&cursor, &a->counts[3]);
  sframe_coro_bodies bodies = sframe_coro_index_bodies (functions);

  a->pointers[0] = site;
  a->pointers[1] = sframe_coro_index_chain_at (functions, 0);
  a->pointers[2] = sframe_coro_index_func_at (functions, 1, &a->counts[4]);
  a->pointers[3] = bodies.find (bodies.arg, BODY);
  a->counts[5] = sframe_coro_index_num_chains (functions);
  a->counts[6] = sframe_coro_index_num_funcs (functions);
  a->results[10]
      = sframe_coro_index_row (functions, site, CODE + 5, &a->row[1]);
  a->results[22] = sframe_coro_index_row_at (functions, site, 0, &a->row[2]);
}

/* The walks; those of the thread's own variable are told from its TP.  */
static void
ask_walks (answers *a)
{
  static const sframe_coro_memory own = { NULL, NULL };
  static const uint64_t descriptor[] = { 0, (uint64_t) -16 };
  sframe_coro_thread thread = { .tp = (uintptr_t) __builtin_thread_pointer (),
				.libc = SFRAME_CORO_LIBC_GLIBC };
  sframe_coro_bodies bodies = sframe_coro_index_bodies (functions);
  sframe_coro_walker walker
      = { .memory = &own, .thread = &thread, .bodies = &bodies };
  uint64_t cfa = (uintptr_t) &head + 16, *v = a->values;
  int *r = a->results;

  r[11] = sframe_coro_head_base (&a->chain, &a->chain.head[0], &own, &thread,
				 NULL, &v[0]);
  r[12] = sframe_coro_walk_start (&a->chain, &a->chain.head[0], &own, v[0],
				  &v[1], &v[2]);
  r[13] = sframe_coro_walk_list (&a->chain, &own, v[2], a->nodes[0], 4,
				 &a->counts[7]);
  r[14] = sframe_coro_walk (&a->chain, &own, &thread, NULL, a->nodes[1], 4,
			    &a->counts[8], &v[3]);
  r[15] = sframe_coro_walk_roots (&a->chain, &walker, a->nodes[2], 4, &a->root,
				  1, &a->counts[9], &v[4]);
  r[16] = sframe_coro_row_head (&a->row[0], false, &own, cfa, NULL, NULL,
				&v[5]);
  r[17] = sframe_coro_tls_stub_read (SFRAME_CORO_ABI_AMD64_LE, false,
				     SFRAME_CORO_LIBC_GLIBC, &own,
				     (uintptr_t) signal_stub, &a->ref);
  r[18] = sframe_coro_tls_address (&a->ref, SFRAME_CORO_ABI_AMD64_LE, false,
				   &own, &thread, &v[6]);
  r[21] = sframe_coro_tls_descriptor_read (SFRAME_CORO_ABI_AMD64_LE, false,
					   SFRAME_CORO_LIBC_GLIBC, &own,
					   (uintptr_t) descriptor,
					   &a->descriptor);
  v[7] = v[6] - (uintptr_t) &signal_variable;
  v[6] -= thread.tp;
}

static bool
is_site (void *arg, size_t chain, const sframe_coro_native *native)
{
  sframe_coro_func func;

  (void) arg, (void) chain;
  return sframe_coro_section_find (&section, native->pc,
				   SFRAME_CORO_FUNC_SITE, &func)
	 == SFRAME_CORO_OK;
}

static void
ask_splice (answers *a)
{
  static const sframe_coro_native natives[]
      = { { .pc = 0x403000 },
	  { .pc = CODE + 16, .flags = SFRAME_CORO_NATIVE_RETURN_ADDRESS } };
  static const sframe_coro_splice_ops ops = { .is_site = is_site };
  sframe_coro_list list = { .nodes = a->nodes[0], .num = 3 };

  a->results[19] = sframe_coro_splice (natives, 2, &list, 1, &ops, a->spliced,
				       8, &a->counts[10]);
}

static sframe_coro_self *self;
static _Thread_local sframe_coro_self_space *space;

/* The program has no section, so there are only native frames; where it was
   interrupted is not known beforehand.  */
static void
ask_self (answers *a)
{
  static const sframe_coro_native natives[] = { { .pc = CODE }, { .pc = BODY } };
  sframe_coro_native own[16];
  sframe_coro_self_result result;
  size_t num;

  a->results[20] = sframe_coro_self_unwind (self, space, NULL, own, 16, &num);
  a->results[21]
      = sframe_coro_self_stack (self, space, natives, 2, NULL, &result);
  a->counts[11] = result.num + (num == 0);
}

static void
ask (answers *a)
{
  memset (a, 0, sizeof *a);
  ask_section (a);
  ask_names (a);
  ask_index (a);
  ask_walks (a);
  ask_splice (a);
  ask_self (a);
}

/* That the answers are what they have to be.  */
static void
check (const answers *a)
{
  for (size_t i = 0; i < sizeof a->results / sizeof *a->results; i++)
    REQUIRE (a->results[i] == 0);
  REQUIRE (a->counts[0] && a->counts[1] && a->counts[2]);
  REQUIRE (a->counts[5] == 1 && a->counts[6] == 2);
  REQUIRE (a->counts[7] == 3 && a->counts[8] == 3 && a->counts[9] == 1);
  REQUIRE (a->root.num == 3 && a->counts[10] == 5);
  REQUIRE (a->counts[11] == 2);
  REQUIRE (a->nodes[2][1].ip == BODY + 64 && a->nodes[1][2].ip == BODY);
  REQUIRE (a->nodes[2][2].resume_pc == BODY + 8);
  REQUIRE (a->spliced[1].node == 0 && a->spliced[4].native == 1);
  REQUIRE (a->values[5] == (uintptr_t) &inner && a->values[7] == 0);
  for (size_t i = 0; i < 4; i++)
    REQUIRE (a->pointers[i] != NULL);
  for (size_t i = 0; i < 10; i++)
    REQUIRE (strcmp (a->names[i], "?") != 0);
}

/* Threads and signals.  */

static answers expected;
static _Thread_local volatile sig_atomic_t num_signals;

static void
on_signal (int signo)
{
  answers a;

  (void) signo;
  in_handler = 1;
  ask (&a);
  REQUIRE (memcmp (&a, &expected, sizeof a) == 0);
  num_signals++;
  in_handler = 0;
}

/* Be interrupted where it would hurt.  */
static void *
run (void *arg)
{
  struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
			    .sigev_signo = SIGPROF };
  struct itimerspec interval = { { 0, INTERVAL }, { 0, INTERVAL } };
  timer_t timer;

  space = sframe_coro_self_space_new (4, 4);
  REQUIRE (space != NULL);
  event.sigev_notify_thread_id = gettid ();
  REQUIRE (timer_create (CLOCK_MONOTONIC, &event, &timer) == 0);
  REQUIRE (timer_settime (timer, 0, &interval, NULL) == 0);
  while (num_signals < NUM_SIGNALS)
    {
      unsigned char *copy;
      size_t len;

      encode (&copy, &len);
      REQUIRE (len == size && memcmp (copy, bytes, len) == 0);
      sframe_coro_index_free (make_index ());
      free (copy);
    }
  timer_delete (timer);
  /* The room is not freed: a last signal may be on its way.  */
  return arg;
}

int
main (void)
{
  struct sigaction action = { .sa_handler = on_signal };
  pthread_t threads[NUM_THREADS];

  encode (&bytes, &size);
  REQUIRE (sframe_coro_section_open (&section, bytes, size, 0x500000, NULL)
	   == 0);
  functions = make_index ();
  REQUIRE (sframe_coro_self_init (&self, NULL, NULL) == SFRAME_CORO_OK);
  space = sframe_coro_self_space_new (4, 4);
  REQUIRE (space != NULL);
  ask (&expected);
  check (&expected);
  REQUIRE (sigaction (SIGPROF, &action, NULL) == 0);
  for (size_t i = 0; i < NUM_THREADS; i++)
    REQUIRE (pthread_create (&threads[i], NULL, run, NULL) == 0);
  for (size_t i = 0; i < NUM_THREADS; i++)
    REQUIRE (pthread_join (threads[i], NULL) == 0);
  sframe_coro_index_free (functions);
  free (bytes);
  puts ("ok");
  return 0;
}
