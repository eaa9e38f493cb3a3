/* sframe-coro: the native frames of a thread.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef UNWIND_H
#define UNWIND_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process.h"
#include "sframe-coro-api.h"

/* Let DWFL unwind the threads of P, which is stopped.  False if libdwfl
   refuses.  */
extern bool unwind_attach (Dwfl *dwfl, process *p);

/* DWARF registers with numbers below this are kept of each frame.  */
#define UNWIND_NUM_REGISTERS 32

typedef struct unwind_registers
{
  uint32_t known; /* A bit for each.  */
  uint64_t value[UNWIND_NUM_REGISTERS];
} unwind_registers;

typedef struct unwind_result
{
  sframe_coro_native *natives; /* Leaf first; to be freed.  */
  unwind_registers *registers; /* As many; NULL if not asked for.  */
  size_t num;
  bool cut;    /* There are more than the limit.  */
  char *error; /* Why it ended early, to be freed; or NULL.  */
} unwind_result;

/* Unwind thread TID; keep the registers of its frames if asked to.  */
extern unwind_result unwind_thread (Dwfl *dwfl, pid_t tid, bool registers);

/* A sframe_coro_register_fn whose argument is a unwind_registers.  */
extern int unwind_register (void *arg, unsigned regno, uint64_t *value);

#endif /* UNWIND_H */
