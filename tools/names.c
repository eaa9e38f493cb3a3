/* sframe-coro: the names of what a profile has addresses of.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <elfutils/libdwelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf-file.h"
#include "functions.h"
#include "kernel.h"
#include "summary.h"
#include "symbol.h"
#include "tool.h"

typedef struct namer
{
  summary *s;
  modules files;    /* The modules of the profile that can be read.  */
  size_t *file_of;  /* For each module of the profile: index, or SIZE_MAX.  */
  functions *functions;
  kernel_symbols *kernel; /* NULL: not the running one.  */
} namer;

/* Files.  */

static bool
is_module (const summary_module *m, const void *id, ssize_t size)
{
  return (m->build_id_size == 0
	  || (size == m->build_id_size
	      && memcmp (m->build_id, id, (size_t) size) == 0));
}

/* Tell libdwfl of module M at PATH if it is still the same file, and return
   what that makes of it.  */
static Dwfl_Module *
report_file (Dwfl *dwfl, const summary_module *m, const char *path)
{
  Dwfl_Module *mod;
  const void *id = NULL;
  GElf_Addr bias;
  struct stat st;
  Elf *elf;

  /* Opening a device may do something.  */
  if (path[0] != '/' || stat (path, &st) != 0 || !S_ISREG (st.st_mode)
      || (mod = dwfl_report_offline (dwfl, path, path, -1)) == NULL
      || (elf = dwfl_module_getelf (mod, &bias)) == NULL)
    return NULL;
  if (is_module (m, id, dwelf_elf_gnu_build_id (elf, &id)))
    return mod;
  tool_error ("%s: another file than when it was profiled; its functions have "
	      "no names", path);
  return NULL;
}

static void
add_file (namer *n, uint32_t number)
{
  const summary_module *m = summary_module_at (n->s, number);
  const char *path = summary_string (n->s, m->path);
  Dwfl_Module *mod = report_file (n->files.dwfl, m, path);
  module *file;

  n->file_of[number] = SIZE_MAX;
  if (mod == NULL)
    return;
  n->files.list = tool_realloc (n->files.list, n->files.num + 1, sizeof *file);
  n->file_of[number] = n->files.num;
  file = &n->files.list[n->files.num++];
  memset (file, 0, sizeof *file);
  file->dwfl = mod;
  file->path = path;
  file->elf = dwfl_module_getelf (mod, &file->bias);
  dwfl_module_info (mod, NULL, &file->start, &file->end, NULL, NULL, NULL,
		    NULL);
}

/* Open those files that samples are in.  */
static void
open_files (namer *n)
{
  summary *s = n->s;
  bool *used;

  n->files.dwfl = dwfl_begin (&elf_file_callbacks);
  if (n->files.dwfl == NULL)
    {
      tool_error ("libdwfl: %s", dwfl_errmsg (-1));
      exit (TOOL_FAILED);
    }
  used = tool_calloc (s->modules.num, sizeof *used);
  n->file_of = tool_calloc (s->modules.num, sizeof *n->file_of);
  for (uint32_t i = 0; i < s->places.num; i++)
    if (summary_place_at (s, i)->module != SUMMARY_NONE)
      used[summary_place_at (s, i)->module] = true;
  dwfl_report_begin (n->files.dwfl);
  for (uint32_t i = 0; i < s->modules.num; i++)
    if (used[i])
      add_file (n, i);
    else
      n->file_of[i] = SIZE_MAX;
  dwfl_report_end (n->files.dwfl, NULL, NULL);
  n->functions = functions_new (&n->files);
  free (used);
}

/* The running kernel's symbols, if the profile is of it.  */
static void
open_kernel (namer *n)
{
  uint8_t id[PROFILE_MAX_BUILD_ID];
  size_t size = kernel_build_id (id);
  bool same = false, other = false;

  for (uint32_t i = 0; i < n->s->modules.num; i++)
    {
      const summary_module *m = summary_module_at (n->s, i);
      if (strncmp (summary_string (n->s, m->path), KERNEL_PREFIX,
		   strlen (KERNEL_PREFIX))
	  != 0)
	continue;
      if (m->build_id_size != 0 && is_module (m, id, (ssize_t) size))
	same = true;
      else
	other = true;
    }
  if (same)
    n->kernel = kernel_symbols_read ();
  else if (other)
    tool_error ("the profile is of another kernel than the one that runs; "
		"its functions have no names");
}

/* Names.  */

static void
add_name (namer *n, summary_names *names, const char *name,
	  const char *symbol, const char *file, int line)
{
  summary_add_line (names,
		    summary_function_number (n->s, name, symbol,
					     file != NULL ? file : ""),
		    (uint32_t) line);
}

/* The name of a place without one.  */
static void
add_nameless (namer *n, summary_names *names, const summary_place *p,
	      const function *f)
{
  const char *module = summary_module_name (n->s, p->module);
  char *name;

  if (f != NULL && f->bounded)
    name = tool_printf ("%s+0x%" PRIx64, module, f->start - f->module->bias);
  else if (p->module != SUMMARY_NONE)
    /* Some have brackets already.  */
    name = tool_printf (*module == '[' ? "%s" : "[%s]", module);
  else if (p->code || p->kind != SUMMARY_AWAITING)
    name = tool_strdup ("[unknown]");
  else if (p->address != 0)
    name = tool_printf ("0x%" PRIx64, p->address);
  else
    name = tool_strdup ("[no address]");
  add_name (n, names, name, "", NULL, 0);
  free (name);
}

/* The address that libdwfl has given to offset OFFSET of FILE; false if that is
   not mapped.  */
static bool
offset_to_address (const module *file, uint64_t offset, uint64_t *address)
{
  size_t num;

  if (file->elf == NULL || elf_getphdrnum (file->elf, &num) != 0)
    return false;
  for (size_t i = 0; i < num; i++)
    {
      GElf_Phdr h;
      if (gelf_getphdr (file->elf, (int) i, &h) == NULL || h.p_type != PT_LOAD
	  || offset < h.p_offset || offset - h.p_offset >= h.p_filesz)
	continue;
      *address = offset - h.p_offset + h.p_vaddr + file->bias;
      return true;
    }
  return false;
}

static void
name_levels (namer *n, summary_names *names, const summary_place *p,
	     const function *f, uint64_t address)
{
  size_t num;
  const level *levels = functions_levels (n->functions, f, address, &num);
  /* A coroutine that is known by its first address is nowhere else in its
     function than at the start of it, so to say.  */
  bool start_only = p->kind == SUMMARY_AWAITING && address == f->start;

  for (size_t i = start_only ? num - 1 : 0; i < num; i++)
    if (levels[i].symbol == NULL)
      add_nameless (n, names, p, f);
    else
      {
	const char *file = start_only ? NULL : levels[i].file;
	char *name = symbol_display (levels[i].symbol);
	add_name (n, names, name, levels[i].symbol, file,
		  file != NULL ? levels[i].line : 0);
	free (name);
      }
}

static void
name_user (namer *n, summary_names *names, const summary_place *p)
{
  uint64_t address;
  size_t file = p->module != SUMMARY_NONE ? n->file_of[p->module] : SIZE_MAX;
  function f;

  if (file == SIZE_MAX
      || !offset_to_address (&n->files.list[file], p->address, &address))
    {
      add_nameless (n, names, p, NULL);
      return;
    }
  f = functions_find (n->functions, address);
  if (f.module == NULL)
    add_nameless (n, names, p, NULL);
  else
    name_levels (n, names, p, &f, address);
}

static void
name_kernel (namer *n, summary_names *names, const summary_place *p)
{
  const char *module = NULL, *name = NULL;

  if (n->kernel != NULL && p->map != SUMMARY_NONE)
    {
      const summary_map *m = &n->s->map_list[p->map];
      name = kernel_symbols_find (n->kernel, p->address - m->offset + m->start,
				  &module);
    }
  if (name != NULL)
    add_name (n, names, name, name, NULL, 0);
  else if (p->module != SUMMARY_NONE)
    add_nameless (n, names, p, NULL);
  else
    add_name (n, names, "[kernel]", "", NULL, 0);
}

void
summary_name (summary *s)
{
  namer n = { .s = s };

  open_files (&n);
  open_kernel (&n);
  for (uint32_t i = 0; i < s->places.num; i++)
    {
      const summary_place *p = summary_place_at (s, i);
      summary_names *names = &s->names[i];
      if (names->num != 0)
	continue;
      if (p->kind == SUMMARY_KERNEL)
	name_kernel (&n, names, p);
      else
	name_user (&n, names, p);
    }
  kernel_symbols_free (n.kernel);
  functions_free (n.functions);
  free (n.files.list);
  dwfl_end (n.files.dwfl);
  free (n.file_of);
}
