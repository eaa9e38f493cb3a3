/* sframe-coro: unwind information as tables of rows.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef CFI_ROWS_H
#define CFI_ROWS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler.h"

typedef struct cfi_row
{
  uint32_t offset; /* Of the code, from the base.  */
  int16_t cfa;	   /* In words.  */
  sampler_form form;
} cfi_row;

/* The rows of a module.  */
typedef struct cfi_rows
{
  cfi_row *list; /* To be freed; ascending, the first has offset 0.  */
  size_t num;
  uint64_t base, end; /* Addresses in the file.  */
} cfi_rows;

/* Make rows of the unwind information in the section .eh_frame of ELF; none
   if there is nothing that can be used.  What takes longer than to END,
   CLOCK_MONOTONIC in ns, is given up: the rows are not all then.  */
extern cfi_rows cfi_rows_read (Elf *elf, uint64_t end);

/* Which of the registers that the sampler keeps DWARF register number REGNO is:
   an enum sampler_register, SAMPLER_REGISTER_NONE if it is none.  */
extern uint16_t cfi_rows_register (unsigned regno);

#endif /* CFI_ROWS_H */
