/* Models of runtimes: the program looks at its own stack.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A model calls INSIDE_STOP where its stack is worth looking at.  That prints
   the spliced stack of the calling thread, as the library has it, and waits
   for a line on standard input, so that others can look as well.  What must be
   seen is in the comments "expect NAME" of the model; see models.py.  */

#ifndef INSIDE_H
#define INSIDE_H

#ifdef __cplusplus
extern "C"
{
#endif

extern void inside_stop (const char *name);

/* What to print for the word VALUE of a cookie.  */
extern void inside_word (const void *value, const char *text);

#ifdef __cplusplus
}
#endif

/* The call is not the last thing its caller does, or it would be a jump.  */
#define INSIDE_STOP(NAME)                                                     \
  do                                                                          \
    {                                                                         \
      inside_stop (NAME);                                                     \
      __asm__ volatile ("" ::: "memory");                                     \
    }                                                                         \
  while (0)

/* For functions that are expected on the stack.  */
#ifdef __clang__
#define FRAME __attribute__ ((noinline))
#else
#define FRAME __attribute__ ((noipa))
#endif

/* Behind a call: it is not a jump.  */
#define NOT_LAST() __asm__ volatile ("" ::: "memory")

#endif /* INSIDE_H */
