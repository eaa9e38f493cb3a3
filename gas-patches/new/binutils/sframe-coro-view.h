/* sframe-coro-view.h - show a .sframe_coro section with names.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   What objdump and readelf share: neither BFD nor readelf's own reader is
   used here.  A tool fills a view with the symbols of a file; then, for each
   section, with its contents, and in relocatable files with relocations, and
   shows it.  There may be a section for each function, so whatever is done for
   one of them must not look at all sections or symbols.  */

#ifndef SFRAME_CORO_VIEW_H
#define SFRAME_CORO_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sframe_coro_symbol;
struct sframe_coro_reloc;

struct sframe_coro_view
{
  const char *name;		/* Of the section.  */
  const unsigned char *bytes;	/* Its contents, relocated.  */
  size_t size;
  uint64_t address;
  /* In relocatable files every section begins at 0: there a number of the
     section tells places apart.  Elsewhere it is 0 throughout.  */
  unsigned int section;
  struct sframe_coro_symbol *symbols;
  size_t num_symbols, max_symbols;
  bool symbols_sorted;		/* There must be no more then.  */
  struct sframe_coro_reloc *relocs;
  size_t num_relocs, max_relocs;
};

/* Whether NAME is that of a section to show.  */
extern bool sframe_coro_section_name_p (const char *name);

/* How good a symbol is as a name, where several have the same value.  */
enum sframe_coro_rank
{
  SFRAME_CORO_RANK_LOCAL,
  SFRAME_CORO_RANK_WEAK,
  SFRAME_CORO_RANK_GLOBAL
};

/* NAME must live as long as the view.  SIZE is 0 if it is not known.  */
extern void sframe_coro_view_add_symbol (struct sframe_coro_view *view,
					 const char *name,
					 unsigned int section, uint64_t value,
					 uint64_t size,
					 enum sframe_coro_rank rank);

/* The field at OFFSET refers to the symbol NAME + ADDEND.  If IS_SECTION, NAME
   is a section, with number SECTION, and a symbol in it is a better name.  */
extern void sframe_coro_view_add_reloc (struct sframe_coro_view *view,
					uint64_t offset, const char *name,
					bool is_section, unsigned int section,
					int64_t addend);

/* Print it, and forget the relocations; false if it cannot be decoded to its
   end.  */
extern bool sframe_coro_view_show (struct sframe_coro_view *view);

/* Free what was added, so that the view can be filled anew.  */
extern void sframe_coro_view_clear (struct sframe_coro_view *view);

#endif /* SFRAME_CORO_VIEW_H */
