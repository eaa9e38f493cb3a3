/* sframe-coro: unwind information as tables of rows.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Programs have DWARF's unwind information for exceptions, in .eh_frame; what
   a reader in the kernel can do with it is little: a sum for the CFA, slots
   for the frame pointer and what else calls preserve.  Nearly all rows say no
   more than that; what else is common is given a rule of its own.  */

#include "config.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "cfi-rows.h"
#include "functions.h"
#include "tool.h"

#if defined __x86_64__

/* DWARF register numbers (System V ABI, AMD64 supplement, figure 3.36).  */
enum
{
  REGISTER_FP = 6,
  REGISTER_SP = 7,
  REGISTER_PC = 16
};

/* Those that are kept, in the order of the sampler.  */
static const uint8_t kept[] = { REGISTER_SP, REGISTER_FP, 3, 12, 13, 14, 15 };
#define NUM_KEPT (sizeof kept / sizeof *kept)

_Static_assert (NUM_KEPT == SAMPLER_REGISTER_CFA, "rbx, r12 to r15");

uint16_t
cfi_rows_register (unsigned regno)
{
  for (uint16_t i = 0; i < NUM_KEPT; i++)
    if (kept[i] == regno)
      return i;
  return SAMPLER_REGISTER_NONE;
}

/* Set the CFA of R in units of words; false if that cannot be said.  */
static bool
set_cfa (cfi_row *r, uint8_t rule, int64_t offset)
{
  if (offset % 8 != 0 || offset / 8 > INT16_MAX || offset / 8 < INT16_MIN)
    return false;
  r->form.rule = rule;
  r->cfa = (int16_t) (offset / 8);
  return true;
}

/* Whether OP adds to register REGNO, and in *OFFSET what.  */
static bool
is_register (const Dwarf_Op *op, unsigned regno, int64_t *offset)
{
  if (op->atom == DW_OP_bregx && op->number == regno)
    *offset = (int64_t) op->number2;
  else if (op->atom == DW_OP_breg0 + regno)
    *offset = (int64_t) op->number;
  else
    return false;
  return true;
}

/* What linkers give the PLT: SP + 8, and 8 more if the PC is 11 bytes or more
   behind a multiple of 16.  */
static bool
is_plt (const Dwarf_Op *ops, size_t num)
{
  static const uint8_t atoms[] = { DW_OP_breg7, DW_OP_breg16, DW_OP_lit15,
				   DW_OP_and, DW_OP_lit11, DW_OP_ge,
				   DW_OP_lit3, DW_OP_shl, DW_OP_plus };

  if (num != sizeof atoms || ops[0].number != 8 || ops[1].number != 0)
    return false;
  for (size_t i = 0; i < num; i++)
    if (ops[i].atom != atoms[i])
      return false;
  return true;
}

static bool
convert_cfa (const Dwarf_Op *ops, size_t num, cfi_row *r)
{
  int64_t offset;

  if (num == 1 && is_register (ops, REGISTER_SP, &offset))
    return set_cfa (r, SAMPLER_RULE_SP, offset);
  if (num == 1 && is_register (ops, REGISTER_FP, &offset))
    return set_cfa (r, SAMPLER_RULE_FP, offset);
  if (num == 2 && is_register (ops, REGISTER_FP, &offset)
      && ops[1].atom == DW_OP_deref)
    return set_cfa (r, SAMPLER_RULE_FP_MEM, offset);
  r->form.rule = SAMPLER_RULE_PLT;
  return is_plt (ops, num);
}

/* Whether the location OPS is the word at *OFFSET from the CFA.  */
static bool
is_at_cfa (const Dwarf_Op *ops, size_t num, int64_t *offset)
{
  if (num == 0 || ops[0].atom != DW_OP_call_frame_cfa)
    return false;
  *offset = num == 2 ? (int64_t) ops[1].number : 0;
  return num == 1 || (num == 2 && ops[1].atom == DW_OP_plus_uconst);
}

/* Whether the location OPS is a slot that rows can tell of, and in *SLOT which,
   in words from the CFA.  */
static bool
is_slot (const Dwarf_Op *ops, size_t num, int8_t *slot)
{
  int64_t offset;

  if (!is_at_cfa (ops, num, &offset) || offset % 8 != 0 || offset == 0
      || offset / 8 > INT8_MAX || offset / 8 <= SAMPLER_NOT_SAVED)
    return false;
  *slot = (int8_t) (offset / 8);
  return true;
}

/* Where FRAME saves what else calls preserve; what cannot be told is lost.  */
static void
convert_saved (Dwarf_Frame *frame, cfi_row *r)
{
  Dwarf_Op mem[3], *ops;
  size_t num;

  for (unsigned i = 0; i < SAMPLER_NUM_SAVED; i++)
    {
      int8_t *slot = &r->form.saved[i];
      *slot = SAMPLER_NOT_SAVED;
      if (dwarf_frame_register (frame, kept[SAMPLER_REGISTER_SAVED + i], mem,
				&ops, &num) != 0)
	continue;
      /* As it was, also where there is no rule: calls preserve it.  */
      if (num == 0)
	*slot = 0;
      else
	is_slot (ops, num, slot);
    }
}

/* Where FRAME saves the frame pointer.  */
static bool
convert_fp (Dwarf_Frame *frame, cfi_row *r)
{
  Dwarf_Op mem[3], *ops;
  size_t num;
  int64_t offset;

  r->form.fp = 0;
  if (dwarf_frame_register (frame, REGISTER_FP, mem, &ops, &num) != 0)
    return false;
  /* As it was, or of no use for the caller.  */
  if (num == 0)
    return true;
  if (r->form.rule == SAMPLER_RULE_FP_MEM)
    return num == 1 && is_register (ops, REGISTER_FP, &offset) && offset == 0;
  return is_slot (ops, num, &r->form.fp);
}

/* Whether FRAME has no caller, in *END, and whether the return address is
   where the rules know it to be.  */
static bool
convert_pc (Dwarf_Frame *frame, bool *end)
{
  Dwarf_Op mem[3], *ops;
  size_t num;
  int64_t offset;

  if (dwarf_frame_register (frame, REGISTER_PC, mem, &ops, &num) != 0)
    return false;
  *end = num == 0 && ops != NULL;
  return *end || (is_at_cfa (ops, num, &offset) && offset == -8);
}

/* Make R of FRAME; IS_SIGNAL says that it is a signal's.  */
static void
convert (Dwarf_Frame *frame, bool is_signal, cfi_row *r)
{
  Dwarf_Op *ops;
  size_t num;
  bool end;

  if (is_signal)
    r->form.rule = SAMPLER_RULE_SIGNAL;
  else if (dwarf_frame_cfa (frame, &ops, &num) != 0
	   || !convert_pc (frame, &end))
    r->form.rule = SAMPLER_RULE_OTHER;
  else if (end)
    r->form.rule = SAMPLER_RULE_END;
  else if (!convert_cfa (ops, num, r) || !convert_fp (frame, r))
    r->form.rule = SAMPLER_RULE_OTHER;
  else
    convert_saved (frame, r);
}

/* Add ROW at ADDRESS, unless the one before says the same.  */
static void
add_row (cfi_rows *t, size_t *room, uint64_t address, cfi_row row)
{
  const cfi_row *last = t->num != 0 ? &t->list[t->num - 1] : NULL;

  row.offset = (uint32_t) (address - t->base);
  if (last != NULL && last->cfa == row.cfa
      && memcmp (&last->form, &row.form, sizeof row.form) == 0)
    return;
  if (t->num == *room)
    {
      *room = *room ? *room * 2 : 1024;
      t->list = tool_realloc (t->list, *room, sizeof *t->list);
    }
  t->list[t->num++] = row;
}

/* Add the rows of the function S.  */
static void
add_function (cfi_rows *t, size_t *room, Dwarf_CFI *cfi, const stretch *s)
{
  uint64_t pc = s->start;

  while (pc < s->end)
    {
      Dwarf_Frame *frame;
      Dwarf_Addr end = s->end;
      bool is_signal = false;
      cfi_row row = { .form.rule = SAMPLER_RULE_OTHER };

      if (dwarf_cfi_addrframe (cfi, pc, &frame) == 0)
	{
	  dwarf_frame_info (frame, NULL, &end, &is_signal);
	  convert (frame, is_signal, &row);
	  free (frame);
	}
      add_row (t, room, pc, row);
      pc = end > pc ? end : s->end;
    }
}

cfi_rows
cfi_rows_read (Elf *elf, uint64_t end)
{
  cfi_rows t = { 0 };
  stretches functions = { 0 };
  Dwarf_CFI *cfi = dwarf_getcfi_elf (elf);
  size_t room = 0;

  if (cfi == NULL)
    return t;
  functions_stretches (elf, &functions);
  if (functions.num != 0)
    t.base = functions.list[0].start;
  for (size_t i = 0; i < functions.num; i++)
    {
      const stretch *s = &functions.list[i];

      if (i % 256 == 0 && tool_now_ns () >= end)
	break;
      /* What overlaps, or is too far away, is left out.  */
      if (s->start < t.end || s->end - t.base > UINT32_MAX)
	continue;
      if (t.end != 0 && s->start > t.end)
	add_row (&t, &room, t.end,
		 (cfi_row){ .form.rule = SAMPLER_RULE_NONE });
      add_function (&t, &room, cfi, s);
      t.end = s->end;
    }
  free (functions.list);
  dwarf_cfi_end (cfi);
  return t;
}

#else

/* No rules for this machine: frame pointers it is.  Where that is (DWARF for the
   Arm 64-bit Architecture, table "DWARF register names").  */
#define REGISTER_FP 29

cfi_rows
cfi_rows_read (Elf *elf, uint64_t end)
{
  (void) elf;
  (void) end;
  return (cfi_rows){ 0 };
}

uint16_t
cfi_rows_register (unsigned regno)
{
  return regno == REGISTER_FP ? SAMPLER_REGISTER_FP : SAMPLER_REGISTER_NONE;
}

#endif
