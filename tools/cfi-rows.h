/* sframe-coro: unwind information as tables of rows.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef CFI_ROWS_H
#define CFI_ROWS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler.h"

/* The rows of a module.  `offset's are from BASE.  */
typedef struct cfi_rows
{
  sampler_row *list; /* To be freed; ascending, the first has offset 0.  */
  size_t num;
  uint64_t base, end; /* Addresses in the file.  */
} cfi_rows;

/* Make rows of the unwind information in the section .eh_frame of ELF; none
   if there is nothing that can be used.  */
extern cfi_rows cfi_rows_read (Elf *elf);

#endif /* CFI_ROWS_H */
