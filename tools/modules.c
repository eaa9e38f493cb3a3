/* sframe-coro: the modules of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf-file.h"
#include "modules.h"
#include "ranges.h"
#include "tool.h"
#include "unwind.h"

/* What more than this is there is left out: no program has it, and a hostile
   one must not take our memory.  Bytes of a section; chains and functions of a
   process.  */
#define MAX_SECTION (UINT64_C (64) << 20)
#define MAX_CHAINS 1024
#define MAX_FUNCTIONS (1 << 17)
#define MAX_VDSO (UINT64_C (1) << 20)

static const char vdso_name[] = "[vdso]";

/* Files.  */

/* Read SIZE bytes at ADDRESS into memory that is freed with M; NULL if they
   cannot be read.  */
static unsigned char *
read_contents (modules *m, uint64_t address, size_t size)
{
  unsigned char *bytes = tool_calloc (size, 1);

  m->contents
      = tool_realloc (m->contents, m->num_contents + 1, sizeof *m->contents);
  m->contents[m->num_contents++] = bytes;
  return process_read (m->process, address, bytes, size) == 0 ? bytes : NULL;
}

/* The build ID of ELF in text, to be freed; NULL if it has none, or is none.  */
static char *
build_id_of (Elf *elf)
{
  const void *id;
  ssize_t size = elf != NULL ? dwelf_elf_gnu_build_id (elf, &id) : 0;

  return size > 0 ? tool_hex (id, (size_t) size) : NULL;
}

static char *
file_build_id (int fd)
{
  Elf *elf = elf_begin (fd, ELF_C_READ_MMAP, NULL);
  char *id = build_id_of (elf);

  elf_end (elf);
  return id;
}

/* That of what is mapped at START, as far as that page has it.  */
static char *
mapped_build_id (modules *m, uint64_t start)
{
  unsigned char page[4096];
  Elf *elf = NULL;
  char *id;

  if (process_read (m->process, start, page, sizeof page) == 0)
    elf = elf_memory ((char *) page, sizeof page);
  id = build_id_of (elf);
  elf_end (elf);
  return id;
}

/* The file of the module that begins with mapping MAP, or -1; then *WHY, to be
   freed, is what is wrong with the one that is there, or NULL.  */
static int
open_file (modules *m, const mapping *map, char **why)
{
  bool doubt, good;
  int fd = process_open_file (m->process, map, &doubt);
  char *mapped, *its;

  *why = NULL;
  if (fd < 0 || !doubt)
    return fd;
  mapped = mapped_build_id (m, map->start);
  its = file_build_id (fd);
  /* Of a core there may be nothing to compare with.  */
  good = (mapped != NULL ? its != NULL && strcmp (its, mapped) == 0
			 : process_core (m->process) != NULL);
  if (!good)
    {
      if (mapped != NULL)
	*why = tool_printf ("it has %s%s, not %s as what was mapped",
			    its != NULL ? "build ID " : "no build ID",
			    its != NULL ? its : "", mapped);
      close (fd);
      fd = -1;
    }
  free (mapped);
  free (its);
  return fd;
}

/* The vDSO is in memory only; there it is complete.  */
static void
open_vdso (modules *m, const mapping *map, char **file_name, Elf **elf)
{
  uint64_t size = map->end - map->start;
  unsigned char *image
      = size <= MAX_VDSO ? read_contents (m, map->start, size) : NULL;

  if (image == NULL)
    return;
  *elf = elf_memory ((char *) image, size);
  *file_name = tool_strdup (vdso_name);
}

/* A callback of libdwfl.  */
static int
find_elf (Dwfl_Module *mod, void **userdata, const char *name,
	  Dwarf_Addr base, char **file_name, Elf **elf)
{
  modules *m = *userdata;
  const mapping *map
      = mappings_find (process_mappings (m->process), base);
  char *why = NULL;
  int fd = -1;

  (void) mod;
  if (map == NULL)
    return -1;
  if (strcmp (name, vdso_name) == 0)
    open_vdso (m, map, file_name, elf);
  else if ((fd = open_file (m, map, &why)) >= 0)
    *file_name = tool_strdup (name);
  free (why);
  return fd;
}

/* Reporting what is mapped to libdwfl.  */

static bool
report (modules *m, const char *name, uint64_t start, uint64_t end)
{
  Dwfl_Module *mod = dwfl_report_module (m->dwfl, name, start, end);
  void **userdata;

  if (mod == NULL)
    return false;
  dwfl_module_info (mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
  *userdata = m;
  return true;
}

/* Report the module whose first mapping is number *I, if it is one, and step
   *I behind it.  Between its mappings there may be some without a file.  */
static bool
report_at (modules *m, const mappings *maps, size_t *i)
{
  const mapping *first = &maps->list[*i];
  uint64_t end = first->end;
  bool code = first->executable;
  size_t k;

  ++*i;
  if (strcmp (first->name, vdso_name) == 0)
    return report (m, vdso_name, first->start, first->end);
  if (!mapping_is_file (first))
    return true;
  for (k = *i; k < maps->num; k++)
    {
      const mapping *map = &maps->list[k];
      if (mapping_same_file (first, map))
	{
	  end = map->end;
	  code |= map->executable;
	  *i = k + 1;
	}
      else if (map->name[0] != 0)
	break;
    }
  return !code || report (m, first->name, first->start, end);
}

static bool
report_all (modules *m)
{
  const mappings *maps = process_mappings (m->process);

  for (size_t i = 0; i < maps->num;)
    if (!report_at (m, maps, &i))
      return false;
  return dwfl_report_end (m->dwfl, NULL, NULL) == 0;
}

static int
add_module (Dwfl_Module *mod, void **userdata, const char *name,
	    Dwarf_Addr start, void *arg)
{
  modules *m = arg;
  Dwarf_Addr end = start;
  GElf_Addr bias = 0, id_address;
  Elf *elf = dwfl_module_getelf (mod, &bias);
  const mapping *map
      = (m->process != NULL
	     ? mappings_find (process_mappings (m->process), start)
	     : NULL);
  module new = { .dwfl = mod, .path = name, .start = start, .elf = elf };
  GElf_Phdr tls;
  int size;

  (void) userdata;
  dwfl_module_info (mod, NULL, NULL, &end, NULL, NULL, NULL, NULL);
  new.end = end;
  new.bias = bias;
  new.deleted = map != NULL && map->deleted;
  if (elf != NULL)
    {
      new.has_tls = elf_phdr (elf, PT_TLS, &tls);
      size = dwfl_module_build_id (mod, &new.build_id, &id_address);
      new.build_id_size = size > 0 ? (size_t) size : 0;
    }
  m->list = tool_realloc (m->list, m->num + 1, sizeof *m->list);
  m->list[m->num++] = new;
  return DWARF_CB_OK;
}

/* Debug information is also where the process itself would look for it, in a
   container.  */
static char *
default_debuginfo_path (process *p)
{
  const char *root = process_root (p);
  struct stat ours, its;

  if (stat ("/", &ours) == 0 && root[0] != 0 && stat (root, &its) == 0
      && (ours.st_dev != its.st_dev || ours.st_ino != its.st_ino))
    return tool_printf (":.debug:/usr/lib/debug:%s/usr/lib/debug", root);
  return NULL;
}

static bool
open_dwfl (modules *m, process *p, const char *debuginfo_path)
{
  m->debuginfo_path = (debuginfo_path != NULL ? tool_strdup (debuginfo_path)
					      : default_debuginfo_path (p));
  m->callbacks
      = (Dwfl_Callbacks){ .find_elf = find_elf,
			  .find_debuginfo = dwfl_standard_find_debuginfo,
			  .debuginfo_path = &m->debuginfo_path };
  m->dwfl = dwfl_begin (&m->callbacks);
  if (m->dwfl == NULL)
    {
      tool_error ("libdwfl: %s", dwfl_errmsg (-1));
      return false;
    }
  if (report_all (m) && dwfl_getmodules (m->dwfl, add_module, m, 0) == 0
      && unwind_attach (m->dwfl, p))
    return true;
  if (process_is_ending (p))
    tool_error ("%s has ended meanwhile", process_name (p));
  else
    tool_error ("%s: cannot read its modules: %s", process_name (p),
		dwfl_errmsg (-1));
  return false;
}

/* Sections.  */

/* How many chains and functions SECTION has, by what its blocks say.  */
static void
count_records (const sframe_coro_section *section, size_t *chains,
	       size_t *functions)
{
  sframe_coro_block block = { 0 };

  *chains = *functions = 0;
  while (sframe_coro_section_next_block (section, &block, NULL)
	 == SFRAME_CORO_OK)
    {
      *chains += block.header.num_chains;
      *functions += block.header.num_funcs;
    }
}

static void
refuse_section (modules *m, module *mod, const char *name, size_t num,
		const char *what, size_t max)
{
  tool_error ("%s: %s has %zu %s, more than the %zu that are taken; it is left "
	      "out", mod->path, name, num, what, max);
  mod->state = MODULE_TOO_LARGE;
  m->incomplete = true;
}

/* Whether what SECTION of MOD has is not too much; else refuse it.  */
static bool
is_bounded (modules *m, module *mod, const char *name,
	    const sframe_coro_section *section)
{
  size_t chains, functions;

  count_records (section, &chains, &functions);
  if (chains > MAX_CHAINS
      || sframe_coro_index_num_chains (m->index) > MAX_CHAINS - chains)
    refuse_section (m, mod, name, chains, "chains", MAX_CHAINS);
  else if (functions > MAX_FUNCTIONS
	   || m->num_functions > MAX_FUNCTIONS - functions)
    refuse_section (m, mod, name, functions, "functions", MAX_FUNCTIONS);
  else
    {
      m->num_functions += functions;
      mod->num_functions += functions;
      return true;
    }
  return false;
}

/* Add section S of MOD to the index; what the file does not hold is taken from
   memory.  */
static void
index_section (modules *m, module *mod, const elf_coro *s)
{
  const unsigned char *bytes = s->bytes;
  sframe_coro_section section;
  sframe_coro_where where = { 0 };
  int err = SFRAME_CORO_ERR_UNREADABLE;

  m->num_sections++;
  mod->num_sections++;
  if (s->size > MAX_SECTION)
    {
      refuse_section (m, mod, s->name, s->size, "bytes", MAX_SECTION);
      return;
    }
  if (bytes == NULL && m->process != NULL && s->size <= mod->end - mod->start)
    bytes = read_contents (m, s->address + mod->bias, s->size);
  if (bytes != NULL)
    err = sframe_coro_section_open (&section, bytes, s->size,
				    s->address + mod->bias, &where);
  if (err == SFRAME_CORO_OK && !is_bounded (m, mod, s->name, &section))
    return;
  if (err == SFRAME_CORO_OK)
    err = sframe_coro_index_add (m->index, &section, mod, &where);
  if (err == SFRAME_CORO_OK)
    return;
  tool_error ("%s: %s+0x%zx: %s; what is wrong is left out", mod->path,
	      s->name, where.offset, sframe_coro_errmsg (err));
  mod->state = MODULE_MALFORMED;
  m->incomplete = true;
}

/* Why MOD has no ELF file.  */
static void
note_missing_file (modules *m, module *mod)
{
  const mapping *map
      = mappings_find (process_mappings (m->process), mod->start);
  char *name, *why = NULL;
  int fd = map != NULL ? open_file (m, map, &why) : -1;

  mod->state = fd >= 0 ? MODULE_NO_ELF : MODULE_NO_FILE;
  if (fd >= 0)
    close (fd);
  else if (strcmp (mod->path, vdso_name) != 0
	   && !process_is_ending (m->process))
    {
      name = (map != NULL ? process_file_name (m->process, map)
			  : tool_strdup (mod->path));
      tool_error ("%s: %s; what it describes is missing", name,
		  why != NULL ? why : "the file is gone, or another one now");
      free (name);
      m->incomplete = true;
    }
  free (why);
}

static void
index_module (modules *m, module *mod, uint64_t phdrs)
{
  elf_coro *sections;
  size_t num;

  if (mod->elf == NULL)
    {
      note_missing_file (m, mod);
      return;
    }
  num = elf_coro_sections (mod->elf, &sections);
  if (num == 0)
    mod->state = MODULE_NO_SECTION;
  else
    mod->tls_source
	= resolve_tls_find (mod->elf, mod->bias,
			    phdrs >= mod->start && phdrs < mod->end);
  for (size_t i = 0; i < num; i++)
    index_section (m, mod, &sections[i]);
  free (sections);
}

/* The C library of the first module that tells it.  */
static sframe_coro_libc
find_libc (const modules *m)
{
  sframe_coro_libc libc = SFRAME_CORO_LIBC_UNKNOWN;

  for (size_t i = 0; i < m->num && libc == SFRAME_CORO_LIBC_UNKNOWN; i++)
    if (m->list[i].elf != NULL)
      libc = resolve_libc (m->list[i].elf);
  return libc;
}

/* Make the index, from all modules of M; the program has its program headers at
   PHDRS.  */
static void
index_all (modules *m, uint64_t phdrs)
{
  m->index = sframe_coro_index_new ();
  if (m->index == NULL)
    tool_no_memory ();
  m->libc = find_libc (m);
  for (size_t i = 0; i < m->num; i++)
    index_module (m, &m->list[i], phdrs);
  if (sframe_coro_index_finish (m->index) != SFRAME_CORO_OK)
    tool_no_memory ();
}

bool
modules_read (modules *m, process *p, const char *debuginfo_path)
{
  memset (m, 0, sizeof *m);
  m->process = p;
  if (!open_dwfl (m, p, debuginfo_path))
    return false;
  index_all (m, process_auxval (p, AT_PHDR));
  modules_refresh (m, p);
  return true;
}

/* Whether the files of M, which is PATH, are executables or libraries; else say
   what they are.  */
static bool
is_linked (const modules *m, const char *path)
{
  GElf_Ehdr h;

  if (m->num == 0 || m->list[0].elf == NULL
      || gelf_getehdr (m->list[0].elf, &h) == NULL)
    tool_error ("%s: not an ELF file that can be read: %s", path,
		dwfl_errmsg (-1));
  else if (m->num != 1 || strcmp (m->list[0].path, path) != 0)
    tool_error ("%s: an archive; extract its members first", path);
  else if (h.e_type == ET_REL)
    tool_error ("%s: a relocatable object, in which nothing has its place yet; "
		"`sframe-coro dump' shows what it describes", path);
  else
    return true;
  return false;
}

bool
modules_read_file (modules *m, const char *path)
{
  struct stat st;

  memset (m, 0, sizeof *m);
  /* Opening a device may do something.  */
  if (stat (path, &st) != 0)
    tool_error ("%s: %s", path, strerror (errno));
  else if (!S_ISREG (st.st_mode))
    tool_error ("%s: not a regular file", path);
  else if ((m->dwfl = dwfl_begin (&elf_file_callbacks)) == NULL
	   || dwfl_report_offline (m->dwfl, path, path, -1) == NULL
	   || dwfl_report_end (m->dwfl, NULL, NULL) != 0
	   || dwfl_getmodules (m->dwfl, add_module, m, 0) != 0)
    tool_error ("%s: not an ELF file that can be read: %s", path,
		dwfl_errmsg (-1));
  else if (is_linked (m, path))
    {
      index_all (m, 0);
      return true;
    }
  return false;
}

/* Whether at ADDRESS, which is to be byte OFFSET of the file that FIRST is of,
   there is another byte of it.  OFFSET is UINT64_MAX where none is to be.  */
static bool
is_misplaced (const mappings *maps, const mapping *first, uint64_t address,
	      uint64_t offset)
{
  const mapping *map = mappings_find (maps, address);

  return (map != NULL && mapping_same_file (map, first)
	  && map->offset + (address - map->start) != offset);
}

/* Dynamic linkers map the first segment of a file as long as all of them
   together, and the others one by one over that, those that are written to
   last; then nothing where bytes of the file end.  */
static bool
is_loading (const module *mod, const mappings *maps)
{
  const mapping *first = mappings_find (maps, mod->start);
  uint64_t page = (uint64_t) sysconf (_SC_PAGESIZE);
  size_t num = 0;
  GElf_Phdr p;

  if (first == NULL || !mapping_is_file (first))
    return false;
  elf_getphdrnum (mod->elf, &num);
  for (size_t i = 0; i < num; i++)
    {
      uint64_t start, end;

      if (gelf_getphdr (mod->elf, (int) i, &p) == NULL || p.p_type != PT_LOAD)
	continue;
      start = mod->bias + p.p_vaddr;
      end = (start + p.p_filesz + page - 1) & -page;
      if ((p.p_filesz != 0 && is_misplaced (maps, first, start, p.p_offset))
	  || (start + p.p_memsz > end
	      && is_misplaced (maps, first, end, UINT64_MAX)))
	return true;
    }
  return false;
}

void
modules_refresh (modules *m, process *p)
{
  m->loading = false;
  for (size_t i = 0; i < m->num; i++)
    {
      module *mod = &m->list[i];

      mod->loading = (mod->num_sections != 0
		      && is_loading (mod, process_mappings (p)));
      m->loading |= mod->loading;
      mod->tls = resolve_tls_read (&mod->tls_source, m->libc, p);
    }
}

void
modules_free (modules *m)
{
  sframe_coro_index_free (m->index);
  if (m->dwfl != NULL)
    dwfl_end (m->dwfl);
  for (size_t i = 0; i < m->num_contents; i++)
    free (m->contents[i]);
  free (m->contents);
  free (m->list);
  free (m->debuginfo_path);
}

module *
modules_find (const modules *m, uint64_t address)
{
  return ranges_find (m->list, m->num, sizeof *m->list, address);
}

/* Heads.  */

static int
find_stub_head (const modules *m, process *p, const sframe_coro_chain *c,
		uint64_t stub, modules_head *head)
{
  sframe_coro_memory memory = { process_read, p };
  sframe_coro_tls_ref ref;
  int err = sframe_coro_tls_stub_read (c->abi_arch, c->swap, m->libc, &memory,
				       stub, &ref);

  if (err != SFRAME_CORO_OK)
    return err;
  head->kind = ref.dynamic ? MODULES_HEAD_DTV : MODULES_HEAD_TP;
  head->offset = ref.dynamic ? (int64_t) ref.offset : ref.tp_offset;
  head->module_id = ref.module_id;
  head->generation = ref.generation;
  return SFRAME_CORO_OK;
}

/* The head at byte OFFSET of a module's TLS block BLOCK; or, below 0, at that
   offset from the thread pointer.  */
static int
find_offset_head (const sframe_coro_tls_block *block, int64_t offset,
		  modules_head *head)
{
  head->offset = offset;
  head->kind = MODULES_HEAD_TP;
  if (offset < 0)
    return SFRAME_CORO_OK;
  if (block->kind == SFRAME_CORO_TLS_UNKNOWN)
    return SFRAME_CORO_ERR_NO_TLS;
  if (block->kind == SFRAME_CORO_TLS_STATIC)
    head->offset += block->tp_offset;
  else
    {
      head->kind = MODULES_HEAD_DTV;
      head->module_id = block->module_id;
    }
  return SFRAME_CORO_OK;
}

int
modules_find_head (const modules *m, process *p, size_t chain, unsigned i,
		   modules_head *head)
{
  const sframe_coro_index_chain *ic
      = sframe_coro_index_chain_at (m->index, chain);
  const sframe_coro_chain *c = &ic->chain;
  const module *mod = ic->module;
  const sframe_coro_head *h = &c->head[i];

  *head = (modules_head){ .address = h->value,
			  .has_invalid = h->flags & SFRAME_CORO_HEAD_F_INVALID,
			  .invalid = h->invalid };
  switch (h->kind)
    {
    case SFRAME_CORO_HEAD_TLS_STUB:
      return find_stub_head (m, p, c, h->value, head);
    case SFRAME_CORO_HEAD_TLS_OFFSET:
      return find_offset_head (&mod->tls, (int64_t) h->value, head);
    case SFRAME_CORO_HEAD_TP_SLOT:
      head->kind = MODULES_HEAD_TP_SLOT;
      return SFRAME_CORO_OK;
    case SFRAME_CORO_HEAD_GLOBAL:
      head->kind = MODULES_HEAD_ADDRESS;
      return SFRAME_CORO_OK;
    case SFRAME_CORO_HEAD_PTHREAD_KEY:
      head->kind = MODULES_HEAD_KEY;
      return SFRAME_CORO_OK;
    case SFRAME_CORO_HEAD_FRAME:
      head->kind = MODULES_HEAD_FRAME;
      return SFRAME_CORO_OK;
    default:
      return SFRAME_CORO_ERR_UNSUPPORTED;
    }
}
