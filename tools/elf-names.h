/* sframe-coro: names for what sections of relocatable files refer to.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef ELF_NAMES_H
#define ELF_NAMES_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The symbols of a file, and its relocations, in an order to search.  */
typedef struct elf_names elf_names;

/* Those of ELF, which has to stay open; to be freed.  */
extern elf_names *elf_names_new (Elf *elf);
extern void elf_names_free (elf_names *names);

/* What the relocation of the field at offset FIELD of section SCN refers to:
   a symbol, and in *OFF an offset from it.  NULL if there is no name.  */
extern const char *elf_names_by_relocation (elf_names *names, size_t scn,
					    uint64_t field, uint64_t *off);

/* The symbol of section SCN that is best for offset VALUE in it: the innermost
   that covers it, else one at the very place.  */
extern const char *elf_names_in_section (const elf_names *names, size_t scn,
					 uint64_t value, uint64_t *off);

#endif /* ELF_NAMES_H */
