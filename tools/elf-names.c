/* sframe-coro: names for what sections of relocatable files refer to.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Such a file has a section .sframe_coro for each function with sites, so
   nothing here may look at all sections, symbols or relocations for one name.  */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "elf-names.h"
#include "tool.h"

struct symbol
{
  const char *name;
  size_t scn;
  uint64_t value, end;
  uint64_t reach; /* Greatest `end' up to here, in this section.  */
  int index;
};

struct relocation
{
  uint64_t offset;
  int symbol; /* Index in the symbol table.  */
  uint64_t addend;
};

struct elf_names
{
  Elf *elf;
  size_t section_names; /* The section with them.  */
  size_t num_sections;
  Elf_Scn **relocations; /* By number of the section they apply to.  */
  Elf_Data *symtab;
  Elf_Data *indices; /* Section numbers beyond 16 bits; may be NULL.  */
  size_t symbol_names;
  struct symbol *symbols; /* By section, then by value.  */
  size_t num_symbols;
  /* The relocations of the section asked for last, by offset.  */
  size_t scn;
  struct relocation *relocs;
  size_t num_relocs;
};

static int
compare_symbols (const void *va, const void *vb)
{
  const struct symbol *a = va, *b = vb;

  if (a->scn != b->scn)
    return a->scn < b->scn ? -1 : 1;
  if (a->value != b->value)
    return a->value < b->value ? -1 : 1;
  /* The first in the file is to be found first, from the end.  */
  return (a->index < b->index) - (a->index > b->index);
}

static int
compare_relocations (const void *va, const void *vb)
{
  const struct relocation *a = va, *b = vb;

  return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Index the relocations by section, and find the symbol table.  */

static void
index_sections (elf_names *names)
{
  Elf_Scn *scn = NULL;
  GElf_Shdr h;

  while ((scn = elf_nextscn (names->elf, scn)) != NULL)
    {
      if (gelf_getshdr (scn, &h) == NULL)
	continue;
      if (h.sh_type == SHT_RELA && h.sh_info < names->num_sections
	  && names->relocations[h.sh_info] == NULL)
	names->relocations[h.sh_info] = scn;
      else if (h.sh_type == SHT_SYMTAB && names->symtab == NULL)
	{
	  names->symtab = elf_getdata (scn, NULL);
	  names->symbol_names = h.sh_link;
	}
      else if (h.sh_type == SHT_SYMTAB_SHNDX && names->indices == NULL)
	names->indices = elf_getdata (scn, NULL);
    }
}

/* Symbol INDEX with its section; false if there is none.  */

static bool
get_symbol (const elf_names *names, int index, GElf_Sym *sym, size_t *scn)
{
  Elf32_Word extended = 0;

  if (names->symtab == NULL
      || gelf_getsymshndx (names->symtab, names->indices, index, sym,
			   &extended)
	     == NULL)
    return false;
  *scn = sym->st_shndx == SHN_XINDEX ? extended : sym->st_shndx;
  return true;
}

static void
index_symbols (elf_names *names)
{
  size_t scn, max = 0;
  GElf_Sym sym;

  for (int i = 1; get_symbol (names, i, &sym, &scn); i++)
    {
      const char *s
	  = elf_strptr (names->elf, names->symbol_names, sym.st_name);

      if (GELF_ST_TYPE (sym.st_info) == STT_SECTION || s == NULL || *s == 0
	  || scn == SHN_UNDEF)
	continue;
      if (names->num_symbols == max)
	{
	  max = max > 0 ? 2 * max : 64;
	  names->symbols
	      = tool_realloc (names->symbols, max, sizeof *names->symbols);
	}
      names->symbols[names->num_symbols++]
	  = (struct symbol){ .name = s,
			     .scn = scn,
			     .value = sym.st_value,
			     .end = sym.st_value + sym.st_size,
			     .index = i };
    }
  if (names->num_symbols > 0)
    qsort (names->symbols, names->num_symbols, sizeof *names->symbols,
	   compare_symbols);
  for (size_t i = 0; i < names->num_symbols; i++)
    {
      struct symbol *s = &names->symbols[i];

      s->reach = s->end;
      if (i > 0 && s[-1].scn == s->scn && s[-1].reach > s->reach)
	s->reach = s[-1].reach;
    }
}

elf_names *
elf_names_new (Elf *elf)
{
  elf_names *names = tool_calloc (1, sizeof *names);

  names->elf = elf;
  if (elf_getshdrstrndx (elf, &names->section_names) != 0
      || elf_getshdrnum (elf, &names->num_sections) != 0)
    names->num_sections = 0;
  names->relocations
      = tool_calloc (names->num_sections + 1, sizeof *names->relocations);
  index_sections (names);
  index_symbols (names);
  return names;
}

void
elf_names_free (elf_names *names)
{
  if (names == NULL)
    return;
  free (names->relocations);
  free (names->symbols);
  free (names->relocs);
  free (names);
}

/* How many symbols are before (SCN, VALUE + 1).  */

static size_t
symbols_up_to (const elf_names *names, size_t scn, uint64_t value)
{
  size_t lo = 0, hi = names->num_symbols;

  while (lo < hi)
    {
      size_t mid = lo + (hi - lo) / 2;
      const struct symbol *s = &names->symbols[mid];

      if (s->scn < scn || (s->scn == scn && s->value <= value))
	lo = mid + 1;
      else
	hi = mid;
    }
  return lo;
}

const char *
elf_names_in_section (const elf_names *names, size_t scn, uint64_t value,
		      uint64_t *off)
{
  const struct symbol *best = NULL;

  for (size_t i = symbols_up_to (names, scn, value); i-- > 0;)
    {
      const struct symbol *s = &names->symbols[i];

      if (s->scn != scn || (s->value != value && s->reach <= value))
	break;
      if (value < s->end)
	{
	  best = s;
	  break;
	}
      if (best == NULL && s->value == value)
	best = s;
    }
  if (best == NULL)
    return NULL;
  *off = value - best->value;
  return best->name;
}

/* Make the relocations of section SCN those at hand.  */

static void
load_relocations (elf_names *names, size_t scn)
{
  Elf_Scn *rel
      = scn < names->num_sections ? names->relocations[scn] : NULL;
  Elf_Data *data = rel != NULL ? elf_getdata (rel, NULL) : NULL;
  size_t max = data != NULL ? data->d_size / sizeof (Elf64_Rela) : 0;
  GElf_Rela r;

  names->scn = scn;
  names->num_relocs = 0;
  names->relocs
      = tool_realloc (names->relocs, max + 1, sizeof *names->relocs);
  for (size_t i = 0; i < max && gelf_getrela (data, (int) i, &r) != NULL; i++)
    if (GELF_R_TYPE (r.r_info) != 0 && GELF_R_SYM (r.r_info) != 0)
      names->relocs[names->num_relocs++]
	  = (struct relocation){ r.r_offset, (int) GELF_R_SYM (r.r_info),
				 (uint64_t) r.r_addend };
  if (names->num_relocs > 0)
    qsort (names->relocs, names->num_relocs, sizeof *names->relocs,
	   compare_relocations);
}

/* The name of section SCN.  */

static const char *
section_name (const elf_names *names, size_t scn)
{
  GElf_Shdr h;

  if (gelf_getshdr (elf_getscn (names->elf, scn), &h) == NULL)
    return NULL;
  return elf_strptr (names->elf, names->section_names, h.sh_name);
}

const char *
elf_names_by_relocation (elf_names *names, size_t scn, uint64_t field,
			 uint64_t *off)
{
  struct relocation key = { .offset = field }, *rel = NULL;
  const char *name;
  GElf_Sym sym;
  size_t target;

  if (names->scn != scn)
    load_relocations (names, scn);
  if (names->num_relocs > 0)
    rel = bsearch (&key, names->relocs, names->num_relocs, sizeof key,
		   compare_relocations);
  if (rel == NULL || !get_symbol (names, rel->symbol, &sym, &target))
    return NULL;
  *off = rel->addend;
  if (GELF_ST_TYPE (sym.st_info) != STT_SECTION)
    name = elf_strptr (names->elf, names->symbol_names, sym.st_name);
  else
    {
      name = elf_names_in_section (names, target, rel->addend, off);
      if (name == NULL)
	name = section_name (names, target);
    }
  return name != NULL && *name != 0 ? name : NULL;
}
