/* What program.c does, for AArch64 without a C library, of which there is none
   for big-endian machines here: threads, their lists, and walks.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <elf.h>

#include "cross.h"
#include "sframe-coro-api.h"

__thread node *program_head;
/* So that the offset is not the first one there can be.  */
__thread long filler[5] = { 1, 2, 3, 4, 5 };

extern const char program_records[];

static void step_0 (void) { }
static void step_1 (void) { }
static void step_2 (void) { }
static void (*const step[]) (void) = { step_0, step_1, step_2 };

/* What the library takes from a C library.  */
void *
memcpy (void *restrict to, const void *restrict from, size_t n)
{
  for (size_t i = 0; i < n; i++)
    ((volatile char *) to)[i] = ((const char *) from)[i];
  return to;
}

void *
memset (void *to, int c, size_t n)
{
  for (size_t i = 0; i < n; i++)
    ((volatile char *) to)[i] = (char) c;
  return to;
}

void *
memchr (const void *s, int c, size_t n)
{
  const char *p = s;

  for (; n > 0; n--, p++)
    if (*p == (char) c)
      return (void *) p;
  return NULL;
}

int
memcmp (const void *a, const void *b, size_t n)
{
  const unsigned char *p = a, *q = b;

  for (; n > 0; n--, p++, q++)
    if (*p != *q)
      return *p - *q;
  return 0;
}

int
strcmp (const char *a, const char *b)
{
  while (*a != '\0' && *a == *b)
    a++, b++;
  return (unsigned char) *a - (unsigned char) *b;
}

/* System calls: write 64, exit_group 94, sched_yield 124, clone 220.  */
extern long system_call (long a, long b, long c, long number);
extern long make_thread (long flags, void *stack, void (*run) (void *),
			 void *tp, void *arg);
__asm__ (".text\n"
	 ".globl _start\n_start:\n"
	 "	mov x29, #0\n	bl begin\n"
	 "system_call:\n"
	 "	mov x8, x3\n	svc #0\n	ret\n"
	 "make_thread:\n"
	 "	mov x9, x2\n	mov x10, x4\n"
	 "	mov x2, #0\n	mov x4, #0\n	mov x8, #220\n	svc #0\n"
	 "	cbz x0, 1f\n	ret\n"
	 "1:	mov x0, x10\n	br x9\n");

static void
put (const char *text)
{
  size_t n = 0;

  while (text[n] != '\0')
    n++;
  system_call (1, (long) text, (long) n, 64);
}

static void
put_digit (size_t n)
{
  const char text[] = { (char) ('0' + n), '\0' };
  put (text);
}

#define THREADS 4
static struct thread
{
  _Alignas (16) char stack[16384];
  _Alignas (16) char block[256]; /* Thread control block and variables.  */
  node nodes[3];
  int num, ready;
} threads[THREADS];
static sframe_coro_chain chain;

/* Variant I: the variables begin 16 bytes above the thread pointer.  */
static void
fill_block (char *block)
{
  extern const Elf64_Ehdr __ehdr_start;
  const char *file = (const char *) &__ehdr_start;
  const Elf64_Phdr *p = (const Elf64_Phdr *) (file + __ehdr_start.e_phoff);

  for (int i = 0; i < __ehdr_start.e_phnum; i++, p++)
    if (p->p_type == PT_TLS)
      memcpy (block + 16, (const void *) p->p_vaddr, p->p_filesz);
}

static int
read_memory (void *arg, uint64_t address, void *buf, size_t len)
{
  (void) arg;
  memcpy (buf, (const void *) address, len);
  return 0;
}

static void
walk (const char *who, size_t number, const sframe_coro_memory *memory)
{
  const sframe_coro_thread at
    = { (uint64_t) threads[number].block, 0, SFRAME_CORO_LIBC_UNKNOWN };
  sframe_coro_node nodes[8];
  size_t num;
  int stop
    = sframe_coro_walk (&chain, memory, &at, NULL, nodes, 8, &num, NULL);

  put (who);
  put_digit (number);
  put (stop == SFRAME_CORO_STOP_END	  ? ": program: END"
       : stop == SFRAME_CORO_STOP_NO_HEAD ? ": program: NO_HEAD"
					  : ": program: ?");
  for (size_t k = 0; k < num; k++)
    {
      put (" step_");
      for (size_t i = 0; i < 3; i++)
	if (nodes[k].ip == (uint64_t) step[i])
	  put_digit (i);
    }
  put ("\n");
}

/* Thread I has I nodes.  */
static void
run (void *arg)
{
  struct thread *t = arg;

  for (int i = 0; i < t->num; i++)
    t->nodes[i] = (node){ step[i], step[i],
			  i + 1 < t->num ? &t->nodes[i + 1] : NULL };
  program_head = t->num > 0 ? t->nodes : NULL;
  walk ("own ", (size_t) t->num, NULL);
  __atomic_store_n (&t->ready, 1, __ATOMIC_RELEASE);
  for (;;)
    system_call (0, 0, 0, 124);
}

__attribute__ ((used, noreturn)) static void
begin (void)
{
  const sframe_coro_memory memory = { read_memory, NULL };
  sframe_coro_header header;
  sframe_coro_section section;
  sframe_coro_block block = { 0 };
  int bad;

  memcpy (&header, program_records, sizeof header);
  bad = (sframe_coro_section_open (&section, program_records, header.length,
				   (uint64_t) program_records, NULL)
	 || sframe_coro_section_next_block (&section, &block, NULL)
	 || sframe_coro_block_chain (&block, 0, &chain, NULL));
  for (int i = 0; !bad && i < THREADS; i++)
    {
      struct thread *t = &threads[i];
      /* CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD
	 | CLONE_SYSVSEM | CLONE_SETTLS */
      const long flags = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000
			 | 0x80000;

      t->num = i;
      fill_block (t->block);
      if (make_thread (flags, t->stack + sizeof t->stack, run, t->block, t)
	  < 0)
	bad = 1;
      while (!bad && !__atomic_load_n (&t->ready, __ATOMIC_ACQUIRE))
	system_call (0, 0, 0, 124);
    }
  for (size_t i = 0; !bad && i < THREADS; i++)
    walk ("other ", i, &memory);
  system_call (bad, 0, 0, 94);
  for (;;)
    ;
}
