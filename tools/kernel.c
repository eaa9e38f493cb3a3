/* sframe-coro: the running kernel, as a module of profiles.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   /proc/kallsyms, /proc/modules and /sys/kernel/notes are described in the
   kernel's Documentation/filesystems/proc.rst and ABI/testing.  */

#include "config.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel.h"
#include "table.h"
#include "ranges.h"
#include "tool.h"

/* Symbols.  */

typedef struct kernel_symbol
{
  uint64_t address;
  uint32_t name, module; /* Numbers in `strings'; module "": none.  */
} kernel_symbol;

struct kernel_symbols
{
  table strings;
  kernel_symbol *list; /* By address.  */
  size_t num, room;
};

/* Take a line of /proc/kallsyms: address, kind, name, and a module in
   brackets.  */
static void
take_symbol (kernel_symbols *k, const char *line)
{
  char kind, name[512], module[128] = "";
  uint64_t address;
  size_t len;

  if (sscanf (line, "%" SCNx64 " %c %511s [%126s", &address, &kind, name,
	      module) < 3
      || address == 0 || strchr ("tTwW", kind) == NULL)
    return;
  len = strlen (module);
  if (len != 0 && module[len - 1] == ']')
    module[len - 1] = 0;
  k->list = table_grow (k->list, &k->room, k->num + 1, sizeof *k->list);
  k->list[k->num++]
      = (kernel_symbol){ address, table_string (&k->strings, name),
			 table_string (&k->strings, module) };
}

kernel_symbols *
kernel_symbols_read (void)
{
  kernel_symbols *k = tool_calloc (1, sizeof *k);
  FILE *f = fopen ("/proc/kallsyms", "re");
  char *line = NULL;
  size_t room = 0;

  while (f != NULL && getline (&line, &room, f) > 0)
    take_symbol (k, line);
  free (line);
  if (f != NULL)
    fclose (f);
  if (k->num != 0)
    qsort (k->list, k->num, sizeof *k->list, ranges_compare);
  return k;
}

void
kernel_symbols_free (kernel_symbols *k)
{
  if (k == NULL)
    return;
  table_free (&k->strings);
  free (k->list);
  free (k);
}

const char *
kernel_symbols_find (const kernel_symbols *k, uint64_t address,
		     const char **module)
{
  size_t n = ranges_up_to (k->list, k->num, sizeof *k->list, address);

  if (n == 0)
    return NULL;
  *module = table_key (&k->strings, k->list[n - 1].module);
  if (**module == 0)
    *module = NULL;
  return table_key (&k->strings, k->list[n - 1].name);
}

/* Build ID.  */

/* Find the build ID among SIZE bytes of NOTES.  */
static size_t
find_build_id (char *notes, size_t size, uint8_t *id)
{
  Elf_Data data = { .d_buf = notes,
		    .d_type = ELF_T_NHDR,
		    .d_version = EV_CURRENT,
		    .d_size = size,
		    .d_align = 4 };
  size_t off = 0, name, desc;
  GElf_Nhdr h;

  while ((off = gelf_getnote (&data, off, &h, &name, &desc)) != 0)
    if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == sizeof ELF_NOTE_GNU
	&& memcmp (notes + name, ELF_NOTE_GNU, h.n_namesz) == 0
	&& h.n_descsz <= PROFILE_MAX_BUILD_ID)
      {
	memcpy (id, notes + desc, h.n_descsz);
	return h.n_descsz;
      }
  return 0;
}

static size_t
read_build_id (const char *path, uint8_t *id)
{
  char notes[8192] __attribute__ ((aligned (8)));
  FILE *f = fopen (path, "re");
  size_t size;

  if (f == NULL)
    return 0;
  size = fread (notes, 1, sizeof notes, f);
  fclose (f);
  elf_version (EV_CURRENT);
  return find_build_id (notes, size, id);
}

size_t
kernel_build_id (uint8_t *id)
{
  return read_build_id ("/sys/kernel/notes", id);
}

/* Maps.  */

/* The first symbol called NAME in /proc/kallsyms; 0 if there is none.  */
static uint64_t
symbol_address (const char *name)
{
  FILE *f = fopen ("/proc/kallsyms", "re");
  uint64_t address, found = 0;
  char *line = NULL, word[512];
  size_t room = 0;

  while (f != NULL && found == 0 && getline (&line, &room, f) > 0)
    if (sscanf (line, "%" SCNx64 " %*c %511s", &address, word) == 2
	&& strcmp (word, name) == 0)
      found = address;
  free (line);
  if (f != NULL)
    fclose (f);
  return found;
}

static bool
put_map (profile_sink sink, const char *path, uint64_t start, uint64_t end,
	 uint64_t offset, const char *notes)
{
  profile_event e = { .kind = PROFILE_MMAP, .pid = PROFILE_KERNEL_PID };

  e.mmap.path = path;
  e.mmap.address = start;
  e.mmap.length = end - start;
  e.mmap.offset = offset;
  e.mmap.prot = PROT_READ | PROT_EXEC;
  e.mmap.build_id_size = (uint8_t) read_build_id (notes, e.mmap.build_id);
  return sink.put (sink.arg, &e);
}

/* Put the map of the module of a line of /proc/modules: name, size, four more
   words, address.  */
static bool
put_module (profile_sink sink, const char *line)
{
  char name[128], *path, *notes;
  uint64_t size, address;
  bool ok;

  if (sscanf (line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size,
	      &address) != 3
      || address == 0)
    return true;
  path = tool_printf ("[%s]", name);
  notes = tool_printf ("/sys/module/%s/notes/.note.gnu.build-id", name);
  ok = put_map (sink, path, address, address + size, 0, notes);
  free (path);
  free (notes);
  return ok;
}

bool
kernel_put_maps (profile_sink sink)
{
  uint64_t text = symbol_address ("_text"), end = symbol_address ("_etext");
  char *line = NULL;
  size_t room = 0;
  bool ok = true;
  FILE *f;

  if (text == 0 || end <= text)
    return true;
  /* perf wants the address of the symbol in the name as offset.  */
  ok = put_map (sink, KERNEL_PATH, text, end, text, "/sys/kernel/notes");
  f = fopen ("/proc/modules", "re");
  while (ok && f != NULL && getline (&line, &room, f) > 0)
    ok = put_module (sink, line);
  free (line);
  if (f != NULL)
    fclose (f);
  return ok;
}
