/* The modules of a file or a process, for the examples.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "modules.h"

#include <stdio.h>
#include <string.h>

static const Dwfl_Callbacks callbacks = {
  .find_elf = dwfl_linux_proc_find_elf,
  .find_debuginfo = dwfl_standard_find_debuginfo,
  .section_address = dwfl_offline_section_address
};

/* DWFL, if all went well.  */
static Dwfl *
reported (Dwfl *dwfl, const char *name, bool good)
{
  if (good && dwfl_report_end (dwfl, NULL, NULL) == 0)
    return dwfl;
  fprintf (stderr, "%s: %s\n", name, dwfl_errmsg (-1));
  dwfl_end (dwfl);
  return NULL;
}

Dwfl *
modules_of_file (const char *name)
{
  Dwfl *dwfl = dwfl_begin (&callbacks);

  return reported (dwfl, name,
                   dwfl_report_offline (dwfl, name, name, -1) != NULL);
}

Dwfl *
modules_of_process (pid_t pid)
{
  Dwfl *dwfl = dwfl_begin (&callbacks);
  char name[32];

  snprintf (name, sizeof name, "process %d", (int) pid);
  return reported (dwfl, name, dwfl_linux_proc_report (dwfl, pid) == 0);
}

/* Add the contents of one section, where it is mapped.  Records that are
   wrong are left out; the rest is as good as ever.  */
static int
add_section (sframe_coro_index *index, const char *module, Elf_Scn *scn,
             uint64_t address)
{
  Elf_Data *data = elf_getdata (scn, NULL);
  sframe_coro_where where = { 0 };
  sframe_coro_section section;
  int err = SFRAME_CORO_ERR_TRUNCATED;

  if (data != NULL)
    err = sframe_coro_section_open (&section, data->d_buf, data->d_size,
                                    address, &where);
  if (err == SFRAME_CORO_OK)
    err = sframe_coro_index_add (index, &section, NULL, &where);
  if (err != SFRAME_CORO_OK)
    fprintf (stderr, "%s: %s+%#zx: %s\n", module, SFRAME_CORO_SECTION_NAME,
             where.offset, sframe_coro_errmsg (err));
  return err == SFRAME_CORO_ERR_NOMEM ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static int
add_module (Dwfl_Module *module, void **userdata, const char *name,
            Dwarf_Addr start, void *index)
{
  GElf_Addr bias;
  Elf *elf = dwfl_module_getelf (module, &bias);
  Elf_Scn *scn = NULL;
  size_t names;

  (void) userdata, (void) start;
  if (elf == NULL || elf_getshdrstrndx (elf, &names) != 0)
    return DWARF_CB_OK; /* The vDSO of another process, say.  */
  while ((scn = elf_nextscn (elf, scn)) != NULL)
    {
      GElf_Shdr mem, *header = gelf_getshdr (scn, &mem);
      const char *section
        = header ? elf_strptr (elf, names, header->sh_name) : NULL;

      if (section != NULL && strcmp (section, SFRAME_CORO_SECTION_NAME) == 0
          && add_section (index, name, scn, header->sh_addr + bias)
               != DWARF_CB_OK)
        return DWARF_CB_ABORT;
    }
  return DWARF_CB_OK;
}

int
modules_index (Dwfl *modules, sframe_coro_index *index)
{
  if (dwfl_getmodules (modules, add_module, index, 0) != 0)
    return -1;
  return sframe_coro_index_finish (index) == SFRAME_CORO_OK ? 0 : -1;
}

const char *
modules_function (Dwfl *modules, uint64_t address)
{
  Dwfl_Module *module = dwfl_addrmodule (modules, address);
  const char *name = module ? dwfl_module_addrname (module, address) : NULL;

  return name != NULL ? name : "?";
}
