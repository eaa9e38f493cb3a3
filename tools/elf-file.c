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

/* The section as the program header has it, where section headers were
   stripped.  */
static size_t
section_of_segment (Elf *elf, elf_coro **sections)
{
  size_t size;
  const char *file = elf_rawfile (elf, &size);
  GElf_Phdr p;

  if (!elf_phdr (elf, SFRAME_CORO_SEGMENT_TYPE, &p))
    return 0;
  *sections = tool_calloc (1, sizeof **sections);
  **sections = (elf_coro){ .name = SFRAME_CORO_SECTION_NAME,
			   .address = p.p_vaddr,
			   .size = p.p_filesz };
  if (file != NULL && p.p_offset <= size && p.p_filesz <= size - p.p_offset)
    (*sections)->bytes = (const unsigned char *) file + p.p_offset;
  return 1;
}

size_t
elf_coro_sections (Elf *elf, elf_coro **sections)
{
  size_t strings, num = 0;
  Elf_Scn *scn = NULL;

  *sections = NULL;
  if (elf_nextscn (elf, NULL) == NULL)
    return section_of_segment (elf, sections);
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

/* Relocation.  All sections of a relocatable file are at address 0.

   bfd_simple_get_relocated_section_contents would do it, but looks at all
   sections of the file each time.  */

/* The relocations of SEC, to be freed, and how many there are in *NUM; NULL
   after a failure, with libbfd's error set.  */
static arelent **
read_relocations (bfd *abfd, asection *sec, asymbol **symbols, long *num)
{
  long room = bfd_get_reloc_upper_bound (abfd, sec);
  arelent **relocs;

  if (room < 0)
    return NULL;
  relocs = tool_calloc (1, (size_t) room + sizeof *relocs);
  *num = bfd_canonicalize_reloc (abfd, sec, relocs, symbols);
  if (*num >= 0)
    return relocs;
  free (relocs);
  return NULL;
}

/* Apply REL to CONTENTS of SEC; false with libbfd's error set.  */
static bool
apply_relocation (bfd *abfd, asection *sec, arelent *rel,
		  unsigned char *contents)
{
  char *message = NULL;

  if (rel->howto == NULL || rel->sym_ptr_ptr == NULL
      || *rel->sym_ptr_ptr == NULL)
    {
      bfd_set_error (bfd_error_bad_value);
      return false;
    }
  switch (bfd_perform_relocation (abfd, rel, contents, sec, NULL, &message))
    {
    case bfd_reloc_ok:
    case bfd_reloc_undefined: /* As if it were at 0.  */
    case bfd_reloc_overflow:
      return true;
    default:
      bfd_set_error (bfd_error_bad_value);
      return false;
    }
}

/* The relocated contents of SEC, to be freed; NULL after a failure.  */
static unsigned char *
relocated_contents (bfd *abfd, asection *sec, asymbol **symbols)
{
  unsigned char *contents = NULL;
  arelent **relocs;
  long num = 0;
  bool good = true;

  /* libbfd reads nothing as a failure.  */
  if (bfd_section_size (sec) == 0)
    return tool_calloc (1, 1);
  if (!bfd_malloc_and_get_section (abfd, sec, &contents))
    return NULL;
  /* As if this file were the output of a link.  */
  sec->output_section = sec;
  sec->output_offset = 0;
  relocs = read_relocations (abfd, sec, symbols, &num);
  for (long i = 0; i < num && good; i++)
    good = apply_relocation (abfd, sec, relocs[i], contents);
  if (relocs == NULL || !good)
    {
      free (contents);
      contents = NULL;
    }
  free (relocs);
  return contents;
}

/* Replace the contents of the sections of ABFD, which is FILE, by relocated
   ones.  Both libraries have the sections in the order of the file.  */
static bool
relocate_sections (elf_file *file, bfd *abfd, asymbol **symbols)
{
  size_t i = 0;

  file->contents = tool_calloc (file->num_sections, sizeof *file->contents);
  for (asection *sec = abfd->sections; sec != NULL; sec = sec->next)
    {
      if (strcmp (bfd_section_name (sec), SFRAME_CORO_SECTION_NAME) != 0
	  || i == file->num_sections)
	continue;
      file->contents[i] = relocated_contents (abfd, sec, symbols);
      file->sections[i].bytes = file->contents[i];
      if (file->contents[i++] == NULL)
	return false;
    }
  return i == file->num_sections;
}

static bool
relocate (elf_file *file)
{
  bfd *abfd = bfd_openr (file->path, NULL);
  asymbol **symbols = NULL;
  bool good = false;
  long room;

  if (abfd != NULL && bfd_check_format (abfd, bfd_object)
      && (room = bfd_get_symtab_upper_bound (abfd)) >= 0)
    {
      symbols = tool_calloc (1, (size_t) room + sizeof *symbols);
      good = (bfd_canonicalize_symtab (abfd, symbols) >= 0
	      && relocate_sections (file, abfd, symbols));
    }
  if (!good)
    tool_error ("%s: cannot relocate: %s", file->path,
		bfd_errmsg (bfd_get_error ()));
  free (symbols);
  if (abfd != NULL)
    bfd_close (abfd);
  return good;
}

static char *debuginfo_path; /* The default.  */

const Dwfl_Callbacks elf_file_callbacks
    = { .find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debuginfo_path };

/* Make the symbols of FILE available, those of separate debug files too.  */
static void
open_symbols (elf_file *file)
{
  file->dwfl = dwfl_begin (&elf_file_callbacks);
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
	  if (file->relocatable)
	    file->names = elf_names_new (file->elf);
	  else
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
  elf_names_free (file->names);
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

bool
elf_file_name (const elf_file *file, const elf_coro *s, uint64_t address,
	       size_t field, char *buf, size_t len)
{
  const char *name;
  GElf_Off off;
  GElf_Sym sym;

  if (file->relocatable)
    {
      name = elf_names_by_relocation (file->names, s->scn, field, &off);
      if (name == NULL && address - s->address < s->size)
	name = elf_names_in_section (file->names, s->scn, address - s->address,
				     &off);
      return name != NULL && write_name (name, off, buf, len);
    }
  if (file->module == NULL)
    return false;
  name = dwfl_module_addrinfo (file->module, address + file->bias, &off, &sym,
			       NULL, NULL, NULL);
  /* A symbol without a size names its own place only.  */
  if (name == NULL || (off != 0 && off >= sym.st_size))
    return false;
  return write_name (name, off, buf, len);
}
