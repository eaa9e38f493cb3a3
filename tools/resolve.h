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

/* How to learn where the TLS block of a module is; what there is to find out
   from its file.  */
typedef enum resolve_tls_kind
{
  RESOLVE_TLS_NONE,	  /* There is no block, or no way to it.  */
  RESOLVE_TLS_PROGRAM,	  /* `offset' from the thread pointer.  */
  RESOLVE_TLS_TPOFF,	  /* The word at `slot' is that of byte `offset'.  */
  RESOLVE_TLS_DESCRIPTOR, /* The descriptor at `slot' is for that byte.  */
  RESOLVE_TLS_DTPMOD	  /* The word at `slot' is the module ID.  */
} resolve_tls_kind;

typedef struct resolve_tls
{
  resolve_tls_kind kind;
  const struct resolve_abi *abi;
  uint64_t slot; /* Run-time address.  */
  int64_t offset;
} resolve_tls;

/* For module ELF, loaded at BIAS; MAIN says that the program headers the
   process was started with are ELF's.  */
extern resolve_tls resolve_tls_find (Elf *elf, uint64_t bias, bool main);

/* What the dynamic linker has put into the slot of TLS in process P, whose C
   library is LIBC: where threads have the block.  */
extern sframe_coro_tls_block resolve_tls_read (const resolve_tls *tls,
					       sframe_coro_libc libc,
					       process *p);

/* Which C library ELF is, or was linked with; UNKNOWN if it does not tell.  */
extern sframe_coro_libc resolve_libc (Elf *elf);

#endif /* RESOLVE_H */
