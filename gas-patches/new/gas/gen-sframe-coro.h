/* gen-sframe-coro.h - the .sframe_coro_* directives.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   What a directive says is kept in the records below (sframe-coro-dir.c) and
   written at the end of assembly (gen-sframe-coro.c), when every symbol is
   known.  What depends on the target is in sframe-coro-target.c.  */

#ifndef GEN_SFRAME_CORO_H
#define GEN_SFRAME_CORO_H

/* For read.c: the table of directives.  */
extern const pseudo_typeS sframe_coro_pseudo_table[];

/* For as.c: define the symbol `.sframe_coro_version.', which stays out of the
   object unless something refers to it, so that sources can find out with
   `.ifdef' whether there are directives.  */
extern void sframe_coro_begin (void);

/* For as.c: check and write everything.  Does nothing in a file without
   directives.  */
extern void sframe_coro_finish (void);

/* For write.c: if code in SEC has records, add to reloc_list a relocation of
   no bytes, from that code to their block.  It keeps the block alive as long
   as the code, and keeps linkers from folding functions with different
   blocks.  */
extern void sframe_coro_add_anchor (asection *sec);

#if defined OBJ_ELF
# define SFRAME_CORO_ELF 1

#include "sframe-coro.h"

/* Where something was written, for errors found later.  */
struct sframe_coro_place
{
  const char *file;
  unsigned int line;
};

struct sframe_coro_path
{
  bool given;
  bool has_adjust;
  unsigned int num_offs;
  int32_t off[SFRAME_CORO_MAX_PATH_OFFS];
  int32_t adjust;
};

struct sframe_coro_head
{
  unsigned int kind;		/* enum sframe_coro_head_kind.  */
  struct sframe_coro_place place;
  symbolS *sym;
  offsetT sym_off;		/* From the symbol to the base of the path.  */
  bool has_invalid;
  uint64_t invalid;
  struct sframe_coro_path path;
  symbolS *stub;		/* The access sequence, once written.  */
};

struct sframe_coro_test
{
  unsigned int kind, width, actions;
  int32_t off;
  uint64_t mask, value;
};

struct sframe_coro_chain
{
  struct sframe_coro_chain *next;
  struct sframe_coro_place place;
  symbolS *sym;
  const char *text;
  bool comdat;
  bool bad;			/* An error was reported: expect no more.  */
  segT seg;			/* The section of its block.  */
  /* Which of the directives that may be given once were.  */
  bool has_ip, has_end, has_roots, has_align, has_depth;
  uint32_t flags;
  unsigned int ip_kind, language, end_kind, roots, ptr_align_log2;
  uint32_t max_depth;
  int32_t root_frame_off;
  uint64_t end_value;
  symbolS *end_sym;
  offsetT end_sym_off;
  unsigned int num_heads, num_tests;
  struct sframe_coro_head head[SFRAME_CORO_MAX_HEADS];
  struct sframe_coro_test test[SFRAME_CORO_MAX_TESTS];
  struct sframe_coro_path path[SFRAME_CORO_NUM_PATHS];
};

/* Where a `frame' head is, from a place in a site on.  */
struct sframe_coro_row
{
  struct sframe_coro_row *next;
  struct sframe_coro_place place;
  symbolS *pc;
  unsigned int base, flags;
  int32_t off;
};

struct sframe_coro_point
{
  struct sframe_coro_point *next;
  struct sframe_coro_place place;
  symbolS *pc;
  uint32_t index;
};

/* What is said of nodes that a body resumes.  */
struct sframe_coro_body
{
  struct sframe_coro_path next, ip;
  int32_t index_off;
  unsigned int index_size;	/* 0: no index.  */
  struct sframe_coro_point *points, **last_point;
};

/* A site or a body.  */
struct sframe_coro_func
{
  struct sframe_coro_func *next;
  struct sframe_coro_place place;
  symbolS *chain;
  symbolS *start;
  symbolS *end;			/* NULL if the size is known already.  */
  offsetT size;
  struct sframe_coro_row *rows;
  struct sframe_coro_body *body;
  unsigned int kind;		/* enum sframe_coro_func_kind.  */
  unsigned int num;		/* Of rows or points.  */
  unsigned int serial;		/* Among those of the text section.  */
  subsegT subseg;
  bool bad;			/* An error was reported: expect no more.  */
};

/* The functions of one text section, which make one block.  */
struct sframe_coro_text
{
  struct sframe_coro_text *next;
  struct sframe_coro_place place; /* Of its first directive.  */
  segT seg;
  symbolS *anchor;		/* The start of its first function.  */
  segT block;			/* The section of its block, once written.  */
  struct sframe_coro_func *funcs, **last;
  unsigned int num_funcs;
};

/* All that a file says.  */
struct sframe_coro_records
{
  struct sframe_coro_chain *chains, **last_chain;
  struct sframe_coro_text *texts, **last_text;
  htab_t text_of_seg;
  struct sframe_coro_chain *open_chain;
  /* By enum sframe_coro_func_kind.  */
  struct sframe_coro_func *open_func[SFRAME_CORO_FUNC_BODY + 1];
  segT open_seg[SFRAME_CORO_FUNC_BODY + 1];
};

extern struct sframe_coro_records sframe_coro_records;

/* Make a section for a block, and stay in the section we are in.  GROUP may
   be NULL.  */
extern segT sframe_coro_make_section (const char *name, flagword flags,
				      bfd_vma attr, const char *group,
				      bool comdat);

/* What functions are called in messages, by enum sframe_coro_func_kind.  */
extern const char *const sframe_coro_func_names[];

/* The target.  */

struct sframe_coro_target
{
  int max_register;		/* DWARF number of the last general one.  */
  uint32_t preserved;		/* Those that calls leave alone, as bits.  */
  bool parentheses;		/* Memory operands may be OFF(REG).  */
  const char *brackets;		/* What follows REG in [REG...], or NULL.  */
  bool has_tls_offset;
};

extern const struct sframe_coro_target sframe_coro_target;

/* The SFRAME_CORO_ABI_* of the output file; 0 if there is none.  */
extern unsigned int sframe_coro_target_abi (void);

/* The DWARF number of the register NAME, a string that may be changed, as
   .cfi_* directives have it; negative if it is none.  */
extern int sframe_coro_target_register (char *name);

/* Write, at the current place, an access to SYM by TLS descriptor, or what
   serves on the target.  */
extern void sframe_coro_target_stub (symbolS *sym);

/* Write 8 bytes: the offset of SYM in its TLS block.  */
extern void sframe_coro_target_tls_offset (symbolS *sym);

#endif /* OBJ_ELF */

#endif /* GEN_SFRAME_CORO_H */
