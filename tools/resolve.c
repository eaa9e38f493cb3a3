/* sframe-coro: what a module's ELF file tells of its TLS and its C library.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Sources: "ELF Handling For Thread-Local Storage" (U. Drepper); where the
   dynamic linkers of glibc and musl place the blocks was measured.  */

#include "config.h"

#include <endian.h>
#include <gelf.h>
#include <string.h>

#include "elf-file.h"
#include "resolve.h"

/* What differs between the architectures.  */
struct resolve_abi
{
  GElf_Half machine;
  unsigned char data;  /* ELFDATA2LSB or ELFDATA2MSB.  */
  int abi_arch;
  bool below_tp; /* Variant II.  */
  unsigned tcb;	 /* Bytes between the thread pointer and the first block in
		    variant I.  */
  GElf_Word tpoff, tlsdesc, dtpmod; /* Relocation types.  */
};

typedef struct resolve_abi tls_abi;

static const tls_abi tls_abis[]
    = { { EM_X86_64, ELFDATA2LSB, SFRAME_CORO_ABI_AMD64_LE, true, 0,
	  R_X86_64_TPOFF64, R_X86_64_TLSDESC, R_X86_64_DTPMOD64 },
	{ EM_AARCH64, ELFDATA2LSB, SFRAME_CORO_ABI_AARCH64_LE, false, 16,
	  R_AARCH64_TLS_TPREL, R_AARCH64_TLSDESC, R_AARCH64_TLS_DTPMOD },
	{ EM_AARCH64, ELFDATA2MSB, SFRAME_CORO_ABI_AARCH64_BE, false, 16,
	  R_AARCH64_TLS_TPREL, R_AARCH64_TLSDESC, R_AARCH64_TLS_DTPMOD },
	/* No TLS descriptors.  */
	{ EM_S390, ELFDATA2MSB, SFRAME_CORO_ABI_S390X_BE, true, 0,
	  R_390_TLS_TPOFF, 0, R_390_TLS_DTPMOD } };

static const tls_abi *
find_abi (Elf *elf)
{
  GElf_Ehdr h;

  if (gelf_getehdr (elf, &h) != NULL)
    for (size_t i = 0; i < sizeof tls_abis / sizeof *tls_abis; i++)
      if (tls_abis[i].machine == h.e_machine
	  && tls_abis[i].data == h.e_ident[EI_DATA])
	return &tls_abis[i];
  return NULL;
}

/* The value of dynamic tag TAG; false if there is none.  */
static bool
dynamic_value (Elf *elf, GElf_Sxword tag, uint64_t *value, size_t *strings)
{
  Elf_Scn *scn = NULL;
  GElf_Shdr h;
  GElf_Dyn dyn;

  while ((scn = elf_nextscn (elf, scn)) != NULL)
    {
      Elf_Data *data;
      if (gelf_getshdr (scn, &h) == NULL || h.sh_type != SHT_DYNAMIC
	  || (data = elf_getdata (scn, NULL)) == NULL)
	continue;
      for (int i = 0; gelf_getdyn (data, i, &dyn) != NULL; i++)
	if (dyn.d_tag == tag)
	  {
	    *value = dyn.d_un.d_val;
	    *strings = h.sh_link;
	    return true;
	  }
    }
  return false;
}

/* Whether ELF is the program, not a library: MAIN tells unless the program was
   started by calling the dynamic linker.  */
static bool
is_program (Elf *elf, bool main)
{
  uint64_t value;
  size_t strings;
  GElf_Ehdr h;

  if (dynamic_value (elf, DT_SONAME, &value, &strings))
    return false;
  if (main)
    return true;
  if (gelf_getehdr (elf, &h) != NULL && h.e_type == ET_EXEC)
    return true;
  return (dynamic_value (elf, DT_FLAGS_1, &value, &strings)
	  && (value & DF_1_PIE));
}

/* The program's block is next to the thread pointer, as near as its size and
   its alignment allow; code was linked with this offset.  */
static int64_t
program_offset (const tls_abi *abi, const GElf_Phdr *tls)
{
  uint64_t mask = tls->p_align ? tls->p_align - 1 : 0;

  if (abi->below_tp)
    return -(int64_t) (tls->p_memsz
		       + ((-tls->p_vaddr - tls->p_memsz) & mask));
  return (int64_t) (abi->tcb + ((tls->p_vaddr - abi->tcb) & mask));
}

static bool
read_word (process *p, const tls_abi *abi, uint64_t address, uint64_t *word)
{
  if (process_read (p, address, word, sizeof *word) != 0)
    return false;
  *word = abi->data == ELFDATA2LSB ? le64toh (*word) : be64toh (*word);
  return true;
}

/* A relocation by which the dynamic linker was told to fill in something about
   the module's own block, and the variable's offset in it.  */
typedef struct self_reference
{
  bool found;
  uint64_t slot;
  uint64_t offset;
} self_reference;

/* Note relocation R in *SELF if it refers to the module's own TLS: to no
   symbol, or to one defined here.  The first of its kind is taken.  */
static void
note_reference (Elf *elf, size_t symtab, const GElf_Rela *r,
		self_reference *self)
{
  Elf_Scn *scn = elf_getscn (elf, symtab);
  Elf_Data *data = scn != NULL ? elf_getdata (scn, NULL) : NULL;
  size_t index = GELF_R_SYM (r->r_info);
  GElf_Sym sym = { 0 };

  if (self->found)
    return;
  if (index != 0
      && (data == NULL || gelf_getsym (data, (int) index, &sym) == NULL
	  || sym.st_shndx == SHN_UNDEF))
    return;
  *self = (self_reference){ true, r->r_offset,
			    sym.st_value + (uint64_t) r->r_addend };
}

static void
find_references (Elf *elf, const tls_abi *abi, self_reference *tpoff,
		 self_reference *tlsdesc, self_reference *dtpmod)
{
  Elf_Scn *scn = NULL;
  GElf_Shdr h;
  GElf_Rela r;

  while ((scn = elf_nextscn (elf, scn)) != NULL)
    {
      Elf_Data *data;
      if (gelf_getshdr (scn, &h) == NULL || h.sh_type != SHT_RELA
	  || (h.sh_flags & SHF_ALLOC) == 0
	  || (data = elf_getdata (scn, NULL)) == NULL)
	continue;
      for (int i = 0; gelf_getrela (data, i, &r) != NULL; i++)
	{
	  GElf_Word type = GELF_R_TYPE (r.r_info);
	  if (type == 0)
	    continue;
	  if (type == abi->tpoff)
	    note_reference (elf, h.sh_link, &r, tpoff);
	  else if (type == abi->tlsdesc)
	    note_reference (elf, h.sh_link, &r, tlsdesc);
	  else if (type == abi->dtpmod)
	    note_reference (elf, h.sh_link, &r, dtpmod);
	}
    }
}

/* A library's block is where its dynamic relocations say.  An offset from the
   thread pointer goes first: a block that has one is not in every DTV.  */
static void
find_library_block (Elf *elf, uint64_t bias, resolve_tls *tls)
{
  self_reference tpoff = { 0 }, tlsdesc = { 0 }, dtpmod = { 0 }, *self;

  find_references (elf, tls->abi, &tpoff, &tlsdesc, &dtpmod);
  self = tpoff.found ? &tpoff : tlsdesc.found ? &tlsdesc : &dtpmod;
  if (!self->found)
    return;
  tls->kind = (self == &tpoff	  ? RESOLVE_TLS_TPOFF
	       : self == &tlsdesc ? RESOLVE_TLS_DESCRIPTOR
				  : RESOLVE_TLS_DTPMOD);
  tls->slot = self->slot + bias;
  tls->offset = (int64_t) self->offset;
}

resolve_tls
resolve_tls_find (Elf *elf, uint64_t bias, bool main)
{
  resolve_tls tls = { .abi = find_abi (elf) };
  GElf_Phdr phdr;

  if (tls.abi == NULL || !elf_phdr (elf, PT_TLS, &phdr))
    return tls;
  if (!is_program (elf, main))
    find_library_block (elf, bias, &tls);
  else
    {
      tls.kind = RESOLVE_TLS_PROGRAM;
      tls.offset = program_offset (tls.abi, &phdr);
    }
  return tls;
}

/* What the descriptor of TLS says.  */
static sframe_coro_tls_block
read_descriptor (const resolve_tls *tls, sframe_coro_libc libc, process *p)
{
  sframe_coro_memory memory = { process_read, p };
  sframe_coro_tls_block block = { .kind = SFRAME_CORO_TLS_UNKNOWN };
  bool swap = (tls->abi->data == ELFDATA2LSB) != (BYTE_ORDER == LITTLE_ENDIAN);
  sframe_coro_tls_ref ref;

  if (sframe_coro_tls_descriptor_read (tls->abi->abi_arch, swap, libc, &memory,
				       tls->slot, &ref)
      != SFRAME_CORO_OK)
    return block;
  if (ref.dynamic)
    {
      block.kind = SFRAME_CORO_TLS_DYNAMIC;
      block.module_id = ref.module_id;
    }
  else if (ref.tp_offset != 0)
    {
      block.kind = SFRAME_CORO_TLS_STATIC;
      block.tp_offset = ref.tp_offset - tls->offset;
    }
  return block;
}

sframe_coro_tls_block
resolve_tls_read (const resolve_tls *tls, sframe_coro_libc libc, process *p)
{
  sframe_coro_tls_block block = { .kind = SFRAME_CORO_TLS_UNKNOWN };
  uint64_t word;

  switch (tls->kind)
    {
    case RESOLVE_TLS_PROGRAM:
      block.kind = SFRAME_CORO_TLS_STATIC;
      block.tp_offset = tls->offset;
      break;
    case RESOLVE_TLS_DESCRIPTOR:
      return read_descriptor (tls, libc, p);
    case RESOLVE_TLS_TPOFF:
    case RESOLVE_TLS_DTPMOD:
      /* What the dynamic linker has not filled in yet is 0.  */
      if (!read_word (p, tls->abi, tls->slot, &word) || word == 0)
	break;
      if (tls->kind == RESOLVE_TLS_DTPMOD)
	{
	  block.kind = SFRAME_CORO_TLS_DYNAMIC;
	  block.module_id = word;
	  break;
	}
      block.kind = SFRAME_CORO_TLS_STATIC;
      block.tp_offset = (int64_t) word - tls->offset;
      break;
    case RESOLVE_TLS_NONE:
      break;
    }
  return block;
}

/* The C library.  */

static sframe_coro_libc
libc_of_interpreter (Elf *elf)
{
  char name[256];
  GElf_Phdr interp;

  if (!elf_phdr (elf, PT_INTERP, &interp) || interp.p_filesz > sizeof name
      || interp.p_filesz == 0
      || !elf_image_read (elf, interp.p_vaddr, name, interp.p_filesz))
    return SFRAME_CORO_LIBC_UNKNOWN;
  name[interp.p_filesz - 1] = 0;
  if (strstr (name, "ld-musl") != NULL)
    return SFRAME_CORO_LIBC_MUSL;
  return (strstr (name, "/ld-linux") != NULL || strstr (name, "/ld64.so") != NULL
	      ? SFRAME_CORO_LIBC_GLIBC
	      : SFRAME_CORO_LIBC_UNKNOWN);
}

static sframe_coro_libc
libc_of_soname (Elf *elf)
{
  uint64_t value;
  size_t strings;
  const char *name;

  if (!dynamic_value (elf, DT_SONAME, &value, &strings)
      || (name = elf_strptr (elf, strings, value)) == NULL)
    return SFRAME_CORO_LIBC_UNKNOWN;
  if (strncmp (name, "libc.musl-", 10) == 0 || strcmp (name, "libc.so") == 0)
    return SFRAME_CORO_LIBC_MUSL;
  return (strcmp (name, "libc.so.6") == 0 ? SFRAME_CORO_LIBC_GLIBC
					  : SFRAME_CORO_LIBC_UNKNOWN);
}

/* The note that glibc's start files carry, stripped or not; musl's have
   none.  */
static bool
has_abi_note (Elf *elf)
{
  size_t num = 0;
  GElf_Phdr p;

  elf_getphdrnum (elf, &num);
  for (size_t i = 0; i < num; i++)
    {
      Elf_Data *data;
      GElf_Nhdr note;
      size_t off = 0, name, desc;

      if (gelf_getphdr (elf, (int) i, &p) == NULL || p.p_type != PT_NOTE
	  || (data = elf_getdata_rawchunk (
		  elf, (int64_t) p.p_offset, p.p_filesz,
		  p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR)) == NULL)
	continue;
      while ((off = gelf_getnote (data, off, &note, &name, &desc)) != 0)
	if (note.n_type == NT_GNU_ABI_TAG && note.n_namesz == 4
	    && memcmp ((char *) data->d_buf + name, "GNU", 4) == 0)
	  return true;
    }
  return false;
}

/* For a program that has no dynamic linker.  */
static sframe_coro_libc
libc_of_static (Elf *elf)
{
  Elf_Scn *scn = NULL;
  GElf_Shdr h;
  GElf_Sym sym;

  while ((scn = elf_nextscn (elf, scn)) != NULL)
    {
      Elf_Data *data;
      if (gelf_getshdr (scn, &h) == NULL || h.sh_type != SHT_SYMTAB
	  || (data = elf_getdata (scn, NULL)) == NULL)
	continue;
      for (int i = 1; gelf_getsym (data, i, &sym) != NULL; i++)
	{
	  const char *name = elf_strptr (elf, h.sh_link, sym.st_name);
	  if (name == NULL || sym.st_shndx == SHN_UNDEF)
	    continue;
	  if (strcmp (name, "__libc_setup_tls") == 0)
	    return SFRAME_CORO_LIBC_GLIBC;
	  if (strcmp (name, "__init_tp") == 0)
	    return SFRAME_CORO_LIBC_MUSL;
	}
    }
  return (has_abi_note (elf) ? SFRAME_CORO_LIBC_GLIBC
			     : SFRAME_CORO_LIBC_UNKNOWN);
}

sframe_coro_libc
resolve_libc (Elf *elf)
{
  sframe_coro_libc libc = libc_of_soname (elf);
  GElf_Phdr interp;

  if (libc == SFRAME_CORO_LIBC_UNKNOWN)
    libc = libc_of_interpreter (elf);
  if (libc == SFRAME_CORO_LIBC_UNKNOWN && !elf_phdr (elf, PT_INTERP, &interp))
    libc = libc_of_static (elf);
  return libc;
}
