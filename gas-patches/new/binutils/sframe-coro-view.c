/* sframe-coro-view.c - show a .sframe_coro section with names.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "sysdep.h"
#include "bfd.h"
#include "bucomm.h"
#include "libiberty.h"
#include "safe-ctype.h"
#include "sframe-coro-api.h"
#include "sframe-coro-view.h"
#include <inttypes.h>

struct sframe_coro_symbol
{
  const char *name;
  unsigned int section;
  enum sframe_coro_rank rank;
  uint64_t value, size;
};

struct sframe_coro_reloc
{
  uint64_t offset;
  const char *name;
  bool is_section;
  unsigned int section;
  int64_t addend;
};

bool
sframe_coro_section_name_p (const char *name)
{
  return strcmp (name, SFRAME_CORO_SECTION_NAME) == 0;
}

/* Make room for one more.  */
#define GROW(PTR, NUM, MAX)						\
  do									\
    if ((NUM) == (MAX))							\
      {									\
	(MAX) = (MAX) > 0 ? 2 * (MAX) : 64;				\
	(PTR) = xrealloc ((PTR), (MAX) * sizeof *(PTR));		\
      }									\
  while (0)

void
sframe_coro_view_add_symbol (struct sframe_coro_view *view, const char *name,
			     unsigned int section, uint64_t value,
			     uint64_t size, enum sframe_coro_rank rank)
{
  if (name == NULL || *name == '\0')
    return;
  GROW (view->symbols, view->num_symbols, view->max_symbols);
  view->symbols[view->num_symbols++]
    = (struct sframe_coro_symbol) { name, section, rank, value, size };
}

void
sframe_coro_view_add_reloc (struct sframe_coro_view *view, uint64_t offset,
			    const char *name, bool is_section,
			    unsigned int section, int64_t addend)
{
  GROW (view->relocs, view->num_relocs, view->max_relocs);
  view->relocs[view->num_relocs++]
    = (struct sframe_coro_reloc) { offset, name, is_section, section, addend };
}

void
sframe_coro_view_clear (struct sframe_coro_view *view)
{
  free (view->symbols);
  free (view->relocs);
  memset (view, 0, sizeof *view);
}

/* By place; of several symbols at one place the best comes last.  */

static int
compare_symbols (const void *va, const void *vb)
{
  const struct sframe_coro_symbol *a = va, *b = vb;

  if (a->section != b->section)
    return a->section < b->section ? -1 : 1;
  if (a->value != b->value)
    return a->value < b->value ? -1 : 1;
  if (a->rank != b->rank)
    return a->rank < b->rank ? -1 : 1;
  return -strcmp (a->name, b->name);
}

static int
compare_relocs (const void *va, const void *vb)
{
  const struct sframe_coro_reloc *a = va, *b = vb;

  return (a->offset > b->offset) - (a->offset < b->offset);
}

/* The last symbol at or before ADDRESS in SECTION that reaches it.  */

static const struct sframe_coro_symbol *
find_symbol (const struct sframe_coro_view *view, unsigned int section,
	     uint64_t address)
{
  size_t lo = 0, hi = view->num_symbols;
  const struct sframe_coro_symbol *s;

  while (lo < hi)
    {
      size_t mid = lo + (hi - lo) / 2;

      s = &view->symbols[mid];
      if (s->section < section
	  || (s->section == section && s->value <= address))
	lo = mid + 1;
      else
	hi = mid;
    }
  if (lo == 0)
    return NULL;
  s = &view->symbols[lo - 1];
  if (s->section != section
      || (s->size != 0 && address - s->value >= s->size))
    return NULL;
  return s;
}

static const struct sframe_coro_reloc *
find_reloc (const struct sframe_coro_view *view, uint64_t offset)
{
  struct sframe_coro_reloc key = { .offset = offset };

  if (view->num_relocs == 0)
    return NULL;
  return bsearch (&key, view->relocs, view->num_relocs, sizeof key,
		  compare_relocs);
}

static bool
print_name (char *buf, size_t len, const char *name, int64_t off)
{
  if (off == 0)
    snprintf (buf, len, "%s", name);
  else if (off > 0)
    snprintf (buf, len, "%s+%#" PRIx64, name, off);
  else
    snprintf (buf, len, "%s-%#" PRIx64, name, -(uint64_t) off);
  /* Names come from a file and go to a terminal.  */
  for (; *buf != '\0'; buf++)
    if (ISCNTRL (*buf))
      *buf = '?';
  return true;
}

/* For sframe_coro_section_dump.  */

static bool
name_target (void *arg, uint64_t address, size_t field, char *buf, size_t len)
{
  const struct sframe_coro_view *view = arg;
  const struct sframe_coro_reloc *reloc = find_reloc (view, field);
  const struct sframe_coro_symbol *symbol;

  if (reloc != NULL && !reloc->is_section)
    return print_name (buf, len, reloc->name, reloc->addend);
  if (reloc != NULL)
    address = reloc->addend;
  symbol = find_symbol (view, reloc != NULL ? reloc->section : view->section,
			address);
  if (symbol != NULL)
    return print_name (buf, len, symbol->name, address - symbol->value);
  return reloc != NULL && print_name (buf, len, reloc->name, reloc->addend);
}

static bool
show (struct sframe_coro_view *view)
{
  sframe_coro_dump_options options = { name_target, view };
  sframe_coro_section section;
  sframe_coro_where where;
  int err;

  if (view->num_symbols > 0 && !view->symbols_sorted)
    qsort (view->symbols, view->num_symbols, sizeof *view->symbols,
	   compare_symbols);
  view->symbols_sorted = true;
  if (view->num_relocs > 0)
    qsort (view->relocs, view->num_relocs, sizeof *view->relocs,
	   compare_relocs);

  printf (_("Contents of the .sframe_coro section %s:\n"), view->name);
  err = sframe_coro_section_open (&section, view->bytes, view->size,
				  view->address, &where);
  if (err != SFRAME_CORO_OK)
    {
      printf (_("\n  Error at offset %#zx: %s\n\n"), where.offset,
	      sframe_coro_errmsg (err));
      return false;
    }
  return (sframe_coro_section_dump (&section, stdout, &options)
	  == SFRAME_CORO_OK);
}

bool
sframe_coro_view_show (struct sframe_coro_view *view)
{
  bool ok = show (view);

  view->num_relocs = 0;
  return ok;
}
