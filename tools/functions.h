/* sframe-coro: the functions of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "modules.h"

typedef struct function
{
  const module *module; /* NULL: no module is there.  */
  const char *symbol;	/* Of the piece of code, mangled; or NULL.  */
  bool local;		/* Binding of the symbol.  */
  bool bounded;		/* start and end are known.  */
  uint64_t start, end;	/* [start, end).  */
} function;

typedef struct functions functions;

extern functions *functions_new (const modules *m);
extern void functions_free (functions *fs);

/* The function that the instruction at ADDRESS is in: by its symbol, or, in
   stripped modules, by the bounds that unwind information gives.  */
extern function functions_find (functions *fs, uint64_t address);

/* Whether A and B are pieces of the same coroutine.  B_IS_DESTROY: B is known
   to be the function that destroys the coroutine.  */
extern bool functions_same_coroutine (functions *fs, const function *a,
				      const function *b, bool b_is_destroy);

/* Whether PC is in code that the kernel made a signal handler return to; what
   was interrupted is behind it.  */
extern bool functions_is_trampoline (const function *f, uint64_t pc);

/* What to show for F and an ADDRESS in it; to be freed.  */
extern char *functions_display (const function *f, uint64_t address);

/* The source line of ADDRESS; *FILE is NULL if it is not known.  */
extern void functions_line (const function *f, uint64_t address,
			    const char **file, int *line);

#endif /* FUNCTIONS_H */
