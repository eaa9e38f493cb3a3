/* Benchmark: a thread with many native frames.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: native SECONDS FRAMES  */

#include <stdlib.h>
#include <time.h>

static time_t end;

static __attribute__ ((noinline)) unsigned
descend (int frames)
{
  unsigned n = (unsigned) frames;

  if (frames > 0)
    return 1 + descend (frames - 1);
  while (time (NULL) < end)
    for (int i = 0; i < 100000; i++)
      {
	n = n * 1664525 + 1013904223;
	__asm__ volatile ("" : "+r"(n));
      }
  return n;
}

int
main (int argc, char **argv)
{
  if (argc != 3)
    return 2;
  end = time (NULL) + atoi (argv[1]);
  return descend (atoi (argv[2])) == 0;
}
