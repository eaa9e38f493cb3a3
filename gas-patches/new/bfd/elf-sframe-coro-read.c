/* elf-sframe-coro-read.c - read .sframe_coro for the ELF linker.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "sysdep.h"
#include "bfd.h"
#include "libbfd.h"
#include "elf-bfd.h"
#include "libiberty.h"
#include "elf-sframe-coro.h"

/* The sizes are those of the code that gas writes for `tls' heads: see the
   specification, "TLS stubs".  */
static const struct elf_coro_abi abis[] =
{
  { SFRAME_CORO_ABI_AMD64_LE, EM_X86_64, false, 9 },
  { SFRAME_CORO_ABI_AARCH64_LE, EM_AARCH64, false, 16 },
  { SFRAME_CORO_ABI_AARCH64_BE, EM_AARCH64, true, 16 },
  { SFRAME_CORO_ABI_S390X_BE, EM_S390, true, 32 }
};

const struct elf_coro_abi *
_bfd_elf_coro_abi (bfd *abfd)
{
  const struct elf_backend_data *bed = get_elf_backend_data (abfd);

  for (size_t i = 0; i < ARRAY_SIZE (abis); i++)
    if (bed->s->arch_size == 64 && abis[i].machine == bed->elf_machine_code
	&& abis[i].big == bfd_big_endian (abfd))
      return &abis[i];
  return NULL;
}

bool
_bfd_elf_coro_complain (const struct elf_coro_input *input, bfd_vma off,
			const char *why)
{
  _bfd_error_handler
    /* xgettext:c-format */
    (_("%pB(%pA+%#" PRIx64 "): warning: .sframe_coro not merged: %s"),
     input->object->abfd, input->sec, (uint64_t) off, why);
  return false;
}

/* The same for what libsframe found.  */

static bool
complain_of (const struct elf_coro_input *input, int err,
	     const sframe_coro_where *where)
{
  char why[160];

  snprintf (why, sizeof why, "%s (%s%s%s)", sframe_coro_errmsg (err),
	    where->field != NULL ? where->field : "",
	    where->field != NULL ? _(" of ") : "",
	    where->record != NULL ? where->record : "section");
  return _bfd_elf_coro_complain (input, where->offset, why);
}

/* Find the first element of the NUM, SIZE bytes each, at ARRAY, whose offset,
   its first member, is not less than OFF.  */

static size_t
lower_bound (const void *array, size_t num, size_t size, size_t off)
{
  size_t lo = 0;

  while (lo < num)
    {
      size_t mid = lo + (num - lo) / 2;

      if (*(const size_t *) ((const char *) array + mid * size) < off)
	lo = mid + 1;
      else
	num = mid;
    }
  return lo;
}

struct elf_coro_input *
_bfd_elf_coro_input (asection *sec)
{
  return (sec != NULL && sec->owner != NULL && sec->used_by_bfd != NULL
	  && bfd_get_flavour (sec->owner) == bfd_target_elf_flavour
	  && elf_section_data (sec)->sframe_coro != NULL
	  && !elf_section_data (sec)->sframe_coro->object->bad
	  ? elf_section_data (sec)->sframe_coro : NULL);
}

struct elf_coro_field *
_bfd_elf_coro_field (const struct elf_coro_input *input, bfd_vma off)
{
  size_t i = lower_bound (input->fields, input->num_fields,
			  sizeof *input->fields, off);

  return (i < input->num_fields && input->fields[i].off == off
	  ? &input->fields[i] : NULL);
}

struct elf_coro_chain *
_bfd_elf_coro_chain (const struct elf_coro_input *input, bfd_vma off)
{
  size_t i = lower_bound (input->chains, input->num_chains,
			  sizeof *input->chains, off);

  return (i < input->num_chains && input->chains[i].off == off
	  ? &input->chains[i] : NULL);
}

bool
_bfd_elf_coro_resolve (const struct elf_coro_object *object,
		       const Elf_Internal_Rela *rel,
		       struct elf_coro_target *target)
{
  bfd *abfd = object->abfd;
  const struct elf_backend_data *bed = get_elf_backend_data (abfd);
  size_t num = elf_symtab_hdr (abfd).sh_size / bed->s->sizeof_sym;
  size_t i = ELF64_R_SYM (rel->r_info);
  struct elf_link_hash_entry *h;

  memset (target, 0, sizeof *target);
  target->off = rel->r_addend;
  if (i < object->num_syms)
    {
      const Elf_Internal_Sym *sym = &object->syms[i];

      target->sec = (sym->st_shndx == SHN_ABS ? bfd_abs_section_ptr
		     : bfd_section_from_elf_index (abfd, sym->st_shndx));
      target->off += sym->st_value;
      return target->sec != NULL;
    }
  h = i < num ? elf_sym_hashes (abfd)[i - object->num_syms] : NULL;
  while (h != NULL && (h->root.type == bfd_link_hash_indirect
		       || h->root.type == bfd_link_hash_warning))
    h = (struct elf_link_hash_entry *) h->root.u.i.link;
  target->h = h;
  if (h != NULL && (h->root.type == bfd_link_hash_defined
		    || h->root.type == bfd_link_hash_defweak))
    {
      target->sec = h->root.u.def.section;
      target->off += h->root.u.def.value;
    }
  return h != NULL;
}

/* The howto of REL, or NULL, which was reported.  */

static reloc_howto_type *
howto_of (bfd *abfd, const Elf_Internal_Rela *rel)
{
  Elf_Internal_Rela copy = *rel;
  arelent r;

  memset (&r, 0, sizeof r);
  return (get_elf_backend_data (abfd)->elf_info_to_howto (abfd, &r, &copy)
	  ? r.howto : NULL);
}

/* Read the records' places.  */

/* Open the next block of SECTION in *BLOCK, and complain if that fails.
   Return 1 if there is one, 0 at the end, -1 if it cannot be merged.  */

static int
next_block (const struct elf_coro_input *input,
	    const sframe_coro_section *section, sframe_coro_block *block)
{
  sframe_coro_where where;
  const sframe_coro_header *h = &block->header;
  int err = sframe_coro_section_next_block (section, block, &where);

  if (err == SFRAME_CORO_ERR_NOT_FOUND)
    return 0;
  if (err == SFRAME_CORO_OK
      && h->header_size == sizeof (sframe_coro_header)
      && h->chain_size == sizeof (sframe_coro_chain_entry)
      && h->func_size == sizeof (sframe_coro_func_entry))
    return 1;
  if (err == SFRAME_CORO_OK)
    _bfd_elf_coro_complain (input, block->offset,
			    _("fields this linker does not know"));
  else
    complain_of (input, err, &where);
  return -1;
}

/* Report the first error.  */

static int
found (void *arg, const sframe_coro_finding *finding)
{
  if (finding->severity != SFRAME_CORO_ERROR)
    return 0;
  complain_of (arg, finding->error, &finding->where);
  return 1;
}

/* Open INPUT, count its records, and see that all in it is known.  */

static bool
check_input (struct elf_coro_input *input, const struct elf_coro_abi *abi,
	     sframe_coro_section *section)
{
  static const sframe_coro_module_facts facts = { .relocatable = true };
  sframe_coro_block block;
  sframe_coro_where where;
  int more, err;

  err = sframe_coro_section_open (section, input->contents, input->size, 0,
				  &where);
  if (err != SFRAME_CORO_OK)
    return complain_of (input, err, &where);
  if (section->abi_arch != 0 && section->abi_arch != abi->abi)
    return _bfd_elf_coro_complain (input,
				   offsetof (sframe_coro_header, abi_arch),
				   _("for another machine"));
  memset (&block, 0, sizeof block);
  while ((more = next_block (input, section, &block)) > 0)
    {
      input->num_chains += block.header.num_chains;
      input->num_funcs += block.header.num_funcs;
      /* The order is that of addresses, which are not known yet.  */
      input->contents[block.offset + offsetof (sframe_coro_header, flags)]
	&= ~SFRAME_CORO_F_FUNCS_SORTED;
    }
  return (more == 0
	  && sframe_coro_validate (input->contents, input->size, 0, &facts,
				   found, input) == 0);
}

static void
add_field (struct elf_coro_input *input, size_t off, enum elf_coro_role role)
{
  struct elf_coro_field *field = &input->fields[input->num_fields++];

  field->off = off;
  field->role = role;
}

/* Add the chain whose entry is at OFF, in a block with the data area at
   DATA.  */

static void
add_chain (struct elf_coro_input *input, size_t off, size_t data)
{
  const bfd_byte *entry = input->contents + off;
  struct elf_coro_chain *chain = &input->chains[input->num_chains++];
  size_t head;

#define BYTE(TYPE, FIELD, AT) ((AT)[offsetof (TYPE, FIELD)])
  chain->off = off;
  chain->input = input;
  chain->same = chain;
  chain->by_site = true;
  chain->heads = data + bfd_get_32 (input->object->abfd,
				    &BYTE (sframe_coro_chain_entry, heads,
					   entry));
  head = chain->heads;
  for (unsigned int i = BYTE (sframe_coro_chain_entry, num_heads, entry);
       i > 0; i--, head += sizeof (sframe_coro_head_entry))
    {
      int kind = BYTE (sframe_coro_head_entry, kind, input->contents + head);

      if (kind == SFRAME_CORO_HEAD_FRAME)
	continue;
      chain->by_site = false;
      add_field (input, head + offsetof (sframe_coro_head_entry, value),
		 kind == SFRAME_CORO_HEAD_TLS_OFFSET
		 ? ELF_CORO_TLS_OFFSET : ELF_CORO_ADDRESS);
    }
  if (BYTE (sframe_coro_chain_entry, end_kind, entry)
      == SFRAME_CORO_END_ADDRESS)
    add_field (input, off + offsetof (sframe_coro_chain_entry, end_value),
	       ELF_CORO_ADDRESS);
#undef BYTE
}

static void
add_func (struct elf_coro_input *input, size_t off)
{
  struct elf_coro_func *func = &input->funcs[input->num_funcs++];

  func->off = off;
  func->input = input;
  add_field (input, off + offsetof (sframe_coro_func_entry, start),
	     ELF_CORO_START);
  add_field (input, off + offsetof (sframe_coro_func_entry, chain),
	     ELF_CORO_CHAIN);
}

static bool
make_room (struct elf_coro_input *input)
{
  size_t fields = (input->num_chains * (SFRAME_CORO_MAX_HEADS + 1)
		   + input->num_funcs * 2);

  input->chains = bfd_zmalloc (input->num_chains * sizeof *input->chains + 1);
  input->funcs = bfd_zmalloc (input->num_funcs * sizeof *input->funcs + 1);
  input->fields = bfd_zmalloc (fields * sizeof *input->fields + 1);
  input->num_chains = input->num_funcs = 0;
  return (input->chains != NULL && input->funcs != NULL
	  && input->fields != NULL);
}

static int
compare_fields (const void *a, const void *b)
{
  const struct elf_coro_field *p = a, *q = b;

  return p->off < q->off ? -1 : p->off > q->off;
}

/* List all records.  Chains may share heads, whose fields are listed once.  */

static bool
list_records (struct elf_coro_input *input, const sframe_coro_section *section)
{
  sframe_coro_block block;
  size_t num = 0;

  memset (&block, 0, sizeof block);
  while (next_block (input, section, &block) > 0)
    {
      for (uint32_t i = 0; i < block.header.num_chains; i++)
	add_chain (input,
		   block.chains + i * sizeof (sframe_coro_chain_entry),
		   block.data);
      for (uint32_t i = 0; i < block.header.num_funcs; i++)
	add_func (input, block.funcs + i * sizeof (sframe_coro_func_entry));
    }
  qsort (input->fields, input->num_fields, sizeof *input->fields,
	 compare_fields);
  for (size_t i = 0; i < input->num_fields; i++)
    {
      const struct elf_coro_field *field = &input->fields[i];
      const struct elf_coro_field *last = &input->fields[num - (num > 0)];

      if (num > 0 && field->off == last->off && field->role == last->role)
	continue;
      if (num > 0 && field->off - last->off < 8)
	return _bfd_elf_coro_complain (input, field->off, _("records overlap"));
      input->fields[num++] = *field;
    }
  input->num_fields = num;
  return true;
}

/* Find the fields that the relocations are for.  */

static bool
assign_relocs (struct elf_coro_input *input)
{
  bfd *abfd = input->object->abfd;

  for (size_t i = 0; i < input->sec->reloc_count; i++)
    {
      const Elf_Internal_Rela *rel = &input->rels[i];
      struct elf_coro_field *field
	= _bfd_elf_coro_field (input, rel->r_offset);
      reloc_howto_type *howto = howto_of (abfd, rel);

      if (howto == NULL)
	return _bfd_elf_coro_complain (input, rel->r_offset, _("unknown relocation"));
      if (bfd_get_reloc_size (howto) == 0)
	continue;
      if (field == NULL || field->rel != NULL
	  || bfd_get_reloc_size (howto) != 8
	  || howto->pc_relative != (field->role != ELF_CORO_TLS_OFFSET))
	return _bfd_elf_coro_complain (input, rel->r_offset,
				       _("unexpected relocation"));
      field->rel = rel;
    }
  for (size_t i = 0; i < input->num_fields; i++)
    if (input->fields[i].rel == NULL
	&& input->fields[i].role == ELF_CORO_ADDRESS)
      return _bfd_elf_coro_complain (input, input->fields[i].off,
		       _("an address without relocation"));
  return true;
}

static bool
read_relocs (struct elf_coro_input *input)
{
  asection *sec = input->sec;

  if ((sec->flags & SEC_RELOC) == 0 || sec->reloc_count == 0)
    return true;
  if (elf_section_data (sec)->rel.hdr != NULL)
    return _bfd_elf_coro_complain (input, 0, _("relocations without addends"));
  input->rels = _bfd_elf_link_read_relocs (sec->owner, sec, NULL, NULL, false);
  return (input->rels != NULL
	  || _bfd_elf_coro_complain (input, 0, _("cannot read relocations")));
}

/* Find the code of each function.  */

static void
find_code (struct elf_coro_input *input)
{
  for (size_t i = 0; i < input->num_funcs; i++)
    {
      struct elf_coro_func *func = &input->funcs[i];
      const struct elf_coro_field *start
	= _bfd_elf_coro_field (input, func->off
			       + offsetof (sframe_coro_func_entry, start));
      struct elf_coro_target target;

      /* Relocatable links remove relocations against discarded code.  */
      func->dead = start->rel == NULL;
      if (!func->dead
	  && _bfd_elf_coro_resolve (input->object, start->rel, &target))
	{
	  func->code = target.sec;
	  func->start = target.off;
	}
    }
}

static bool
read_input (struct elf_coro_input *input, const struct elf_coro_abi *abi)
{
  sframe_coro_section section;

  if (!bfd_malloc_and_get_section (input->sec->owner, input->sec,
				   &input->contents))
    return _bfd_elf_coro_complain (input, 0, _("cannot read contents"));
  if (!check_input (input, abi, &section))
    return false;
  if (!make_room (input))
    return _bfd_elf_coro_complain (input, 0, _("no memory"));
  if (!list_records (input, &section) || !read_relocs (input)
      || !assign_relocs (input))
    return false;
  find_code (input);
  return true;
}

void
_bfd_elf_coro_free_input (struct elf_coro_input *input)
{
  elf_section_data (input->sec)->sframe_coro = NULL;
  if (input->rels != elf_section_data (input->sec)->relocs)
    free (input->rels);
  free (input->contents);
  free (input->fields);
  free (input->chains);
  free (input->funcs);
  input->contents = NULL;
  input->rels = NULL;
  input->fields = NULL;
  input->chains = NULL;
  input->funcs = NULL;
}

/* Whether SEC is one of those we read.  Copies of groups that are not linked
   have no output section any more.  */

static bool
is_input (asection *sec)
{
  return (strcmp (bfd_section_name (sec), SFRAME_CORO_SECTION_NAME) == 0
	  && (sec->flags & SEC_HAS_CONTENTS) != 0
	  && (sec->flags & (SEC_LINKER_CREATED | SEC_EXCLUDE)) == 0
	  && (sec->output_section == NULL
	      || !bfd_is_abs_section (sec->output_section))
	  && sec->size != 0);
}

/* A symbol of a section with several chains follows one of them, but the
   symbol of the section itself cannot follow them all.  Only sections of the
   same object can refer to that.  */

static bool
check_reference (const struct elf_coro_object *object, asection *from,
		 const Elf_Internal_Rela *rel)
{
  size_t i = ELF64_R_SYM (rel->r_info);
  const struct elf_coro_input *input;
  struct elf_coro_target target;
  reloc_howto_type *howto;

  if (i >= object->num_syms
      || ELF_ST_TYPE (object->syms[i].st_info) != STT_SECTION
      || !_bfd_elf_coro_resolve (object, rel, &target)
      || (input = _bfd_elf_coro_input (target.sec)) == NULL
      || input->num_chains < 2)
    return true;
  howto = howto_of (object->abfd, rel);
  if (howto == NULL || bfd_get_reloc_size (howto) == 0)
    return true;
  _bfd_error_handler
    /* xgettext:c-format */
    (_("%pB(%pA+%#" PRIx64 "): warning: .sframe_coro not merged: reference"
       " to a section with several chains"),
     object->abfd, from, (uint64_t) rel->r_offset);
  return false;
}

static bool
check_references (const struct elf_coro_object *object)
{
  bool good = true;

  for (asection *sec = object->abfd->sections; sec != NULL && good;
       sec = sec->next)
    {
      Elf_Internal_Rela *rels;

      if ((sec->flags & SEC_RELOC) == 0 || sec->reloc_count == 0
	  || _bfd_elf_coro_input (sec) != NULL)
	continue;
      rels = _bfd_elf_link_read_relocs (sec->owner, sec, NULL, NULL, false);
      if (rels == NULL)
	return false;
      for (size_t i = 0; i < sec->reloc_count && good; i++)
	good = check_reference (object, sec, &rels[i]);
      if (rels != elf_section_data (sec)->relocs)
	free (rels);
    }
  return good;
}

/* Read the local symbols of OBJECT.  */

static bool
read_symbols (struct elf_coro_object *object)
{
  Elf_Internal_Shdr *hdr = &elf_symtab_hdr (object->abfd);

  object->num_syms = hdr->sh_info;
  object->syms = (Elf_Internal_Sym *) hdr->contents;
  if (object->syms == NULL && object->num_syms != 0)
    object->syms = bfd_elf_get_elf_syms (object->abfd, hdr, object->num_syms,
					 0, NULL, NULL, NULL);
  return object->syms != NULL || object->num_syms == 0;
}

static bool
add_object (struct elf_coro *st, bfd *abfd, struct elf_coro_object **object)
{
  *object = bfd_zalloc (abfd, sizeof **object);
  if (*object == NULL)
    return false;
  (*object)->abfd = abfd;
  (*object)->bad = elf_bad_symtab (abfd) || !read_symbols (*object);
  (*object)->next = st->objects;
  st->objects = *object;
  return true;
}

bool
_bfd_elf_coro_read_object (struct elf_coro *st, bfd *abfd)
{
  struct elf_coro_object *object = NULL;
  bool several = false;

  for (asection *sec = abfd->sections; sec != NULL; sec = sec->next)
    {
      struct elf_coro_input *input;

      if (!is_input (sec))
	continue;
      if (object == NULL && !add_object (st, abfd, &object))
	return false;
      if (object->bad)
	break;
      input = bfd_zalloc (abfd, sizeof *input);
      if (input == NULL)
	return false;
      input->sec = sec;
      input->size = sec->size;
      input->object = object;
      *st->last = input;
      st->last = &input->next;
      elf_section_data (sec)->sframe_coro = input;
      object->bad = !read_input (input, st->abi);
      several |= input->num_chains > 1;
    }
  if (several && !object->bad)
    object->bad = !check_references (object);
  return true;
}
