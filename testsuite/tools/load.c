/* The main program for target.c as a library.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: load LIBRARY THREADS [COUNTER-FILE]
	  with LINKED, for a library that is loaded at the start:
	  load THREADS [COUNTER-FILE]  */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The program has a block of its own, and of another size.  */
_Thread_local char load_own[48] = "own";

#ifdef LINKED
extern int target_main (int argc, char **argv);

int
main (int argc, char **argv)
{
  load_own[0]++;
  return target_main (argc, argv);
}
#else
int
main (int argc, char **argv)
{
  int (*target_main) (int, char **);
  void *library, *symbol;

  load_own[0]++;
  if (argc < 2 || (library = dlopen (argv[1], RTLD_NOW)) == NULL
      || (symbol = dlsym (library, "target_main")) == NULL)
    {
      fprintf (stderr, "load: %s\n", dlerror ());
      return 2;
    }
  memcpy (&target_main, &symbol, sizeof target_main);
  return target_main (argc - 1, argv + 1);
}
#endif
