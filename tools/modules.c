/* sframe-coro: the modules of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf-file.h"
#include "modules.h"
#include "resolve.h"
#include "tool.h"
#include "unwind.h"

/* libdwfl gives its callbacks nothing of ours.  */
static const process *held;
static bool file_missing;

/* A mapped file, as a line of /proc/PID/maps has it.  */
typedef struct mapping
{
  uint64_t start, end;
  unsigned long inode;
  bool executable; /* Or any other mapping of the file is.  */
} mapping;

/* Find the mapping of the process that begins at START.  */
static bool
find_mapping (uint64_t start, mapping *m)
{
  char *line = NULL, path[32];
  size_t room = 0;
  bool found = false;
  FILE *f;

  snprintf (path, sizeof path, "/proc/%d/maps", process_reader (held));
  f = fopen (path, "re");
  while (f != NULL && getline (&line, &room, f) > 0)
    {
      uint64_t lo, hi;
      unsigned long inode;
      char perms[5];

      if (sscanf (line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*x:%*x %lu", &lo,
		  &hi, perms, &inode) != 4)
	continue;
      if (lo == start)
	{
	  *m = (mapping){ lo, hi, inode, false };
	  found = true;
	}
      if (found && inode == m->inode && perms[2] == 'x')
	m->executable = true;
    }
  free (line);
  if (f != NULL)
    fclose (f);
  return found;
}

/* Open PATH if it is the regular file INODE.  */
static int
open_inode (const char *path, unsigned long inode)
{
  struct stat st;
  int fd;

  /* Opening a device may do something.  */
  if (stat (path, &st) != 0 || !S_ISREG (st.st_mode) || st.st_ino != inode)
    return -1;
  fd = open (path, O_RDONLY | O_CLOEXEC);
  return fd;
}

/* Open the very file of mapping M, called NAME: through the kernel's link to
   it, which is right in containers, and for files that were deleted or
   replaced, but takes privileges; else by its name in the process's own name
   space; the program's file has a link of its own.  */
static int
open_mapped (const char *name, const mapping *m)
{
  char *path;
  int fd;

  path = tool_printf ("/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		      process_reader (held), m->start, m->end);
  fd = open_inode (path, m->inode);
  free (path);
  if (fd < 0)
    {
      path = tool_printf ("/proc/%d/root%s", process_reader (held), name);
      fd = open_inode (path, m->inode);
      free (path);
    }
  if (fd < 0)
    {
      path = tool_printf ("/proc/%d/exe", process_reader (held));
      fd = open_inode (path, m->inode);
      free (path);
    }
  return fd;
}

static int
find_elf (Dwfl_Module *mod, void **userdata, const char *name,
	  Dwarf_Addr base, char **file_name, Elf **elf)
{
  mapping m;
  int fd;

  /* Others, as the vDSO, are in memory only.  */
  if (name[0] != '/')
    return dwfl_linux_proc_find_elf (mod, userdata, name, base, file_name,
				     elf);
  if (!find_mapping (base, &m))
    return -1;
  fd = open_mapped (name, &m);
  if (fd >= 0)
    *file_name = tool_strdup (name);
  else if (m.executable && !process_is_gone (held))
    {
      tool_error ("%s: the file is gone, or another one now; what it "
		  "describes is missing", name);
      file_missing = true;
    }
  return fd;
}

/* The address of the program headers the process was started with.  */
static uint64_t
program_headers (void)
{
  char path[32];
  Elf64_auxv_t a;
  uint64_t value = 0;
  FILE *f;

  snprintf (path, sizeof path, "/proc/%d/auxv", process_reader (held));
  f = fopen (path, "re");
  while (f != NULL && fread (&a, sizeof a, 1, f) == 1)
    if (a.a_type == AT_PHDR)
      value = a.a_un.a_val;
  if (f != NULL)
    fclose (f);
  return value;
}

static int
add_module (Dwfl_Module *mod, void **userdata, const char *name,
	    Dwarf_Addr start, void *arg)
{
  modules *m = arg;
  Dwarf_Addr end = start;
  GElf_Addr bias = 0;
  Elf *elf = dwfl_module_getelf (mod, &bias);

  (void) userdata;
  dwfl_module_info (mod, NULL, NULL, &end, NULL, NULL, NULL, NULL);
  m->list = tool_realloc (m->list, m->num + 1, sizeof *m->list);
  m->list[m->num++] = (module){ .dwfl = mod,
				.path = name,
				.start = start,
				.end = end,
				.bias = bias,
				.elf = elf };
  return DWARF_CB_OK;
}

/* The contents of section S of the module: the file's, else what is in
   memory.  */
static const unsigned char *
section_bytes (modules *m, process *p, const module *mod, const elf_coro *s)
{
  unsigned char *bytes;

  if (s->bytes != NULL)
    return s->bytes;
  bytes = tool_calloc (s->size, 1);
  m->contents
      = tool_realloc (m->contents, m->num_contents + 1, sizeof *m->contents);
  m->contents[m->num_contents++] = bytes;
  if (process_read (p, s->address + mod->bias, bytes, s->size) == 0)
    return bytes;
  return NULL;
}

/* Add section S of MOD to the index.  */
static void
index_section (modules *m, process *p, module *mod, const elf_coro *s)
{
  const unsigned char *bytes = section_bytes (m, p, mod, s);
  sframe_coro_section section;
  sframe_coro_where where = { 0 };
  int err = SFRAME_CORO_ERR_UNREADABLE;

  m->num_sections++;
  if (bytes != NULL)
    err = sframe_coro_section_open (&section, bytes, s->size,
				    s->address + mod->bias, &where);
  if (err == SFRAME_CORO_OK)
    err = sframe_coro_index_add (m->index, &section, mod, &where);
  if (err == SFRAME_CORO_OK)
    return;
  tool_error ("%s: %s+0x%zx: %s; what is wrong is left out", mod->path,
	      s->name, where.offset, sframe_coro_errmsg (err));
  m->incomplete = true;
}

static void
index_module (modules *m, process *p, module *mod, uint64_t phdrs)
{
  elf_coro *sections;
  size_t num = elf_coro_sections (mod->elf, &sections);

  if (num != 0)
    mod->tls = resolve_tls_block (mod->elf, mod->bias,
				  phdrs >= mod->start && phdrs < mod->end,
				  m->libc, p);
  for (size_t i = 0; i < num; i++)
    index_section (m, p, mod, &sections[i]);
  free (sections);
}

static bool
open_dwfl (modules *m, process *p)
{
  static char *debuginfo_path;
  static const Dwfl_Callbacks callbacks
      = { .find_elf = find_elf,
	  .find_debuginfo = dwfl_standard_find_debuginfo,
	  .debuginfo_path = &debuginfo_path };
  int err;

  m->dwfl = dwfl_begin (&callbacks);
  if (m->dwfl == NULL)
    {
      tool_error ("libdwfl: %s", dwfl_errmsg (-1));
      return false;
    }
  err = dwfl_linux_proc_report (m->dwfl, process_reader (p));
  if (err == 0 && dwfl_report_end (m->dwfl, NULL, NULL) == 0
      && unwind_attach (m->dwfl, p))
    return true;
  if (process_is_gone (p))
    tool_error ("process %d has ended meanwhile", process_pid (p));
  else
    tool_error ("process %d: cannot read its modules: %s", process_pid (p),
		err > 0 ? strerror (err) : dwfl_errmsg (-1));
  return false;
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

bool
modules_read (modules *m, process *p)
{
  uint64_t phdrs;

  memset (m, 0, sizeof *m);
  held = p;
  file_missing = false;
  if (!open_dwfl (m, p))
    return false;
  dwfl_getmodules (m->dwfl, add_module, m, 0);
  m->index = sframe_coro_index_new ();
  if (m->index == NULL)
    {
      tool_error ("out of memory");
      return false;
    }
  phdrs = program_headers ();
  m->libc = find_libc (m);
  for (size_t i = 0; i < m->num; i++)
    if (m->list[i].elf != NULL)
      index_module (m, p, &m->list[i], phdrs);
  m->incomplete |= file_missing;
  if (sframe_coro_index_finish (m->index) == SFRAME_CORO_OK)
    return true;
  tool_error ("out of memory");
  return false;
}

void
modules_free (modules *m)
{
  sframe_coro_index_free (m->index);
  for (size_t i = 0; i < m->num_contents; i++)
    free (m->contents[i]);
  free (m->contents);
  free (m->list);
  if (m->dwfl != NULL)
    dwfl_end (m->dwfl);
}

module *
modules_find (const modules *m, uint64_t address)
{
  for (size_t i = 0; i < m->num; i++)
    if (address >= m->list[i].start && address < m->list[i].end)
      return &m->list[i];
  return NULL;
}
