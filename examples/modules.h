/* The modules of a file or a process, for the examples.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   The library knows no ELF files and no processes; libdw does.  */

#ifndef MODULES_H
#define MODULES_H

#include <elfutils/libdwfl.h>
#include <sframe-coro-api.h>
#include <sys/types.h>

/* What libdw knows of the ELF file NAME, or of the process PID; NULL, and a
   message, if it is not to be had.  Free it with dwfl_end.  */
extern Dwfl *modules_of_file (const char *name);
extern Dwfl *modules_of_process (pid_t pid);

/* Add the sections of all modules to INDEX and finish it; 0 on success.  The
   sections live as long as MODULES.  */
extern int modules_index (Dwfl *modules, sframe_coro_index *index);

/* The name of the function at ADDRESS, as in the symbol table, or "?".  */
extern const char *modules_function (Dwfl *modules, uint64_t address);

#endif /* MODULES_H */
