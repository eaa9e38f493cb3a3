/* readelf-sframe-coro.h - .sframe_coro sections in readelf.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A part of readelf.c, whose static functions it uses.  */

#include "sframe-coro-view.h"

static bool
is_sframe_coro (Filedata *filedata, Elf_Internal_Shdr *section)
{
  return (section_name_valid (filedata, section)
	  && sframe_coro_section_name_p (section_name (filedata, section)));
}

/* If REQUEST is a plain `--sframe', ask for the .sframe_coro sections as well
   and return whether there are any.  */

static bool
request_sframe_coro (Filedata *filedata, const struct dump_list_entry *request)
{
  bool any = false;

  if (request->type != SFRAME_DUMP || !streq (request->name, ".sframe"))
    return false;
  for (unsigned int i = 0; i < filedata->file_header.e_shnum; i++)
    if (is_sframe_coro (filedata, filedata->section_headers + i))
      {
	request_dump_bynumber (&filedata->dump, i, SFRAME_DUMP);
	any = true;
      }
  return any;
}

/* A symbol table with its strings.  */

struct sframe_coro_symtab
{
  Elf_Internal_Shdr *section;
  Elf_Internal_Sym *syms;
  uint64_t num_syms;
  char *strings;
  uint64_t strings_len;
};

static void
free_sframe_coro_symtab (struct sframe_coro_symtab *symtab)
{
  free (symtab->syms);
  free (symtab->strings);
}

/* Load the symbols of FILEDATA, the dynamic ones if that is all there is.  */

static void
load_sframe_coro_symtab (Filedata *filedata,
			 struct sframe_coro_symtab *symtab)
{
  Elf_Internal_Shdr *section = filedata->section_headers;

  memset (symtab, 0, sizeof *symtab);
  for (unsigned int i = 0; i < filedata->file_header.e_shnum; i++, section++)
    if (section->sh_type == SHT_SYMTAB
	|| (section->sh_type == SHT_DYNSYM && symtab->section == NULL))
      symtab->section = section;
  if (symtab->section != NULL
      && !get_symtab (filedata, symtab->section, &symtab->syms,
		      &symtab->num_syms, &symtab->strings,
		      &symtab->strings_len))
    symtab->num_syms = 0;
}

static const char *
sframe_coro_symbol_name (Filedata *filedata,
			 const struct sframe_coro_symtab *symtab,
			 const Elf_Internal_Sym *sym)
{
  Elf_Internal_Shdr *section;

  if (ELF_ST_TYPE (sym->st_info) == STT_SECTION
      && sym->st_shndx < filedata->file_header.e_shnum)
    {
      section = filedata->section_headers + sym->st_shndx;
      return (section_name_valid (filedata, section)
	      ? section_name (filedata, section) : "");
    }
  return (sym->st_name < symtab->strings_len
	  ? symtab->strings + sym->st_name : "");
}

/* Whether NAME only tells code from data.  */

static bool
is_mapping_symbol (Filedata *filedata, const char *name)
{
  return (filedata->file_header.e_machine == EM_AARCH64
	  && name[0] == '$' && (name[1] == 'x' || name[1] == 'd')
	  && (name[2] == '\0' || name[2] == '.'));
}

static void
add_sframe_coro_symbols (struct sframe_coro_view *view, Filedata *filedata,
			 const struct sframe_coro_symtab *symtab)
{
  bool relocatable = filedata->file_header.e_type == ET_REL;

  for (uint64_t i = 1; i < symtab->num_syms; i++)
    {
      const Elf_Internal_Sym *sym = symtab->syms + i;
      unsigned int type = ELF_ST_TYPE (sym->st_info);
      enum sframe_coro_rank rank = SFRAME_CORO_RANK_LOCAL;
      const char *name;

      if (type == STT_SECTION || type == STT_FILE || type == STT_TLS
	  || sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS
	  || sym->st_shndx == SHN_COMMON)
	continue;
      name = sframe_coro_symbol_name (filedata, symtab, sym);
      if (is_mapping_symbol (filedata, name))
	continue;
      if (ELF_ST_BIND (sym->st_info) == STB_GLOBAL)
	rank = SFRAME_CORO_RANK_GLOBAL;
      else if (ELF_ST_BIND (sym->st_info) == STB_WEAK)
	rank = SFRAME_CORO_RANK_WEAK;
      sframe_coro_view_add_symbol (view, name, relocatable ? sym->st_shndx : 0,
				   sym->st_value, sym->st_size, rank);
    }
}

/* Whether TYPE is a relocation for an offset in the module's TLS block: of the
   TLS relocations only these are in the format.  */

static bool
is_sframe_coro_tls_reloc (unsigned int machine, unsigned int type)
{
  return ((machine == EM_X86_64 && type == 17 /* R_X86_64_DTPOFF64.  */)
	  || (machine == EM_S390 && type == 53 /* R_390_TLS_LDO64.  */));
}

/* The bytes that a relocation of TYPE changes, and in *PCREL what it is
   relative to; 0 if we do not know it.  */

static unsigned int
sframe_coro_reloc_size (Filedata *filedata, unsigned int type, bool *pcrel)
{
  *pcrel = (is_64bit_pcrel_reloc (filedata, type)
	    || is_32bit_pcrel_reloc (filedata, type));
  if (is_64bit_pcrel_reloc (filedata, type)
      || is_64bit_abs_reloc (filedata, type)
      || is_sframe_coro_tls_reloc (filedata->file_header.e_machine, type))
    return 8;
  if (*pcrel || is_32bit_abs_reloc (filedata, type))
    return 4;
  return 0;
}

static void
apply_sframe_coro_reloc (struct sframe_coro_view *view, Filedata *filedata,
			 const struct sframe_coro_symtab *symtab,
			 const Elf_Internal_Rela *rel, unsigned char *bytes)
{
  unsigned int type = get_reloc_type (filedata, rel->r_info);
  uint64_t index = get_reloc_symindex (rel->r_info);
  const Elf_Internal_Sym *sym;
  uint64_t value;
  bool pcrel;
  unsigned int size = sframe_coro_reloc_size (filedata, type, &pcrel);

  if (size == 0)
    {
      if (!is_none_reloc (filedata, type))
	warn (_("unable to apply unsupported reloc type %d to section %s\n"),
	      type, view->name);
      return;
    }
  if (index >= symtab->num_syms
      || rel->r_offset > view->size || view->size - rel->r_offset < size)
    {
      warn (_("skipping invalid relocation offset %#" PRIx64
	      " in section %s\n"), rel->r_offset, view->name);
      return;
    }
  sym = symtab->syms + index;
  value = sym->st_value + rel->r_addend;
  byte_put (bytes + rel->r_offset, pcrel ? value - rel->r_offset : value,
	    size);
  sframe_coro_view_add_reloc (view, rel->r_offset,
			      sframe_coro_symbol_name (filedata, symtab, sym),
			      ELF_ST_TYPE (sym->st_info) == STT_SECTION,
			      sym->st_shndx, rel->r_addend);
}

/* What is the same for all sections of a file, from the first one that is
   dumped to the end of the file.  */

static struct
{
  bool open;
  struct sframe_coro_symtab symtab;
  struct sframe_coro_view view;
  /* Numbers of relocation sections: the first for a section, and the next for
     the same; 0 where there is none.  */
  unsigned int *first_rela, *next_rela;
} sframe_coro_file;

/* Index the relocation sections of FILEDATA.  */

static void
index_sframe_coro_relocs (Filedata *filedata)
{
  unsigned int num = filedata->file_header.e_shnum;
  unsigned int *first = xcalloc (num, sizeof *first);
  unsigned int *next = xcalloc (num, sizeof *next);

  for (unsigned int i = num; i-- > 1;)
    {
      const Elf_Internal_Shdr *section = filedata->section_headers + i;

      if (section->sh_type != SHT_RELA || section->sh_info >= num
	  || section->sh_link >= num
	  || (filedata->section_headers + section->sh_link
	      != sframe_coro_file.symtab.section))
	continue;
      next[i] = first[section->sh_info];
      first[section->sh_info] = i;
    }
  sframe_coro_file.first_rela = first;
  sframe_coro_file.next_rela = next;
}

static void
open_sframe_coro (Filedata *filedata)
{
  if (sframe_coro_file.open)
    return;
  sframe_coro_file.open = true;
  load_sframe_coro_symtab (filedata, &sframe_coro_file.symtab);
  add_sframe_coro_symbols (&sframe_coro_file.view, filedata,
			   &sframe_coro_file.symtab);
  index_sframe_coro_relocs (filedata);
}

/* To be called when all sections of a file have been dumped.  */

static void
close_sframe_coro (void)
{
  if (!sframe_coro_file.open)
    return;
  sframe_coro_view_clear (&sframe_coro_file.view);
  free_sframe_coro_symtab (&sframe_coro_file.symtab);
  free (sframe_coro_file.first_rela);
  free (sframe_coro_file.next_rela);
  memset (&sframe_coro_file, 0, sizeof sframe_coro_file);
}

/* Relocate BYTES, the contents of the section of VIEW, and note what refers to
   what.  */

static void
relocate_sframe_coro (struct sframe_coro_view *view, Filedata *filedata,
		      unsigned char *bytes)
{
  const struct sframe_coro_symtab *symtab = &sframe_coro_file.symtab;
  unsigned int i = sframe_coro_file.first_rela[view->section];

  for (; i != 0; i = sframe_coro_file.next_rela[i])
    {
      Elf_Internal_Shdr *relsec = filedata->section_headers + i;
      Elf_Internal_Rela *relocs;
      uint64_t count;

      if (!slurp_rela_relocs (filedata, relsec->sh_offset, relsec->sh_size,
			      &relocs, &count))
	continue;
      for (uint64_t k = 0; k < count; k++)
	apply_sframe_coro_reloc (view, filedata, symtab, relocs + k, bytes);
      free (relocs);
    }
}

static bool
dump_section_as_sframe_coro (Elf_Internal_Shdr *section, Filedata *filedata)
{
  struct sframe_coro_view *view = &sframe_coro_file.view;
  const char *name = section_name (filedata, section);
  unsigned char *bytes = NULL;
  bool ok;

  if (section->sh_type == SHT_NOBITS)
    {
      warn (_("section '%s' has the NOBITS type - it has no contents\n"), name);
      return false;
    }
  if (section->sh_size > 0)
    {
      bytes = get_data (NULL, filedata, section->sh_offset, 1,
			section->sh_size, _("section data"));
      if (bytes == NULL)
	return false;
    }
  open_sframe_coro (filedata);
  view->name = name;
  view->bytes = bytes;
  view->size = section->sh_size;
  view->address = section->sh_addr;
  view->section = 0;
  if (filedata->file_header.e_type == ET_REL)
    {
      view->section = section - filedata->section_headers;
      relocate_sframe_coro (view, filedata, bytes);
    }
  ok = sframe_coro_view_show (view);
  free (bytes);
  return ok;
}
