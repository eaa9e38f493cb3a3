/* sframe-coro: what a module's ELF file tells of its TLS and its C library.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef RESOLVE_H
#define RESOLVE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "process.h"
#include "sframe-coro-api.h"

/* Where threads of P, whose C library is LIBC, have the TLS block of the
   module ELF, loaded at BIAS; MAIN says that the program headers the process
   was started with are ELF's.  */
extern sframe_coro_tls_block resolve_tls_block (Elf *elf, uint64_t bias,
						bool main,
						sframe_coro_libc libc,
						process *p);

/* Which C library ELF is, or was linked with; UNKNOWN if it does not tell.  */
extern sframe_coro_libc resolve_libc (Elf *elf);

#endif /* RESOLVE_H */
