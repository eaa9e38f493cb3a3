/* Write a profile of this very program, of samples that are made up.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   What is sampled is known here, so tests know what every reader has to say.
   The stacks take turns; see `stacks'.  */

#include "config.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "kernel.h"
#include "profile.h"
#include "sframe-coro-api.h"
#include "tool.h"

/* Functions to point at, with room for return addresses.  The names are those
   that g++ and clang++ give to the pieces of coroutines.  */
#define FUNCTION(NAME, SYMBOL)                                                \
  extern void NAME (void) __asm__ (SYMBOL);                                   \
  __attribute__ ((used, noinline)) void NAME (void)                           \
  {                                                                           \
    __asm__ volatile (".skip 32, 0x90");                                      \
  }
FUNCTION (work, "work")
FUNCTION (loop, "event_loop")
FUNCTION (leaf, "_Z4leafi.resume")
FUNCTION (middle, "_Z6middlei.resume")
FUNCTION (outer, "_Z5outeri.resume")
FUNCTION (generator, "_Z9generatori.resume")

typedef enum kind
{
  END,
  PC,	    /* Innermost of the user's.  */
  CALL,	    /* A return address.  */
  RUNNING,  /* The same, of the coroutine that heads list 0.  */
  AWAITING, /* Of list 0.  */
  OTHER,    /* Awaiting, of list 1.  */
  KERNEL
} kind;

typedef struct entry
{
  kind kind;
  void (*function) (void);
  unsigned times;
} entry;

#define KERNEL_ENTRY { KERNEL, NULL, 1 }

/* Innermost first.  */
static const entry stacks[][10]
    = { /* 0: no coroutine.  */
	{ { PC, work, 1 }, { CALL, loop, 1 } },
	/* 1: three of them.  */
	{ { PC, work, 1 }, { RUNNING, leaf, 1 }, { AWAITING, middle, 1 },
	  { AWAITING, outer, 1 }, { CALL, loop, 1 } },
	/* 2: in the kernel.  */
	{ KERNEL_ENTRY, { PC, work, 1 }, { RUNNING, leaf, 1 },
	  { AWAITING, middle, 1 }, { AWAITING, outer, 1 }, { CALL, loop, 1 } },
	/* 3: cut.  */
	{ { PC, work, 1 }, { RUNNING, leaf, 1 }, { AWAITING, middle, 1 },
	  { CALL, loop, 1 } },
	/* 4: two chains.  */
	{ { PC, leaf, 1 }, { AWAITING, outer, 1 }, { CALL, loop, 1 },
	  { OTHER, generator, 1 }, { CALL, loop, 1 } },
	/* 5: deep.  */
	{ { RUNNING, middle, 1 }, { AWAITING, middle, 300 },
	  { AWAITING, outer, 1 }, { CALL, loop, 1 } } };
#define NUM_STACKS (sizeof stacks / sizeof *stacks)
#define PERIOD 1001001

typedef struct options
{
  unsigned long samples;  /* How many.  */
  unsigned long distinct; /* Of how many threads.  */
  const char *format, *path;
} options;

static uint64_t kernel_address;

static uint64_t
address_of (const entry *e)
{
  uint64_t start = (uint64_t) (uintptr_t) e->function;

  return e->kind == KERNEL ? kernel_address
	 : e->kind == PC   ? start + 4
	 : e->kind == CALL || e->kind == RUNNING ? start + 8
						  : start;
}

static profile_frame
frame_of (const entry *e)
{
  static const uint8_t kinds[] = { 0, PROFILE_NATIVE, PROFILE_NATIVE,
				   PROFILE_NATIVE, PROFILE_AWAITING,
				   PROFILE_AWAITING, PROFILE_KERNEL };
  bool is_return = e->kind == CALL || e->kind == RUNNING;

  return (profile_frame){ .address = address_of (e),
			  .kind = kinds[e->kind],
			  .flags = is_return ? PROFILE_FRAME_RETURN : 0,
			  .list = e->kind == RUNNING || e->kind == AWAITING ? 0
				  : e->kind == OTHER			     ? 1
						     : PROFILE_NO_LIST };
}

static bool
put_sample (profile_writer *w, const options *o, unsigned long i)
{
  static profile_frame frames[512];
  const entry *stack = stacks[i % NUM_STACKS];
  bool cut = i % NUM_STACKS == 3;
  profile_list lists[2]
      = { { 0, 0, cut ? SFRAME_CORO_STOP_CYCLE : SFRAME_CORO_STOP_END },
	  { 1, 0, SFRAME_CORO_STOP_END } };
  profile_event e = { .kind = PROFILE_SAMPLE };
  size_t num_lists = 0;

  e.pid = (uint32_t) getpid ();
  e.tid = e.pid + (uint32_t) (i / NUM_STACKS % o->distinct);
  e.time = 1000000000 + i * PERIOD;
  e.cpu = i % 2;
  e.sample.period = PERIOD;
  for (; stack->kind != END; stack++)
    for (unsigned j = 0; j < stack->times; j++)
      {
	profile_frame f = frame_of (stack);
	frames[e.sample.num_frames++] = f;
	if (f.list != PROFILE_NO_LIST)
	  {
	    lists[f.list].num++;
	    if (num_lists <= f.list)
	      num_lists = f.list + 1u;
	  }
      }
  e.sample.frames = frames;
  e.sample.lists = lists;
  e.sample.num_lists = num_lists;
  return profile_writer_put (w, &e);
}

/* The maps of this program, of code.  */
static bool
put_maps (profile_writer *w)
{
  FILE *f = fopen ("/proc/self/maps", "re");
  char line[4096];
  bool ok = f != NULL;

  while (ok && fgets (line, sizeof line, f) != NULL)
    {
      profile_event e = { .kind = PROFILE_MMAP };
      uint64_t end;
      char perms[5], path[4096] = "//anon";

      if (sscanf (line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64
			" %" SCNx32 ":%" SCNx32 " %" SCNu64 " %4095[^\n]",
		  &e.mmap.address, &end, perms, &e.mmap.offset, &e.mmap.major,
		  &e.mmap.minor, &e.mmap.inode, path) < 7
	  || perms[2] != 'x')
	continue;
      e.pid = e.tid = (uint32_t) getpid ();
      e.mmap.length = end - e.mmap.address;
      e.mmap.prot = PROT_READ | PROT_EXEC;
      e.mmap.flags = MAP_PRIVATE;
      e.mmap.path = path;
      ok = profile_writer_put (w, &e);
    }
  if (f != NULL)
    fclose (f);
  return ok;
}

static bool
put_names (profile_writer *w, const options *o)
{
  profile_event e = { .kind = PROFILE_CHAIN };
  bool ok;

  e.chain = (profile_chain){ 0, 0, "test.task" };
  ok = profile_writer_put (w, &e);
  e.chain = (profile_chain){ 1, 0, "test.generator" };
  ok &= profile_writer_put (w, &e);
  e = (profile_event){ .kind = PROFILE_COMM };
  e.pid = e.tid = (uint32_t) getpid ();
  e.comm.name = "syn;thetic \"<&>\"";
  ok &= profile_writer_put (w, &e);
  for (unsigned long i = 1; i < o->distinct; i++)
    {
      e = (profile_event){ .kind = PROFILE_FORK };
      e.pid = e.fork.parent_pid = e.fork.parent_tid = (uint32_t) getpid ();
      e.tid = e.pid + (uint32_t) i;
      ok &= profile_writer_put (w, &e);
    }
  return ok;
}

/* Find a function of the kernel to be in.  */
static bool
take_kernel_map (void *arg, const profile_event *e)
{
  (void) arg;
  if (strcmp (e->mmap.path, KERNEL_PATH) == 0)
    kernel_address = e->mmap.address + 0x1000;
  return true;
}

static bool
write_profile (const options *o)
{
  static char *command[] = { "sframe-coro", "record", "made up", NULL };
  profile_info info = { .event = "cpu-clock",
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK,
			.frequency = 999,
			.command = command };
  const profile_format *format = profile_format_find (o->format);
  profile_event lost = { .kind = PROFILE_LOST,
			 .time = UINT64_C (1) << 60,
			 .lost = { 7, true } };
  profile_writer *w;
  bool ok;

  if (format == NULL || format->missing != NULL
      || (w = profile_writer_open (format, o->path, &info)) == NULL)
    return false;
  ok = kernel_put_maps (profile_writer_sink (w)) && put_names (w, o)
       && put_maps (w);
  for (unsigned long i = 0; ok && i < o->samples; i++)
    ok = put_sample (w, o, i);
  ok = ok && profile_writer_put (w, &lost);
  return profile_writer_close (w) && ok;
}

int
main (int argc, char **argv)
{
  options o;

  if (argc != 5)
    {
      fputs ("usage: synthetic SAMPLES THREADS FORMAT FILE\n", stderr);
      return TOOL_FAILED;
    }
  o = (options){ strtoul (argv[1], NULL, 10), strtoul (argv[2], NULL, 10),
		 argv[3], argv[4] };
  kernel_put_maps ((profile_sink){ take_kernel_map, NULL });
  return write_profile (&o) ? 0 : TOOL_FAILED;
}
