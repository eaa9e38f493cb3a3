/* A library takes the place of an unloaded one.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: reload-host FIRST SECOND

   A thread runs coroutines of FIRST, and leaves its head where a reader that
   trusts it finds a node.  Then FIRST is unloaded and SECOND loaded, which the
   C library gives the module ID of FIRST.  That thread has never touched the
   variable of SECOND and shows nothing; the main thread does show a list.
   FIRST and SECOND are copies of chain-lib.  */

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "ready.h"

using Run = int (int, void (*) ());
using Leave = void (void *);

/* Looks like a coroutine, and must never be seen.  */
struct Node
{
  void (*resume) (Node *);
  void (*destroy) (Node *);
  Node *continuation;
};

static void
bogus (Node *)
{
}

static void
bogus_destroy (Node *)
{
}

static Node node = { bogus, bogus_destroy, nullptr };

static Run *run;
static Leave *leave;
static pthread_barrier_t step;

static void
nothing ()
{
}

static void *
stale_main (void *)
{
  expect ("", 0, nullptr);
  if (!run (2, nothing))
    std::exit (2);
  leave (&node);
  pthread_barrier_wait (&step);
  stay ();
  return nullptr;
}

static std::size_t
open_library (const char *name, void **handle)
{
  std::size_t module;

  *handle = dlopen (name, RTLD_NOW | RTLD_LOCAL);
  if (!*handle || dlinfo (*handle, RTLD_DI_TLS_MODID, &module) != 0)
    {
      std::fprintf (stderr, "%s\n", dlerror ());
      std::exit (2);
    }
  run = reinterpret_cast<Run *> (dlsym (*handle, "chain_run"));
  leave = reinterpret_cast<Leave *> (dlsym (*handle, "chain_leave"));
  return module;
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  void *first, *second;

  if (argc != 3)
    return 2;
  ready_threads = 2;
  pthread_barrier_init (&step, nullptr, 2);
  std::size_t module = open_library (argv[1], &first);
  if (pthread_create (&thread, nullptr, stale_main, nullptr) != 0)
    return 2;
  pthread_barrier_wait (&step);
  dlclose (first);
  if (dlopen (argv[1], RTLD_NOW | RTLD_NOLOAD))
    {
      std::fprintf (stderr, "%s is still loaded\n", argv[1]);
      return 2;
    }
  if (open_library (argv[2], &second) != module)
    {
      std::fprintf (stderr, "the module ID is another one\n");
      return 2;
    }
  expect ("descend(int)", 3, nullptr);
  if (!run (2, stay))
    return 1;
  pthread_join (thread, nullptr);
  return 0;
}
