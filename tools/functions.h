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

/* A stretch of code that has unwind information of its own; addresses are
   those of the file.  */
typedef struct stretch
{
  uint64_t start, end;
} stretch;

typedef struct stretches
{
  bool read;
  stretch *list; /* Sorted.  */
  size_t num;
} stretches;

/* Read those of ELF into T, which is empty; T->list is to be freed.  */
extern void functions_stretches (Elf *elf, stretches *t);

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

/* A function that is being executed, inlined into the next one or not.  */
typedef struct level
{
  const char *symbol; /* As in `function'.  */
  const char *file;   /* NULL: the line is not known.  */
  int line;
} level;

/* The functions that the instruction at ADDRESS belongs to, the innermost
   first; the last one is F itself.  *NUM says how many, at least one; they
   belong to FS.  What was found once is found at once.  */
extern const level *functions_levels (functions *fs, const function *f,
				      uint64_t address, size_t *num);

/* Whether NAME, of a function that is inlined, is that of F.  */
extern bool functions_is_inlined (const function *f, const char *name);

#endif /* FUNCTIONS_H */
