/* sframe-coro: .sframe_coro sections in ELF files.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Behind the system's headers: it wants the package's macros.  */
#include <bfd.h>

#include "elf-file.h"
#include "symbol.h"
#include "tool.h"

bool
elf_phdr (Elf *elf, GElf_Word type, GElf_Phdr *phdr)
{
  size_t num = 0;

  elf_getphdrnum (elf, &num);
  for (size_t i = 0; i < num; i++)
    if (gelf_getphdr (elf, (int) i, phdr) != NULL && phdr->p_type == type)
      return true;
  return false;
}

bool
elf_image_read (Elf *elf, uint64_t address, void *buf, size_t size)
{
  size_t num = 0, file_size;
  const char *file = elf_rawfile (elf, &file_size);
  GElf_Phdr p;

  elf_getphdrnum (elf, &num);
  for (size_t i = 0; file != NULL && i < num; i++)
    if (gelf_getphdr (elf, (int) i, &p) != NULL && p.p_type == PT_LOAD
	&& address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz
	&& size <= p.p_filesz - (address - p.p_vaddr))
      {
	uint64_t off = p.p_offset + (address - p.p_vaddr);
	if (off > file_size || size > file_size - off)
	  return false;
	memcpy (buf, file + off, size);
	return true;
      }
  return false;
}

size_t
elf_coro_sections (Elf *elf, elf_coro **sections)
{
  size_t strings, num = 0;
  Elf_Scn *scn = NULL;

  *sections = NULL;
  if (elf_getshdrstrndx (elf, &strings) != 0)
    return 0;
  while ((scn = elf_nextscn (elf, scn)) != NULL)
    {
      GElf_Shdr h;
      const char *name;
      Elf_Data *data = NULL;

      if (gelf_getshdr (scn, &h) == NULL
	  || (name = elf_strptr (elf, strings, h.sh_name)) == NULL
	  || strcmp (name, SFRAME_CORO_SECTION_NAME) != 0)
	continue;
      if (h.sh_type != SHT_NOBITS)
	data = elf_rawdata (scn, NULL);
      *sections = tool_realloc (*sections, num + 1, sizeof **sections);
      (*sections)[num++]
	  = (elf_coro){ .name = name,
			.scn = elf_ndxscn (scn),
			.address = h.sh_addr,
			.bytes = data != NULL ? data->d_buf : NULL,
			.size = h.sh_size };
    }
  return num;
}

/* Replace the contents of the sections of relocatable FILE by relocated ones.
   All sections of such a file are at address 0.  */
static bool
relocate (elf_file *file)
{
  bfd *abfd = bfd_openr (file->path, NULL);
  asymbol **symbols = NULL;
  bool good = false;
  size_t i = 0;
  long room;

  if (abfd == NULL || !bfd_check_format (abfd, bfd_object)
      || (room = bfd_get_symtab_upper_bound (abfd)) < 0)
    goto out;
  symbols = tool_calloc (1, (size_t) room + sizeof *symbols);
  if (bfd_canonicalize_symtab (abfd, symbols) < 0)
    goto out;
  file->contents = tool_calloc (file->num_sections, sizeof *file->contents);
  good = true;
  /* Both libraries have the sections in the order of the file.  */
  for (asection *sec = abfd->sections; sec != NULL && good; sec = sec->next)
    if (strcmp (bfd_section_name (sec), SFRAME_CORO_SECTION_NAME) == 0
	&& i < file->num_sections)
      {
	/* libbfd reads nothing as a failure.  */
	if (bfd_section_size (sec) == 0)
	  file->contents[i] = tool_calloc (1, 1);
	else
	  file->contents[i] = bfd_simple_get_relocated_section_contents (
	      abfd, sec, NULL, symbols);
	file->sections[i].bytes = file->contents[i];
	good = file->contents[i++] != NULL;
      }
  good = good && i == file->num_sections;
out:
  if (!good)
    tool_error ("%s: cannot relocate: %s", file->path,
		bfd_errmsg (bfd_get_error ()));
  free (symbols);
  if (abfd != NULL)
    bfd_close (abfd);
  return good;
}

/* Make the symbols of FILE available, those of separate debug files too.  */
static void
open_symbols (elf_file *file)
{
  static char *debuginfo_path;
  static const Dwfl_Callbacks callbacks
      = { .find_elf = dwfl_build_id_find_elf,
	  .find_debuginfo = dwfl_standard_find_debuginfo,
	  .section_address = dwfl_offline_section_address,
	  .debuginfo_path = &debuginfo_path };

  file->dwfl = dwfl_begin (&callbacks);
  if (file->dwfl == NULL)
    return;
  file->module = dwfl_report_offline (file->dwfl, "", file->path, -1);
  dwfl_report_end (file->dwfl, NULL, NULL);
  if (file->module != NULL
      && dwfl_module_getelf (file->module, &file->bias) == NULL)
    file->module = NULL;
}

static bool
open_elf (elf_file *file)
{
  struct stat st;

  file->fd = open (file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file->fd < 0 || fstat (file->fd, &st) != 0)
    tool_error ("%s: %s", file->path, strerror (errno));
  else if (!S_ISREG (st.st_mode))
    tool_error ("%s: not a regular file", file->path);
  else
    {
      file->elf = elf_begin (file->fd, ELF_C_READ, NULL);
      if (file->elf != NULL && elf_kind (file->elf) == ELF_K_ELF
	  && gelf_getehdr (file->elf, &file->header) != NULL)
	return true;
      if (file->elf != NULL && elf_kind (file->elf) == ELF_K_AR)
	tool_error ("%s: an archive; extract its members first", file->path);
      else
	tool_error ("%s: not an ELF file", file->path);
    }
  return false;
}

/* Complain about sections whose bytes are not there.  */
static bool
has_contents (const elf_file *file)
{
  for (size_t i = 0; i < file->num_sections; i++)
    if (file->sections[i].bytes == NULL && file->sections[i].size != 0)
      {
	tool_error ("%s: the contents of section %s are not in this file",
		    file->path, file->sections[i].name);
	return false;
      }
  return true;
}

bool
elf_file_open (elf_file *file, const char *path)
{
  memset (file, 0, sizeof *file);
  file->path = path;
  elf_version (EV_CURRENT);
  if (open_elf (file))
    {
      file->relocatable = file->header.e_type == ET_REL;
      file->num_sections = elf_coro_sections (file->elf, &file->sections);
      if (file->header.e_ident[EI_CLASS] != ELFCLASS64)
	tool_error ("%s: a 32-bit file; only 64-bit ones are supported", path);
      else if (file->num_sections == 0)
	tool_error ("%s: no section %s", path, SFRAME_CORO_SECTION_NAME);
      else if (has_contents (file)
	       && (!file->relocatable || relocate (file)))
	{
	  if (!file->relocatable)
	    open_symbols (file);
	  return true;
	}
    }
  elf_file_close (file);
  return false;
}

void
elf_file_close (elf_file *file)
{
  if (file->dwfl != NULL)
    dwfl_end (file->dwfl);
  for (size_t i = 0; file->contents != NULL && i < file->num_sections; i++)
    free (file->contents[i]);
  free (file->contents);
  free (file->sections);
  if (file->elf != NULL)
    elf_end (file->elf);
  if (file->fd >= 0)
    close (file->fd);
}

/* Names.  */

static bool
write_name (const char *symbol, uint64_t off, char *buf, size_t len)
{
  char *name = symbol_demangle (symbol);
  if (off != 0)
    snprintf (buf, len, "%s+%#" PRIx64, name, off);
  else
    snprintf (buf, len, "%s", name);
  free (name);
  return true;
}

/* Find the symbol of ELF that is best for offset VALUE of section SCN: the
   function or object that covers it, else one at the very place.  */
static bool
symbol_in_section (Elf *elf, Elf_Scn *symtab, size_t scn, uint64_t value,
		   const char **name, uint64_t *off)
{
  GElf_Shdr h;
  Elf_Data *data = elf_getdata (symtab, NULL);
  GElf_Sym sym;
  bool found = false;

  if (data == NULL || gelf_getshdr (symtab, &h) == NULL)
    return false;
  for (int i = 1; gelf_getsym (data, i, &sym) != NULL; i++)
    {
      bool covers = value >= sym.st_value && value - sym.st_value < sym.st_size;
      const char *s = elf_strptr (elf, h.sh_link, sym.st_name);

      if (sym.st_shndx != scn || GELF_ST_TYPE (sym.st_info) == STT_SECTION
	  || s == NULL || *s == 0 || (!covers && value != sym.st_value))
	continue;
      if (!found || covers)
	{
	  *name = s;
	  *off = value - sym.st_value;
	  found = true;
	}
      if (covers)
	break;
    }
  return found;
}

/* Name what relocation REL refers to, seen from a field that a relocation
   relates to itself.  */
static bool
relocation_name (Elf *elf, Elf_Scn *symtab, const GElf_Rela *rel, char *buf,
		 size_t len)
{
  GElf_Shdr h, target;
  GElf_Sym sym;
  size_t strings;
  const char *name = NULL;
  uint64_t off = (uint64_t) rel->r_addend;
  Elf_Data *data = elf_getdata (symtab, NULL);

  if (data == NULL || gelf_getshdr (symtab, &h) == NULL
      || gelf_getsym (data, (int) GELF_R_SYM (rel->r_info), &sym) == NULL
      || elf_getshdrstrndx (elf, &strings) != 0)
    return false;
  if (GELF_ST_TYPE (sym.st_info) != STT_SECTION)
    name = elf_strptr (elf, h.sh_link, sym.st_name);
  else if (!symbol_in_section (elf, symtab, sym.st_shndx, off, &name, &off)
	   && gelf_getshdr (elf_getscn (elf, sym.st_shndx), &target) != NULL)
    name = elf_strptr (elf, strings, target.sh_name);
  return name != NULL && *name != 0 && write_name (name, off, buf, len);
}

/* The relocation for the field at offset FIELD of section SCN leads to the
   name; addresses say little where all sections are at 0.  */
static bool
name_by_relocation (const elf_file *file, size_t scn, size_t field, char *buf,
		    size_t len)
{
  Elf_Scn *rel = NULL;

  while ((rel = elf_nextscn (file->elf, rel)) != NULL)
    {
      GElf_Shdr h;
      GElf_Rela r;
      Elf_Data *data;

      if (gelf_getshdr (rel, &h) == NULL || h.sh_type != SHT_RELA
	  || h.sh_info != scn || (data = elf_getdata (rel, NULL)) == NULL)
	continue;
      for (int i = 0; gelf_getrela (data, i, &r) != NULL; i++)
	if (r.r_offset == field && GELF_R_TYPE (r.r_info) != 0
	    && GELF_R_SYM (r.r_info) != 0)
	  return relocation_name (file->elf,
				  elf_getscn (file->elf, h.sh_link), &r, buf,
				  len);
    }
  return false;
}

/* The symbol of SECTION SCN itself at VALUE, for records that name where they
   are.  */
static bool
name_in_section (const elf_file *file, size_t scn, uint64_t value, char *buf,
		 size_t len)
{
  Elf_Scn *symtab = NULL;
  const char *name;
  GElf_Shdr h;
  uint64_t off;

  while ((symtab = elf_nextscn (file->elf, symtab)) != NULL)
    if (gelf_getshdr (symtab, &h) != NULL && h.sh_type == SHT_SYMTAB
	&& symbol_in_section (file->elf, symtab, scn, value, &name, &off))
      return write_name (name, off, buf, len);
  return false;
}

bool
elf_file_name (const elf_file *file, const elf_coro *s, uint64_t address,
	       size_t field, char *buf, size_t len)
{
  const char *name;
  GElf_Off off;
  GElf_Sym sym;

  if (file->relocatable)
    return (name_by_relocation (file, s->scn, field, buf, len)
	    || (address - s->address < s->size
		&& name_in_section (file, s->scn, address - s->address, buf,
				    len)));
  if (file->module == NULL)
    return false;
  name = dwfl_module_addrinfo (file->module, address + file->bias, &off, &sym,
			       NULL, NULL, NULL);
  /* A symbol without a size names its own place only.  */
  if (name == NULL || (off != 0 && off >= sym.st_size))
    return false;
  return write_name (name, off, buf, len);
}
