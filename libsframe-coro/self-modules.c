/* libsframe-coro: from the loaded modules to their sections.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   Only program headers are in memory for sure.  A section is found by one of
   its own, where the linker made it; by the section headers in the module's
   file where not.  Sources: System V ABI, chapters 4 and 5, for the headers;
   dl_iterate_phdr(3) and proc(5).  */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "self.h"

/* No linked module has more section headers than this.  */
#define MAX_SECTION_HEADERS 65536

/* What the patched GNU ld calls the segment with the section.  */
#ifndef PT_GNU_SFRAME_CORO
#define PT_GNU_SFRAME_CORO (PT_LOOS + 0x474e54f)
#endif

/* The iteration in progress.  */
typedef struct scan
{
  sframe_coro_self *self;
  self_snapshot *snapshot;
  const self_snapshot *old;
  int err;
} scan;

/* A module's file.  */
typedef struct file
{
  int fd;
  ElfW (Ehdr) header;
} file;

/* Program headers.  */

/* The first program header of TYPE, or NULL.  */
static const ElfW (Phdr) *
find_phdr (const struct dl_phdr_info *info, uint32_t type)
{
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == type)
      return &info->dlpi_phdr[i];
  return NULL;
}

/* Whether SIZE bytes at the link-time ADDRESS come from the file.  */
static bool
is_loaded (const struct dl_phdr_info *info, uint64_t address, uint64_t size)
{
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *p = &info->dlpi_phdr[i];
      if (p->p_type == PT_LOAD && address >= p->p_vaddr
	  && address - p->p_vaddr <= p->p_filesz
	  && size <= p->p_filesz - (address - p->p_vaddr))
	return true;
    }
  return false;
}

/* Set where M begins and ends.  */
static void
find_extent (const struct dl_phdr_info *info, self_module *m)
{
  const ElfW (Phdr) *table = find_phdr (info, PT_GNU_EH_FRAME);

  m->start = UINT64_MAX;
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *p = &info->dlpi_phdr[i];
      uint64_t start = info->dlpi_addr + p->p_vaddr;

      if (p->p_type != PT_LOAD)
	continue;
      if (start < m->start)
	m->start = start;
      if (start + p->p_memsz > m->end)
	m->end = start + p->p_memsz;
    }
  if (table != NULL)
    {
      m->function_table = info->dlpi_addr + table->p_vaddr;
      m->function_table_size = table->p_memsz;
    }
}

/* The vDSO has nothing for us, and no file.  */
static bool
is_vdso (const self_module *m)
{
  uint64_t vdso = getauxval (AT_SYSINFO_EHDR);
  return vdso != 0 && vdso >= m->start && vdso < m->end;
}

/* A number that tells the program headers of INFO from others (FNV-1a).  */
static uint64_t
hash_phdrs (const struct dl_phdr_info *info)
{
  const unsigned char *p = (const unsigned char *) info->dlpi_phdr;
  uint64_t hash = UINT64_C (0xcbf29ce484222325);

  for (size_t i = 0; i < info->dlpi_phnum * sizeof *info->dlpi_phdr; i++)
    hash = (hash ^ p[i]) * UINT64_C (0x100000001b3);
  return hash;
}

/* Files.  */

static bool
read_file (const file *f, uint64_t offset, void *buf, size_t len)
{
  return (offset <= INT64_MAX
	  && pread (f->fd, buf, len, (off_t) offset) == (ssize_t) len);
}

/* Whether F is the file that INFO was loaded from, as far as the program
   headers tell.  */
static bool
is_file_of (file *f, const struct dl_phdr_info *info)
{
  const ElfW (Ehdr) *h = &f->header;

  if (!read_file (f, 0, &f->header, sizeof f->header)
      || memcmp (h->e_ident, ELFMAG, SELFMAG) != 0
      || h->e_ident[EI_CLASS] != (sizeof (void *) == 8 ? ELFCLASS64
						       : ELFCLASS32)
      || h->e_phentsize != sizeof (ElfW (Phdr))
      || h->e_phnum != info->dlpi_phnum)
    return false;
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    {
      ElfW (Phdr) p;
      if (!read_file (f, h->e_phoff + i * sizeof p, &p, sizeof p)
	  || memcmp (&p, &info->dlpi_phdr[i], sizeof p) != 0)
	return false;
    }
  return true;
}

/* Open PATH as F if it is the file of INFO.  Opening a device may do
   something, so it has to be a regular file.  */
static bool
open_path (file *f, const char *path, const struct dl_phdr_info *info)
{
  struct stat st;

  if (stat (path, &st) != 0 || !S_ISREG (st.st_mode))
    return false;
  f->fd = open (path, O_RDONLY | O_CLOEXEC);
  if (f->fd >= 0 && is_file_of (f, info))
    return true;
  if (f->fd >= 0)
    close (f->fd);
  return false;
}

/* Open the file that is mapped at ADDRESS, by the name that the kernel has for
   it; or, if it is deleted, through the kernel's link, for the privileged.  */
static bool
open_mapped (file *f, uint64_t address, const struct dl_phdr_info *info)
{
  char *line = NULL, link[64];
  size_t room = 0;
  bool found = false;
  FILE *maps = fopen ("/proc/self/maps", "re");

  while (maps != NULL && !found && getline (&line, &room, maps) > 0)
    {
      uint64_t start, end;
      int path = 0;

      if (sscanf (line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &start,
		  &end, &path) < 2
	  || path == 0 || address < start || address >= end)
	continue;
      line[strcspn (line, "\n")] = 0;
      snprintf (link, sizeof link,
		"/proc/self/map_files/%" PRIx64 "-%" PRIx64, start, end);
      found = (open_path (f, line + path, info) || open_path (f, link, info));
      break;
    }
  free (line);
  if (maps != NULL)
    fclose (maps);
  return found;
}

static bool
open_module (file *f, const self_module *m, const struct dl_phdr_info *info,
	     bool first)
{
  return ((first && open_path (f, "/proc/self/exe", info))
	  || (info->dlpi_name[0] == '/' && open_path (f, info->dlpi_name, info))
	  || open_mapped (f, m->start, info));
}

/* Sections.  */

/* Whether the bytes of S are those at OFFSET of F.  */
static bool
is_in_file (const file *f, const self_section *s, uint64_t offset)
{
  unsigned char buf[4096];

  for (size_t i = 0, len; i < s->size; i += len)
    {
      len = s->size - i < sizeof buf ? s->size - i : sizeof buf;
      if (!read_file (f, offset + i, buf, len)
	  || memcmp (buf, s->bytes + i, len) != 0)
	return false;
    }
  return true;
}

/* Copy the section of SIZE bytes at the link-time ADDRESS from memory into M.
   If F is not NULL it has to be at OFFSET there too.  */
static int
add_section (const sframe_coro_self *self, self_module *m,
	     const struct dl_phdr_info *info, uint64_t address, uint64_t size,
	     const file *f, uint64_t offset)
{
  self_section s = { .size = (size_t) size,
		     .address = info->dlpi_addr + address };
  size_t room = m->num_sections;
  int err = SFRAME_CORO_OK;

  if (size == 0)
    return SFRAME_CORO_OK;
  if (!is_loaded (info, address, size))
    return SFRAME_CORO_ERR_NOT_LOADED;
  if (!impl_grow ((void **) &m->sections, m->num_sections, &room, sizeof s))
    return SFRAME_CORO_ERR_NOMEM;
  s.bytes = malloc (s.size);
  if (s.bytes == NULL)
    return SFRAME_CORO_ERR_NOMEM;
  if (impl_self_read (&self->memory, s.address, s.bytes, s.size) != 0)
    err = SFRAME_CORO_ERR_UNREADABLE;
  else if (f != NULL && !is_in_file (f, &s, offset))
    err = SFRAME_CORO_ERR_NO_FILE;
  if (err != SFRAME_CORO_OK)
    {
      free (s.bytes);
      return err;
    }
  m->sections[m->num_sections++] = s;
  return SFRAME_CORO_OK;
}

/* Where the section headers of F, their number and that of the one with the
   names are: where they do not fit the ELF header, in the first of them.  */
static bool
find_section_headers (const file *f, size_t *num, ElfW (Shdr) *names)
{
  const ElfW (Ehdr) *h = &f->header;
  ElfW (Shdr) first;
  size_t index = h->e_shstrndx;

  *num = h->e_shnum;
  if (h->e_shoff == 0 || h->e_shentsize != sizeof first
      || !read_file (f, h->e_shoff, &first, sizeof first))
    return false;
  if (*num == 0)
    *num = first.sh_size;
  if (index == SHN_XINDEX)
    index = first.sh_link;
  return (*num <= MAX_SECTION_HEADERS && index < *num
	  && read_file (f, h->e_shoff + index * sizeof *names, names,
			sizeof *names));
}

/* Whether the section S is one of ours.  */
static bool
has_our_name (const file *f, const ElfW (Shdr) *names, const ElfW (Shdr) *s)
{
  char name[sizeof SFRAME_CORO_SECTION_NAME];

  return (s->sh_type == SHT_PROGBITS && (s->sh_flags & SHF_ALLOC) != 0
	  && s->sh_name < names->sh_size
	  && sizeof name <= names->sh_size - s->sh_name
	  && read_file (f, names->sh_offset + s->sh_name, name, sizeof name)
	  && memcmp (name, SFRAME_CORO_SECTION_NAME, sizeof name) == 0);
}

/* Find the sections of M in F.  A file without section headers has none.  */
static int
read_sections (const sframe_coro_self *self, self_module *m,
	       const struct dl_phdr_info *info, const file *f)
{
  ElfW (Shdr) names, s;
  size_t num;
  int err = SFRAME_CORO_OK;

  if (!find_section_headers (f, &num, &names))
    return SFRAME_CORO_OK;
  for (size_t i = 0; i < num && err == SFRAME_CORO_OK; i++)
    if (!read_file (f, f->header.e_shoff + i * sizeof s, &s, sizeof s))
      err = SFRAME_CORO_ERR_TRUNCATED;
    else if (has_our_name (f, &names, &s))
      err = add_section (self, m, info, s.sh_addr, s.sh_size, f, s.sh_offset);
  return err;
}

static int
find_sections (const sframe_coro_self *self, self_module *m,
	       const struct dl_phdr_info *info, bool first)
{
  const ElfW (Phdr) *own = find_phdr (info, PT_GNU_SFRAME_CORO);
  file f;
  int err;

  if (own != NULL)
    return add_section (self, m, info, own->p_vaddr, own->p_memsz, NULL, 0);
  if (!open_module (&f, m, info, first))
    return SFRAME_CORO_ERR_NO_FILE;
  err = read_sections (self, m, info, &f);
  close (f.fd);
  return err;
}

/* Modules.  */

void
impl_self_module_release (self_module *m)
{
  if (--m->references != 0)
    return;
  for (size_t i = 0; i < m->num_sections; i++)
    free (m->sections[i].bytes);
  free (m->sections);
  free (m->name);
  free (m);
}

/* A copy of the name of the module of INFO, the FIRST of which is the
   program.  */
static char *
copy_name (const struct dl_phdr_info *info, bool first)
{
  char path[4096];
  ssize_t len = first ? readlink ("/proc/self/exe", path, sizeof path - 1) : -1;

  if (len > 0)
    {
      path[len] = 0;
      return strdup (path);
    }
  return strdup (info->dlpi_name[0] ? info->dlpi_name : "(no name)");
}

/* Whether the sections of M are still what is in memory.  */
static bool
is_unchanged (const self_memory *memory, const self_module *m)
{
  unsigned char buf[4096];

  for (size_t i = 0; i < m->num_sections; i++)
    for (size_t at = 0, len; at < m->sections[i].size; at += len)
      {
	const self_section *s = &m->sections[i];
	len = s->size - at < sizeof buf ? s->size - at : sizeof buf;
	if (impl_self_read (memory, s->address + at, buf, len) != 0
	    || memcmp (buf, s->bytes + at, len) != 0)
	  return false;
      }
  return true;
}

/* The module of INFO if it is known already.  */
static self_module *
find_known (const scan *c, const struct dl_phdr_info *info)
{
  for (size_t i = 0; c->old != NULL && i < c->old->num_modules; i++)
    {
      self_module *m = c->old->modules[i];
      if (m->bias == info->dlpi_addr && m->identity == hash_phdrs (info)
	  && is_unchanged (&c->self->memory, m))
	return m;
    }
  return NULL;
}

/* A new module of INFO, or NULL if there is no memory.  */
static self_module *
new_module (const scan *c, const struct dl_phdr_info *info)
{
  bool first = c->snapshot->num_modules == 0;
  self_module *m = calloc (1, sizeof *m);
  int err = SFRAME_CORO_OK;

  if (m == NULL)
    return NULL;
  m->name = copy_name (info, first);
  if (m->name == NULL)
    {
      free (m);
      return NULL;
    }
  m->bias = info->dlpi_addr;
  m->identity = hash_phdrs (info);
  find_extent (info, m);
  /* A thread's block of any module is in the DTV, if it has one yet.  */
  if (info->dlpi_tls_modid != 0)
    m->tls = (sframe_coro_tls_block){ .kind = SFRAME_CORO_TLS_DYNAMIC,
				      .module_id = info->dlpi_tls_modid };
  if (!is_vdso (m))
    err = find_sections (c->self, m, info, first);
  if (err != SFRAME_CORO_OK)
    impl_self_problem (c->self, m->name, err, NULL);
  return m;
}

static int
visit (struct dl_phdr_info *info, size_t size, void *arg)
{
  scan *c = arg;
  self_snapshot *s = c->snapshot;
  self_module *m;

  (void) size;
  if (s->num_modules == 0)
    {
      c->self->adds = info->dlpi_adds;
      c->self->subs = info->dlpi_subs;
    }
  m = find_known (c, info);
  if (m == NULL)
    m = new_module (c, info);
  if (m == NULL)
    {
      c->err = SFRAME_CORO_ERR_NOMEM;
      return 1;
    }
  m->references++;
  if (!impl_grow ((void **) &s->modules, s->num_modules, &s->room_modules,
		  sizeof m))
    {
      impl_self_module_release (m);
      c->err = SFRAME_CORO_ERR_NOMEM;
      return 1;
    }
  s->modules[s->num_modules++] = m;
  return 0;
}

int
impl_self_modules_read (sframe_coro_self *self, self_snapshot *s,
			const self_snapshot *old)
{
  scan c = { .self = self, .snapshot = s, .old = old };

  dl_iterate_phdr (visit, &c);
  return c.err;
}

static int
note_counts (struct dl_phdr_info *info, size_t size, void *arg)
{
  unsigned long long *counts = arg;

  (void) size;
  counts[0] = info->dlpi_adds;
  counts[1] = info->dlpi_subs;
  return 1;
}

bool
impl_self_modules_changed (const sframe_coro_self *self)
{
  unsigned long long counts[2] = { 0 };

  dl_iterate_phdr (note_counts, counts);
  return counts[0] != self->adds || counts[1] != self->subs;
}
