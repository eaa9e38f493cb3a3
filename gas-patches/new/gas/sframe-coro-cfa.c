/* sframe-coro-cfa.c - the CFA at a place in code, from .cfi_* directives.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "as.h"
#include "subsegs.h"
#include "dw2gencfi.h"
#include "gen-sframe-coro.h"
#include "sframe-coro-parse.h"

#ifdef SFRAME_CORO_ELF

/* What the CFA is, and what .cfi_remember_state kept of it.  */
struct cfa_state
{
  struct cfa_state *saved;
  bool known;
  unsigned int reg;
  offsetT off;
};

/* How far the instructions of a function were looked at.  Going on from there
   keeps many operands in one function from taking quadratic time.  */
static struct
{
  const struct fde_entry *fde;
  struct cfi_insn_data *const *next;
  struct cfa_state now;
} replay;

static void
step (const struct cfi_insn_data *insn)
{
  struct cfa_state *now = &replay.now, *saved;

  switch (insn->insn)
    {
    case DW_CFA_def_cfa:
      now->known = true;
      now->reg = insn->u.ri.reg;
      now->off = insn->u.ri.offset;
      break;
    case DW_CFA_def_cfa_register:
      now->reg = insn->u.r;
      break;
    case DW_CFA_def_cfa_offset:
      now->off = insn->u.i;
      break;
    case DW_CFA_remember_state:
      saved = notes_alloc (sizeof *saved);
      *saved = *now;
      now->saved = saved;
      break;
    case DW_CFA_restore_state:
      if (now->saved != NULL)
	*now = *now->saved;
      break;
    case CFI_escape:
      /* It may be an expression for the CFA.  */
      now->known = false;
      break;
    default:
      break;
    }
}

bool
coro_cfa (unsigned int *reg, offsetT *off)
{
  const struct fde_entry *fde;

  if (frchain_now->frch_cfi_data == NULL)
    return false;
  fde = frchain_now->frch_cfi_data->cur_fde_data;
  if (replay.fde != fde)
    {
      memset (&replay, 0, sizeof replay);
      replay.fde = fde;
      replay.next = &fde->data;
    }
  for (; *replay.next != NULL; replay.next = &(*replay.next)->next)
    step (*replay.next);
  *reg = replay.now.reg;
  *off = replay.now.off;
  return replay.now.known;
}

#endif
