/* sframe-coro: core files.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   For process.c only; process_open_core is in core.c.  */

#ifndef CORE_H
#define CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "maps.h"

typedef struct core core;

/* See the functions of similar names in process.h; core_free takes NULL as
   well.  */
extern void core_free (core *c);
extern char *core_file_name (const core *c, const mapping *map);
extern int core_open_file (const core *c, const mapping *map);
extern uint64_t core_auxval (const core *c, uint64_t type);

#endif /* CORE_H */
