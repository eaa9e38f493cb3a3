/* Threads that are sampled while modules come and go.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: threads THREADS SAMPLES [PLUGIN...]

   Each thread has coroutines that await each other, and a timer that interrupts
   it as often as the kernel can, anywhere.  It notes by itself which coroutines
   there are; except where it is about to change that, the stack that the
   handler takes must have exactly these.  Meanwhile the main thread loads each
   PLUGIN, refreshes, calls it from a coroutine, looks, unloads it and refreshes,
   over and over.  With ONE_LIST the plugins' coroutines are in the program's own
   list, which two modules describe then.  Ends when each thread has SAMPLES
   samples that were compared.

   The native frames come from the compiler's unwinder; with FRAME_POINTERS,
   where a handler must not call that, by frame pointers.  */

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "../require.h"
#include "no-malloc.h"
#include "plugin.h"
#include "sframe-coro-api.h"
#include "task.hpp"
#include "natives.h"

constexpr int max_depth = 40;
constexpr size_t max_frames = 200;

static sframe_coro_self *self;
static int wanted;
static bool unloads; /* Modules with coroutines are unloaded.  */
static std::atomic<int> running;

/* What a thread knows of itself, and what its handler works with.  */
struct Worker
{
  pthread_t thread;
  sframe_coro_self_space *space;
  sframe_coro_native natives[max_frames];
  void *coroutines[max_depth + 1]; /* From the first to the leaf.  */
  volatile int depth;
  volatile bool changing;
  volatile int compared;
  volatile uintptr_t resumer; /* CFA of `Once', where the site is.  */
  unsigned random;
};

[[gnu::tls_model ("initial-exec")]]
static thread_local Worker *volatile worker;

static void
Fence ()
{
  std::atomic_signal_fence (std::memory_order_seq_cst);
}

#ifdef FRAME_POINTERS

/* Frames that are certain to have the site among them, unless the thread was
   interrupted in code without frame pointers, or before a function had its own.
   CONTEXT is that of the handler, or null.  */
static size_t
TakeNatives (Worker *w, const void *context)
{
  size_t num;

  REQUIRE (sframe_coro_self_unwind (self, w->space, context, w->natives,
				    max_frames, &num)
	   == SFRAME_CORO_OK);
  return num;
}

static bool
HasSite (const Worker *w, size_t num)
{
  constexpr uint32_t called
    = SFRAME_CORO_NATIVE_RETURN_ADDRESS | SFRAME_CORO_NATIVE_CFA;

  for (size_t i = 0; i < num; i++)
    if ((w->natives[i].flags & called) == called
	&& w->natives[i].cfa == w->resumer)
      return true;
  return false;
}

#else

static size_t
TakeNatives (Worker *w, const void *)
{
  return natives_unwind (w->natives, max_frames);
}

static bool
HasSite (const Worker *, size_t)
{
  return true;
}

#endif

/* Compare the nodes of RESULT with what W knows.  */
static void
Compare (Worker *w, const sframe_coro_self_result *result, bool has_site)
{
  int num = 0;

  for (size_t i = 0; i < result->num; i++)
    {
      const sframe_coro_self_frame *f = &result->frames[i];

      if (f->node == nullptr)
	continue;
      REQUIRE (std::strcmp (f->chain, "demo.task") == 0);
      REQUIRE (num < w->depth);
      REQUIRE (f->node->address
	       == reinterpret_cast<uintptr_t> (
		 w->coroutines[w->depth - 1 - num]));
      REQUIRE (f->node->index == static_cast<unsigned> (num));
      REQUIRE (!has_site || !(f->flags & SFRAME_CORO_SPLICED_NO_SITE));
      num++;
    }
  REQUIRE (num == w->depth);
  /* Who still has the snapshot with a module that is gone cannot read where
     its list would begin, or reads what is in its place.  */
  if (result->num_cut != 0)
    REQUIRE (unloads && result->num_cut == 1
	     && (result->cut == SFRAME_CORO_STOP_UNREADABLE
		 || result->cut == SFRAME_CORO_STOP_UNRESOLVED));
}

/* Take the stack; NUM becomes the number of its native frames.  */
static sframe_coro_self_result
TakeStack (Worker *w, const void *context, size_t *num)
{
  sframe_coro_self_result result;

  *num = TakeNatives (w, context);
  REQUIRE (sframe_coro_self_stack (self, w->space, w->natives, *num, nullptr,
				   &result)
	   == SFRAME_CORO_OK);
  return result;
}

static void
Sample (int, siginfo_t *, void *context)
{
  Worker *w = worker;
  sframe_coro_self_result result;
  size_t num;

  if (w == nullptr)
    return;
  no_malloc_here = 1;
  result = TakeStack (w, context, &num);
  if (!w->changing)
    {
      bool has_site = HasSite (w, num);

      Compare (w, &result, has_site);
      if (has_site)
	w->compared = w->compared + 1;
    }
  no_malloc_here = 0;
}

static void
Spin ()
{
  for (int i = 0; i < 50; i++)
    Fence ();
}

/* Await one more coroutine, or work for a while at the bottom.  */
static Task<int>
Descend (Worker *w, int levels)
{
  int result = 1;

  Fence ();
  w->changing = false;
  Spin ();
  if (levels > 0)
    {
      Task<int> next = Descend (w, levels - 1);

      w->changing = true;
      Fence ();
      w->coroutines[w->depth] = next.Coroutine ().address ();
      w->depth = w->depth + 1;
      Fence ();
      result += co_await std::move (next);
      Fence ();
      w->depth = w->depth - 1;
      Fence ();
      w->changing = false;
    }
  Spin ();
  w->changing = true;
  Fence ();
  co_return result;
}

/* One list, from the first coroutine down and back.  The resume is to be here,
   not in a function.  */
[[gnu::noinline, gnu::flatten]] static void
Once (Worker *w)
{
  int levels = static_cast<int> (rand_r (&w->random) % max_depth);
  Task<int> first = Descend (w, levels);

  w->changing = true;
  w->resumer = reinterpret_cast<uintptr_t> (__builtin_dwarf_cfa ());
  Fence ();
  w->coroutines[0] = first.Coroutine ().address ();
  w->depth = 1;
  Fence ();
  first.Resume ();
  Fence ();
  w->depth = 0;
  Fence ();
  w->changing = false;
  REQUIRE (first.Result () == levels + 1);
}

static timer_t
StartTimer ()
{
  struct sigevent event = {};
  struct itimerspec often = { { 0, 500000 }, { 0, 500000 } };
  timer_t timer;

  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = static_cast<int> (syscall (SYS_gettid));
  REQUIRE (timer_create (CLOCK_MONOTONIC, &event, &timer) == 0
	   && timer_settime (timer, 0, &often, nullptr) == 0);
  return timer;
}

static void *
Work (void *arg)
{
  Worker *w = static_cast<Worker *> (arg);
  timer_t timer;

  worker = w;
  timer = StartTimer ();
  while (w->compared < wanted)
    Once (w);
  timer_delete (timer);
  worker = nullptr;
  running--;
  return nullptr;
}

/* Plugins.  */

struct Look
{
  const char *path;
  Worker *main;
  size_t nodes; /* Those of the plugin.  */
  int stacks;
};

/* In the innermost coroutine of a plugin: all of its coroutines must be there,
   below them the one that called the plugin.  */
static void
LookFromPlugin (void *arg)
{
  Look *look = static_cast<Look *> (arg);
  Worker *w = look->main;
  size_t num, theirs = 0, ours = 0;
  sframe_coro_self_result result = TakeStack (w, nullptr, &num);

  for (size_t i = 0; i < result.num; i++)
    {
      const sframe_coro_self_frame *f = &result.frames[i];
      Dl_info info;

      if (f->node == nullptr)
	continue;
      REQUIRE (!(f->flags & SFRAME_CORO_SPLICED_NO_SITE));
      REQUIRE (dladdr (reinterpret_cast<void *> (f->node->ip), &info) != 0);
      if (std::strcmp (info.dli_fname, look->path) != 0)
	ours++;
      else if (ours == 0)
	theirs++;
    }
  REQUIRE (theirs == look->nodes);
  /* If the list is one, it is that of the innermost resume.  */
#ifdef ONE_LIST
  REQUIRE (ours == 0);
#else
  REQUIRE (ours == 1);
#endif
  look->stacks++;
}

/* Not inlined: clang would make a call of the coroutine out of the resume, and
   inline that, so there would be no site.  */
[[gnu::noinline]] static Task<int>
CallPlugin (plugin_run_fn run, int levels, Look *look)
{
  co_return run (levels, LookFromPlugin, look);
}

static void
UsePlugin (const char *path, int levels, Worker *main)
{
  void *handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  Look look = { path, main, static_cast<size_t> (levels + 1), 0 };

  if (handle == nullptr)
    std::fprintf (stderr, "%s\n", dlerror ());
  REQUIRE (handle != nullptr);
  REQUIRE (sframe_coro_self_refresh (self) == SFRAME_CORO_OK);
  {
    plugin_run_fn run
      = reinterpret_cast<plugin_run_fn> (dlsym (handle, "plugin_run"));
    Task<int> task = CallPlugin (run, levels, &look);

    REQUIRE (run != nullptr);
    task.Resume ();
    REQUIRE (task.Result () == levels + 1);
  }
  REQUIRE (look.stacks == 1);
  dlclose (handle);
  /* Else this would prove nothing.  */
  REQUIRE (dlopen (path, RTLD_NOW | RTLD_NOLOAD) == nullptr);
  REQUIRE (sframe_coro_self_refresh (self) == SFRAME_CORO_OK);
}

static void
Report (void *, const char *module, int err, const sframe_coro_where *)
{
  std::fprintf (stderr, "%s: %s\n", module, sframe_coro_errmsg (err));
}

static sframe_coro_self_space *
NewSpace ()
{
  sframe_coro_self_space *space
    = sframe_coro_self_space_new (max_frames, 2 * max_depth);
  REQUIRE (space != nullptr);
  return space;
}

int
main (int argc, char **argv)
{
  struct sigaction action = {};
  int num = argc > 2 ? std::atoi (argv[1]) : 2, rounds = 0;
  std::vector<Worker> workers (static_cast<size_t> (num + 1));
  Worker *main = &workers.back ();

  unloads = argc > 3;
  wanted = argc > 2 ? std::atoi (argv[2]) : 100;
  REQUIRE (sframe_coro_self_init (&self, Report, nullptr) == SFRAME_CORO_OK);
  main->space = NewSpace ();
  /* What an unwinder does the first time only, it must not do in a handler.  */
  TakeNatives (main, nullptr);
  action.sa_sigaction = Sample;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  REQUIRE (sigaction (SIGPROF, &action, nullptr) == 0);
  alarm (300);
  running = num;
  for (int i = 0; i < num; i++)
    {
      Worker *w = &workers[static_cast<size_t> (i)];
      w->space = NewSpace ();
      w->random = static_cast<unsigned> (i);
      REQUIRE (pthread_create (&w->thread, nullptr, Work, w) == 0);
    }
  do
    for (int i = 3; i < argc; i++, rounds++)
      UsePlugin (argv[i], rounds % 20, main);
  while (running > 0);
  for (int i = 0; i < num; i++)
    {
      Worker *w = &workers[static_cast<size_t> (i)];
      pthread_join (w->thread, nullptr);
      REQUIRE (w->compared >= wanted);
      sframe_coro_self_space_free (w->space);
    }
  REQUIRE (argc <= 3 || rounds >= 2);
  sframe_coro_self_space_free (main->space);
  sframe_coro_self_free (self);
  std::printf ("%d threads, %d samples each\n", num, wanted);
  return 0;
}
