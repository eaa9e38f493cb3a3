/* sframe-coro: names of functions.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef SYMBOL_H
#define SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

/* The name as the source has it, to be freed; a copy of NAME if it is not a
   mangled one.  */
extern char *symbol_demangle (const char *name);

/* The length of NAME without the suffixes that compilers add for a piece or a
   copy of a function: of the coroutine `f', g++ makes f.actor and f.destroy,
   clang++ f.resume, f.destroy and f.cleanup; either may split off f.cold.  */
extern size_t symbol_base_length (const char *name);

/* Whether A and B are pieces of one function.  */
extern bool symbol_same_base (const char *a, const char *b);

/* The name to show for a piece NAME: the whole function's; to be freed.  */
extern char *symbol_display (const char *name);

#endif /* SYMBOL_H */
