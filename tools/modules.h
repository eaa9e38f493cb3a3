/* sframe-coro: the modules of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MODULES_H
#define MODULES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process.h"
#include "sframe-coro-api.h"

typedef struct module
{
  Dwfl_Module *dwfl;
  const char *path; /* As the process knows it.  */
  uint64_t start, end;
  uint64_t bias; /* Run-time address minus address in the file.  */
  Elf *elf;	 /* NULL if there is none.  */
  sframe_coro_tls_block tls;
} module;

typedef struct modules
{
  Dwfl *dwfl;
  module *list; /* By address.  */
  size_t num;
  size_t num_sections; /* .sframe_coro sections in all of them.  */
  bool incomplete;     /* Something was reported as missing or malformed.  */
  sframe_coro_libc libc;
  sframe_coro_index *index; /* Its modules are `module's.  */
  unsigned char **contents; /* Sections read from memory.  */
  size_t num_contents;
} modules;

/* Find the modules of P, which is stopped, and what they describe.  False
   after a message.  Free with modules_free in either case.  */
extern bool modules_read (modules *m, process *p);
extern void modules_free (modules *m);

/* The module at ADDRESS, or NULL.  */
extern module *modules_find (const modules *m, uint64_t address);

#endif /* MODULES_H */
