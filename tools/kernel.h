/* sframe-coro: the running kernel, as a module of profiles.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "profile.h"

/* What perf calls the map of the kernel's code.  */
#define KERNEL_PATH "[kernel.kallsyms]_text"
/* How the names of all such maps begin.  */
#define KERNEL_PREFIX "[kernel.kallsyms]"

/* Put maps of the kernel and its modules into SINK.  Without the right to see
   addresses there are none.  False if the sink said so.  */
extern bool kernel_put_maps (profile_sink sink);

/* Read the build ID of the running kernel into ID, with room for
   PROFILE_MAX_BUILD_ID bytes; 0 if it is not known.  */
extern size_t kernel_build_id (uint8_t *id);

/* The functions of the running kernel.  */
typedef struct kernel_symbols kernel_symbols;
extern kernel_symbols *kernel_symbols_read (void);
extern void kernel_symbols_free (kernel_symbols *k);

/* The function at ADDRESS, or NULL; *MODULE, NULL for the kernel proper, is
   that of it.  */
extern const char *kernel_symbols_find (const kernel_symbols *k,
					uint64_t address, const char **module);

#endif /* KERNEL_H */
