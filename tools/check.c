/* sframe-coro: `check', what is wrong with the sections of files.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "tool.h"

/* What the validator is told about the file.  */

static bool
is_code (void *arg, uint64_t address, uint64_t size)
{
  const elf_file *file = arg;
  size_t num = 0;
  GElf_Phdr p;

  elf_getphdrnum (file->elf, &num);
  for (size_t i = 0; i < num; i++)
    if (gelf_getphdr (file->elf, (int) i, &p) != NULL && p.p_type == PT_LOAD
	&& (p.p_flags & PF_X) && address >= p.p_vaddr
	&& address - p.p_vaddr <= p.p_memsz
	&& size <= p.p_memsz - (address - p.p_vaddr))
      return true;
  return false;
}

static int
read_image (void *arg, uint64_t address, void *buf, size_t len)
{
  const elf_file *file = arg;
  return elf_image_read (file->elf, address, buf, len) ? 0 : -1;
}

static sframe_coro_module_facts
module_facts (const elf_file *file)
{
  sframe_coro_module_facts facts
      = { .arg = (void *) file, .relocatable = file->relocatable };
  GElf_Phdr tls;

  if (file->relocatable)
    return facts;
  facts.is_code = is_code;
  facts.read = read_image;
  facts.has_tls_size = true;
  if (elf_phdr (file->elf, PT_TLS, &tls))
    {
      facts.tls_size = tls.p_memsz;
      facts.tls_align = tls.p_align;
    }
  return facts;
}

/* Reporting.  */

typedef struct report
{
  const elf_file *file;
  const elf_coro *section;
  char *name; /* Of the section.  */
  json_object *array;
  long errors, warnings;
} report;

static void
print_finding (const report *r, const sframe_coro_finding *f)
{
  printf ("%s: %s+0x%zx: %s: ", r->file->path, r->name, f->where.offset,
	  f->severity == SFRAME_CORO_ERROR ? "error" : "warning");
  if (f->where.record != NULL)
    printf ("%s %zu: ", f->where.record, f->where.index);
  if (f->where.field != NULL)
    printf ("%s: ", f->where.field);
  puts (sframe_coro_errmsg (f->error));
}

static void
add_finding (const report *r, const sframe_coro_finding *f)
{
  json_object *o = json_object_new_object ();

  json_add_string (o, "section", r->section->name);
  json_add_number (o, "section_number", (int64_t) r->section->scn);
  json_add_number (o, "offset", (int64_t) f->where.offset);
  json_add_string (o, "severity",
		   f->severity == SFRAME_CORO_ERROR ? "error" : "warning");
  json_add_number (o, "block", (int64_t) f->where.block);
  json_add_string (o, "record", f->where.record);
  json_add_number (o, "index", (int64_t) f->where.index);
  json_add_string (o, "field", f->where.field);
  json_add_string (o, "message", sframe_coro_errmsg (f->error));
  json_add_address (o, "value", f->value);
  json_object_array_add (r->array, o);
}

static int
take_finding (void *arg, const sframe_coro_finding *f)
{
  report *r = arg;

  if (f->severity == SFRAME_CORO_ERROR)
    r->errors++;
  else
    r->warnings++;
  if (r->array != NULL)
    add_finding (r, f);
  else
    print_finding (r, f);
  return 0;
}

static int
check_file (const elf_file *file, const files *args, json_object *o)
{
  sframe_coro_module_facts facts = module_facts (file);
  report r = { .file = file };

  if (o != NULL)
    r.array = json_add_array (o, "findings");
  for (size_t i = 0; i < file->num_sections; i++)
    {
      const elf_coro *s = &file->sections[i];
      long result;

      r.section = s;
      r.name = files_section_name (file, s);
      result = sframe_coro_validate (s->bytes, s->size, s->address, &facts,
				     take_finding, &r);
      free (r.name);
      if (result < 0)
	{
	  tool_error ("%s: out of memory", file->path);
	  return TOOL_FAILED;
	}
    }
  if (o != NULL)
    {
      json_add_number (o, "errors", r.errors);
      json_add_number (o, "warnings", r.warnings);
    }
  return (r.errors != 0 || (args->strict && r.warnings != 0)
	      ? TOOL_INCOMPLETE
	      : TOOL_OK);
}

int
check_main (int argc, char **argv)
{
  files f = files_parse (argc, argv,
			 "Find what is wrong with the section .sframe_coro "
			 "of ELF files.",
			 true);
  return files_do (&f, check_file);
}
