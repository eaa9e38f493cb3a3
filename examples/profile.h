/* A profiler of coroutines, inside of the program.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef PROFILE_H
#define PROFILE_H

#ifdef __cplusplus
extern "C"
{
#endif

/* Prepare for samples of all threads; 0 on success.  Modules that are loaded
   later are not known.  */
extern int profile_open (void);

/* Take a sample of the calling thread each INTERVAL nanoseconds, until it
   calls profile_stop; 0 on success.  */
extern int profile_start (long interval);
extern void profile_stop (void);

/* How many samples the calling thread has taken.  */
extern unsigned profile_count (void);

/* Print the stacks that were seen, folded: outermost function first, joined
   by semicolons, and how often each was.  Once, when all threads have
   stopped.  */
extern void profile_print (void);

#ifdef __cplusplus
}
#endif

#endif /* PROFILE_H */
