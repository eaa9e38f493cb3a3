/* elf-sframe-coro.h - .sframe_coro in the ELF linker.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef ELF_SFRAME_CORO_H
#define ELF_SFRAME_CORO_H

#include "sframe-coro-api.h"

/* All .sframe_coro input sections become one block: functions whose code is
   not in the output are left out, equal chains become one, functions are
   sorted.  The order of events:

     _bfd_elf_sframe_coro_begin		all inputs are read, before sections
					are garbage-collected
     _bfd_elf_sframe_coro_start_p	code is not kept alive by what describes
					it
     _bfd_elf_sframe_coro_discard	the size is known, before layout
     _bfd_elf_sframe_coro_place		addresses are known: symbols in input
					sections are made to follow
     _bfd_elf_sframe_coro_relocated	each input section, relocated as it was
     _bfd_elf_sframe_coro_write		the block

   An object with a section that cannot be merged is left alone, all of it, and
   so is what refers to its chains.  Nothing is merged in relocatable output,
   nor with --emit-relocs, which both have relocations for the contents.  */

/* Fields of which only the linker knows the value.  */
enum elf_coro_role
{
  ELF_CORO_START,	/* Of a function.  */
  ELF_CORO_CHAIN,	/* The chain of a function.  */
  ELF_CORO_ADDRESS,	/* Of a head, or what ends a list.  */
  ELF_CORO_TLS_OFFSET	/* A number, where it has no relocation.  */
};

struct elf_coro_field
{
  size_t off;		/* In the input section.  */
  enum elf_coro_role role;
  const Elf_Internal_Rela *rel;	/* NULL: none.  */
};

struct elf_coro_chain
{
  size_t off;		/* Of the entry, in the input section.  */
  size_t heads;		/* Ditto, of the first head.  */
  const struct elf_coro_input *input;
  struct elf_coro_chain *same;	/* What represents all equal chains.  */
  uint32_t index;	/* In the output, of a representative.  */
  bool by_site;		/* Lists are found from sites only.  */
  bool used;		/* Is in the output.  */
};

struct elf_coro_func
{
  size_t off;		/* Of the entry, in the input section.  */
  const struct elf_coro_input *input;
  struct elf_coro_chain *chain;
  asection *code;	/* What `start' is in; NULL if undefined.  */
  bfd_vma start;	/* Where in CODE that is.  */
  bool dead;		/* Has no code, or is described twice.  */
};

struct elf_coro_object
{
  bfd *abfd;
  Elf_Internal_Sym *syms; /* Local symbols.  */
  size_t num_syms;
  bool bad;		/* Not to be merged.  */
  asection *stubs;	/* The section with TLS stubs read last.  */
  Elf_Internal_Rela *stub_rels;
  struct elf_coro_object *next;
};

struct elf_coro_input
{
  asection *sec;
  struct elf_coro_object *object;
  bfd_byte *contents;
  size_t size;
  Elf_Internal_Rela *rels;
  struct elf_coro_field *fields; /* By offset.  */
  size_t num_fields;
  struct elf_coro_chain *chains; /* Ditto.  */
  size_t num_chains;
  struct elf_coro_func *funcs;	 /* Ditto.  */
  size_t num_funcs;
  struct elf_coro_input *next;
};

struct elf_coro_abi
{
  int abi;		/* enum sframe_coro_abi.  */
  int machine;		/* EM_*.  */
  bool big;
  unsigned int stub_size; /* Bytes of a TLS stub.  */
};

struct elf_coro
{
  const struct elf_coro_abi *abi;
  struct elf_coro_object *objects;
  struct elf_coro_input *inputs, **last; /* In link order.  */
  struct elf_coro_input *carrier;	 /* The one with the block.  */
  bfd_vma offset;			 /* In the carrier's output section.  */
  bfd_size_type size;
  bool done;
};

/* What a relocation refers to: an offset in SEC, of symbol H if that is
   global.  */
struct elf_coro_target
{
  struct elf_link_hash_entry *h;
  asection *sec;	/* NULL if not defined here.  */
  bfd_vma off;
};

/* elf-sframe-coro-read.c */

/* What the linker knows of the machine of ABFD, or NULL.  */
extern const struct elf_coro_abi *_bfd_elf_coro_abi (bfd *) ATTRIBUTE_HIDDEN;
/* Read ABFD into ST; false without memory.  */
extern bool _bfd_elf_coro_read_object (struct elf_coro *, bfd *)
  ATTRIBUTE_HIDDEN;
/* Say why INPUT is not merged, with the offset of what is wrong.  Return
   false.  */
extern bool _bfd_elf_coro_complain (const struct elf_coro_input *, bfd_vma,
				    const char *) ATTRIBUTE_HIDDEN;
/* What was read of a section; NULL if it is not to be merged.  */
extern struct elf_coro_input *_bfd_elf_coro_input (asection *)
  ATTRIBUTE_HIDDEN;
/* The field at an offset, or NULL.  */
extern struct elf_coro_field *_bfd_elf_coro_field
  (const struct elf_coro_input *, bfd_vma) ATTRIBUTE_HIDDEN;
/* The chain at an offset, or NULL.  */
extern struct elf_coro_chain *_bfd_elf_coro_chain
  (const struct elf_coro_input *, bfd_vma) ATTRIBUTE_HIDDEN;
/* Find what REL of OBJECT refers to; false if there is no such symbol.  */
extern bool _bfd_elf_coro_resolve
  (const struct elf_coro_object *, const Elf_Internal_Rela *,
   struct elf_coro_target *) ATTRIBUTE_HIDDEN;
extern void _bfd_elf_coro_free_input (struct elf_coro_input *)
  ATTRIBUTE_HIDDEN;

/* elf-sframe-coro-chains.c */

/* Find equal chains among all inputs; false without memory.  */
extern bool _bfd_elf_coro_unify (struct elf_coro *, struct bfd_link_info *)
  ATTRIBUTE_HIDDEN;

/* elf-sframe-coro.c */

extern bool _bfd_elf_sframe_coro_begin (struct bfd_link_info *)
  ATTRIBUTE_HIDDEN;
/* Whether REL of SEC is for the start of a function.  */
extern bool _bfd_elf_sframe_coro_start_p (asection *,
					  const Elf_Internal_Rela *)
  ATTRIBUTE_HIDDEN;
/* Return -1 on error, 1 if a size changed, otherwise 0.  With DISCARD there is
   to be no such section.  */
extern int _bfd_elf_sframe_coro_discard (struct bfd_link_info *, bool)
  ATTRIBUTE_HIDDEN;
extern bool _bfd_elf_sframe_coro_place (struct bfd_link_info *)
  ATTRIBUTE_HIDDEN;
/* Whether SEC is a merged section.  */
extern bool _bfd_elf_sframe_coro_merged_p (asection *) ATTRIBUTE_HIDDEN;
/* Take the relocated contents of SEC, if it is merged.  */
extern bool _bfd_elf_sframe_coro_relocated (asection *, const bfd_byte *)
  ATTRIBUTE_HIDDEN;
extern bool _bfd_elf_sframe_coro_write (struct bfd_link_info *)
  ATTRIBUTE_HIDDEN;
/* The section for PT_GNU_SFRAME_CORO, or NULL.  */
extern asection *_bfd_elf_sframe_coro_section (bfd *) ATTRIBUTE_HIDDEN;
/* Append that segment, if there is one, to the list that ends at *PM.  */
extern bool _bfd_elf_sframe_coro_add_segment (bfd *,
					      struct elf_segment_map ***)
  ATTRIBUTE_HIDDEN;

#endif /* ELF_SFRAME_CORO_H */
