/* libsframe-coro: the fields of each record, as tables.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include "impl.h"

#define FIELD(TYPE, NAME)                                                     \
  { #NAME, offsetof (TYPE, NAME), sizeof (((TYPE *) 0)->NAME), 1, 0 }
#define RESERVED(TYPE, NAME)                                                  \
  { #NAME, offsetof (TYPE, NAME), sizeof (((TYPE *) 0)->NAME), 1, 1 }
#define ARRAY(TYPE, NAME)                                                     \
  { #NAME, offsetof (TYPE, NAME), sizeof (((TYPE *) 0)->NAME[0]),             \
    sizeof (((TYPE *) 0)->NAME) / sizeof (((TYPE *) 0)->NAME[0]), 0 }

#define T sframe_coro_header
const impl_record impl_header_record
    = { "header",
	sizeof (T),
	13,
	{ FIELD (T, magic), FIELD (T, version), FIELD (T, flags),
	  FIELD (T, abi_arch), FIELD (T, header_size), FIELD (T, chain_size),
	  FIELD (T, func_size), FIELD (T, length), FIELD (T, num_chains),
	  FIELD (T, num_funcs), FIELD (T, data_len), FIELD (T, strings_len),
	  RESERVED (T, reserved)
	} };
#undef T

#define T sframe_coro_chain_entry
const impl_record impl_chain_record
    = { "chain",
	sizeof (T),
	16,
	{ FIELD (T, name), FIELD (T, flags), FIELD (T, num_heads),
	  FIELD (T, num_tests), FIELD (T, ip_kind), FIELD (T, end_kind),
	  FIELD (T, roots), FIELD (T, ptr_align_log2), FIELD (T, language),
	  FIELD (T, max_depth), FIELD (T, root_frame_off),
	  FIELD (T, end_value), FIELD (T, heads), FIELD (T, tests),
	  ARRAY (T, path), RESERVED (T, reserved) } };
#undef T

#define T sframe_coro_path_entry
const impl_record impl_path_record
    = { "path",
	sizeof (T),
	3,
	{ FIELD (T, num_offs), FIELD (T, flags), RESERVED (T, reserved) } };
#undef T

#define T sframe_coro_head_entry
const impl_record impl_head_record
    = { "head",
	sizeof (T),
	6,
	{ FIELD (T, kind), FIELD (T, flags), RESERVED (T, reserved),
	  FIELD (T, path), FIELD (T, value), FIELD (T, invalid) } };
#undef T

#define T sframe_coro_test_entry
const impl_record impl_test_record
    = { "test",
	sizeof (T),
	7,
	{ FIELD (T, kind), FIELD (T, width), FIELD (T, actions),
	  RESERVED (T, reserved), FIELD (T, off), FIELD (T, mask),
	  FIELD (T, value) } };
#undef T

#define T sframe_coro_func_entry
const impl_record impl_func_record
    = { "function",
	sizeof (T),
	8,
	{ FIELD (T, start), FIELD (T, chain), FIELD (T, size),
	  FIELD (T, data), FIELD (T, num), FIELD (T, kind),
	  RESERVED (T, flags), RESERVED (T, reserved) } };
#undef T

#define T sframe_coro_row_entry
const impl_record impl_row_record
    = { "row",
	sizeof (T),
	4,
	{ FIELD (T, pc_off), FIELD (T, base), FIELD (T, flags),
	  FIELD (T, off) } };
#undef T

#define T sframe_coro_body_entry
const impl_record impl_body_record
    = { "body",
	sizeof (T),
	6,
	{ FIELD (T, next), FIELD (T, ip), FIELD (T, index_off),
	  FIELD (T, index_size), RESERVED (T, flags),
	  RESERVED (T, reserved) } };
#undef T

#define T sframe_coro_point_entry
const impl_record impl_point_record
    = { "point",
	sizeof (T),
	2,
	{ FIELD (T, index), FIELD (T, pc_off) } };
#undef T

void
impl_record_swap (const impl_record *record, void *bytes)
{
  unsigned char *p = bytes;

  for (unsigned i = 0; i < record->num_fields; i++)
    {
      const impl_field *f = &record->field[i];
      for (unsigned k = 0; k < f->count; k++)
	{
	  unsigned char *e = p + f->offset + k * f->size;
	  for (unsigned a = 0, b = f->size - 1u; a < b; a++, b--)
	    {
	      unsigned char t = e[a];
	      e[a] = e[b];
	      e[b] = t;
	    }
	}
    }
}

void
impl_record_store (const impl_record *record, bool swap, const void *src,
		   unsigned char *dst)
{
  memcpy (dst, src, record->size);
  if (swap)
    impl_record_swap (record, dst);
}

const impl_field *
impl_record_reserved (const impl_record *record, const void *src)
{
  for (unsigned i = 0; i < record->num_fields; i++)
    {
      const impl_field *f = &record->field[i];
      const unsigned char *p = (const unsigned char *) src + f->offset;
      for (unsigned k = 0; f->reserved && k < f->size; k++)
	if (p[k] != 0)
	  return f;
    }
  return NULL;
}

bool
impl_abi_known (int abi, bool *big)
{
  *big = (abi == SFRAME_CORO_ABI_AARCH64_BE || abi == SFRAME_CORO_ABI_S390X_BE);
  return abi >= SFRAME_CORO_ABI_AARCH64_BE && abi <= SFRAME_CORO_ABI_S390X_BE;
}

int
impl_fail (sframe_coro_where *where, int err, size_t offset, size_t block,
	   size_t index, const impl_record *record, const char *field)
{
  if (where == NULL)
    return err;
  *where = (sframe_coro_where){ offset, block, index, record->name, field };
  for (unsigned i = 0; field != NULL && i < record->num_fields; i++)
    if (strcmp (record->field[i].name, field) == 0)
      where->offset += record->field[i].offset;
  return err;
}
