/* Functions that must not be called in a signal handler, and are not.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   They take the place of the C library's, to which they go on: abort if the
   thread has set `no_malloc_here'.  Nothing under sanitizers, which replace
   them themselves.  */

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

#if defined __GLIBC__ && !defined NO_INTERPOSITION

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t num, size_t size);
extern void *__libc_realloc (void *p, size_t size);
extern void __libc_free (void *p);

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
malloc (size_t size)
{
  no_malloc_check ();
  return __libc_malloc (size);
}

void *
calloc (size_t num, size_t size)
{
  no_malloc_check ();
  return __libc_calloc (num, size);
}

void *
realloc (void *p, size_t size)
{
  no_malloc_check ();
  return __libc_realloc (p, size);
}

void
free (void *p)
{
  no_malloc_check ();
  __libc_free (p);
}

#endif

#ifdef __cplusplus
}
#endif

#endif /* NO_MALLOC_H */
