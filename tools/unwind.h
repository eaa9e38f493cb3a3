/* sframe-coro: the native frames of a thread.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef UNWIND_H
#define UNWIND_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>

#include "process.h"
#include "sframe-coro-api.h"

/* Let DWFL unwind the threads of P, which is stopped.  False if libdwfl
   refuses.  */
extern bool unwind_attach (Dwfl *dwfl, process *p);

typedef struct unwind_result
{
  sframe_coro_native *natives; /* Leaf first; to be freed.  */
  size_t num;
  bool cut;    /* There are more than the limit.  */
  char *error; /* Why it ended early, to be freed; or NULL.  */
} unwind_result;

extern unwind_result unwind_thread (Dwfl *dwfl, pid_t tid);

#endif /* UNWIND_H */
