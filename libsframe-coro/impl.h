/* libsframe-coro: what its files share and nobody else sees.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#ifndef SFRAME_CORO_IMPL_H
#define SFRAME_CORO_IMPL_H

#include <string.h>

/* Only what the public header declares leaves the library, which is compiled
   with -fvisibility=hidden.  */
#pragma GCC visibility push (default)
#include "sframe-coro-api.h"
#pragma GCC visibility pop

/* Records are described by tables: one drives byte order conversion, the
   check of reserved fields, and the names in messages.  */
typedef struct impl_field
{
  const char *name;
  uint8_t offset;
  uint8_t size;	    /* Of one element.  */
  uint8_t count;    /* Elements, for arrays.  */
  uint8_t reserved; /* Must be zero.  */
} impl_field;

typedef struct impl_record
{
  const char *name;
  uint8_t size;
  uint8_t num_fields;
  impl_field field[18];
} impl_record;

extern const impl_record impl_header_record;
extern const impl_record impl_chain_record;
extern const impl_record impl_path_record;
extern const impl_record impl_head_record;
extern const impl_record impl_test_record;
extern const impl_record impl_func_record;
extern const impl_record impl_row_record;
extern const impl_record impl_body_record;
extern const impl_record impl_point_record;

/* Reverse the bytes of each field of the record of type RECORD at BYTES.  */
extern void impl_record_swap (const impl_record *record, void *bytes);

/* Copy a record of type RECORD, SIZE bytes at SRC, to the structure at DST, in
   host byte order.  Inline, since for a known SIZE it is a few loads.  */
static inline void
impl_record_load (const impl_record *record, bool swap,
		  const unsigned char *src, size_t size, void *dst)
{
  memcpy (dst, src, size);
  if (swap)
    impl_record_swap (record, dst);
}

/* The reverse.  */
extern void impl_record_store (const impl_record *record, bool swap,
			       const void *src, unsigned char *dst);

/* The first reserved field of the loaded record SRC that is not zero, or
   NULL.  */
extern const impl_field *impl_record_reserved (const impl_record *record,
					       const void *src);

/* Section offset of the record of kind RECORD number I; no checks.  */
static inline size_t
impl_chain_offset (const sframe_coro_block *block, uint32_t i)
{
  return block->chains + (size_t) i * block->header.chain_size;
}

static inline size_t
impl_func_offset (const sframe_coro_block *block, uint32_t i)
{
  return block->funcs + (size_t) i * block->header.func_size;
}

static inline uint64_t
impl_get64 (const unsigned char *p, bool swap)
{
  uint64_t v;
  memcpy (&v, p, sizeof v);
  return swap ? __builtin_bswap64 (v) : v;
}

static inline uint32_t
impl_get32 (const unsigned char *p, bool swap)
{
  uint32_t v;
  memcpy (&v, p, sizeof v);
  return swap ? __builtin_bswap32 (v) : v;
}

/* What a PC-relative VALUE in the field at section offset OFF means.  */
static inline uint64_t
impl_pcrel (const sframe_coro_section *section, size_t off, uint64_t value)
{
  return section->address + off + value;
}

/* Whether the host stores the low byte first.  */
static inline bool
impl_host_is_little (void)
{
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

/* Whether ABI is known, and in *BIG whether it is big-endian.  */
extern bool impl_abi_known (int abi, bool *big);

/* Fill WHERE, if not NULL, for FIELD, if not NULL, of the RECORD at section
   offset OFFSET; return ERR.  */
extern int impl_fail (sframe_coro_where *where, int err, size_t offset,
		      size_t block, size_t index, const impl_record *record,
		      const char *field);

/* The field that holds a data offset: what is wrong if that leads nowhere.  */
typedef struct impl_origin
{
  size_t offset; /* Of the record.  */
  const impl_record *record;
  const char *field;
} impl_origin;

/* Decode the path at data offset REF, from FROM, of BLOCK; INDEX is that of
   the chain or function.  SFRAME_CORO_NO_DATA gives a path that is not
   given.  */
extern int impl_load_path (const sframe_coro_block *block, uint32_t ref,
			   const impl_origin *from, size_t index,
			   sframe_coro_path *path, sframe_coro_where *where);

/* Load head and test number I of the chain whose entry is CHAIN, with number
   INDEX, in host byte order.  *OFF, if not NULL, gets the section offset.  */
extern int impl_load_head (const sframe_coro_block *block,
			   const sframe_coro_chain_entry *chain,
			   uint32_t index, unsigned i,
			   sframe_coro_head_entry *head, size_t *off,
			   sframe_coro_where *where);
extern int impl_load_test (const sframe_coro_block *block,
			   const sframe_coro_chain_entry *chain,
			   uint32_t index, unsigned i,
			   sframe_coro_test_entry *test, size_t *off,
			   sframe_coro_where *where);

/* First and last PC that F covers.  No function goes on beyond the greatest
   address.  */
static inline uint64_t
impl_func_first (const sframe_coro_func *f)
{
  return (f->start
	  + (f->kind == SFRAME_CORO_FUNC_SITE && f->size != 0
	     && f->start != UINT64_MAX));
}

static inline uint64_t
impl_func_last (const sframe_coro_func *f)
{
  uint64_t last = (f->start + f->size
		   - (f->kind == SFRAME_CORO_FUNC_BODY && f->size != 0));
  return last < f->start ? UINT64_MAX : last;
}

/* Whether A and B, of one kind, overlap without being equal; A does not start
   after B.  */
static inline bool
impl_funcs_clash (const sframe_coro_func *a, const sframe_coro_func *b)
{
  return (impl_func_first (b) <= impl_func_last (a)
	  && (a->start != b->start || a->size != b->size));
}

/* sframe_coro_walk_list, with BODIES, which may be NULL.  */
extern sframe_coro_stop impl_walk_list (const sframe_coro_chain *chain,
					const sframe_coro_memory *memory,
					const sframe_coro_bodies *bodies,
					uint64_t first,
					sframe_coro_node *nodes, size_t max,
					size_t *num);

/* How a walk says that the base of a head could not be had: ERR.  */
extern sframe_coro_stop impl_stop_of_error (int err);

/* The NUL-terminated string at REF of BLOCK, or NULL.  */
extern const char *impl_string (const sframe_coro_block *block, uint32_t ref);

/* Make room for one more element of SIZE bytes in *ARRAY; false if there is no
   memory.  */
extern bool impl_grow (void **array, size_t num, size_t *room, size_t size);

/* A set of 64-bit numbers, for chain addresses: open addressing.  */
typedef struct impl_map_slot
{
  uint64_t key;
  size_t value; /* Plus one; 0: empty.  */
} impl_map_slot;

typedef struct impl_map
{
  impl_map_slot *slots;
  size_t capacity, num;
} impl_map;

/* Bind KEY to VALUE; false if there is no memory.  An existing binding is
   kept.  */
extern bool impl_map_put (impl_map *map, uint64_t key, size_t value);
/* The value of KEY, or SIZE_MAX.  */
extern size_t impl_map_get (const impl_map *map, uint64_t key);
extern void impl_map_free (impl_map *map);

#endif /* SFRAME_CORO_IMPL_H */
