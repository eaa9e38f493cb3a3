/* libsframe-coro: reading, writing, walking and splicing .sframe_coro.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   The library knows no ELF file, no process and no kernel, but for the last
   part of this header, by which a process looks at itself.  It decodes bytes
   it is given, and walks lists through a function that reads memory.  Data
   flows one way:

     bytes -> section -> block -> chain, function -> index -> walk -> splice

   Conventions, unless a function says otherwise:
   - Functions return SFRAME_CORO_OK (0) or one of sframe_coro_errcode; those
     that can say where something is wrong take a `sframe_coro_where *', which
     may be NULL.
   - Addresses are run-time addresses of the described program if the section
     was opened with the address at which it is mapped there.
   - Structures are filled in host byte order and belong to the caller.
     Strings and views point into the caller's bytes and live as long as they.
   - No function keeps global state, and none prints but the dump functions.
   - "Signal-safe" functions neither allocate nor lock nor recurse, and may be
     called from a signal handler, as long as the callbacks that they are given
     may.  Others, which do not say so, may not.  What is signal-safe may as
     well be called by several threads at once on the same objects.  */

#ifndef SFRAME_CORO_API_H
#define SFRAME_CORO_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if __STDC_HOSTED__
#include <stdio.h>
#endif

#include "sframe-coro.h"

#ifdef __cplusplus
extern "C"
{
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Errors.  */

/* X (NAME, TEXT) for each: the number is SFRAME_CORO_ERR_NAME.  */
#define SFRAME_CORO_ERRORS(X)                                                 \
  X (OK, "no error")                                                          \
  X (NOMEM, "out of memory")                                                  \
  X (INVAL, "invalid argument")                                               \
  X (TRUNCATED, "the section ends inside a record")                           \
  X (BAD_MAGIC, "not a .sframe_coro block")                                   \
  X (BAD_VERSION, "unsupported version")                                      \
  X (BAD_ABI, "unknown ABI/architecture, or not that of the section")         \
  X (BAD_HEADER, "impossible sizes in the block header")                      \
  X (BAD_LENGTH, "the records do not fit the block")                          \
  X (BAD_OFFSET, "offset outside its area, or misaligned")                    \
  X (BAD_COUNT, "number of entries out of range")                              \
  X (BAD_KIND, "unknown kind")                                                \
  X (BAD_STRING, "name outside the string area, or not terminated")           \
  X (BAD_PADDING, "bytes behind the strings are not zero")                     \
  X (BAD_UTF8, "name is not UTF-8")                                           \
  X (BAD_VALUE, "value out of range")                                         \
  X (RESERVED, "reserved field or flag is not zero")                          \
  X (NO_HEAD_PATH, "head without a usable path")                              \
  X (NO_NEXT, "chain without a path to the next node")                        \
  X (NO_IP, "IP kind and IP path contradict each other")                      \
  X (CHAIN_REF, "function refers to no chain of this section")                \
  X (OVERLAP, "functions of one chain overlap")                                \
  X (UNSORTED, "functions flagged as sorted are not, or overlap")              \
  X (TLS_RANGE, "TLS offset outside the module's TLS segment")                \
  X (NOT_CODE, "function or stub outside the executable segments")            \
  X (BAD_STUB, "not a TLS access sequence")                                   \
  X (NO_CALL, "no call returns to the site")                                  \
  X (POINT_RANGE, "suspend point or row outside its function")                \
  X (ROW_ORDER, "rows do not ascend")                                         \
  X (NOT_FOUND, "nothing found")                                              \
  X (NO_TLS, "the thread has no such TLS block")                              \
  X (NO_LIBC, "the C library's TLS layout is not known")                      \
  X (UNREADABLE, "memory cannot be read")                                     \
  X (UNSUPPORTED, "not supported by this version of the library")            \
  X (NO_FILE, "the module's file is gone, or another one now")               \
  X (NOT_LOADED, "the section is outside the module's segments")

/* What functions return.  */
typedef enum sframe_coro_errcode
{
#define SFRAME_CORO_ERROR_ENUM(NAME, TEXT) SFRAME_CORO_ERR_##NAME,
  SFRAME_CORO_ERRORS (SFRAME_CORO_ERROR_ENUM)
#undef SFRAME_CORO_ERROR_ENUM
    SFRAME_CORO_NUM_ERRORS
} sframe_coro_errcode;

#define SFRAME_CORO_OK SFRAME_CORO_ERR_OK

/* The message of error ERR, in English, without a full stop; never NULL.
   Signal-safe.  */
extern const char *sframe_coro_errmsg (int err);

/* The version of the library, as "0.1.0".  Signal-safe.  */
extern const char *sframe_coro_version (void);

/* Where in a section something was found.  */
typedef struct sframe_coro_where
{
  size_t offset;	 /* Bytes from the start of the section.  */
  size_t block;		 /* Index of the block.  */
  size_t index;		 /* Index of the record of its kind in the block.  */
  const char *record;	 /* "header", "chain", "head", "path", "test",
			    "function", "row", "body", "point", "string",
			    "padding".  */
  const char *field;	 /* Name of the field, or NULL.  */
} sframe_coro_where;

/* Sections and blocks.  */

/* A view of a section.  Open it with sframe_coro_section_open; the fields are
   for reading only.  */
typedef struct sframe_coro_section
{
  const unsigned char *bytes;
  size_t size;
  uint64_t address;	/* Where the described program has bytes[0].  */
  uint8_t abi_arch;	/* enum sframe_coro_abi, of the first block.  */
  bool swap;		/* The byte order is not the host's.  */
} sframe_coro_section;

/* A view of one block; get it from sframe_coro_section_next_block.  */
typedef struct sframe_coro_block
{
  const sframe_coro_section *section;
  size_t offset;	/* Of the header, in the section.  */
  size_t number;	/* The how manieth of the section, from 0.  */
  sframe_coro_header header; /* In host byte order.  */
  size_t chains, funcs, data, strings; /* Section offsets of the areas.  */
} sframe_coro_block;

/* Open SIZE bytes at BYTES, mapped at ADDRESS in the described program, as a
   section.  Takes the byte order and the ABI from the first block; checks no
   more than that block's header, so it costs the same for any size.  An empty
   section, or one of zero bytes only, is valid and has no blocks.  BYTES may
   have any alignment.  Signal-safe.  */
extern int sframe_coro_section_open (sframe_coro_section *section,
				     const void *bytes, size_t size,
				     uint64_t address,
				     sframe_coro_where *where);

/* Step BLOCK to the next block of SECTION; to begin, fill *BLOCK with zeros.
   Return SFRAME_CORO_ERR_NOT_FOUND after the last one, and an error if the
   next block is malformed, which ends the iteration: what follows a block of
   unknown length cannot be found.  On success every area of the block lies
   inside the section.  Signal-safe.  */
extern int sframe_coro_section_next_block (const sframe_coro_section *section,
					   sframe_coro_block *block,
					   sframe_coro_where *where);

/* Records, decoded.  What fields mean is in the specification; here is what
   is different from the section.  */

/* Loads at offsets, then an adjustment, 0 where the section gives none.  */
typedef struct sframe_coro_path
{
  uint8_t given;    /* 0: there is no such path.  */
  uint8_t num_offs;
  int32_t off[SFRAME_CORO_MAX_PATH_OFFS];
  int32_t adjust;
} sframe_coro_path;

/* Where a list, or a root, is found.  */
typedef struct sframe_coro_head
{
  uint8_t kind;	  /* enum sframe_coro_head_kind.  */
  uint8_t flags;
  uint64_t value; /* An address, where the format has a PC-relative value;
		     else as in the format (signed for TLS_OFFSET).  */
  uint64_t invalid;
  sframe_coro_path path;
} sframe_coro_head;

/* A comparison of fields of a node.  */
typedef struct sframe_coro_test
{
  uint8_t kind;		/* enum sframe_coro_test_kind.  */
  uint8_t width;	/* Bytes of the field.  */
  uint8_t actions;	/* SFRAME_CORO_ACT_*.  */
  int32_t off;
  uint64_t mask, value; /* Signed, the offset of the other field, if that is
			   what it is compared with.  */
} sframe_coro_test;

/* A chain: what the walker needs, self-contained, addresses absolute.  */
typedef struct sframe_coro_chain
{
  uint64_t address; /* Of the chain entry: its identity in its module.  */
  const char *name; /* Into the section; "" if it has none.  */
  uint32_t flags;
  uint8_t abi_arch;
  uint8_t swap; /* The program's byte order is not the host's.  */
  uint8_t num_heads, num_tests, ip_kind, end_kind, roots, ptr_align_log2;
  uint16_t language;
  uint32_t max_depth;
  int32_t root_frame_off;
  uint64_t end_value; /* An address for SFRAME_CORO_END_ADDRESS.  */
  sframe_coro_head head[SFRAME_CORO_MAX_HEADS];
  sframe_coro_test test[SFRAME_CORO_MAX_TESTS];
  sframe_coro_path path[SFRAME_CORO_NUM_PATHS];
} sframe_coro_chain;

/* A function: a site or a body.  */
typedef struct sframe_coro_func
{
  uint64_t start; /* Address.  */
  uint64_t chain; /* Address of the chain entry.  */
  uint32_t size;
  uint8_t kind; /* enum sframe_coro_func_kind.  */
  uint16_t num; /* Rows or suspend points.  */
  size_t data;	/* Section offset of rows or body; 0 if there is none.  */
} sframe_coro_func;

/* Where a FRAME head is from one PC of a site on, and where a body goes on
   from one suspend index: as in the format, in host byte order.  */
typedef sframe_coro_row_entry sframe_coro_row;
typedef sframe_coro_point_entry sframe_coro_point;

/* What a body says of the nodes that execute it, points aside.  */
typedef struct sframe_coro_body
{
  sframe_coro_path next, ip;
  int32_t index_off;
  uint8_t index_size;
} sframe_coro_body;

/* Decode chain number I of BLOCK.  Signal-safe.  */
extern int sframe_coro_block_chain (const sframe_coro_block *block,
				    uint32_t i, sframe_coro_chain *chain,
				    sframe_coro_where *where);

/* Decode function number I of BLOCK.  Signal-safe.  */
extern int sframe_coro_block_func (const sframe_coro_block *block, uint32_t i,
				   sframe_coro_func *func,
				   sframe_coro_where *where);

/* Decode row, body and suspend point number I of FUNC, which was decoded from
   BLOCK.  Signal-safe.  */
extern int sframe_coro_func_row (const sframe_coro_block *block,
				 const sframe_coro_func *func, uint32_t i,
				 sframe_coro_row *row,
				 sframe_coro_where *where);
extern int sframe_coro_func_body (const sframe_coro_block *block,
				  const sframe_coro_func *func,
				  sframe_coro_body *body,
				  sframe_coro_where *where);
extern int sframe_coro_func_point (const sframe_coro_block *block,
				   const sframe_coro_func *func, uint32_t i,
				   sframe_coro_point *point,
				   sframe_coro_where *where);

/* Take the rows or suspend points of FUNC, number I of BLOCK, off *LEFT.  For
   readers of all of them, which begin with the size of the section there:
   functions may share rows, but not so many that reading them takes longer than
   the section is.  SFRAME_CORO_ERR_BAD_COUNT if fewer are left, of which none
   are taken.  Signal-safe.  */
extern int sframe_coro_func_take (const sframe_coro_block *block, uint32_t i,
				  const sframe_coro_func *func, size_t *left,
				  sframe_coro_where *where);

/* Whether FUNC describes PC: for a SITE, PC is a return address; for a BODY,
   an address of code.  Signal-safe.  */
extern bool sframe_coro_func_covers (const sframe_coro_func *func,
				     uint64_t pc);

/* Find the function of KIND in BLOCK that covers PC, straight in the bytes:
   by binary search if the block is flagged as sorted, one by one if not.  Finds
   one where several do; use an index to get all.  SFRAME_CORO_ERR_NOT_FOUND if
   there is none.  Signal-safe.  */
extern int sframe_coro_block_find (const sframe_coro_block *block,
				   uint64_t pc, int kind,
				   sframe_coro_func *func);

/* The same in all blocks of SECTION, each of which is opened for it: who looks
   up much keeps the blocks, or an index.  Signal-safe.  */
extern int sframe_coro_section_find (const sframe_coro_section *section,
				     uint64_t pc, int kind,
				     sframe_coro_func *func);

/* Find the chain whose entry is at ADDRESS in SECTION.  Signal-safe.  */
extern int sframe_coro_section_chain_at (const sframe_coro_section *section,
					 uint64_t address,
					 sframe_coro_chain *chain);

/* Encoder.  */

/* Collects chains and functions; opaque.  */
typedef struct sframe_coro_encoder sframe_coro_encoder;

/* A new encoder of one block for ABI_ARCH, whose byte order it uses; NULL if
   there is no memory or no such ABI.  Free it with sframe_coro_encoder_free,
   which takes NULL as well.  */
extern sframe_coro_encoder *sframe_coro_encoder_new (int abi_arch);
extern void sframe_coro_encoder_free (sframe_coro_encoder *encoder);

/* Add a copy of CHAIN (`address', `abi_arch' and `swap' are not looked at) and
   give its index in *INDEX.  */
extern int sframe_coro_encoder_add_chain (sframe_coro_encoder *encoder,
					  const sframe_coro_chain *chain,
					  uint32_t *index);

/* Add a function of the chain with index CHAIN; `chain' and `data' of FUNC are
   not looked at, `num' is the number of ROWS (SITE) or POINTS (BODY).  BODY
   may be NULL for a SITE.  With a BODY, `body' may not be NULL.  */
extern int sframe_coro_encoder_add_func (sframe_coro_encoder *encoder,
					 const sframe_coro_func *func,
					 uint32_t chain,
					 const sframe_coro_row *rows,
					 const sframe_coro_body *body,
					 const sframe_coro_point *points);

/* Write the block for mapping at ADDRESS (8-aligned).  Functions come out
   sorted by start.  *BYTES is allocated with malloc and the caller's.  */
extern int sframe_coro_encoder_write (sframe_coro_encoder *encoder,
				      uint64_t address, unsigned char **bytes,
				      size_t *size);

/* Validator.  */

/* How bad a finding is.  */
typedef enum sframe_coro_severity
{
  SFRAME_CORO_WARNING, /* Readers work, but a producer did something odd.  */
  SFRAME_CORO_ERROR
} sframe_coro_severity;

/* One thing that is wrong.  */
typedef struct sframe_coro_finding
{
  sframe_coro_severity severity;
  int error; /* sframe_coro_errcode.  */
  sframe_coro_where where;
  uint64_t value; /* The offending value, where there is one.  */
} sframe_coro_finding;

/* What the validator may be told about the module; all optional.  A module
   without CODE is not checked for functions outside code.  */
typedef struct sframe_coro_module_facts
{
  /* Whether SIZE bytes at ADDRESS are executable code of the module.  */
  bool (*is_code) (void *arg, uint64_t address, uint64_t size);
  /* Read LEN bytes of the module's image; 0 on success.  */
  int (*read) (void *arg, uint64_t address, void *buf, size_t len);
  void *arg;
  bool relocatable;   /* Relocations are pending: addresses mean little.  */
  bool has_tls_size;  /* tls_size is meant; 0 if there is no PT_TLS.  */
  uint64_t tls_size;  /* p_memsz of PT_TLS.  */
  uint64_t tls_align; /* p_align of PT_TLS.  */
} sframe_coro_module_facts;

/* Take a finding, which is gone afterwards; non-zero to stop.  */
typedef int (*sframe_coro_finding_fn) (void *arg,
				       const sframe_coro_finding *finding);

/* Report everything that is wrong with the section to FN, in section order.
   FACTS may be NULL.  Return the number of findings with severity
   SFRAME_CORO_ERROR; -1 if there was no memory.  */
extern long sframe_coro_validate (const void *bytes, size_t size,
				  uint64_t address,
				  const sframe_coro_module_facts *facts,
				  sframe_coro_finding_fn fn, void *arg);

/* Dump.  */

/* How addresses are named.  */
typedef struct sframe_coro_dump_options
{
  /* Write a name for the target ADDRESS of the field at section offset
     FIELD into BUF (LEN bytes) and return true, or return false.  For
     relocatable files FIELD leads to the relocation.  May be NULL.  */
  bool (*name) (void *arg, uint64_t address, size_t field, char *buf,
		size_t len);
  void *arg;
} sframe_coro_dump_options;

#if __STDC_HOSTED__
/* Print the contents of SECTION to OUT as text, one line per row, and a
   message for what cannot be decoded.  OPTIONS may be NULL.  Return the first
   error met, if any; what precedes it is printed all the same.  */
extern int sframe_coro_section_dump (const sframe_coro_section *section,
				     FILE *out,
				     const sframe_coro_dump_options *options);
#endif

/* Names of enumerators, for dumps; "?" for unknown ones.  Signal-safe.  */
extern const char *sframe_coro_abi_name (int abi_arch);
extern const char *sframe_coro_head_kind_name (int kind);
extern const char *sframe_coro_ip_kind_name (int kind);
extern const char *sframe_coro_end_kind_name (int kind);
extern const char *sframe_coro_roots_name (int roots);
extern const char *sframe_coro_path_name (int path);
extern const char *sframe_coro_func_kind_name (int kind);

/* Index: all functions and chains of one or more sections (the modules of a
   process, the blocks an unaware linker left in one section).  */

/* To be filled, finished, and asked; opaque.  */
typedef struct sframe_coro_index sframe_coro_index;

/* A chain in an index.  */
typedef struct sframe_coro_index_chain
{
  sframe_coro_chain chain;
  void *module; /* As given to sframe_coro_index_add.  */
} sframe_coro_index_chain;

/* A new, empty index, NULL if there is no memory; free it with
   sframe_coro_index_free, which takes NULL as well.  */
extern sframe_coro_index *sframe_coro_index_new (void);
extern void sframe_coro_index_free (sframe_coro_index *index);

/* Add all of SECTION, whose bytes must outlive the index.  MODULE is the
   caller's word for the module.  Records that are wrong are left out, and the
   first error is returned; only what follows a block of unknown length, or
   what there is no memory for, is lost as well.  */
extern int sframe_coro_index_add (sframe_coro_index *index,
				  const sframe_coro_section *section,
				  void *module, sframe_coro_where *where);

/* Make the index searchable; call it after the last addition.  */
extern int sframe_coro_index_finish (sframe_coro_index *index);

/* How many chains INDEX has, and chain I of them, from 0, which lives as long
   as the index is not changed; NULL if there is no such chain.  Signal-safe.  */
extern size_t sframe_coro_index_num_chains (const sframe_coro_index *index);
extern const sframe_coro_index_chain *
sframe_coro_index_chain_at (const sframe_coro_index *index, size_t i);

/* How many functions INDEX has.  Signal-safe.  */
extern size_t sframe_coro_index_num_funcs (const sframe_coro_index *index);

/* Function I, in order of start, and in *CHAIN the index of its chain, or
   SIZE_MAX if it refers to none.  Signal-safe.  */
extern const sframe_coro_func *
sframe_coro_index_func_at (const sframe_coro_index *index, size_t i,
			   size_t *chain);

/* Find the next function of KIND that covers PC; start with *CURSOR = 0.
   Return NULL when there are no more.  Ordered from the greatest start down;
   *CHAIN as above.  O(log n + matches) where functions are not nested, else
   times the depth of nesting.  Signal-safe.  */
extern const sframe_coro_func *
sframe_coro_index_find (const sframe_coro_index *index, uint64_t pc, int kind,
			size_t *cursor, size_t *chain);

/* Row number I of the site FUNC, which is in INDEX; SFRAME_CORO_ERR_NOT_FOUND if
   there are not so many.  Signal-safe.  */
extern int sframe_coro_index_row_at (const sframe_coro_index *index,
				     const sframe_coro_func *func, unsigned i,
				     sframe_coro_row *row);

/* The row of the site FUNC, which is in INDEX, that holds for a frame with
   return address PC: the last that is not beyond it.
   SFRAME_CORO_ERR_NOT_FOUND if there is none.  Signal-safe.  */
extern int sframe_coro_index_row (const sframe_coro_index *index,
				  const sframe_coro_func *func, uint64_t pc,
				  sframe_coro_row *row);

/* A BODY, decoded for the walker.  */
typedef struct sframe_coro_body_rules
{
  uint64_t start; /* Of the function: the nodes' resume pointer.  */
  sframe_coro_body body;
  const unsigned char *points; /* num_points of them, into the section.  */
  uint16_t num_points;
  bool swap;
} sframe_coro_body_rules;

/* How the walker finds the BODY of a node with the resume pointer IP: NULL if
   there is none.  */
typedef struct sframe_coro_bodies
{
  const sframe_coro_body_rules *(*find) (void *arg, uint64_t ip);
  void *arg;
} sframe_coro_bodies;

/* The bodies in INDEX, which must outlive what is returned.  Signal-safe, and
   so is `find', which takes O(log n).  */
extern sframe_coro_bodies
sframe_coro_index_bodies (const sframe_coro_index *index);

/* Memory and threads.  */

/* Read LEN bytes at ADDRESS of the program into BUF; 0 on success, anything
   else if not all of them can be read.  */
typedef int (*sframe_coro_read_fn) (void *arg, uint64_t address, void *buf,
				    size_t len);

/* How to read the program's memory.  A null `read' means: the walk is of the
   calling process itself, whose lists are trusted, by plain loads.  */
typedef struct sframe_coro_memory
{
  sframe_coro_read_fn read;
  void *arg;
} sframe_coro_memory;

/* Whose layout of thread control block and DTV applies.  It matters only for
   TLS blocks that are allocated dynamically, and for pthread keys.  */
typedef enum sframe_coro_libc
{
  SFRAME_CORO_LIBC_UNKNOWN,
  SFRAME_CORO_LIBC_GLIBC,
  SFRAME_CORO_LIBC_MUSL
} sframe_coro_libc;

/* A thread of the program.  */
typedef struct sframe_coro_thread
{
  uint64_t tp;	/* Thread pointer: FS base on x86-64, TPIDR_EL0 on AArch64,
		   access registers 0 and 1 on s390x.  */
  uint64_t tid; /* Kernel thread ID; 0 if not known.  */
  sframe_coro_libc libc;
} sframe_coro_thread;

/* How the TLS block of a module can be found.  */
typedef enum sframe_coro_tls_kind
{
  SFRAME_CORO_TLS_UNKNOWN,
  SFRAME_CORO_TLS_STATIC, /* At TP + tp_offset in every thread.  */
  SFRAME_CORO_TLS_DYNAMIC /* At dtv[module_id].  */
} sframe_coro_tls_kind;

/* Where the TLS block of the module a chain is in can be found; needed for
   TLS_OFFSET heads with a value >= 0 only.  */
typedef struct sframe_coro_tls_block
{
  sframe_coro_tls_kind kind;
  int64_t tp_offset;
  uint64_t module_id;
} sframe_coro_tls_block;

/* Compute in *ADDRESS the base of HEAD of CHAIN for THREAD: for TLS kinds the
   address of the variable.  BLOCK is of the module CHAIN is in; NULL if not
   known.  SFRAME_CORO_ERR_NO_TLS if the thread has not got the TLS block yet
   (there is no list then, and nothing is wrong).  FRAME heads are not
   resolved here.  Signal-safe.  */
extern int sframe_coro_head_base (const sframe_coro_chain *chain,
				  const sframe_coro_head *head,
				  const sframe_coro_memory *memory,
				  const sframe_coro_thread *thread,
				  const sframe_coro_tls_block *block,
				  uint64_t *address);

/* What a TLS stub or a TLS descriptor resolves to, wherever the linker and the
   loader put the variable.  A reader may keep it as long as the module stays loaded.  */
typedef struct sframe_coro_tls_ref
{
  bool dynamic;	       /* If not, only `tp_offset' is meant.  */
  int64_t tp_offset;
  uint64_t module_id;
  uint64_t offset;     /* In the module's TLS block.  */
  uint64_t generation; /* glibc: DTV generations before this one are stale;
			  0 elsewhere.  */
} sframe_coro_tls_ref;

/* Read the TLS stub at ADDRESS and what it refers to.  Reading only, nothing
   of the program runs.  SFRAME_CORO_ERR_BAD_STUB if the code there is not a
   TLS access.  Signal-safe.  */
extern int sframe_coro_tls_stub_read (int abi_arch, bool swap,
				      sframe_coro_libc libc,
				      const sframe_coro_memory *memory,
				      uint64_t address,
				      sframe_coro_tls_ref *ref);

/* The same for the TLS descriptor at ADDRESS, the pair of words that a
   relocation such as R_X86_64_TLSDESC or R_AARCH64_TLSDESC is for.  One that
   the dynamic linker has not filled in yet gives `tp_offset' 0.
   SFRAME_CORO_ERR_UNSUPPORTED on s390x, which has none, and
   SFRAME_CORO_ERR_NO_LIBC for a dynamic block of an unknown C library.
   Signal-safe.  */
extern int sframe_coro_tls_descriptor_read (int abi_arch, bool swap,
					    sframe_coro_libc libc,
					    const sframe_coro_memory *memory,
					    uint64_t address,
					    sframe_coro_tls_ref *ref);

/* The address in THREAD of what REF refers to.  Signal-safe.  */
extern int sframe_coro_tls_address (const sframe_coro_tls_ref *ref,
				    int abi_arch, bool swap,
				    const sframe_coro_memory *memory,
				    const sframe_coro_thread *thread,
				    uint64_t *address);

/* Walk.  */

/* Why a walk stopped: X (NAME, TEXT) for each SFRAME_CORO_STOP_NAME.  */
#define SFRAME_CORO_STOPS(X)                                                  \
  X (END, "end of the list")                                                  \
  X (TEST, "a node that ends the list")                                       \
  X (NO_HEAD, "no list")                                                      \
  X (DEPTH_LIMIT, "more nodes than the limit")                                \
  X (CYCLE, "the list is cyclic")                                             \
  X (UNREADABLE, "memory that cannot be read")                                \
  X (BAD_POINTER, "a pointer that cannot be one")                             \
  X (UNRESOLVED, "a head that cannot be located")

/* What walks return.  */
typedef enum sframe_coro_stop
{
#define SFRAME_CORO_STOP_ENUM(NAME, TEXT) SFRAME_CORO_STOP_##NAME,
  SFRAME_CORO_STOPS (SFRAME_CORO_STOP_ENUM)
#undef SFRAME_CORO_STOP_ENUM
    SFRAME_CORO_NUM_STOPS
} sframe_coro_stop;

/* A short text for STOP, never NULL.  Signal-safe.  */
extern const char *sframe_coro_stop_text (int stop);

/* Whether STOP means that the list was not followed to its end.
   Signal-safe.  */
extern bool sframe_coro_stop_is_cut (int stop);

#define SFRAME_CORO_NODE_HIDDEN 0x1   /* A test hides it.  */
#define SFRAME_CORO_NODE_BOUNDARY 0x2 /* Last of its native activation.  */
#define SFRAME_CORO_NODE_ALT_IP 0x4   /* `ip' is from the fall-back path.  */
#define SFRAME_CORO_NODE_NO_IP 0x8    /* `ip' could not be read.  */

/* A node, as the walk found it.  */
typedef struct sframe_coro_node
{
  uint64_t address; /* Of the node.  */
  uint64_t ip;	    /* 0 if it has none.  */
  uint64_t aux;	    /* Second word of a cookie.  */
  uint64_t resume_pc; /* Where it goes on, from the suspend points of its
			 BODY; 0 if there are none or none is that.  */
  uint32_t flags;   /* SFRAME_CORO_NODE_*.  */
  uint32_t index;   /* Its place in the list, from 0, hidden ones counted.  */
} sframe_coro_node;

/* How many nodes and roots readers should be ready for, unless they know
   better.  */
#define SFRAME_CORO_DEFAULT_MAX_NODES 512
#define SFRAME_CORO_DEFAULT_MAX_ROOTS 16

/* Follow the list of CHAIN that begins at node FIRST, at most MAX nodes, into
   NODES; *NUM says how many there are.  Return why it stopped.  Every step is
   bounded; of a cycle each node is given once.  NODES may be written beyond
   *NUM, never beyond MAX.  Signal-safe.  */
extern sframe_coro_stop sframe_coro_walk_list (const sframe_coro_chain *chain,
					       const sframe_coro_memory *memory,
					       uint64_t first,
					       sframe_coro_node *nodes,
					       size_t max, size_t *num);

/* Start of the list at head BASE (from sframe_coro_head_base): apply the
   path of HEAD, and `top' where there are roots.  Return
   SFRAME_CORO_STOP_END and the first node in *FIRST, or why there is none.
   *ROOT, if not NULL, gets the root.  Signal-safe.  */
extern sframe_coro_stop sframe_coro_walk_start (const sframe_coro_chain *chain,
						const sframe_coro_head *head,
						const sframe_coro_memory *memory,
						uint64_t base, uint64_t *root,
						uint64_t *first);

/* Both in one, for the common case of a chain without root lists: try the
   heads of CHAIN in order for THREAD and follow the first that gives a list.
   *BASE, if not NULL, gets the base of the head that was used, 0 if none: two
   chains with equal rules and equal base are one (see
   sframe_coro_chain_equal).  Signal-safe.  */
extern sframe_coro_stop sframe_coro_walk (const sframe_coro_chain *chain,
					  const sframe_coro_memory *memory,
					  const sframe_coro_thread *thread,
					  const sframe_coro_tls_block *block,
					  sframe_coro_node *nodes, size_t max,
					  size_t *num, uint64_t *base);

/* All that a walk of roots may need.  */
typedef struct sframe_coro_walker
{
  const sframe_coro_memory *memory;
  const sframe_coro_thread *thread;
  const sframe_coro_tls_block *block; /* Or NULL, see sframe_coro_head_base.  */
  const sframe_coro_bodies *bodies;   /* Or NULL: there are none.  */
  const uint64_t *frame_head; /* Where FRAME heads begin: what
				 sframe_coro_row_head gave for the frame at
				 hand; or NULL.  */
} sframe_coro_walker;

/* A root, and the list that it holds.  */
typedef struct sframe_coro_root
{
  uint64_t address; /* Of the root; of the first node, if there are none.  */
  uint64_t frame;   /* The address in a native frame that it names; or 0.  */
  uint64_t blocked; /* The root that its last node says is blocked; or 0.  */
  size_t first, num; /* Its nodes.  */
  sframe_coro_stop stop; /* Why its list stopped.  */
} sframe_coro_root;

/* Walk every root of CHAIN that is the thread's: try the heads in order, take
   the first that gives a root, follow the roots and the list of each.  The
   nodes of all go to NODES, at most MAX_NODES of them, the roots to ROOTS;
   *NUM_ROOTS says how many.  Return why the roots stopped: END if all were
   found, DEPTH_LIMIT if there are more than MAX_ROOTS, else as for lists.  A
   chain without roots has one, its list.  *BASE, if not NULL, gets the base of
   the head that was used, 0 if none.  Signal-safe if BODIES are.  */
extern sframe_coro_stop
sframe_coro_walk_roots (const sframe_coro_chain *chain,
			const sframe_coro_walker *walker,
			sframe_coro_node *nodes, size_t max_nodes,
			sframe_coro_root *roots, size_t max_roots,
			size_t *num_roots, uint64_t *base);

/* Read DWARF register REGNO of a native frame; 0 on success.  */
typedef int (*sframe_coro_register_fn) (void *arg, unsigned regno,
					uint64_t *value);

/* What ROW says of a native frame with canonical frame address CFA: where its
   FRAME head begins.  REGISTERS may be NULL if none can be read.
   SFRAME_CORO_ERR_UNREADABLE if the slot or the register cannot be.
   Signal-safe if REGISTERS is.  */
extern int sframe_coro_row_head (const sframe_coro_row *row, bool swap,
				 const sframe_coro_memory *memory,
				 uint64_t cfa,
				 sframe_coro_register_fn registers, void *arg,
				 uint64_t *head);

/* Whether A and B have the same rules, heads aside.  Signal-safe.  */
extern bool sframe_coro_chain_equal (const sframe_coro_chain *a,
				     const sframe_coro_chain *b);

/* Splice.  */

#define SFRAME_CORO_NATIVE_RETURN_ADDRESS 0x1 /* pc is a return address.  */
#define SFRAME_CORO_NATIVE_CFA 0x2	      /* cfa is known.  */
#define SFRAME_CORO_NATIVE_FUNC 0x4	      /* func_start/_end are known.  */

/* A native frame.  */
typedef struct sframe_coro_native
{
  uint64_t pc;
  uint64_t cfa;
  uint64_t func_start, func_end; /* The function PC is in: [start, end).  */
  uint64_t node; /* The node this frame executes, if the caller knows; or 0.  */
  uint32_t flags;
} sframe_coro_native;

/* One list of one chain, as walked.  */
typedef struct sframe_coro_list
{
  size_t chain; /* The caller's number of the chain.  */
  const sframe_coro_node *nodes;
  size_t num;
  bool head_is_running; /* SFRAME_CORO_CHAIN_HEAD_IS_RUNNING.  */
  uint64_t frame; /* An address in the native frame it belongs to: at or above
		     its stack pointer, below its CFA; or 0.  */
} sframe_coro_list;

/* How the splicer asks about sites and functions.  */
typedef struct sframe_coro_splice_ops
{
  /* Whether native frame NATIVE is at a site of chain CHAIN.  */
  bool (*is_site) (void *arg, size_t chain, const sframe_coro_native *native);
  /* Whether native frame NATIVE executes the function whose resume or destroy
     pointer is IP.  NULL: compare IP with func_start/func_end.  Asked only of
     lists whose head is running, and of frames whose `node' is 0.  */
  bool (*is_function) (void *arg, uint64_t ip,
		       const sframe_coro_native *native);
  void *arg;
} sframe_coro_splice_ops;

#define SFRAME_CORO_SPLICED_RUNNING 0x1	 /* Head of a running-head list.  */
#define SFRAME_CORO_SPLICED_AWAITING 0x2 /* Any other node.  */
#define SFRAME_CORO_SPLICED_NO_SITE 0x4	 /* Appended: no site for it.  */

/* In an entry of a spliced stack: there is none.  */
#define SFRAME_CORO_NO_INDEX SIZE_MAX

/* An entry of the spliced stack: a native frame, a node, or both.  */
typedef struct sframe_coro_spliced
{
  size_t native; /* Index of the native frame, or SFRAME_CORO_NO_INDEX.  */
  size_t list;	 /* Index of the list, or SFRAME_CORO_NO_INDEX.  */
  size_t node;	 /* Index in the nodes of that list.  */
  uint32_t flags;
} sframe_coro_spliced;

/* Splice NUM_LISTS lists into NUM_NATIVES native frames, leaf first.  OUT has
   room for MAX entries; the number of natives plus all nodes is always enough
   (SFRAME_CORO_ERR_INVAL if it is less).  A list comes right behind the last
   native frame that executes one of its nodes, else before its site; one
   without a site comes last and is flagged.  Lists of one chain take its sites
   in the order given.  Signal-safe if OPS are.  */
extern int sframe_coro_splice (const sframe_coro_native *natives,
			       size_t num_natives,
			       const sframe_coro_list *lists, size_t num_lists,
			       const sframe_coro_splice_ops *ops,
			       sframe_coro_spliced *out, size_t max,
			       size_t *num);

/* A process looks at itself.

   The only part of the library that knows ELF files and processes: the modules
   that are loaded, and the calling thread.  Profilers and crash handlers
   prepare everything where they may allocate, and take stacks in a handler:

     sframe_coro_self_init, _space_new	  at the start
     sframe_coro_self_refresh		  after dlopen and dlclose
     sframe_coro_self_stack		  anywhere, any time

   The last reads all that may be gone or damaged by asking the kernel
   (process_vm_readv; pread of /proc/self/mem, opened before, where that is
   forbidden), which fails where a load would crash.  What modules say in their
   sections is copied by the others, so a section may vanish at any time.  */

/* What is known of the process.  */
typedef struct sframe_coro_self sframe_coro_self;

/* How problems are reported: MODULE (a file name), what is wrong, and where in
   its section; WHERE is NULL if it is not in the section.  Called from init and
   refresh, with the dynamic linker's lock held: it may print, but not load or
   unload modules.  */
typedef void (*sframe_coro_self_problem_fn) (void *arg, const char *module,
					     int err,
					     const sframe_coro_where *where);

/* Read the sections of all modules into a new *SELF.  A module's section is
   found by its program header, if it has one; else its file is opened (as
   /proc/self/exe, by the name it was loaded by, by its name in /proc/self/maps,
   or through /proc/self/map_files) and must be the one that is loaded.  The
   vDSO is left out.  Problems are reported to PROBLEM (may be NULL), with ARG;
   the first error is returned, and what is wrong left out, as by
   sframe_coro_index_add.  *SELF is NULL only if nothing is possible:
   SFRAME_CORO_ERR_NOMEM, or SFRAME_CORO_ERR_UNREADABLE if the kernel has no
   safe way to read memory.  Not for handlers.  */
extern int sframe_coro_self_init (sframe_coro_self **self,
				  sframe_coro_self_problem_fn problem,
				  void *arg);

/* Bring SELF up to date after modules were loaded or unloaded; costs next to
   nothing if none were.  Any thread may call it at any time while others take
   stacks: these go on with what they have, and nobody waits.  A problem is
   reported, and returned, once.  Until it is called, modules loaded meanwhile
   have no coroutines, and sites of unloaded ones may be mistaken for whatever
   is loaded in their place.  Call it in the child after fork too.  Not for
   handlers.  */
extern int sframe_coro_self_refresh (sframe_coro_self *self);

/* Free SELF, or do nothing if it is NULL.  No thread may be in a function that
   uses it, or have a stack whose names it still wants.  */
extern void sframe_coro_self_free (sframe_coro_self *self);

/* Room for one stack.  Whoever may take stacks at the same time, be it a handler
   that interrupts another, needs one each.  */
typedef struct sframe_coro_self_space sframe_coro_self_space;

/* Make room for at most MAX_NATIVES native frames, and MAX_NODES nodes of all
   lists together.  NULL if there is no memory.  Free it with
   sframe_coro_self_space_free, which takes NULL as well.  Not for handlers.  */
extern sframe_coro_self_space *sframe_coro_self_space_new (size_t max_natives,
							   size_t max_nodes);
extern void sframe_coro_self_space_free (sframe_coro_self_space *space);

/* Native frames of the calling thread by the chain of frame pointers, at most
   MAX of them: from UCONTEXT, the third argument of a signal handler, or, if it
   is NULL, from the caller on.  For code that keeps frame pointers only; where
   the thread was interrupted before or behind the part of a function that does,
   the function's caller is missing.  Other unwinders do better; which of them
   are signal-safe in which programs is in the manual.  SFRAME_CORO_ERR_UNSUPPORTED but on x86-64 and AArch64.
   Signal-safe.  */
extern int sframe_coro_self_unwind (sframe_coro_self *self,
				    sframe_coro_self_space *space,
				    const void *ucontext,
				    sframe_coro_native *natives, size_t max,
				    size_t *num);

/* What the unwinder knows; all optional, as is the whole.  */
typedef struct sframe_coro_self_ops
{
  /* Read DWARF register REGNO of native frame number NATIVE; 0 on success.  For
     FRAME heads that are in registers.  */
  int (*reg) (void *arg, size_t native, unsigned regno, uint64_t *value);
  /* As in sframe_coro_splice_ops.  NULL: the frame's func_start and func_end,
     or, if it has none, the module's table of functions, .eh_frame_hdr, which
     static programs may have only if linked with -Wl,--eh-frame-hdr.  A
     coroutine whose frame cannot be told so is there twice, as native frame
     and as node; so is one of g++ at its final suspend point.  */
  bool (*is_function) (void *arg, uint64_t ip,
		       const sframe_coro_native *native);
  void *arg;
} sframe_coro_self_ops;

/* An entry of a stack: a native frame, a node, or both.  */
typedef struct sframe_coro_self_frame
{
  uint64_t pc; /* Of the native frame; else where the node goes on, as far as
		  its suspend points tell, else its ip.  */
  size_t native; /* Index of the native frame, or SFRAME_CORO_NO_INDEX.  */
  const sframe_coro_node *node; /* Or NULL.  Lives in the space.  */
  const char *chain; /* Name of the node's chain, or NULL.  Lives as long as
			the sframe_coro_self.  */
  uint32_t flags;    /* SFRAME_CORO_SPLICED_*.  */
  uint8_t ip_kind;   /* enum sframe_coro_ip_kind, of the chain.  */
  uint8_t stop;	     /* If the list was cut behind this node, why; else
			SFRAME_CORO_STOP_END.  */
} sframe_coro_self_frame;

/* A stack.  */
typedef struct sframe_coro_self_result
{
  const sframe_coro_self_frame *frames; /* Leaf first.  Live in the space.  */
  size_t num;
  size_t num_cut; /* Lists that were not followed to their end ...  */
  const char *cut_chain; /* ... the chain of the first one ...  */
  sframe_coro_stop cut;  /* ... and why.  */
} sframe_coro_self_result;

/* The stack of the calling thread: its lists, spliced into NUM native frames,
   leaf first, which any unwinder may have made.  They need a pc and flags; the
   CFA where the chain's head is in a frame; a function to name frames that run a
   coroutine.  OPS may be NULL.  Lists of the whole process are left out.
   SFRAME_CORO_ERR_INVAL if there are more native frames than SPACE has room
   for; lists that find no room are cut.  Preserves errno.  Signal-safe; needs
   less than 4 KiB of stack.  */
extern int sframe_coro_self_stack (sframe_coro_self *self,
				   sframe_coro_self_space *space,
				   const sframe_coro_native *natives,
				   size_t num,
				   const sframe_coro_self_ops *ops,
				   sframe_coro_self_result *result);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* SFRAME_CORO_API_H */
