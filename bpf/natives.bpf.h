/* sframe-coro: native frames, in the kernel.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT OR GPL-2.0-only

   By the tables of rows that user space makes of unwind information; by frame
   pointer where there is none.  */

#ifndef NATIVES_BPF_H
#define NATIVES_BPF_H

#include "scratch.bpf.h"

static __always_inline const sampler_mapping *
mapping_at (const sampler_process *p, uint32_t i)
{
  uint32_t key = p->first_mapping + i;
  return bpf_map_lookup_elem (&mappings, &key);
}

/* Whether S->mapping is that of S->pc.  */
static __always_inline bool
is_in_mapping (const sampler_process *p, const scratch *s)
{
  uint64_t pc = s->pc - s->is_return;
  const sampler_mapping *m = mapping_at (p, s->mapping);

  return (m != NULL && s->mapping < p->num_mappings && pc >= m->start
	  && pc < m->end);
}

/* Set S->mapping to that of S->pc; 0 if there is none.  */
STAGE
find_mapping (const sampler_process *p, scratch *s)
{
  uint32_t lo = 0, hi;
  uint64_t pc;

  if (!is_whole || p == NULL || s == NULL)
    return 0;
  pc = s->pc - s->is_return;
  hi = p->num_mappings;
  for (int i = 0; i <= SAMPLER_MAPPINGS_LOG2; i++)
    {
      uint32_t mid = (lo + hi) / 2;
      const sampler_mapping *m;

      if (lo >= hi)
	break;
      m = mapping_at (p, mid);
      if (m == NULL)
	break;
      if (pc >= m->end)
	lo = mid + 1;
      else if (pc < m->start)
	hi = mid;
      else
	{
	  s->mapping = mid;
	  return 1;
	}
    }
  return 0;
}

static __always_inline uint32_t
page_at (uint32_t i)
{
  const uint64_t *row = bpf_map_lookup_elem (&pages, &i);
  return row != NULL ? (uint32_t) *row : 0;
}

/* Set S->row to that of S->pc in mapping M; 0 if there is none.  */
STAGE
find_row (const sampler_mapping *m, scratch *s)
{
  uint64_t offset, page;
  uint32_t lo, hi;

  if (!is_whole || m == NULL || s == NULL)
    return 0;
  offset = s->pc - s->is_return - m->base;
  page = offset >> SAMPLER_PAGE_LOG2;
  if (page >= m->num_pages)
    return 0;
  /* The row that holds where the page begins may be of an earlier one; there
     always is one, the first row of a table has offset 0.  */
  lo = page_at (m->first_page + page);
  hi = page_at (m->first_page + page + 1);
  for (int i = 0; i <= SAMPLER_PAGE_LOG2; i++)
    {
      uint32_t mid = (lo + hi) / 2;
      const sampler_row *r;

      if (lo >= hi)
	break;
      r = bpf_map_lookup_elem (&rows, &mid);
      if (r == NULL)
	return 0;
      if (r->offset <= offset)
	lo = mid + 1;
      else
	hi = mid;
    }
  s->row = lo - 1;
  return 1;
}

static __always_inline bool
load_user (uint64_t address, uint64_t *word)
{
  return core_load_word (NULL, false, address, word);
}

/* Step S to the caller, whose frame begins at CFA; FP_SLOT is where the frame
   pointer is saved, or 0.  Return a cut.  */
STAGE
step_to (scratch *s, uint64_t cfa, uint64_t fp_slot)
{
  uint64_t pc, fp;

  if (s == NULL)
    return SAMPLER_CUT_NONE;
  fp = s->fp;
  /* Frames have a size, which is that of words.  */
  if (cfa <= s->sp || cfa % 8 != 0)
    return SAMPLER_CUT_BAD_POINTER;
  if (!load_user (cfa - 8, &pc) || (fp_slot != 0 && !load_user (fp_slot, &fp)))
    return SAMPLER_CUT_UNREADABLE;
  s->sp = cfa;
  s->fp = fp;
  s->pc = pc & CODE_MASK;
  s->is_return = 1;
  return SAMPLER_CUT_UNKNOWN;
}

/* By frame pointer, as every function with one stores them; CFA is then what
   lies above the two words.  */
static __always_inline int
step_by_fp (scratch *s)
{
  s->by_row = 0;
  s->known &= ~ALL_SAVED;
  if (s->fp == 0)
    return SAMPLER_CUT_NONE;
  if (s->fp < s->sp || s->fp % 8 != 0)
    return SAMPLER_CUT_BAD_POINTER;
  return step_to (s, s->fp + 16, s->fp);
}

#if defined __TARGET_ARCH_x86

/* Load register number I of those that are saved, for the caller, from SLOT.  */
static __always_inline void
restore (scratch *s, unsigned i, uint64_t slot)
{
  if (load_user (slot, &s->saved[i]))
    s->known |= BIT (SAMPLER_REGISTER_SAVED + i);
  else
    s->known &= ~BIT (SAMPLER_REGISTER_SAVED + i);
}

/* Load what the frame at CFA has saved, as F says.  */
static __always_inline void
restore_all (scratch *s, const sampler_form *f, uint64_t cfa)
{
  for (unsigned i = 0; i < SAMPLER_NUM_SAVED; i++)
    if (f->saved[i] == SAMPLER_NOT_SAVED)
      s->known &= ~BIT (SAMPLER_REGISTER_SAVED + i);
    else if (f->saved[i] != 0)
      restore (s, i, cfa + f->saved[i] * 8);
}

/* A signal frame: `struct ucontext' is at SP, with the general registers from
   offset 40 on (Linux, arch/x86/include/uapi/asm/ucontext.h, sigcontext.h).  */
static __always_inline int
step_over_signal (scratch *s)
{
  static const uint8_t saved[] = { 11, 4, 5, 6, 7 };
  uint64_t registers = s->sp + 40, pc, sp, fp;

  if (s->keep)
    for (unsigned i = 0; i < SAMPLER_NUM_SAVED; i++)
      restore (s, i, registers + saved[i] * 8);

  if (!load_user (registers + 16 * 8, &pc)
      || !load_user (registers + 15 * 8, &sp)
      || !load_user (registers + 10 * 8, &fp))
    return SAMPLER_CUT_UNREADABLE;
  s->pc = pc;
  s->sp = sp;
  s->fp = fp;
  s->is_return = 0;
  return SAMPLER_CUT_UNKNOWN;
}

/* How far a PLT entry has pushed: the second of its instructions, 5 bytes long
   from offset 6 on, pushes a word.  */
static __always_inline uint64_t
plt_frame (const scratch *s)
{
  return s->sp + ((s->pc & 15) >= 11 ? 16 : 8);
}

/* Step S to the caller, as row R, whose form is F, says; return a cut.  */
STAGE
step_by_row (scratch *s, const sampler_row *r, const sampler_form *f)
{
  uint64_t cfa, fp_slot = 0;

  if (!is_whole || s == NULL || r == NULL || f == NULL)
    return SAMPLER_CUT_NO_RULE;
  cfa = s->sp + r->cfa * 8;
  s->by_row = 1;
  switch (f->rule)
    {
    case SAMPLER_RULE_SP:
      break;
    case SAMPLER_RULE_FP:
      cfa = s->fp + r->cfa * 8;
      break;
    case SAMPLER_RULE_FP_MEM:
      if (!load_user (s->fp + r->cfa * 8, &cfa))
	return SAMPLER_CUT_UNREADABLE;
      /* Where FP is saved is told from FP itself, by these.  */
      fp_slot = s->fp;
      break;
    case SAMPLER_RULE_PLT:
      cfa = plt_frame (s);
      break;
    case SAMPLER_RULE_SIGNAL:
      return step_over_signal (s);
    case SAMPLER_RULE_END:
      return SAMPLER_CUT_NONE;
    case SAMPLER_RULE_NONE:
      return step_by_fp (s);
    default:
      return SAMPLER_CUT_NO_RULE;
    }
  if (f->fp != 0)
    fp_slot = cfa + f->fp * 8;
  if (s->keep)
    restore_all (s, f, cfa);
  return step_to (s, cfa, fp_slot);
}

#else

static __always_inline int
step_by_row (scratch *s, const sampler_row *r, const sampler_form *f)
{
  (void) r;
  (void) f;
  return step_by_fp (s);
}

#endif

/* Step S to the caller; return a cut.  */
static __always_inline int
step_native (scratch *s, const sampler_process *p)
{
  const sampler_mapping *m;
  const sampler_form *f = NULL;
  const sampler_row *r;
  uint32_t row, form;

  if (!is_whole || p == NULL
      || (!is_in_mapping (p, s) && find_mapping (p, s) == 0)
      || (m = mapping_at (p, s->mapping)) == NULL || find_row (m, s) == 0)
    return step_by_fp (s);
  /* Linux 6.1 takes no key from where an argument of a stage leads to.  */
  row = s->row;
  r = bpf_map_lookup_elem (&rows, &row);
  if (r != NULL)
    {
      form = r->form;
      f = bpf_map_lookup_elem (&forms, &form);
    }
  return f != NULL ? step_by_row (s, r, f) : SAMPLER_CUT_NO_RULE;
}

/* Keep the registers of frame number I, which is at hand.  */
static __always_inline void
keep_registers (scratch *s, uint32_t i)
{
  frame_registers *r = &s->registers[INDEX (i, SAMPLER_MAX_NATIVES)];

  r->value[SAMPLER_REGISTER_SP] = s->sp;
  r->value[SAMPLER_REGISTER_FP] = s->fp;
  for (unsigned k = 0; k < SAMPLER_NUM_SAVED; k++)
    r->value[SAMPLER_REGISTER_SAVED + k] = s->saved[k];
  r->known = s->known;
}

/* The frame at hand, number I, ends at CFA.  */
static __always_inline void
set_cfa (scratch *s, uint32_t i)
{
  sampler_native *n = &s->natives[INDEX (i, SAMPLER_MAX_NATIVES)];
  frame_registers *r = &s->registers[INDEX (i, SAMPLER_MAX_NATIVES)];

  /* Where the frame pointer is not at the top of a frame, this is in it, which
     does to find it by an address; but nothing can be counted from there.  */
  n->cfa = s->sp;
  n->flags |= SAMPLER_NATIVE_CFA;
  r->value[SAMPLER_REGISTER_CFA] = s->sp;
  if (FP_TELLS_CFA || s->by_row)
    r->known |= BIT (SAMPLER_REGISTER_CFA);
}

/* Note the frame at hand, number I, and step to its caller; 1 if there is
   none.  P may be null.  */
STAGE
take_native (scratch *s, const sampler_process *p, uint32_t i)
{
  sampler_native *n;

  if (s == NULL)
    return 1;
  if (i >= SAMPLER_MAX_NATIVES)
    {
      s->header.cut = SAMPLER_CUT_DEPTH_LIMIT;
      return 1;
    }
  if (s->pc == 0)
    {
      s->header.cut = SAMPLER_CUT_NONE;
      return 1;
    }
  n = &s->natives[INDEX (i, SAMPLER_MAX_NATIVES)];
  n->pc = s->pc;
  n->cfa = 0;
  n->flags = (s->is_return ? SAMPLER_NATIVE_RETURN : 0)
	     | (s->by_row ? SAMPLER_NATIVE_BY_ROW : 0);
  s->header.num_natives = i + 1;
  if (s->keep)
    keep_registers (s, i);
  s->header.cut = step_native (s, p);
  if (s->header.cut != SAMPLER_CUT_UNKNOWN)
    return 1;
  set_cfa (s, i);
  return 0;
}

static long
native_step (uint32_t i, void *arg)
{
  const job *j = arg;
  return IS_SET (take_native (j->s, j->process, i));
}

/* Unwind the native stack from the registers of S on.  */
static __always_inline void
unwind (job *j)
{
  bpf_loop (SAMPLER_MAX_NATIVES + 1, native_step, j, 0);
}

#endif /* NATIVES_BPF_H */
