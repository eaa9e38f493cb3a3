/* Functions that must not be called in a signal handler, and are not.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   They take the place of the C library's, to which they go on: abort if the
   thread has set `no_malloc_here'.  With WRAP_MALLOC the linker puts them there
   (--wrap), as in static programs nothing else can.  Nothing under sanitizers,
   which replace them themselves.  */

#ifndef NO_MALLOC_H
#define NO_MALLOC_H

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C"
{
#endif

/* Static TLS: to look at it must not allocate either.  */
static __thread volatile int no_malloc_here
  __attribute__ ((tls_model ("initial-exec"), unused));

#ifdef WRAP_MALLOC
#define OURS(NAME) __wrap_##NAME
#define THEIRS(NAME) __real_##NAME
#elif defined __GLIBC__ && !defined NO_INTERPOSITION
#define OURS(NAME) NAME
#define THEIRS(NAME) __libc_##NAME
#endif

#ifdef OURS

extern void *THEIRS (malloc) (size_t size);
extern void *THEIRS (calloc) (size_t num, size_t size);
extern void *THEIRS (realloc) (void *p, size_t size);
extern void THEIRS (free) (void *p);
#ifdef WRAP_MALLOC
extern void *OURS (malloc) (size_t size);
extern void *OURS (calloc) (size_t num, size_t size);
extern void *OURS (realloc) (void *p, size_t size);
extern void OURS (free) (void *p);
#endif

static inline void
no_malloc_check (void)
{
  static const char text[] = "a signal handler allocates\n";

  if (!no_malloc_here)
    return;
  no_malloc_here = 0;
  if (write (2, text, sizeof text - 1) > 0)
    abort ();
  abort ();
}

void *
OURS (malloc) (size_t size)
{
  no_malloc_check ();
  return THEIRS (malloc) (size);
}

void *
OURS (calloc) (size_t num, size_t size)
{
  no_malloc_check ();
  return THEIRS (calloc) (num, size);
}

void *
OURS (realloc) (void *p, size_t size)
{
  no_malloc_check ();
  return THEIRS (realloc) (p, size);
}

void
OURS (free) (void *p)
{
  no_malloc_check ();
  THEIRS (free) (p);
}

#endif

#ifdef __cplusplus
}
#endif

#endif /* NO_MALLOC_H */
