/* elf-sframe-coro.c - merge .sframe_coro in the ELF linker.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "sysdep.h"
#include "bfd.h"
#include "libbfd.h"
#include "elf-bfd.h"
#include "elf-sframe-coro.h"

/* Reading.  */

/* Complain about the reference at OFF of INPUT to SEC, where no chain is.  Not
   if SEC is a section that was complained about, or undefined, which the
   linker will report.  */

static bool
no_chain (const struct elf_coro_input *input, size_t off, const asection *sec)
{
  if (sec != NULL
      && strcmp (bfd_section_name (sec), SFRAME_CORO_SECTION_NAME) != 0)
    _bfd_elf_coro_complain (input, off, _("no chain is referred to"));
  return false;
}

/* Find the chain that FUNC of INPUT belongs to.  */

static bool
find_chain (const struct elf_coro_input *input, struct elf_coro_func *func)
{
  size_t off = func->off + offsetof (sframe_coro_func_entry, chain);
  const struct elf_coro_field *field = _bfd_elf_coro_field (input, off);
  const struct elf_coro_input *other = input;
  struct elf_coro_target target;

  /* Assemblers resolve references inside of a section.  */
  if (field->rel == NULL)
    target.off = off + bfd_get_64 (input->object->abfd, input->contents + off);
  else if (!_bfd_elf_coro_resolve (input->object, field->rel, &target)
	   || (other = _bfd_elf_coro_input (target.sec)) == NULL)
    return no_chain (input, off, target.sec);
  func->chain = _bfd_elf_coro_chain (other, target.off);
  return (func->chain != NULL
	  || _bfd_elf_coro_complain (input, off,
				     _("no chain is referred to")));
}

static bool
find_chains (const struct elf_coro_input *input)
{
  for (size_t i = 0; i < input->num_funcs; i++)
    if (!find_chain (input, &input->funcs[i]))
      return false;
  return true;
}

/* Whether a function of INPUT belongs to a chain that is not merged.  */

static bool
needs_bad_object (const struct elf_coro_input *input)
{
  for (size_t i = 0; i < input->num_funcs; i++)
    if (input->funcs[i].chain->input->object->bad)
      return true;
  return false;
}

/* Leave alone objects that refer to others that are left alone.  */

static void
spread (struct elf_coro *st)
{
  bool again = true;

  for (struct elf_coro_input *input = st->inputs; input != NULL;
       input = input->next)
    if (!input->object->bad && !find_chains (input))
      input->object->bad = true;
  while (again)
    {
      again = false;
      for (struct elf_coro_input *input = st->inputs; input != NULL;
	   input = input->next)
	if (!input->object->bad && needs_bad_object (input))
	  input->object->bad = again = true;
    }
}

/* Drop inputs that are not in the output, as far as that is known, or not to
   be merged.  */

static void
drop_inputs (struct elf_coro *st)
{
  struct elf_coro_input **p = &st->inputs, *input;

  while ((input = *p) != NULL)
    {
      asection *out = input->sec->output_section;

      if (!input->object->bad && (input->sec->flags & SEC_EXCLUDE) == 0
	  && (out == NULL ? !st->done : !bfd_is_abs_section (out)))
	p = &input->next;
      else
	{
	  *p = input->next;
	  _bfd_elf_coro_free_input (input);
	}
    }
  st->last = p;
}

/* Whether BFD may have sections to read.  */

static bool
is_object (bfd *abfd)
{
  return (bfd_get_flavour (abfd) == bfd_target_elf_flavour
	  && (abfd->flags & (DYNAMIC | BFD_PLUGIN)) == 0
	  && elf_tdata (abfd) != NULL && abfd->sections != NULL
	  && abfd->sections->sec_info_type != SEC_INFO_TYPE_JUST_SYMS);
}

bool
_bfd_elf_sframe_coro_begin (struct bfd_link_info *info)
{
  const struct elf_coro_abi *abi;
  struct elf_coro *st;

  if (!is_elf_hash_table (info->hash) || bfd_link_relocatable (info)
      || info->emitrelocations || info->traditional_format
      || elf_hash_table (info)->sframe_coro != NULL
      || (abi = _bfd_elf_coro_abi (info->output_bfd)) == NULL)
    return true;
  st = bfd_zalloc (info->output_bfd, sizeof *st);
  if (st == NULL)
    return false;
  elf_hash_table (info)->sframe_coro = st;
  st->abi = abi;
  st->last = &st->inputs;
  for (bfd *abfd = info->input_bfds; abfd != NULL; abfd = abfd->link.next)
    if (is_object (abfd) && _bfd_elf_coro_abi (abfd) == abi
	&& !_bfd_elf_coro_read_object (st, abfd))
      return false;
  spread (st);
  drop_inputs (st);
  return true;
}

bool
_bfd_elf_sframe_coro_start_p (asection *sec, const Elf_Internal_Rela *rel)
{
  const struct elf_coro_input *input = _bfd_elf_coro_input (sec);
  const struct elf_coro_field *field;

  if (input == NULL)
    return false;
  field = _bfd_elf_coro_field (input, rel->r_offset);
  return field != NULL && field->role == ELF_CORO_START;
}

bool
_bfd_elf_sframe_coro_merged_p (asection *sec)
{
  return _bfd_elf_coro_input (sec) != NULL;
}

/* Writing.  */

/* Add rows, or body and points, of FUNC, along with it.  */

static int
add_func (sframe_coro_encoder *encoder, const sframe_coro_block *block,
	  const sframe_coro_func *func, uint32_t chain)
{
  bool is_body = func->kind == SFRAME_CORO_FUNC_BODY;
  sframe_coro_row *rows = NULL;
  sframe_coro_point *points = NULL;
  sframe_coro_body body;
  int err = SFRAME_CORO_OK;

  memset (&body, 0, sizeof body);
  if (is_body && func->data != 0)
    err = sframe_coro_func_body (block, func, &body, NULL);
  if (func->num != 0 && is_body)
    points = bfd_malloc (func->num * sizeof *points);
  else if (func->num != 0)
    rows = bfd_malloc (func->num * sizeof *rows);
  if (func->num != 0 && rows == NULL && points == NULL)
    err = SFRAME_CORO_ERR_NOMEM;
  for (unsigned int i = 0; i < func->num && err == SFRAME_CORO_OK; i++)
    err = (is_body ? sframe_coro_func_point (block, func, i, &points[i], NULL)
	   : sframe_coro_func_row (block, func, i, &rows[i], NULL));
  if (err == SFRAME_CORO_OK)
    err = sframe_coro_encoder_add_func (encoder, func, chain, rows, &body,
					points);
  free (rows);
  free (points);
  return err;
}

/* Add the chains of BLOCK, the first of which is *CHAIN, if they represent
   others, or the functions, the first of which is *FUNC, if they are alive;
   step on.  */

static int
add_chains (sframe_coro_encoder *encoder, const sframe_coro_block *block,
	    struct elf_coro_chain **chain)
{
  int err = SFRAME_CORO_OK;
  sframe_coro_chain record;

  for (uint32_t i = 0; i < block->header.num_chains && err == SFRAME_CORO_OK;
       i++, ++*chain)
    {
      if ((*chain)->same != *chain || !(*chain)->used)
	continue;
      err = sframe_coro_block_chain (block, i, &record, NULL);
      if (err == SFRAME_CORO_OK)
	err = sframe_coro_encoder_add_chain (encoder, &record,
					     &(*chain)->index);
    }
  return err;
}

static int
add_funcs (sframe_coro_encoder *encoder, const sframe_coro_block *block,
	   const struct elf_coro_func **func)
{
  int err = SFRAME_CORO_OK;
  sframe_coro_func record;

  for (uint32_t i = 0; i < block->header.num_funcs && err == SFRAME_CORO_OK;
       i++, ++*func)
    {
      if ((*func)->dead)
	continue;
      err = sframe_coro_block_func (block, i, &record, NULL);
      if (err == SFRAME_CORO_OK)
	err = add_func (encoder, block, &record, (*func)->chain->same->index);
    }
  return err;
}

static bfd_vma
address_of (const asection *sec)
{
  return sec->output_section->vma + sec->output_offset;
}

/* Add all chains of INPUT, or else all functions, as they are if INPUT is
   where the linker put it; before it did, values mean nothing.  */

static int
add_input (sframe_coro_encoder *encoder, const struct elf_coro_input *input,
	   bool chains)
{
  struct elf_coro_chain *chain = input->chains;
  const struct elf_coro_func *func = input->funcs;
  sframe_coro_section section;
  sframe_coro_block block;
  int err = sframe_coro_section_open (&section, input->contents, input->size,
				      address_of (input->sec), NULL);

  memset (&block, 0, sizeof block);
  while (err == SFRAME_CORO_OK)
    {
      err = sframe_coro_section_next_block (&section, &block, NULL);
      if (err == SFRAME_CORO_OK)
	err = (chains ? add_chains (encoder, &block, &chain)
	       : add_funcs (encoder, &block, &func));
    }
  return err == SFRAME_CORO_ERR_NOT_FOUND ? SFRAME_CORO_OK : err;
}

/* Make the block for ADDRESS.  *SIZE does not depend on addresses.  */

static int
encode (const struct elf_coro *st, bfd_vma address, unsigned char **bytes,
	size_t *size)
{
  sframe_coro_encoder *encoder = sframe_coro_encoder_new (st->abi->abi);
  const struct elf_coro_input *input;
  int err = encoder != NULL ? SFRAME_CORO_OK : SFRAME_CORO_ERR_NOMEM;

  *bytes = NULL;
  for (input = st->inputs; input != NULL && err == SFRAME_CORO_OK;
       input = input->next)
    err = add_input (encoder, input, true);
  for (input = st->inputs; input != NULL && err == SFRAME_CORO_OK;
       input = input->next)
    err = add_input (encoder, input, false);
  if (err == SFRAME_CORO_OK)
    err = sframe_coro_encoder_write (encoder, address, bytes, size);
  sframe_coro_encoder_free (encoder);
  return err;
}

static bool
failed (struct bfd_link_info *info, int err)
{
  /* xgettext:c-format */
  _bfd_error_handler (_("%pB: cannot merge .sframe_coro: %s"),
		      info->output_bfd, sframe_coro_errmsg (err));
  bfd_set_error (err == SFRAME_CORO_ERR_NOMEM ? bfd_error_no_memory
		 : bfd_error_bad_value);
  return false;
}

/* Deciding what is in the output.  */

/* Mark functions without code, and chains that are in the output; return
   whether anything is.  A chain that is found from sites only has no lists
   where there are no sites; others do, and readers show them.  */

static bool
mark (struct elf_coro *st)
{
  bool any = false;

  for (struct elf_coro_input *input = st->inputs; input != NULL;
       input = input->next)
    {
      for (size_t i = 0; i < input->num_funcs; i++)
	{
	  struct elf_coro_func *func = &input->funcs[i];

	  if (func->code != NULL
	      && (func->code->kept_section != NULL
		  || discarded_section (func->code)))
	    func->dead = true;
	  if (!func->dead)
	    any = func->chain->same->used = true;
	}
      for (size_t i = 0; i < input->num_chains; i++)
	if (!input->chains[i].by_site)
	  any = input->chains[i].same->used = true;
    }
  return any;
}

/* The part of FUNC's entry behind the chain, which does not depend on where the
   function is; data are those of its own block.  */

static const bfd_byte *
rest_of (const struct elf_coro_func *func)
{
  return (func->input->contents + func->off
	  + offsetof (sframe_coro_func_entry, size));
}

#define REST_SIZE \
  (sizeof (sframe_coro_func_entry) - offsetof (sframe_coro_func_entry, size))

static int
compare_funcs (const void *p, const void *q)
{
  const struct elf_coro_func *a = *(const struct elf_coro_func *const *) p;
  const struct elf_coro_func *b = *(const struct elf_coro_func *const *) q;

  if (a->code != b->code)
    return a->code->id < b->code->id ? -1 : 1;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  if (a->chain->same != b->chain->same)
    return (uintptr_t) a->chain->same < (uintptr_t) b->chain->same ? -1 : 1;
  return memcmp (rest_of (a), rest_of (b), REST_SIZE);
}

/* Whether FUNC is in the output and has neither rows nor a body, of which the
   entry says only where they are.  */

static bool
is_plain (const struct elf_coro_func *func)
{
  const bfd_byte *data = (func->input->contents + func->off
			  + offsetof (sframe_coro_func_entry, data));

  return (!func->dead && func->code != NULL
	  && bfd_get_32 (func->input->object->abfd, data)
	       == SFRAME_CORO_NO_DATA);
}

/* Keep one of several functions that are equal in everything, as optimizers
   leave them, or several objects that describe one piece of code; false without
   memory.  */

static bool
drop_twins (const struct elf_coro *st)
{
  struct elf_coro_func **funcs;
  size_t room = 1, num = 0;

  for (const struct elf_coro_input *input = st->inputs; input != NULL;
       input = input->next)
    room += input->num_funcs;
  funcs = bfd_malloc (room * sizeof *funcs);
  if (funcs == NULL)
    return false;
  for (const struct elf_coro_input *input = st->inputs; input != NULL;
       input = input->next)
    for (size_t i = 0; i < input->num_funcs; i++)
      if (is_plain (&input->funcs[i]))
	funcs[num++] = &input->funcs[i];
  qsort (funcs, num, sizeof *funcs, compare_funcs);
  for (size_t i = 1; i < num; i++)
    if (compare_funcs (&funcs[i - 1], &funcs[i]) == 0)
      funcs[i]->dead = true;
  free (funcs);
  return true;
}

static void
resize (asection *sec, bfd_size_type size)
{
  sec->rawsize = sec->size;
  sec->size = size;
}

/* Leave nothing of any section of INFO's inputs.  */

static int
discard_inputs (struct bfd_link_info *info)
{
  int changed = 0;

  for (bfd *abfd = info->input_bfds; abfd != NULL; abfd = abfd->link.next)
    if (is_object (abfd))
      for (asection *sec = abfd->sections; sec != NULL; sec = sec->next)
	if (strcmp (bfd_section_name (sec), SFRAME_CORO_SECTION_NAME) == 0
	    && (sec->flags & SEC_EXCLUDE) == 0)
	  {
	    sec->flags |= SEC_EXCLUDE;
	    changed = 1;
	  }
  return changed;
}

int
_bfd_elf_sframe_coro_discard (struct bfd_link_info *info, bool discard)
{
  struct elf_coro *st;
  unsigned char *bytes = NULL;
  size_t size = 0;
  int err = SFRAME_CORO_OK;
  bool any;

  if (discard)
    return discard_inputs (info);
  if (!_bfd_elf_sframe_coro_begin (info))
    return -1;
  st = elf_hash_table (info)->sframe_coro;
  if (st == NULL || st->done)
    return 0;
  st->done = true;
  drop_inputs (st);
  if (st->inputs == NULL)
    return 0;
  if (!_bfd_elf_coro_unify (st, info))
    return -1;
  any = mark (st);
  if (!drop_twins (st))
    return -1;
  if (any)
    err = encode (st, 0, &bytes, &size);
  free (bytes);
  if (err != SFRAME_CORO_OK)
    {
      failed (info, err);
      return -1;
    }
  st->size = size;
  st->carrier = st->inputs;
  for (struct elf_coro_input *input = st->inputs; input != NULL;
       input = input->next)
    resize (input->sec, input == st->carrier ? size : 0);
  return 1;
}

/* Placing.  */

/* Where in the block CHAIN is.  */

static bfd_vma
chain_offset (const struct elf_coro_chain *chain)
{
  chain = chain->same;
  return (chain->used
	  ? (sizeof (sframe_coro_header)
	     + chain->index * sizeof (sframe_coro_chain_entry)) : 0);
}

/* What becomes of the offset OFF in INPUT, if that has several chains and is
   at the start of the block.  */

static bfd_vma
moved (const struct elf_coro_input *input, bfd_vma off)
{
  const struct elf_coro_chain *chain = _bfd_elf_coro_chain (input, off);

  return chain != NULL ? chain_offset (chain) : 0;
}

/* The input section that SEC is, if it has several chains.  */

static const struct elf_coro_input *
with_several (asection *sec)
{
  const struct elf_coro_input *input = _bfd_elf_coro_input (sec);

  return input != NULL && input->num_chains > 1 ? input : NULL;
}

static bool
move_global (struct elf_link_hash_entry *h, void *arg ATTRIBUTE_UNUSED)
{
  const struct elf_coro_input *input;

  if ((h->root.type == bfd_link_hash_defined
       || h->root.type == bfd_link_hash_defweak)
      && (input = with_several (h->root.u.def.section)) != NULL)
    h->root.u.def.value = moved (input, h->root.u.def.value);
  return true;
}

/* The linker takes local symbols from here.  */

static void
move_locals (struct elf_coro_object *object)
{
  const struct elf_coro_input *input;
  bool any = false;

  for (size_t i = 0; i < object->num_syms; i++)
    {
      Elf_Internal_Sym *sym = &object->syms[i];

      if (ELF_ST_TYPE (sym->st_info) == STT_SECTION)
	continue;
      input = with_several (bfd_section_from_elf_index (object->abfd,
							sym->st_shndx));
      if (input == NULL)
	continue;
      sym->st_value = moved (input, sym->st_value);
      any = true;
    }
  if (any)
    elf_symtab_hdr (object->abfd).contents = (unsigned char *) object->syms;
}

/* Local symbols are not needed any more, unless the object keeps them.  */

static void
free_symbols (struct elf_coro *st)
{
  for (struct elf_coro_object *object = st->objects; object != NULL;
       object = object->next)
    {
      if ((unsigned char *) object->syms
	  != elf_symtab_hdr (object->abfd).contents)
	free (object->syms);
      object->syms = NULL;
      object->num_syms = 0;
    }
}

/* Put the block before sections that are not merged, where readers may find no
   way to go on.  */

static void
put_first (struct elf_coro *st)
{
  asection *carrier = st->carrier->sec;
  struct bfd_link_order *first = carrier->output_section->map_head.link_order;
  struct bfd_link_order *p;

  for (p = first; p != NULL && p->type == bfd_indirect_link_order
       && p->u.indirect.section != carrier; p = p->next)
    if (p->u.indirect.section->alignment_power > carrier->alignment_power)
      return;
  if (p == NULL || p->type != bfd_indirect_link_order || p == first)
    return;
  st->offset = first->u.indirect.section->output_offset;
  for (p = first; p->u.indirect.section != carrier; p = p->next)
    p->u.indirect.section->output_offset += st->size;
}

/* Sections with one chain are put where its symbol has to be, others at the
   start of the block: sections of the output may overlap, since only the block
   is written.  */

bool
_bfd_elf_sframe_coro_place (struct bfd_link_info *info)
{
  struct elf_coro *st = elf_hash_table (info)->sframe_coro;
  bfd_vma block;
  bool several = false;

  if (st == NULL)
    return true;
  if (st->carrier != NULL)
    {
      st->offset = st->carrier->sec->output_offset;
      put_first (st);
      block = st->carrier->sec->output_section->vma + st->offset;
      for (struct elf_coro_input *input = st->inputs; input != NULL;
	   input = input->next)
	{
	  asection *sec = input->sec;

	  sec->output_offset = block - sec->output_section->vma;
	  if (input->num_chains == 1)
	    sec->output_offset += (chain_offset (&input->chains[0])
				   - input->chains[0].off);
	  several |= input->num_chains > 1;
	}
    }
  if (several)
    {
      elf_link_hash_traverse (elf_hash_table (info), move_global, NULL);
      for (struct elf_coro_object *object = st->objects; object != NULL;
	   object = object->next)
	move_locals (object);
    }
  free_symbols (st);
  return true;
}

bool
_bfd_elf_sframe_coro_relocated (asection *sec, const bfd_byte *contents)
{
  struct elf_coro_input *input = _bfd_elf_coro_input (sec);

  if (input == NULL)
    return false;
  memcpy (input->contents, contents, input->size);
  return true;
}

bool
_bfd_elf_sframe_coro_write (struct bfd_link_info *info)
{
  struct elf_coro *st = elf_hash_table (info)->sframe_coro;
  unsigned char *bytes = NULL;
  size_t size = 0;
  asection *out;
  bool good = true;

  if (st == NULL || st->carrier == NULL)
    return true;
  out = st->carrier->sec->output_section;
  if (st->size != 0)
    {
      int err = encode (st, out->vma + st->offset, &bytes, &size);

      if (err == SFRAME_CORO_OK && size != st->size)
	err = SFRAME_CORO_ERR_BAD_LENGTH;
      good = (err == SFRAME_CORO_OK
	      ? bfd_set_section_contents (info->output_bfd, out, bytes,
					  st->offset, size)
	      : failed (info, err));
    }
  free (bytes);
  while (st->inputs != NULL)
    {
      struct elf_coro_input *input = st->inputs;

      st->inputs = input->next;
      _bfd_elf_coro_free_input (input);
    }
  return good;
}

/* The program header.  */

asection *
_bfd_elf_sframe_coro_section (bfd *abfd)
{
  asection *sec = bfd_get_section_by_name (abfd, SFRAME_CORO_SECTION_NAME);

  return sec != NULL && (sec->flags & SEC_LOAD) != 0 ? sec : NULL;
}

bool
_bfd_elf_sframe_coro_add_segment (bfd *abfd, struct elf_segment_map ***pm)
{
  asection *sec = _bfd_elf_sframe_coro_section (abfd);
  struct elf_segment_map *m;

  if (sec == NULL || sec->size == 0)
    return true;
  m = bfd_zalloc (abfd, sizeof *m);
  if (m == NULL)
    return false;
  m->p_type = PT_GNU_SFRAME_CORO;
  m->count = 1;
  m->sections[0] = sec;
  **pm = m;
  *pm = &m->next;
  return true;
}
