/* objdump-sframe-coro.c - .sframe_coro sections in objdump.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "sysdep.h"
#include "bfd.h"
#include "elf-bfd.h"
#include "bucomm.h"
#include "libiberty.h"
#include "sframe-coro.h"
#include "sframe-coro-view.h"
#include "objdump-sframe-coro.h"
#include <inttypes.h>

#define DEFAULT_NAME ".sframe"

bool
sframe_coro_only_p (bfd *abfd, const char *name)
{
  if (name == NULL)
    name = DEFAULT_NAME;
  return ((sframe_coro_section_name_p (name)
	   || (strcmp (name, DEFAULT_NAME) == 0
	       && bfd_get_section_by_name (abfd, name) == NULL))
	  && bfd_get_section_by_name (abfd, SFRAME_CORO_SECTION_NAME) != NULL);
}

/* All symbols of ABFD, NULL-terminated, to be freed; the dynamic ones if that
   is all there is.  */

static asymbol **
read_symbols (bfd *abfd)
{
  bool dynamic = (bfd_get_file_flags (abfd) & HAS_SYMS) == 0;
  long size = (dynamic ? bfd_get_dynamic_symtab_upper_bound (abfd)
	       : bfd_get_symtab_upper_bound (abfd));
  asymbol **syms;
  long count;

  if (size <= 0)
    return xcalloc (1, sizeof *syms);
  syms = xmalloc (size);
  count = (dynamic ? bfd_canonicalize_dynamic_symtab (abfd, syms)
	   : bfd_canonicalize_symtab (abfd, syms));
  syms[count > 0 ? count : 0] = NULL;
  return syms;
}

/* The number of SEC in a view of ABFD.  */

static unsigned int
section_number (bfd *abfd, asection *sec)
{
  return (bfd_get_file_flags (abfd) & HAS_RELOC) != 0 ? sec->id : 0;
}

static void
add_symbols (struct sframe_coro_view *view, bfd *abfd, asymbol **syms)
{
  for (; *syms != NULL; syms++)
    {
      asymbol *sym = *syms;
      enum sframe_coro_rank rank = SFRAME_CORO_RANK_LOCAL;
      uint64_t size = 0;

      if ((sym->flags & (BSF_SECTION_SYM | BSF_FILE | BSF_DEBUGGING
			 | BSF_THREAD_LOCAL)) != 0
	  || bfd_is_und_section (sym->section)
	  || bfd_is_abs_section (sym->section)
	  || bfd_is_com_section (sym->section)
	  || bfd_is_target_special_symbol (abfd, sym))
	continue;
      if ((sym->flags & BSF_GLOBAL) != 0)
	rank = SFRAME_CORO_RANK_GLOBAL;
      else if ((sym->flags & BSF_WEAK) != 0)
	rank = SFRAME_CORO_RANK_WEAK;
      if (bfd_get_flavour (abfd) == bfd_target_elf_flavour)
	size = elf_symbol_from (sym)->internal_elf_sym.st_size;
      sframe_coro_view_add_symbol (view, bfd_asymbol_name (sym),
				   section_number (abfd, sym->section),
				   bfd_asymbol_value (sym), size, rank);
    }
}

/* Apply REL to BYTES of SEC, as if ABFD were the output of a link; false after
   a message.  */

static bool
apply_reloc (bfd *abfd, asection *sec, arelent *rel, bfd_byte *bytes)
{
  char *message = NULL;

  if (rel->howto != NULL && rel->sym_ptr_ptr != NULL
      && *rel->sym_ptr_ptr != NULL)
    switch (bfd_perform_relocation (abfd, rel, bytes, sec, NULL, &message))
      {
      case bfd_reloc_ok:
      case bfd_reloc_undefined:	/* As if it were at 0.  */
      case bfd_reloc_overflow:
	return true;
      default:
	break;
      }
  non_fatal (_("%s: cannot apply the relocation at %#" PRIx64
	       " of section %s"), bfd_get_filename (abfd),
	     (uint64_t) rel->address, bfd_section_name (sec));
  return false;
}

/* Relocate BYTES, the contents of SEC, and note what refers to what.
   bfd_simple_get_relocated_section_contents would look at all sections of the
   file, each time.  */

static bool
relocate (struct sframe_coro_view *view, bfd *abfd, asection *sec,
	  asymbol **syms, bfd_byte *bytes)
{
  long size = bfd_get_reloc_upper_bound (abfd, sec);
  asection *output = sec->output_section;
  arelent **relocs;
  long count;
  bool ok = true;

  if (size <= 0)
    return size == 0;
  relocs = xmalloc (size);
  count = bfd_canonicalize_reloc (abfd, sec, relocs, syms);
  sec->output_section = sec;
  for (long i = 0; i < count && ok; i++)
    {
      asymbol *sym;

      ok = apply_reloc (abfd, sec, relocs[i], bytes);
      if (!ok)
	break;
      sym = *relocs[i]->sym_ptr_ptr;
      sframe_coro_view_add_reloc (view, relocs[i]->address,
				  bfd_asymbol_name (sym),
				  (sym->flags & BSF_SECTION_SYM) != 0,
				  section_number (abfd, sym->section),
				  relocs[i]->addend);
    }
  sec->output_section = output;
  free (relocs);
  return ok && count >= 0;
}

/* Show SEC in VIEW, which has the symbols SYMS.  */

static bool
show_section (struct sframe_coro_view *view, bfd *abfd, asection *sec,
	      asymbol **syms)
{
  bfd_byte *bytes = NULL;
  bool ok;

  if (bfd_section_size (sec) != 0
      && !bfd_malloc_and_get_section (abfd, sec, &bytes))
    {
      non_fatal (_("%s: cannot read section %s: %s"), bfd_get_filename (abfd),
		 bfd_section_name (sec), bfd_errmsg (bfd_get_error ()));
      return false;
    }
  view->name = bfd_section_name (sec);
  view->bytes = bytes;
  view->size = bfd_section_size (sec);
  view->address = bfd_section_vma (sec);
  view->section = section_number (abfd, sec);
  ok = ((bfd_get_file_flags (abfd) & HAS_RELOC) == 0
	|| relocate (view, abfd, sec, syms, bytes));
  ok = sframe_coro_view_show (view) && ok;
  free (bytes);
  return ok;
}

bool
dump_sframe_coro (bfd *abfd, const char *name)
{
  struct sframe_coro_view view = { 0 };
  asymbol **syms = NULL;
  bool ok = true;

  if (name != NULL && strcmp (name, DEFAULT_NAME) != 0
      && !sframe_coro_section_name_p (name))
    return true;
  for (asection *sec = abfd->sections; sec != NULL; sec = sec->next)
    if (sframe_coro_section_name_p (bfd_section_name (sec)))
      {
	if (syms == NULL)
	  {
	    syms = read_symbols (abfd);
	    add_symbols (&view, abfd, syms);
	  }
	ok &= show_section (&view, abfd, sec, syms);
      }
  sframe_coro_view_clear (&view);
  free (syms);
  return ok;
}
