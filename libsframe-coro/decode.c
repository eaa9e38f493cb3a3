/* libsframe-coro: from bytes to records, without copying the section.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include "impl.h"

#ifndef SFRAME_CORO_LIBRARY_VERSION
#define SFRAME_CORO_LIBRARY_VERSION "0.1.0"
#endif

const char *
sframe_coro_version (void)
{
  return SFRAME_CORO_LIBRARY_VERSION;
}

/* Move *OFF over zero bytes to the next block of the SIZE bytes at BYTES;
   false if there is none.  Blocks are 8-aligned, so are the steps.  */
static bool
skip_padding (const unsigned char *bytes, size_t size, size_t *off)
{
  size_t o = *off;

  while (size - o >= SFRAME_CORO_ALIGN && impl_get64 (bytes + o, false) == 0)
    o += SFRAME_CORO_ALIGN;
  *off = o;
  if (size - o >= SFRAME_CORO_ALIGN)
    return true;
  for (; o < size; o++)
    if (bytes[o] != 0)
      return true;
  *off = size;
  return false;
}

/* Sizes in the header H that no section can have.  */
static const char *
impossible_size (const sframe_coro_header *h)
{
  static const struct
  {
    const char *name;
    uint8_t offset, minimum;
  } sizes[] = {
    { "header_size", offsetof (sframe_coro_header, header_size),
      sizeof (sframe_coro_header) },
    { "chain_size", offsetof (sframe_coro_header, chain_size),
      sizeof (sframe_coro_chain_entry) },
    { "func_size", offsetof (sframe_coro_header, func_size),
      sizeof (sframe_coro_func_entry) },
  };

  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    {
      uint8_t v = ((const uint8_t *) h)[sizes[i].offset];
      if (v < sizes[i].minimum || v % 8 != 0)
	return sizes[i].name;
    }
  if (h->length % SFRAME_CORO_ALIGN != 0 || h->length < h->header_size)
    return "length";
  if (h->data_len % 4 != 0)
    return "data_len";
  return NULL;
}

/* Compute the areas of BLOCK from its header; the name of the first count
   whose records do not fit, or NULL.  */
static const char *
lay_out (sframe_coro_block *b)
{
  const sframe_coro_header *h = &b->header;
  uint64_t o = h->header_size;

  b->chains = b->offset + o;
  o += (uint64_t) h->num_chains * h->chain_size;
  if (o > h->length)
    return "num_chains";
  b->funcs = b->offset + o;
  o += (uint64_t) h->num_funcs * h->func_size;
  if (o > h->length)
    return "num_funcs";
  b->data = b->offset + o;
  o += h->data_len;
  if (o > h->length)
    return "data_len";
  b->strings = b->offset + o;
  o += h->strings_len;
  return o > h->length ? "strings_len" : NULL;
}

/* Check the header at B->offset and fill in the rest of B.  */
static int
open_block (const sframe_coro_section *s, sframe_coro_block *b,
	    sframe_coro_where *where)
{
  sframe_coro_header *h = &b->header;
  const unsigned char *p = s->bytes + b->offset;
  const char *field;
  bool big;

#define FAIL(ERR, FIELD)                                                      \
  return impl_fail (where, SFRAME_CORO_ERR_##ERR, b->offset, b->number, 0,    \
		    &impl_header_record, FIELD)

  if (s->size - b->offset < sizeof *h)
    FAIL (TRUNCATED, NULL);
  impl_record_load (&impl_header_record, s->swap, p, sizeof *h, h);
  if (h->magic != SFRAME_CORO_MAGIC)
    FAIL (BAD_MAGIC, "magic");
  if (h->version != SFRAME_CORO_VERSION)
    FAIL (BAD_VERSION, "version");
  if (!impl_abi_known (h->abi_arch, &big)
      || big == (s->swap != impl_host_is_little ())
      || (s->abi_arch != 0 && h->abi_arch != s->abi_arch))
    FAIL (BAD_ABI, "abi_arch");
  field = impossible_size (h);
  if (field != NULL)
    FAIL (BAD_HEADER, field);
  if (h->length > s->size - b->offset)
    FAIL (TRUNCATED, "length");
  field = lay_out (b);
  if (field != NULL)
    FAIL (BAD_LENGTH, field);
#undef FAIL
  return SFRAME_CORO_OK;
}

int
sframe_coro_section_open (sframe_coro_section *s, const void *bytes,
			  size_t size, uint64_t address,
			  sframe_coro_where *where)
{
  sframe_coro_block b;
  uint16_t magic = 0;
  int err;

  *s = (sframe_coro_section){ .bytes = bytes, .size = size,
			      .address = address };
  memset (&b, 0, sizeof b);
  if (size != 0 && bytes == NULL)
    return SFRAME_CORO_ERR_INVAL;
  if (!skip_padding (s->bytes, size, &b.offset))
    return SFRAME_CORO_OK;
  if (size - b.offset >= sizeof magic)
    memcpy (&magic, s->bytes + b.offset, sizeof magic);
  s->swap = magic == __builtin_bswap16 (SFRAME_CORO_MAGIC);
  err = open_block (s, &b, where);
  if (err == SFRAME_CORO_OK)
    s->abi_arch = b.header.abi_arch;
  return err;
}

int
sframe_coro_section_next_block (const sframe_coro_section *s,
				sframe_coro_block *b,
				sframe_coro_where *where)
{
  if (b->section != NULL)
    {
      b->offset += b->header.length;
      b->number++;
    }
  else
    {
      b->offset = 0;
      b->number = 0;
    }
  b->section = s;
  b->header.length = 0;
  if (!skip_padding (s->bytes, s->size, &b->offset))
    return SFRAME_CORO_ERR_NOT_FOUND;
  return open_block (s, b, where);
}

/* Check that SIZE bytes at data offset REF lie in the data area of B, aligned
   to ALIGN, and give their section offset in *OFF.  */
static bool
data_at (const sframe_coro_block *b, uint32_t ref, uint64_t size,
	 unsigned align, size_t *off)
{
  *off = b->data + ref;
  return (ref % align == 0 && ref <= b->header.data_len
	  && size <= b->header.data_len - ref);
}

const char *
impl_string (const sframe_coro_block *b, uint32_t ref)
{
  const char *s = (const char *) b->section->bytes + b->strings;

  if (ref >= b->header.strings_len
      || memchr (s + ref, 0, b->header.strings_len - ref) == NULL)
    return NULL;
  return s + ref;
}

int
impl_load_path (const sframe_coro_block *b, uint32_t ref,
		const impl_origin *from, size_t index, sframe_coro_path *path,
		sframe_coro_where *where)
{
  const sframe_coro_section *s = b->section;
  sframe_coro_path_entry e;
  size_t off, bytes;
  bool adjusted;

  memset (path, 0, sizeof *path);
  if (ref == SFRAME_CORO_NO_DATA)
    return SFRAME_CORO_OK;
#define FAIL(ERR, FIELD)                                                      \
  return impl_fail (where, SFRAME_CORO_ERR_##ERR, off, b->number, index,      \
		    &impl_path_record, FIELD)
  if (!data_at (b, ref, sizeof e, 4, &off))
    return impl_fail (where, SFRAME_CORO_ERR_BAD_OFFSET, from->offset,
		      b->number, index, from->record, from->field);
  impl_record_load (&impl_path_record, s->swap, s->bytes + off, sizeof e, &e);
  if (e.num_offs > SFRAME_CORO_MAX_PATH_OFFS)
    FAIL (BAD_COUNT, "num_offs");
  adjusted = (e.flags & SFRAME_CORO_PATH_F_ADJUST) != 0;
  bytes = sizeof e + 4 * e.num_offs + 4 * adjusted;
  if (!data_at (b, ref, bytes, 4, &off))
    FAIL (BAD_OFFSET, "num_offs");
#undef FAIL
  path->given = 1;
  path->num_offs = e.num_offs;
  off += sizeof e;
  for (unsigned k = 0; k < e.num_offs; k++, off += 4)
    path->off[k] = (int32_t) impl_get32 (s->bytes + off, s->swap);
  if (adjusted)
    path->adjust = (int32_t) impl_get32 (s->bytes + off, s->swap);
  return SFRAME_CORO_OK;
}

/* Load element I of the array of records at data offset ARRAY, from FROM.  */
static int
load_element (const sframe_coro_block *b, const impl_record *record,
	      uint32_t array, const impl_origin *from, uint32_t index,
	      unsigned i, unsigned align, void *dst, size_t *at,
	      sframe_coro_where *where)
{
  const sframe_coro_section *s = b->section;
  uint64_t ref = array + (uint64_t) i * record->size;
  size_t off;

  if (ref > UINT32_MAX || array % align != 0
      || !data_at (b, (uint32_t) ref, record->size, 4, &off))
    return impl_fail (where, SFRAME_CORO_ERR_BAD_OFFSET, from->offset,
		      b->number, index, from->record, from->field);
  impl_record_load (record, s->swap, s->bytes + off, record->size, dst);
  if (at != NULL)
    *at = off;
  return SFRAME_CORO_OK;
}

int
impl_load_head (const sframe_coro_block *b, const sframe_coro_chain_entry *c,
		uint32_t index, unsigned i, sframe_coro_head_entry *head,
		size_t *off, sframe_coro_where *where)
{
  impl_origin from
      = { impl_chain_offset (b, index), &impl_chain_record, "heads" };
  return load_element (b, &impl_head_record, c->heads, &from, index, i, 8,
		       head, off, where);
}

int
impl_load_test (const sframe_coro_block *b, const sframe_coro_chain_entry *c,
		uint32_t index, unsigned i, sframe_coro_test_entry *test,
		size_t *off, sframe_coro_where *where)
{
  impl_origin from
      = { impl_chain_offset (b, index), &impl_chain_record, "tests" };
  return load_element (b, &impl_test_record, c->tests, &from, index, i, 8,
		       test, off, where);
}

/* Whether the value of a head of KIND is PC-relative.  */
static bool
head_is_pcrel (int kind)
{
  return (kind == SFRAME_CORO_HEAD_TLS_STUB
	  || kind == SFRAME_CORO_HEAD_TP_SLOT
	  || kind == SFRAME_CORO_HEAD_GLOBAL
	  || kind == SFRAME_CORO_HEAD_PTHREAD_KEY);
}

static int
decode_head (const sframe_coro_block *b, const sframe_coro_chain_entry *c,
	     uint32_t index, unsigned i, sframe_coro_head *out,
	     sframe_coro_where *where)
{
  sframe_coro_head_entry e;
  size_t off;
  int err = impl_load_head (b, c, index, i, &e, &off, where);

  if (err != SFRAME_CORO_OK)
    return err;
  if (e.kind < SFRAME_CORO_HEAD_TLS_STUB || e.kind > SFRAME_CORO_HEAD_FRAME)
    return impl_fail (where, SFRAME_CORO_ERR_BAD_KIND, off, b->number, index,
		      &impl_head_record, "kind");
  out->kind = e.kind;
  out->flags = e.flags;
  out->invalid = e.invalid;
  out->value = e.value;
  if (head_is_pcrel (e.kind))
    out->value
	= impl_pcrel (b->section,
		      off + offsetof (sframe_coro_head_entry, value), e.value);
  return impl_load_path (b, e.path,
			 &(impl_origin){ off, &impl_head_record, "path" },
			 index, &out->path, where);
}

static int
decode_test (const sframe_coro_block *b, const sframe_coro_chain_entry *c,
	     uint32_t index, unsigned i, sframe_coro_test *out,
	     sframe_coro_where *where)
{
  sframe_coro_test_entry e;
  size_t off;
  int err = impl_load_test (b, c, index, i, &e, &off, where);

  if (err != SFRAME_CORO_OK)
    return err;
  if (e.kind < SFRAME_CORO_TEST_VALUE || e.kind > SFRAME_CORO_TEST_EQUAL)
    return impl_fail (where, SFRAME_CORO_ERR_BAD_KIND, off, b->number, index,
		      &impl_test_record, "kind");
  if (e.width == 0 || e.width > 8 || (e.width & (e.width - 1)) != 0)
    return impl_fail (where, SFRAME_CORO_ERR_BAD_VALUE, off, b->number, index,
		      &impl_test_record, "width");
  *out = (sframe_coro_test){ .kind = e.kind, .width = e.width,
			     .actions = e.actions, .off = e.off,
			     .mask = e.mask, .value = e.value };
  return SFRAME_CORO_OK;
}

/* The fields of the chain entry E with an enumeration, and how far it goes.  */
static const char *
bad_chain_kind (const sframe_coro_chain_entry *e, int *err)
{
  *err = SFRAME_CORO_ERR_BAD_KIND;
  if (e->ip_kind > SFRAME_CORO_IP_COOKIE)
    return "ip_kind";
  if (e->end_kind > SFRAME_CORO_END_ADDRESS)
    return "end_kind";
  if (e->roots > SFRAME_CORO_ROOTS_BY_TP)
    return "roots";
  *err = SFRAME_CORO_ERR_BAD_COUNT;
  if (e->num_heads == 0 || e->num_heads > SFRAME_CORO_MAX_HEADS)
    return "num_heads";
  if (e->num_tests > SFRAME_CORO_MAX_TESTS)
    return "num_tests";
  *err = SFRAME_CORO_ERR_BAD_VALUE;
  return e->ptr_align_log2 > 12 ? "ptr_align_log2" : NULL;
}

int
sframe_coro_block_chain (const sframe_coro_block *b, uint32_t i,
			 sframe_coro_chain *c, sframe_coro_where *where)
{
  const sframe_coro_section *s = b->section;
  sframe_coro_chain_entry e;
  const char *field;
  size_t off;
  int err;

  if (i >= b->header.num_chains)
    return SFRAME_CORO_ERR_NOT_FOUND;
  off = impl_chain_offset (b, i);
  impl_record_load (&impl_chain_record, s->swap, s->bytes + off, sizeof e,
		    &e);
  field = bad_chain_kind (&e, &err);
  if (field != NULL)
    return impl_fail (where, err, off, b->number, i, &impl_chain_record,
		      field);
  err = SFRAME_CORO_OK;

  *c = (sframe_coro_chain){
    .address = s->address + off, .name = impl_string (b, e.name),
    .flags = e.flags, .abi_arch = b->header.abi_arch, .swap = s->swap,
    .num_heads = e.num_heads, .num_tests = e.num_tests,
    .ip_kind = e.ip_kind, .end_kind = e.end_kind, .roots = e.roots,
    .ptr_align_log2 = e.ptr_align_log2, .language = e.language,
    .max_depth = e.max_depth, .root_frame_off = e.root_frame_off,
    .end_value = e.end_value
  };
  if (e.end_kind == SFRAME_CORO_END_ADDRESS)
    c->end_value = impl_pcrel (
	s, off + offsetof (sframe_coro_chain_entry, end_value), e.end_value);
  if (c->name == NULL)
    return impl_fail (where, SFRAME_CORO_ERR_BAD_STRING, off, b->number, i,
		      &impl_chain_record, "name");
  for (unsigned k = 0; k < e.num_heads && err == SFRAME_CORO_OK; k++)
    err = decode_head (b, &e, i, k, &c->head[k], where);
  for (unsigned k = 0; k < e.num_tests && err == SFRAME_CORO_OK; k++)
    err = decode_test (b, &e, i, k, &c->test[k], where);
  for (unsigned k = 0; k < SFRAME_CORO_NUM_PATHS && err == SFRAME_CORO_OK; k++)
    err = impl_load_path (b, e.path[k],
			  &(impl_origin){ off + k * sizeof e.path[0],
					  &impl_chain_record, "path" },
			  i, &c->path[k], where);
  return err;
}

int
sframe_coro_block_func (const sframe_coro_block *b, uint32_t i,
			sframe_coro_func *f, sframe_coro_where *where)
{
  const sframe_coro_section *s = b->section;
  sframe_coro_func_entry e;
  uint64_t need;
  size_t off, data = 0;

  if (i >= b->header.num_funcs)
    return SFRAME_CORO_ERR_NOT_FOUND;
  off = impl_func_offset (b, i);
#define FAIL(ERR, FIELD)                                                      \
  return impl_fail (where, SFRAME_CORO_ERR_##ERR, off, b->number, i,          \
		    &impl_func_record, FIELD)
  impl_record_load (&impl_func_record, s->swap, s->bytes + off, sizeof e, &e);
  if (e.kind != SFRAME_CORO_FUNC_SITE && e.kind != SFRAME_CORO_FUNC_BODY)
    FAIL (BAD_KIND, "kind");
  if (e.kind == SFRAME_CORO_FUNC_SITE)
    need = (uint64_t) e.num * sizeof (sframe_coro_row_entry);
  else
    need = (sizeof (sframe_coro_body_entry)
	    + (uint64_t) e.num * sizeof (sframe_coro_point_entry));
  if (e.data != SFRAME_CORO_NO_DATA)
    {
      if (!data_at (b, e.data, need, 4, &data))
	FAIL (BAD_OFFSET, "data");
    }
  else if (e.num != 0)
    FAIL (BAD_OFFSET, "data");
#undef FAIL
  *f = (sframe_coro_func){
    .start = impl_pcrel (s, off + offsetof (sframe_coro_func_entry, start),
			 (uint64_t) e.start),
    .chain = impl_pcrel (s, off + offsetof (sframe_coro_func_entry, chain),
			 (uint64_t) e.chain),
    .size = e.size, .kind = e.kind, .num = e.num, .data = data
  };
  return SFRAME_CORO_OK;
}

int
sframe_coro_func_row (const sframe_coro_block *b, const sframe_coro_func *f,
		      uint32_t i, sframe_coro_row *row,
		      sframe_coro_where *where)
{
  if (f->kind != SFRAME_CORO_FUNC_SITE || f->data < b->data || i >= f->num)
    return SFRAME_CORO_ERR_NOT_FOUND;
  return load_element (b, &impl_row_record, (uint32_t) (f->data - b->data),
		       &(impl_origin){ f->data, &impl_row_record, NULL }, i, i,
		       4, row, NULL, where);
}

int
sframe_coro_func_body (const sframe_coro_block *b, const sframe_coro_func *f,
		       sframe_coro_body *body, sframe_coro_where *where)
{
  impl_origin from = { f->data, &impl_func_record, "data" };
  sframe_coro_body_entry e;
  int err;

  if (f->kind != SFRAME_CORO_FUNC_BODY || f->data < b->data)
    return SFRAME_CORO_ERR_NOT_FOUND;
  err = load_element (b, &impl_body_record, (uint32_t) (f->data - b->data),
		      &from, 0, 0, 4, &e, NULL, where);
  if (err != SFRAME_CORO_OK)
    return err;
  if (e.index_size > 8 || (e.index_size & (e.index_size - 1)) != 0)
    return impl_fail (where, SFRAME_CORO_ERR_BAD_VALUE, f->data, b->number, 0,
		      &impl_body_record, "index_size");
  body->index_off = e.index_off;
  body->index_size = e.index_size;
  from.record = &impl_body_record;
  from.field = "next";
  err = impl_load_path (b, e.next, &from, 0, &body->next, where);
  from.field = "ip";
  if (err == SFRAME_CORO_OK)
    err = impl_load_path (b, e.ip, &from, 0, &body->ip, where);
  return err;
}

int
sframe_coro_func_point (const sframe_coro_block *b, const sframe_coro_func *f,
			uint32_t i, sframe_coro_point *point,
			sframe_coro_where *where)
{
  if (f->kind != SFRAME_CORO_FUNC_BODY || f->data < b->data || i >= f->num)
    return SFRAME_CORO_ERR_NOT_FOUND;
  return load_element (b, &impl_point_record,
		       (uint32_t) (f->data - b->data
				   + sizeof (sframe_coro_body_entry)),
		       &(impl_origin){ f->data, &impl_point_record, NULL }, i,
		       i, 4, point, NULL, where);
}

int
sframe_coro_func_take (const sframe_coro_block *b, uint32_t i,
		       const sframe_coro_func *f, size_t *left,
		       sframe_coro_where *where)
{
  if (f->num > *left)
    return impl_fail (where, SFRAME_CORO_ERR_BAD_COUNT,
		      impl_func_offset (b, i), b->number, i, &impl_func_record,
		      "num");
  *left -= f->num;
  return SFRAME_CORO_OK;
}

bool
sframe_coro_func_covers (const sframe_coro_func *f, uint64_t pc)
{
  uint64_t d = pc - f->start;

  if (pc < f->start)
    return false;
  if (f->kind == SFRAME_CORO_FUNC_BODY)
    return d < f->size;
  return f->size == 0 ? d == 0 : d - 1 < f->size;
}

/* The number of functions of B, which is sorted, that start at or before PC.
   No branch depends on what is compared, which nobody could predict.  */
static inline __attribute__ ((always_inline)) uint32_t
num_up_to (const sframe_coro_block *b, uint64_t pc, bool swap)
{
  const unsigned char *bytes = b->section->bytes;
  uint64_t address = b->section->address;
  size_t at = b->funcs, size = b->header.func_size;
  uint32_t n = b->header.num_funcs;

  while (n > 0)
    {
      uint32_t half = (n + 1) / 2;
      size_t mid = at + (half - 1) * size, beyond = mid + size;
      uint64_t start = address + mid + impl_get64 (bytes + mid, swap);

      at = start <= pc ? beyond : at;
      n -= half;
    }
  return (uint32_t) ((at - b->funcs) / size);
}

/* Find the function of KIND in B that covers PC.  In a sorted block functions
   that overlap are equal, so only those with the two greatest starts up to PC
   can be meant: a site that begins at PC covers it only if its size is 0.  */
int
sframe_coro_block_find (const sframe_coro_block *b, uint64_t pc, int kind,
			sframe_coro_func *f)
{
  bool sorted = (b->header.flags & SFRAME_CORO_F_FUNCS_SORTED) != 0;
  uint32_t hi = b->header.num_funcs;
  uint64_t last = 0;
  unsigned starts = 0;

  if (sorted)
    hi = (b->section->swap ? num_up_to (b, pc, true)
			   : num_up_to (b, pc, false));
  while (hi-- > 0)
    {
      if (sframe_coro_block_func (b, hi, f, NULL) != SFRAME_CORO_OK)
	continue;
      if (f->kind != kind)
	continue;
      if (sframe_coro_func_covers (f, pc))
	return SFRAME_CORO_OK;
      if (sorted && (starts == 0 || f->start != last))
	{
	  if (++starts > 2)
	    break;
	  last = f->start;
	}
    }
  return SFRAME_CORO_ERR_NOT_FOUND;
}

int
sframe_coro_section_find (const sframe_coro_section *s, uint64_t pc, int kind,
			  sframe_coro_func *f)
{
  sframe_coro_block b;
  int err;

  b.section = NULL; /* All that is looked at in the beginning.  */
  while ((err = sframe_coro_section_next_block (s, &b, NULL))
	 == SFRAME_CORO_OK)
    if (sframe_coro_block_find (&b, pc, kind, f) == SFRAME_CORO_OK)
      return SFRAME_CORO_OK;
  return err;
}

int
sframe_coro_section_chain_at (const sframe_coro_section *s, uint64_t address,
			      sframe_coro_chain *c)
{
  uint64_t off = address - s->address;
  sframe_coro_block b;
  int err;

  memset (&b, 0, sizeof b);
  while ((err = sframe_coro_section_next_block (s, &b, NULL))
	 == SFRAME_CORO_OK)
    if (off >= b.chains && off < b.funcs)
      {
	if ((off - b.chains) % b.header.chain_size != 0)
	  return SFRAME_CORO_ERR_NOT_FOUND;
	return sframe_coro_block_chain (
	    &b, (uint32_t) ((off - b.chains) / b.header.chain_size), c, NULL);
      }
  return err;
}
