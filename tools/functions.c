/* sframe-coro: the functions of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <dwarf.h>
#include <inttypes.h>
#include <elfutils/libdw.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "elf-file.h"
#include "functions.h"
#include "ranges.h"
#include "symbol.h"
#include "tool.h"

/* The levels that were found at an address.  */
typedef struct found
{
  uint64_t address;
  level *levels;
  size_t num;
} found;

/* A function that was looked up; MODULE is NULL: none.  */
typedef struct known
{
  uint64_t address;
  function function;
} known;

/* Of addresses that share a place the last one is known.  */
#define NUM_KNOWN 4096

struct functions
{
  const modules *modules;
  stretches *of_module;
  known known[NUM_KNOWN];
  void *found; /* A tree of `found', see tsearch(3).  */
};

functions *
functions_new (const modules *m)
{
  functions *fs = tool_calloc (1, sizeof *fs);
  fs->modules = m;
  fs->of_module = tool_calloc (m->num, sizeof *fs->of_module);
  return fs;
}

static void
free_found (void *arg)
{
  found *f = arg;
  free (f->levels);
  free (f);
}

void
functions_free (functions *fs)
{
  if (fs == NULL)
    return;
  tdestroy (fs->found, free_found);
  for (size_t i = 0; i < fs->modules->num; i++)
    free (fs->of_module[i].list);
  free (fs->of_module);
  free (fs);
}

/* Unwind information.  */

/* How the addresses of the entries that use CIE are encoded: behind 'R' in
   its augmentation.  */
static uint8_t
cie_encoding (const Dwarf_CIE *cie)
{
  static const uint8_t sizes[16] = { 8, 0, 2, 4, 8, 0, 0, 0,
				     0, 0, 2, 4, 8, 0, 0, 0 };
  const uint8_t *data = cie->augmentation_data;
  const uint8_t *end = data + cie->augmentation_data_size;

  if (cie->augmentation[0] != 'z' || data == NULL)
    return DW_EH_PE_absptr;
  for (const char *a = cie->augmentation + 1; *a != 0 && data < end; a++)
    {
      if (*a == 'R')
	return *data;
      if (*a == 'L')
	data++;
      else if (*a == 'P')
	data += 1 + sizes[*data & 0xf];
    }
  return DW_EH_PE_absptr;
}

/* Take the number at *P, encoded as the low bits of ENCODING say.  */
static bool
take_number (const uint8_t **p, const uint8_t *end, uint8_t encoding,
	     uint64_t *value)
{
  size_t left = (size_t) (end - *p);
  uint32_t u4;

  switch (encoding & 0xf)
    {
    case DW_EH_PE_sdata4:
    case DW_EH_PE_udata4:
      if (left < sizeof u4)
	return false;
      memcpy (&u4, *p, sizeof u4);
      *p += sizeof u4;
      *value = u4;
      if ((encoding & 0xf) == DW_EH_PE_sdata4)
	*value = (uint64_t) (int32_t) u4;
      return true;
    case DW_EH_PE_absptr:
    case DW_EH_PE_sdata8:
    case DW_EH_PE_udata8:
      if (left < sizeof *value)
	return false;
      memcpy (value, *p, sizeof *value);
      *p += sizeof *value;
      return true;
    default:
      return false;
    }
}

/* Decode entry FDE of the section at ADDRESS into *S.  */
static bool
decode_fde (const unsigned char *ident, Elf_Data *data, uint64_t address,
	    const Dwarf_FDE *fde, stretch *s)
{
  const uint8_t *p = fde->start;
  Dwarf_CFI_Entry cie;
  Dwarf_Off next;
  uint8_t encoding;
  uint64_t field = address + (uint64_t) (p - (const uint8_t *) data->d_buf);

  if (dwarf_next_cfi (ident, data, true, fde->CIE_pointer, &next, &cie) != 0
      || !dwarf_cfi_cie_p (&cie))
    return false;
  encoding = cie_encoding (&cie.cie);
  if ((encoding & ~0x1f) != 0
      || !take_number (&p, fde->end, encoding, &s->start)
      || !take_number (&p, fde->end, encoding & 7, &s->end))
    return false;
  if ((encoding & 0x70) == DW_EH_PE_pcrel)
    s->start += field;
  s->end += s->start;
  return s->end > s->start;
}

void
functions_stretches (Elf *elf, stretches *t)
{
  size_t ident_size, strings, room = 0;
  const char *ident = elf_getident (elf, &ident_size);
  Elf_Scn *scn = NULL;
  GElf_Shdr h;

  t->read = true;
  if (ident == NULL || elf_getshdrstrndx (elf, &strings) != 0)
    return;
  while ((scn = elf_nextscn (elf, scn)) != NULL)
    {
      const unsigned char *e_ident = (const unsigned char *) ident;
      Dwarf_Off off = 0, next;
      Dwarf_CFI_Entry entry;
      const char *name;
      Elf_Data *data;

      if (gelf_getshdr (scn, &h) == NULL || h.sh_type == SHT_NOBITS
	  || (name = elf_strptr (elf, strings, h.sh_name)) == NULL
	  || strcmp (name, ".eh_frame") != 0
	  || (data = elf_rawdata (scn, NULL)) == NULL)
	continue;
      for (; off != (Dwarf_Off) -1
	     && dwarf_next_cfi (e_ident, data, true, off, &next, &entry) >= 0;
	   off = next)
	{
	  stretch s;
	  if (dwarf_cfi_cie_p (&entry)
	      || !decode_fde (e_ident, data, h.sh_addr, &entry.fde, &s))
	    continue;
	  if (t->num == room)
	    {
	      room = room ? room * 2 : 64;
	      t->list = tool_realloc (t->list, room, sizeof s);
	    }
	  t->list[t->num++] = s;
	}
    }
  if (t->num != 0)
    qsort (t->list, t->num, sizeof *t->list, ranges_compare);
}

/* The stretches of module MOD.  */
static const stretches *
stretches_of (functions *fs, const module *mod)
{
  stretches *t = &fs->of_module[mod - fs->modules->list];

  if (!t->read && mod->elf != NULL)
    functions_stretches (mod->elf, t);
  return t;
}

/* The number of stretches that start at or before ADDRESS.  */
static size_t
num_up_to (const stretches *t, uint64_t address)
{
  return ranges_up_to (t->list, t->num, sizeof *t->list, address);
}

/* Set the bounds of F by the stretch that ADDRESS is in.  */
static bool
bound_by_stretch (functions *fs, function *f, uint64_t address)
{
  const stretches *t = stretches_of (fs, f->module);
  uint64_t bias = f->module->bias;
  size_t i = num_up_to (t, address - bias);

  if (i == 0 || address - bias >= t->list[i - 1].end)
    return false;
  f->start = t->list[i - 1].start + bias;
  f->end = t->list[i - 1].end + bias;
  f->bounded = true;
  return true;
}

/* Symbols.  */

/* Look up the function at ADDRESS of MODULE.  libdwfl goes through the symbols
   for that.  */
static function
look_up (functions *fs, const module *module, uint64_t address)
{
  function f = { .module = module };
  const char *name;
  GElf_Off off;
  GElf_Sym sym;

  name = dwfl_module_addrinfo (f.module->dwfl, address, &off, &sym, NULL,
			       NULL, NULL);
  if (name != NULL && off < sym.st_size)
    {
      f.start = address - off;
      f.end = f.start + sym.st_size;
      f.bounded = true;
    }
  else
    {
      /* The nearest symbol without a size names a function only if it is where
	 that begins: in a stripped file it may be far away.  */
      bound_by_stretch (fs, &f, address);
      if (name != NULL && f.bounded && address - off != f.start)
	name = NULL;
    }
  f.symbol = name;
  f.local = name != NULL && GELF_ST_BIND (sym.st_info) == STB_LOCAL;
  return f;
}

function
functions_find (functions *fs, uint64_t address)
{
  known *k = &fs->known[(address ^ address >> 12) % NUM_KNOWN];

  if (k->function.module == NULL || k->address != address)
    {
      const module *m = modules_find (fs->modules, address);
      if (m == NULL)
	return (function){ 0 };
      k->address = address;
      k->function = look_up (fs, m, address);
    }
  return k->function;
}

/* The number of the source file that defines the local function F, in the
   order of the symbol table; 0 if the table does not say.  */
static int
source_file (const function *f)
{
  Dwfl_Module *mod = f->module->dwfl;
  int num = dwfl_module_getsymtab (mod), file = 0;
  GElf_Sym sym;
  GElf_Addr address;

  for (int i = 1; i < num; i++)
    {
      const char *name = dwfl_module_getsym_info (mod, i, &sym, &address,
						  NULL, NULL, NULL);
      if (name == NULL)
	continue;
      if (GELF_ST_TYPE (sym.st_info) == STT_FILE)
	file = i;
      else if (address == f->start && strcmp (name, f->symbol) == 0)
	return file;
    }
  return 0;
}

/* Code of stripped files.  */

/* Whether a direct branch in A goes to [LO, HI).  BRANCH tells which there
   are.  Every byte is tried as the start of an instruction: that an other one
   looks like a branch to just there is most unlikely.  */
typedef enum branch
{
  BRANCH_CALL, /* Calls, and jumps in their place.  */
  BRANCH_IF
} branch;

static bool
branches_to (const function *a, branch kind, uint64_t lo, uint64_t hi)
{
  size_t size = (size_t) (a->end - a->start);
  unsigned char *code;
  bool found = false;
  int32_t rel;

  /* Only these instructions are known here.  */
#ifndef __x86_64__
  return false;
#endif
  code = tool_calloc (size, 1);
  if (size >= 5
      && elf_image_read (a->module->elf, a->start - a->module->bias, code,
			 size))
    for (size_t i = 1; !found && i + 4 <= size; i++)
      {
	uint64_t target;
	if (kind == BRANCH_CALL
		? code[i - 1] != 0xe8 && code[i - 1] != 0xe9
		: i < 2 || code[i - 2] != 0x0f || (code[i - 1] & 0xf0) != 0x80)
	  continue;
	memcpy (&rel, code + i, sizeof rel);
	target = a->start + i + 4 + (uint64_t) (int64_t) rel;
	found = target >= lo && target < hi;
      }
  free (code);
  return found;
}

/* Whether the code of A is directly before that of B.  */
static bool
is_before (functions *fs, const function *a, const function *b)
{
  const stretches *t = stretches_of (fs, a->module);
  size_t i = num_up_to (t, a->start - a->module->bias);
  return i < t->num && t->list[i].start == b->start - b->module->bias;
}

/* Without names: g++'s destroy function calls the actor; clang++ puts it
   behind the resume function; code that is seldom needed is split off and
   reached by conditional jumps.  */
static bool
same_by_code (functions *fs, const function *a, const function *b,
	      bool b_is_destroy)
{
  if (a->module != b->module || a->module->elf == NULL)
    return false;
  if (b_is_destroy
      && (branches_to (b, BRANCH_CALL, a->start, a->start + 1)
	  || is_before (fs, a, b)))
    return true;
  return branches_to (b, BRANCH_IF, a->start, a->end);
}

bool
functions_same_coroutine (functions *fs, const function *a, const function *b,
			  bool b_is_destroy)
{
  if (a->module == NULL || a->module != b->module || !a->bounded
      || !b->bounded)
    return false;
  if (a->start == b->start)
    return true;
  if (a->symbol == NULL && b->symbol == NULL)
    return same_by_code (fs, a, b, b_is_destroy);
  if (a->symbol == NULL || b->symbol == NULL
      || !symbol_same_function (a->symbol, b->symbol))
    return false;
  /* Static functions of several files may share a name.  */
  return (!a->local || !b->local || source_file (a) == source_file (b));
}

bool
functions_is_trampoline (const function *f, uint64_t pc)
{
  Dwarf_Frame *frame = NULL;
  Dwarf_Addr bias = 0, start, end;
  bool is_signal = false;
  Dwarf_CFI *cfi;

  if (f->module == NULL
      || (cfi = dwfl_module_eh_cfi (f->module->dwfl, &bias)) == NULL
      || dwarf_cfi_addrframe (cfi, pc - bias, &frame) != 0)
    return false;
  if (dwarf_frame_info (frame, &start, &end, &is_signal) < 0)
    is_signal = false;
  free (frame);
  return is_signal;
}

/* Source.  */

/* The compilation unit of ADDRESS in module MOD.  */
static Dwarf_Die *
find_unit (Dwfl_Module *mod, uint64_t address, Dwarf_Addr *bias)
{
  Dwarf_Die *unit = dwfl_module_addrdie (mod, address, bias);

  /* That used a table of address ranges; clang++ writes none.  */
  while (unit == NULL || dwarf_haspc (unit, address - *bias) <= 0)
    if ((unit = dwfl_module_nextcu (mod, unit, bias)) == NULL)
      return NULL;
  return unit;
}

/* The name of the function DIE is an instance of, mangled if it can be.  */
static const char *
die_name (Dwarf_Die *die)
{
  static const unsigned names[]
      = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };
  Dwarf_Attribute attr;

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (dwarf_attr_integrate (die, names[i], &attr) != NULL)
      return dwarf_formstring (&attr);
  return NULL;
}

/* Set where in unit UNIT the inlined function DIE is called.  */
static void
set_call (Dwarf_Die *unit, Dwarf_Die *die, level *l)
{
  Dwarf_Attribute attr;
  Dwarf_Files *files;
  Dwarf_Word file, line;
  size_t num;

  l->file = NULL;
  if (dwarf_formudata (dwarf_attr (die, DW_AT_call_line, &attr), &line) != 0
      || dwarf_formudata (dwarf_attr (die, DW_AT_call_file, &attr), &file) != 0
      || line == 0 || dwarf_getsrcfiles (unit, &files, &num) != 0)
    return;
  l->file = dwarf_filesrc (files, file, NULL, NULL);
  l->line = (int) line;
}

/* Replace *LEVELS, which holds the line of the innermost level, by what the
   NUM SCOPES around it, innermost first, say.  Return the number of levels.  */
static size_t
levels_of_scopes (Dwarf_Die *unit, Dwarf_Die *scopes, int num,
		  const function *f, level **levels)
{
  size_t n = 0;

  for (int i = 0; i < num; i++)
    {
      int tag = dwarf_tag (&scopes[i]);
      if (tag == DW_TAG_inlined_subroutine)
	{
	  *levels = tool_realloc (*levels, n + 2, sizeof **levels);
	  (*levels)[n].symbol = die_name (&scopes[i]);
	  (*levels)[n + 1] = (level){ .symbol = f->symbol };
	  set_call (unit, &scopes[i], &(*levels)[++n]);
	}
      else if (tag == DW_TAG_subprogram)
	{
	  if (f->symbol == NULL)
	    (*levels)[n].symbol = die_name (&scopes[i]);
	  break;
	}
    }
  return n + 1;
}

/* Set *LEVELS as functions_levels says; return how many.  */
static size_t
find_levels (const function *f, uint64_t address, level **levels)
{
  Dwarf_Die *unit, *scopes = NULL, innermost;
  Dwarf_Addr bias;
  Dwarf_Line *line;
  size_t n = 1;
  int num;

  *levels = tool_calloc (1, sizeof **levels);
  (*levels)->symbol = f->symbol;
  if (f->module == NULL
      || (unit = find_unit (f->module->dwfl, address, &bias)) == NULL)
    return 1;
  line = dwarf_getsrc_die (unit, address - bias);
  /* Line 0 is code that no line stands for.  */
  if (line != NULL && dwarf_lineno (line, &(*levels)->line) == 0
      && (*levels)->line != 0)
    (*levels)->file = dwarf_linesrc (line, NULL, NULL);
  /* The scopes around an inlined function are those where it is written; what
     is wanted is where it is called.  */
  num = dwarf_getscopes (unit, address - bias, &scopes);
  if (num <= 0)
    return 1;
  innermost = scopes[0];
  free (scopes);
  num = dwarf_getscopes_die (&innermost, &scopes);
  if (num <= 0)
    return 1;
  n = levels_of_scopes (unit, scopes, num, f, levels);
  free (scopes);
  return n;
}

const level *
functions_levels (functions *fs, const function *f, uint64_t address,
		  size_t *num)
{
  found *new = tool_calloc (1, sizeof *new), **node;

  new->address = address;
  node = tsearch (new, &fs->found, ranges_compare);
  if (node == NULL)
    tool_no_memory ();
  if (*node != new)
    free (new);
  else
    new->num = find_levels (f, address, &new->levels);
  *num = (*node)->num;
  return (*node)->levels;
}

bool
functions_is_inlined (const function *f, const char *name)
{
  return f->symbol != NULL && symbol_is_piece_of (f->symbol, name);
}
