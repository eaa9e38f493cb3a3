/* elf-sframe-coro-chains.c - find equal chains for the ELF linker.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "sysdep.h"
#include "bfd.h"
#include "libbfd.h"
#include "elf-bfd.h"
#include "hashtab.h"
#include "elf-sframe-coro.h"

/* Things are equal if their descriptions are equal strings of bytes.  A
   description contains numbers of other things, so that equal chains need not
   have the same symbols:

     'A'  an address: type of the relocation; symbol that may be preempted,
	  else section; offset
     'S'  a TLS stub: its code, and its relocations with what they refer to
     'N'  a number
     'C'  a chain: a block with nothing else in it, in which numbers of
	  addresses, stubs and numbers are in place of what is not known yet  */

struct description
{
  size_t len;
  uint64_t number;
  struct elf_coro_chain *chain; /* For 'C': the first of this description.  */
  hashval_t hash;
  char bytes[];
};

struct describer
{
  const struct bfd_link_info *info;
  const struct elf_coro *st;
  htab_t all;
  uint64_t num;
  bool failed;			/* No memory.  */
};

/* Bytes that grow.  */
struct buffer
{
  char *bytes;
  size_t len, room;
  bool failed;
};

static hashval_t
hash_description (const void *p)
{
  return ((const struct description *) p)->hash;
}

static int
equal_descriptions (const void *p, const void *q)
{
  const struct description *a = p, *b = q;

  return a->len == b->len && memcmp (a->bytes, b->bytes, a->len) == 0;
}

static void
append (struct buffer *buffer, const void *bytes, size_t len)
{
  if (buffer->room - buffer->len < len)
    {
      size_t room = 2 * (buffer->room + len);
      char *p = bfd_realloc (buffer->bytes, room);

      if (p == NULL)
	{
	  buffer->failed = true;
	  return;
	}
      buffer->bytes = p;
      buffer->room = room;
    }
  memcpy (buffer->bytes + buffer->len, bytes, len);
  buffer->len += len;
}

static void
append_number (struct buffer *buffer, uint64_t number)
{
  append (buffer, &number, sizeof number);
}

static void
begin (struct buffer *buffer, char kind)
{
  memset (buffer, 0, sizeof *buffer);
  append (buffer, &kind, 1);
}

/* Look up what BUFFER, which is freed, describes.  NULL if that fails.  */

static struct description *
look_up (struct describer *all, struct buffer *buffer)
{
  struct description *d = NULL;
  void **slot = NULL;

  if (!buffer->failed)
    d = bfd_malloc (sizeof *d + buffer->len);
  if (d != NULL)
    {
      memset (d, 0, sizeof *d);
      d->len = buffer->len;
      memcpy (d->bytes, buffer->bytes, buffer->len);
      d->hash = iterative_hash (buffer->bytes, buffer->len, 0);
      slot = htab_find_slot_with_hash (all->all, d, d->hash, INSERT);
    }
  free (buffer->bytes);
  if (slot == NULL)
    {
      free (d);
      all->failed = true;
      return NULL;
    }
  if (*slot != NULL)
    free (d);
  else
    {
      d->number = ++all->num;
      *slot = d;
    }
  return *slot;
}

static uint64_t
number_of (struct describer *all, struct buffer *buffer)
{
  const struct description *d = look_up (all, buffer);

  return d != NULL ? d->number : 0;
}

/* Whether H may be another thing at run time than it is here.  */

static bool
may_be_preempted (const struct bfd_link_info *info,
		  const struct elf_link_hash_entry *h)
{
  return (!h->def_regular
	  || (!bfd_link_executable (info) && !h->forced_local
	      && ELF_ST_VISIBILITY (h->other) == STV_DEFAULT));
}

static uint64_t
number_of_address (struct describer *all, unsigned int type,
		   const struct elf_coro_target *target)
{
  struct buffer buffer;
  bool by_name = (target->sec == NULL
		  || (target->h != NULL
		      && may_be_preempted (all->info, target->h)));
  bfd_vma off = target->off;

  if (by_name && target->sec != NULL)
    off -= target->h->root.u.def.value;
  begin (&buffer, 'A');
  append_number (&buffer, type);
  append_number (&buffer, by_name ? (uintptr_t) target->h
				  : (uintptr_t) target->sec);
  append_number (&buffer, off);
  return number_of (all, &buffer);
}

/* The relocations of section SEC with stubs of OBJECT, or NULL.  */

static const Elf_Internal_Rela *
stub_relocs (struct elf_coro_object *object, asection *sec)
{
  if (object->stubs != sec)
    {
      free (object->stub_rels);
      object->stubs = sec;
      object->stub_rels = NULL;
      if ((sec->flags & SEC_RELOC) != 0 && sec->reloc_count != 0)
	object->stub_rels
	  = _bfd_elf_link_read_relocs (sec->owner, sec, NULL, NULL, false);
      /* Those that are kept with the section are not ours to free.  */
      if (object->stub_rels != NULL
	  && object->stub_rels == elf_section_data (sec)->relocs)
	{
	  size_t size = sec->reloc_count * sizeof *object->stub_rels;
	  Elf_Internal_Rela *copy = bfd_malloc (size);

	  if (copy != NULL)
	    memcpy (copy, object->stub_rels, size);
	  object->stub_rels = copy;
	}
    }
  return object->stub_rels;
}

/* Stubs are equal if their code and relocations are.  0 if there is no stub at
   TARGET that could be compared.  */

static uint64_t
number_of_stub (struct describer *all, struct elf_coro_object *object,
		const struct elf_coro_target *target)
{
  asection *sec = target->sec;
  unsigned int size = all->st->abi->stub_size;
  const Elf_Internal_Rela *rels;
  struct buffer buffer;
  bfd_byte code[32];

  if (sec == NULL || sec->owner != object->abfd
      || (sec->flags & SEC_HAS_CONTENTS) == 0 || target->off > sec->size
      || sec->size - target->off < size || size > sizeof code
      || (rels = stub_relocs (object, sec)) == NULL
      || !bfd_get_section_contents (sec->owner, sec, code, target->off, size))
    return 0;
  begin (&buffer, 'S');
  append (&buffer, code, size);
  for (size_t i = 0; i < sec->reloc_count; i++)
    {
      bfd_vma at = rels[i].r_offset - target->off;
      struct elf_coro_target variable;

      if (at >= size)
	continue;
      append_number (&buffer, at);
      if (!_bfd_elf_coro_resolve (object, &rels[i], &variable))
	buffer.failed = true;
      else
	append_number (&buffer,
		       number_of_address (all, ELF64_R_TYPE (rels[i].r_info),
					  &variable));
    }
  if (buffer.failed)
    {
      free (buffer.bytes);
      return 0;
    }
  return number_of (all, &buffer);
}

/* What to write in place of VALUE, in the field at OFF of INPUT, which holds a
   stub's address if IS_STUB.  */

static uint64_t
number_of_field (struct describer *all, const struct elf_coro_input *input,
		 size_t off, bool is_stub, uint64_t value)
{
  const struct elf_coro_field *field = _bfd_elf_coro_field (input, off);
  struct elf_coro_target target;
  struct buffer buffer;
  uint64_t number = 0;

  if (field == NULL || field->rel == NULL
      || !_bfd_elf_coro_resolve (input->object, field->rel, &target))
    {
      begin (&buffer, 'N');
      append_number (&buffer, value);
      return number_of (all, &buffer);
    }
  if (is_stub)
    number = number_of_stub (all, input->object, &target);
  return (number != 0 ? number
	  : number_of_address (all, ELF64_R_TYPE (field->rel->r_info),
			       &target));
}

/* Describe CHAIN, decoded as RECORD, by a block that has nothing else.  */

static void
describe_chain (struct describer *all, struct elf_coro_chain *chain,
		sframe_coro_chain *record)
{
  const struct elf_coro_input *input = chain->input;
  sframe_coro_encoder *encoder = sframe_coro_encoder_new (all->st->abi->abi);
  unsigned char *bytes = NULL;
  size_t size = 0;
  struct buffer buffer;
  struct description *d;

  for (unsigned int i = 0; i < record->num_heads; i++)
    if (record->head[i].kind != SFRAME_CORO_HEAD_FRAME)
      record->head[i].value
	= number_of_field (all, input,
			   chain->heads + i * sizeof (sframe_coro_head_entry)
			   + offsetof (sframe_coro_head_entry, value),
			   record->head[i].kind == SFRAME_CORO_HEAD_TLS_STUB,
			   record->head[i].value);
  if (record->end_kind == SFRAME_CORO_END_ADDRESS)
    record->end_value
      = number_of_field (all, input, chain->off
			 + offsetof (sframe_coro_chain_entry, end_value),
			 false, record->end_value);
  begin (&buffer, 'C');
  if (encoder == NULL
      || sframe_coro_encoder_add_chain (encoder, record, NULL) != 0
      || sframe_coro_encoder_write (encoder, 0, &bytes, &size) != 0)
    buffer.failed = true;
  else
    append (&buffer, bytes, size);
  free (bytes);
  sframe_coro_encoder_free (encoder);
  d = look_up (all, &buffer);
  if (d == NULL)
    return;
  if (d->chain == NULL)
    d->chain = chain;
  chain->same = d->chain;
}

static void
describe_input (struct describer *all, struct elf_coro_input *input)
{
  sframe_coro_section section;
  sframe_coro_block block;
  sframe_coro_chain record;
  struct elf_coro_chain *chain = input->chains;

  memset (&block, 0, sizeof block);
  if (sframe_coro_section_open (&section, input->contents, input->size, 0,
				NULL) != SFRAME_CORO_OK)
    return;
  while (sframe_coro_section_next_block (&section, &block, NULL)
	 == SFRAME_CORO_OK)
    for (uint32_t i = 0; i < block.header.num_chains; i++, chain++)
      if (sframe_coro_block_chain (&block, i, &record, NULL)
	  == SFRAME_CORO_OK)
	describe_chain (all, chain, &record);
}

bool
_bfd_elf_coro_unify (struct elf_coro *st, struct bfd_link_info *info)
{
  struct describer all = { .info = info, .st = st };

  all.all = htab_try_create (64, hash_description, equal_descriptions, free);
  if (all.all == NULL)
    return false;
  for (struct elf_coro_input *input = st->inputs; input != NULL;
       input = input->next)
    describe_input (&all, input);
  htab_delete (all.all);
  for (struct elf_coro_object *object = st->objects; object != NULL;
       object = object->next)
    {
      free (object->stub_rels);
      object->stubs = NULL;
      object->stub_rels = NULL;
    }
  return !all.failed;
}
