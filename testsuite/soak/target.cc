/* A process in which everything comes and goes: coroutines, threads, libraries.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: target LOG THREADS PLUGIN...

   THREADS threads create, await, cancel and destroy coroutines, suspend them in
   the middle, and let those of other threads go on.  Most of them end soon, and
   start another one before.  One for each PLUGIN loads it, calls it and unloads
   it, over and over.

   File LOG is shared with whoever checks what was seen.  Each birth and each
   death of a coroutine has a number there, in one order for all threads.  The
   number of the next one is in a node of a list of its own, so that a snapshot
   of the process has the time it was taken at.  A coroutine that is in a list
   was born before, and dies after it left it.  */

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../require.h"
#include "soak.h"

/* The log.  soak.py knows this layout.  */

constexpr uint64_t log_size = 1 << 22;

struct Log
{
  /* A node: what would be the resume function is the time.  */
  std::atomic<uint64_t> next_number;
  uint64_t destroy;
  void *next;
  uint64_t reserved;
  /* Event N is number N % log_size: how many times the array was full before,
     plus 1, in the upper 16 bits, then the frame address, and the kind in its
     lowest 4 bits.  */
  std::atomic<uint64_t> events[log_size];
};

SFRAME_CORO_GLOBAL_HEAD (soak_clock);
#define CLOCK_CHAIN                                                           \
  SFRAME_CORO_CHAIN_OF_NODES (soak_clock_chain, "soak.clock",                 \
			      SFRAME_CORO_GLOBAL (soak_clock), awaiting, 16)

/* A list that leads nowhere after its first node.  */
struct Node
{
  const void *resume, *destroy, *next;
};
static const Node broken_node = { "", nullptr, reinterpret_cast<void *> (64) };
SFRAME_CORO_GLOBAL_HEAD (soak_broken);
#define BROKEN_CHAIN                                                          \
  SFRAME_CORO_CHAIN_OF_NODES (soak_broken_chain, "soak.broken",               \
			      SFRAME_CORO_GLOBAL (soak_broken), awaiting, 16)

static Log *events;

void
soak_log (const void *frame, Kind kind)
{
  uint64_t n = events->next_number.fetch_add (1);

  events->events[n % log_size]
    = (n / log_size + 1) << 48 | reinterpret_cast<uintptr_t> (frame)
      | static_cast<uint64_t> (kind);
}

[[gnu::noinline]] static void
Nothing ()
{
  asm volatile ("");
}

static void
OpenLog (const char *path)
{
  int file = open (path, O_RDWR | O_CREAT, 0600);

  REQUIRE (file >= 0 && ftruncate (file, sizeof (Log)) == 0);
  events = static_cast<Log *> (mmap (nullptr, sizeof (Log),
				     PROT_READ | PROT_WRITE, MAP_SHARED, file,
				     0));
  REQUIRE (events != MAP_FAILED);
  close (file);
  events->next_number = 1;
  soak_clock = events;
  soak_broken = const_cast<Node *> (&broken_node);
  Nothing ();
  SFRAME_CORO_SITE (CLOCK_CHAIN);
  Nothing ();
  SFRAME_CORO_SITE (BROKEN_CHAIN);
}

/* What the coroutines of one list, and who drives it, know.  */
struct Run
{
  unsigned random;
  std::coroutine_handle<> rest; /* Who goes on when it is resumed.  */
};

/* A list, by its outermost coroutine, which ends before what it uses.  */
struct List
{
  std::unique_ptr<Run> run;
  Job outer;
};

static unsigned
Random (Run *run, unsigned limit)
{
  return static_cast<unsigned> (rand_r (&run->random)) % limit;
}

/* Work, or wait.  */
[[gnu::noinline]] static void
Pause (Run *run)
{
  if (Random (run, 4) != 0)
    usleep (Random (run, 60000));
  else
    for (unsigned i = Random (run, 100000); i > 0; i--)
      std::atomic_signal_fence (std::memory_order_seq_cst);
}

/* The coroutines; they get their kind for their promise.  */

[[gnu::noinline]] static void Nested (Run *run);

static Job
Inner (Kind, Run *run)
{
  Pause (run);
  switch (Random (run, 6))
    {
    case 0:
      throw Cancelled ();
    case 1:
      Nested (run);
      break;
    case 2:
    case 3:
      co_await Park{ &run->rest };
      break;
    default:
      break;
    }
}

static Job
Middle (Kind, Run *run, int levels)
{
  Job never = Inner (Kind::inner, run);

  if (levels == 0)
    co_await Inner (Kind::inner, run);
  else
    co_await Middle (Kind::middle, run, levels - 1);
  if (Random (run, 8) == 0)
    co_await Park{ &run->rest };
}

static Job
Outer (Kind, Run *run, int levels)
{
  co_await Middle (Kind::middle, run, levels);
}

static List
NewList (unsigned random, int levels)
{
  List list = { std::make_unique<Run> (), {} };

  list.run->random = random;
  list.outer = Outer (Kind::outer, list.run.get (), levels);
  list.run->rest = list.outer.Coroutine ();
  return list;
}

/* At the bottom of a list: another one, as event loops in coroutines have it.
   If it is suspended it is cancelled.  */
static void
Nested (Run *run)
{
  List list = NewList (Random (run, 1 << 30), 2);

  Drive (list.run->rest);
}

/* Threads.  */

/* Lists that are suspended or have not begun, for whoever takes them.  */
static std::array<List, 256> parked;
static std::mutex parked_lock;

/* Put LIST into one of the places, and return what was there.  */
static List
Exchange (List list, unsigned place)
{
  std::lock_guard<std::mutex> guard (parked_lock);

  std::swap (parked[place % parked.size ()], list);
  return list;
}

/* Begin a list, or go on with one that another thread left; cancel the one
   that was in its place if it is suspended.  */
static void
Once (Run *random)
{
  List list = NewList (Random (random, 1 << 30),
		       static_cast<int> (Random (random, 12)));

  if (Random (random, 3) == 0)
    list = Exchange (std::move (list), Random (random, 1 << 30));
  if (!list.run)
    return;
  Drive (list.run->rest);
  if (!list.outer.Coroutine ().done ())
    Exchange (std::move (list), Random (random, 1 << 30));
}

static void
StartThread (void *(*function) (void *), void *arg)
{
  pthread_attr_t attributes;
  pthread_t thread;

  pthread_attr_init (&attributes);
  pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize (&attributes, 256 * 1024);
  REQUIRE (pthread_create (&thread, &attributes, function, arg) == 0);
  pthread_attr_destroy (&attributes);
}

/* ARG is a random number that was not used yet.  */
static void *
Work (void *arg)
{
  Run random = { static_cast<unsigned> (reinterpret_cast<uintptr_t> (arg)),
		 {} };

  for (unsigned left = 1 + Random (&random, 100); left > 0; left--)
    Once (&random);
  StartThread (Work,
	       reinterpret_cast<void *> (
		 static_cast<uintptr_t> (Random (&random, 1 << 30))));
  return nullptr;
}

static void
LookFromPlugin (void *arg)
{
  Pause (static_cast<Run *> (arg));
}

static Job
Host (Kind, soak_plugin_fn plugin, Run *run)
{
  plugin (static_cast<int> (Random (run, 8)), LookFromPlugin, run);
  co_return;
}

/* ARG is the path of a library that no other thread loads.  */
static void *
UsePlugin (void *arg)
{
  const char *path = static_cast<const char *> (arg);
  Run random = { 1, {} };

  for (;;)
    {
      void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);

      if (library == nullptr)
	std::fprintf (stderr, "%s\n", dlerror ());
      REQUIRE (library != nullptr);
      for (int i = 0; i < 100; i++)
	{
	  Job host = Host (Kind::host,
			   reinterpret_cast<soak_plugin_fn> (
			     dlsym (library, "soak_plugin")),
			   &random);
	  Drive (host.Coroutine ());
	}
      dlclose (library);
      /* Else this would prove nothing.  */
      REQUIRE (dlopen (path, RTLD_NOW | RTLD_NOLOAD) == nullptr);
      usleep (Random (&random, 1000000));
    }
}

int
main (int argc, char **argv)
{
  REQUIRE (argc > 2);
  alarm (7200);
  OpenLog (argv[1]);
  for (int i = argc - 3; i < std::atoi (argv[2]); i++)
    StartThread (Work, reinterpret_cast<void *> (static_cast<uintptr_t> (i)));
  for (int i = 3; i < argc; i++)
    StartThread (UsePlugin, argv[i]);
  std::printf ("ready %d\n", static_cast<int> (getpid ()));
  std::fflush (stdout);
  for (;;)
    pause ();
}
