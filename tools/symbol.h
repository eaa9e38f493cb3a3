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

/* Whether A and B are pieces of one function: of the coroutine `f', g++ makes
   f.actor and f.destroy, clang++ f.resume, f.destroy and f.cleanup; either may
   split off f.cold and the like.  The function that makes the coroutine, plain
   `f' for clang++, is no piece of it.  */
extern bool symbol_same_function (const char *a, const char *b);

/* Whether NAME is the source's name of the function that SYMBOL is a piece
   of.  */
extern bool symbol_is_piece_of (const char *symbol, const char *name);

/* The name to show for a piece NAME: the whole function's; to be freed.  */
extern char *symbol_display (const char *name);

#endif /* SYMBOL_H */
