/* libsframe-coro: everything that is wrong with a section.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include <stdlib.h>

#include "call.h"
#include "impl.h"

/* A site or body seen, for what concerns several functions.  */
typedef struct range
{
  uint64_t chain, start, last; /* The last PC it covers.  */
  sframe_coro_where where;
  uint8_t kind;
} range;

typedef struct validator
{
  const sframe_coro_module_facts *facts;
  sframe_coro_finding_fn fn;
  void *arg;
  long errors;
  bool stopped, nomem;
  size_t left; /* See sframe_coro_func_take.  */
  sframe_coro_section section;
  impl_map chains;
  range *ranges;
  size_t num_ranges, room_ranges;
} validator;

/* The record under examination.  */
typedef struct place
{
  validator *v;
  const sframe_coro_block *block;
  const impl_record *record;
  size_t offset, index;
} place;

static void
report (validator *v, sframe_coro_severity severity, int err,
	const sframe_coro_where *where, uint64_t value)
{
  sframe_coro_finding f = { severity, err, *where, value };

  if (v->stopped)
    return;
  v->errors += severity == SFRAME_CORO_ERROR;
  v->stopped = v->fn != NULL && v->fn (v->arg, &f) != 0;
}

/* Report a finding in FIELD of the record at P, unless OK.  Return OK.  */
static bool
expect (const place *p, bool ok, sframe_coro_severity severity, int err,
	const char *field, uint64_t value)
{
  sframe_coro_where where;

  if (ok)
    return true;
  impl_fail (&where, err, p->offset, p->block->number, p->index, p->record,
	     field);
  report (p->v, severity, err, &where, value);
  return false;
}

#define ERROR(OK, ERR, FIELD, VALUE)                                          \
  expect (p, OK, SFRAME_CORO_ERROR, SFRAME_CORO_ERR_##ERR, FIELD,             \
	  (uint64_t) (VALUE))
#define WARN(OK, ERR, FIELD, VALUE)                                           \
  expect (p, OK, SFRAME_CORO_WARNING, SFRAME_CORO_ERR_##ERR, FIELD,           \
	  (uint64_t) (VALUE))

/* Report reserved fields of the loaded record R that are not zero.  */
static void
check_reserved (const place *p, const void *r)
{
  const impl_field *f = impl_record_reserved (p->record, r);
  if (f != NULL)
    expect (p, false, SFRAME_CORO_ERROR, SFRAME_CORO_ERR_RESERVED, f->name,
	    0);
}

/* Whether the section is in a relocatable object, where addresses mean
   little.  */
static bool
is_relocatable (const validator *v)
{
  return v->facts != NULL && v->facts->relocatable;
}

static bool
is_pcrel_code (const validator *v, uint64_t address, uint64_t size)
{
  const sframe_coro_module_facts *f = v->facts;
  return (f == NULL || f->is_code == NULL || f->relocatable
	  || f->is_code (f->arg, address, size));
}

/* Load the path at REF, which the record at OWNER refers to, and report what is
   wrong with it; whether it could be loaded.  A path without offsets and
   adjustment goes nowhere, which nobody means.  */
static bool
check_path (const place *owner, uint32_t ref, const char *field,
	    sframe_coro_path *path)
{
  place self = *owner, *p = &self;
  sframe_coro_path_entry e;
  sframe_coro_where where;
  impl_origin from = { p->offset, p->record, field };
  int err = impl_load_path (p->block, ref, &from, p->index, path, &where);

  if (err != SFRAME_CORO_OK)
    {
      report (p->v, SFRAME_CORO_ERROR, err, &where, ref);
      return false;
    }
  if (!path->given)
    return true;
  self.record = &impl_path_record;
  self.offset = p->block->data + ref;
  impl_record_load (p->record, p->block->section->swap,
		    p->block->section->bytes + p->offset, sizeof e, &e);
  check_reserved (p, &e);
  ERROR ((e.flags & ~SFRAME_CORO_PATH_F_ADJUST) == 0, RESERVED, "flags",
	 e.flags);
  WARN (path->num_offs != 0 || path->adjust != 0, BAD_VALUE, "num_offs", 0);
  return true;
}

static void
check_tls_offset (const place *p, int64_t value)
{
  const sframe_coro_module_facts *f = p->v->facts;
  uint64_t size, align;

  if (f == NULL || !f->has_tls_size || f->relocatable)
    return;
  size = f->tls_size;
  align = f->tls_align > 1 ? f->tls_align : 1;
  if (value < 0)
    ERROR (-(uint64_t) value <= (size + align - 1) / align * align, TLS_RANGE,
	   "value", value);
  else
    ERROR ((uint64_t) value < size, TLS_RANGE, "value", value);
}

/* Check the stub that a head points to: ADDRESS.  */
static void
check_stub (const place *p, uint64_t address)
{
  const sframe_coro_module_facts *f = p->v->facts;
  sframe_coro_tls_ref ref;
  sframe_coro_memory memory;
  int err;

  if (!ERROR (is_pcrel_code (p->v, address, 1), NOT_CODE, "value", address)
      || f == NULL || f->read == NULL || f->relocatable)
    return;
  memory = (sframe_coro_memory){ f->read, f->arg };
  err = sframe_coro_tls_stub_read (p->block->header.abi_arch,
				   p->block->section->swap,
				   SFRAME_CORO_LIBC_UNKNOWN, &memory, address,
				   &ref);
  /* What the stub refers to is known at run time only.  */
  ERROR (err != SFRAME_CORO_ERR_BAD_STUB, BAD_STUB, "value", address);
}

/* Whether it could be loaded; if not, those behind it cannot be either.  */
static bool
check_head (const place *chain, const sframe_coro_chain_entry *c, unsigned i)
{
  const sframe_coro_block *b = chain->block;
  place self = *chain, *p = &self;
  sframe_coro_head_entry e;
  sframe_coro_where where;
  sframe_coro_path path;
  uint64_t target;
  int err = impl_load_head (b, c, (uint32_t) p->index, i, &e, &self.offset,
			    &where);

  if (err != SFRAME_CORO_OK)
    {
      report (p->v, SFRAME_CORO_ERROR, err, &where, c->heads);
      return false;
    }
  self.record = &impl_head_record;
  check_reserved (p, &e);
  ERROR ((e.flags & ~SFRAME_CORO_HEAD_F_INVALID) == 0, RESERVED, "flags",
	 e.flags);
  ERROR ((e.flags & SFRAME_CORO_HEAD_F_INVALID) != 0 || e.invalid == 0,
	 RESERVED, "invalid", e.invalid);
  check_path (p, e.path, "path", &path);
  if (!ERROR (e.kind >= SFRAME_CORO_HEAD_TLS_STUB
		  && e.kind <= SFRAME_CORO_HEAD_FRAME,
	      BAD_KIND, "kind", e.kind))
    return true;
  target = impl_pcrel (b->section,
		       p->offset + offsetof (sframe_coro_head_entry, value),
		       e.value);
  if (e.kind == SFRAME_CORO_HEAD_TLS_STUB)
    check_stub (p, target);
  else if (e.kind == SFRAME_CORO_HEAD_TLS_OFFSET)
    check_tls_offset (p, (int64_t) e.value);
  else if (e.kind == SFRAME_CORO_HEAD_FRAME)
    ERROR (e.value == 0, RESERVED, "value", e.value);
  return true;
}

/* The same.  */
static bool
check_test (const place *chain, const sframe_coro_chain_entry *c, unsigned i)
{
  place self = *chain, *p = &self;
  sframe_coro_test_entry e;
  sframe_coro_where where;
  uint64_t all;
  int err = impl_load_test (p->block, c, (uint32_t) p->index, i, &e,
			    &self.offset, &where);

  if (err != SFRAME_CORO_OK)
    {
      report (p->v, SFRAME_CORO_ERROR, err, &where, c->tests);
      return false;
    }
  self.record = &impl_test_record;
  check_reserved (p, &e);
  ERROR (e.kind >= SFRAME_CORO_TEST_VALUE && e.kind <= SFRAME_CORO_TEST_EQUAL,
	 BAD_KIND, "kind", e.kind);
  ERROR (e.actions != 0
	     && (e.actions
		 & ~(SFRAME_CORO_ACT_HIDE | SFRAME_CORO_ACT_BOUNDARY
		     | SFRAME_CORO_ACT_STOP))
		    == 0,
	 BAD_VALUE, "actions", e.actions);
  if (!ERROR (e.width == 1 || e.width == 2 || e.width == 4 || e.width == 8,
	      BAD_VALUE, "width", e.width))
    return true;
  /* A test that always or never holds is a mistake.  */
  all = UINT64_MAX >> (64 - 8 * e.width);
  WARN ((e.mask & all) != 0, BAD_VALUE, "mask", e.mask);
  if (e.kind == SFRAME_CORO_TEST_VALUE)
    WARN ((e.value & ~(e.mask & all)) == 0, BAD_VALUE, "value", e.value);
  return true;
}

/* Check that the paths of the chain at P and what it says of roots, IPs and
   the end belong together.  */
static void
check_rules (const place *p, const sframe_coro_chain_entry *e,
	     const sframe_coro_path *path)
{
  const sframe_coro_path *next = &path[SFRAME_CORO_PATH_NEXT];
  bool by_key = (e->roots == SFRAME_CORO_ROOTS_BY_TID
		 || e->roots == SFRAME_CORO_ROOTS_BY_TP);

  ERROR (next->given && (next->num_offs != 0 || next->adjust != 0), NO_NEXT,
	 "path", 0);
  ERROR ((e->ip_kind == SFRAME_CORO_IP_NONE)
	     == !path[SFRAME_CORO_PATH_IP].given,
	 NO_IP, "ip_kind", e->ip_kind);
  ERROR (!path[SFRAME_CORO_PATH_IP_ALT].given
	     || path[SFRAME_CORO_PATH_IP].given,
	 NO_IP, "path", SFRAME_CORO_PATH_IP_ALT);
  WARN ((e->ip_kind == SFRAME_CORO_IP_COOKIE) == (e->language != 0),
	BAD_VALUE, "language", e->language);
  WARN (e->end_kind >= SFRAME_CORO_END_VALUE || e->end_value == 0, BAD_VALUE,
	"end_value", e->end_value);
  /* Tags are cleared before the comparison.  */
  WARN (e->end_kind != SFRAME_CORO_END_VALUE || e->ptr_align_log2 > 12
	    || (e->end_value & ((UINT64_C (1) << e->ptr_align_log2) - 1)) == 0,
	BAD_VALUE, "end_value", e->end_value);
  ERROR (e->roots == SFRAME_CORO_ROOTS_NONE
	     || e->roots > SFRAME_CORO_ROOTS_BY_TP
	     || path[SFRAME_CORO_PATH_ROOT_NEXT].given,
	 NO_NEXT, "roots", e->roots);
  ERROR (!by_key || path[SFRAME_CORO_PATH_ROOT_KEY].given, NO_NEXT, "roots",
	 e->roots);
  WARN (e->ip_kind >= SFRAME_CORO_IP_COOKIE
	    || !path[SFRAME_CORO_PATH_AUX].given,
	BAD_VALUE, "path", SFRAME_CORO_PATH_AUX);
  WARN (e->roots != SFRAME_CORO_ROOTS_NONE
	    || !path[SFRAME_CORO_PATH_ROOT_NEXT].given,
	BAD_VALUE, "path", SFRAME_CORO_PATH_ROOT_NEXT);
  WARN (e->roots >= SFRAME_CORO_ROOTS_BY_TID
	    || !path[SFRAME_CORO_PATH_ROOT_KEY].given, BAD_VALUE, "path",
	SFRAME_CORO_PATH_ROOT_KEY);
  WARN (e->num_tests != 0 || e->tests == SFRAME_CORO_NO_DATA, BAD_VALUE,
	"tests", e->tests);
  WARN ((e->flags & SFRAME_CORO_CHAIN_ROOT_FRAME) != 0
	    || e->root_frame_off == 0,
	BAD_VALUE, "root_frame_off", e->root_frame_off);
}

/* Whether TEXT is well-formed UTF-8: as RFC 3629 has it, without surrogates
   and overlong forms.  */
static bool
is_utf8 (const char *text)
{
  const unsigned char *p = (const unsigned char *) text;

  while (*p != 0)
    {
      unsigned n = *p < 0x80 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
      unsigned char lo = 0x80, hi = 0xbf;

      if ((*p >= 0x80 && *p < 0xc2) || *p > 0xf4)
	return false;
      if (*p == 0xe0)
	lo = 0xa0;
      else if (*p == 0xed)
	hi = 0x9f;
      else if (*p == 0xf0)
	lo = 0x90;
      else if (*p == 0xf4)
	hi = 0x8f;
      for (p++; n > 0; n--, p++, lo = 0x80, hi = 0xbf)
	if (*p < lo || *p > hi)
	  return false;
    }
  return true;
}

static void
check_chain (validator *v, const sframe_coro_block *b, uint32_t i)
{
  const uint32_t known
      = (SFRAME_CORO_CHAIN_HEAD_IS_RUNNING | SFRAME_CORO_CHAIN_PROCESS_SCOPE
	 | SFRAME_CORO_CHAIN_ROOT_FRAME | SFRAME_CORO_CHAIN_IP_PTRAUTH);
  place self = { v, b, &impl_chain_record, impl_chain_offset (b, i), i };
  const place *p = &self;
  sframe_coro_path path[SFRAME_CORO_NUM_PATHS];
  sframe_coro_chain_entry e;
  const char *name;
  bool ok = true;

  impl_record_load (p->record, b->section->swap,
		    b->section->bytes + p->offset, sizeof e, &e);
  check_reserved (p, &e);
  ERROR ((e.flags & ~known) == 0, RESERVED, "flags", e.flags);
  name = impl_string (b, e.name);
  if (ERROR (name != NULL, BAD_STRING, "name", e.name))
    WARN (is_utf8 (name), BAD_UTF8, "name", e.name);
  ERROR (e.ip_kind <= SFRAME_CORO_IP_COOKIE, BAD_KIND, "ip_kind", e.ip_kind);
  ERROR (e.end_kind <= SFRAME_CORO_END_ADDRESS, BAD_KIND, "end_kind",
	 e.end_kind);
  ERROR (e.roots <= SFRAME_CORO_ROOTS_BY_TP, BAD_KIND, "roots", e.roots);
  ERROR (e.ptr_align_log2 <= 12, BAD_VALUE, "ptr_align_log2",
	 e.ptr_align_log2);
  if (ERROR (e.num_heads > 0 && e.num_heads <= SFRAME_CORO_MAX_HEADS,
	     BAD_COUNT, "num_heads", e.num_heads))
    for (unsigned k = 0; k < e.num_heads && check_head (p, &e, k); k++)
      ;
  if (ERROR (e.num_tests <= SFRAME_CORO_MAX_TESTS, BAD_COUNT, "num_tests",
	     e.num_tests))
    for (unsigned k = 0; k < e.num_tests && check_test (p, &e, k); k++)
      ;
  for (unsigned k = 0; k < SFRAME_CORO_NUM_PATHS; k++)
    {
      place element = self;
      element.offset += k * sizeof e.path[0];
      ok &= check_path (&element, e.path[k], "path", &path[k]);
    }
  if (ok)
    check_rules (p, &e, path);
  v->nomem |= !impl_map_put (&v->chains, b->section->address + p->offset, 0);
}

/* Keep function F, at P, for the checks over all of them.  */
static void
keep_range (const place *p, const sframe_coro_func *f)
{
  validator *v = p->v;
  range *r;

  if (v->num_ranges == v->room_ranges)
    {
      size_t room = v->room_ranges ? 2 * v->room_ranges : 64;
      r = realloc (v->ranges, room * sizeof *r);
      if (r == NULL)
	{
	  v->nomem = true;
	  return;
	}
      v->ranges = r;
      v->room_ranges = room;
    }
  r = &v->ranges[v->num_ranges++];
  *r = (range){ .chain = f->chain, .kind = f->kind,
		.start = impl_func_first (f), .last = impl_func_last (f) };
  impl_fail (&r->where, SFRAME_CORO_OK, p->offset, p->block->number, p->index,
	     p->record, "start");
}

static void
check_rows (const place *func, const sframe_coro_func *f)
{
  place self = { func->v, func->block, &impl_row_record, f->data, 0 };
  const place *p = &self;
  sframe_coro_row row;
  uint32_t last = 0;

  for (uint32_t i = 0; i < f->num; i++, self.offset += sizeof row)
    {
      self.index = i;
      if (sframe_coro_func_row (p->block, f, i, &row, NULL) != SFRAME_CORO_OK)
	return;
      ERROR (row.pc_off <= f->size, POINT_RANGE, "pc_off", row.pc_off);
      ERROR (i == 0 || row.pc_off > last, ROW_ORDER, "pc_off", row.pc_off);
      ERROR (row.base == SFRAME_CORO_BASE_CFA || row.base < 256, BAD_VALUE,
	     "base", row.base);
      ERROR ((row.flags & ~SFRAME_CORO_ROW_IN_REGISTER) == 0, RESERVED,
	     "flags", row.flags);
      last = row.pc_off;
    }
}

static void
check_points (const place *func, const sframe_coro_func *f,
	      unsigned index_size)
{
  place self = { func->v, func->block, &impl_point_record,
		 f->data + sizeof (sframe_coro_body_entry), 0 };
  const place *p = &self;
  sframe_coro_point point;

  for (uint32_t i = 0; i < f->num; i++, self.offset += sizeof point)
    {
      self.index = i;
      if (sframe_coro_func_point (p->block, f, i, &point, NULL)
	  != SFRAME_CORO_OK)
	return;
      ERROR (point.pc_off < f->size, POINT_RANGE, "pc_off", point.pc_off);
      WARN (index_size == 0 || index_size >= 4
		|| point.index >> 8 * index_size == 0, BAD_VALUE,
	    "index", point.index);
    }
}

static void
check_body (const place *func, const sframe_coro_func *f)
{
  const sframe_coro_block *b = func->block;
  place self = { func->v, b, &impl_body_record, f->data, func->index };
  const place *p = &self;
  sframe_coro_body_entry e;
  sframe_coro_path path;

  if (f->data == 0)
    return;
  impl_record_load (p->record, b->section->swap,
		    b->section->bytes + p->offset, sizeof e, &e);
  check_reserved (p, &e);
  ERROR (e.index_size <= 8 && (e.index_size & (e.index_size - 1)) == 0,
	 BAD_VALUE, "index_size", e.index_size);
  check_path (p, e.next, "next", &path);
  check_path (p, e.ip, "ip", &path);
  WARN (f->num == 0 || e.index_size != 0, BAD_VALUE, "index_size", 0);
  check_points (func, f, e.index_size);
}

/* The functions before the one at hand in a sorted block: the last of all,
   and of each kind the one that reaches furthest.  */
typedef struct previous
{
  uint64_t start;
  sframe_coro_func furthest[SFRAME_CORO_FUNC_BODY + 1];
} previous;

/* Check that F, at P, may come after PREVIOUS, and step on.  */
static void
check_order (const place *p, const sframe_coro_func *f, previous *previous)
{
  sframe_coro_func *furthest = &previous->furthest[f->kind];

  if (f->start < previous->start)
    ERROR (false, UNSORTED, "start", f->start);
  else if (furthest->kind != 0)
    ERROR (!impl_funcs_clash (furthest, f), UNSORTED, "start", f->start);
  previous->start = f->start;
  if (furthest->kind == 0 || impl_func_last (f) >= impl_func_last (furthest))
    *furthest = *f;
}

/* Sites that cover more PCs than this are ranges of code; it would take long to
   look at each.  */
#define MAX_CALL_RANGE 64

/* Whether a call returns to one of the PCs that site F covers, as far as that
   is known.  Otherwise nothing is ever found there.  */
static bool
has_call (const validator *v, const sframe_coro_block *b,
	  const sframe_coro_func *f)
{
  const sframe_coro_module_facts *facts = v->facts;
  unsigned char code[CALL_MAX_BYTES + MAX_CALL_RANGE];
  uint64_t first = impl_func_first (f), last = impl_func_last (f);

  if (facts == NULL || facts->read == NULL || facts->relocatable
      || first < CALL_MAX_BYTES || last - first >= MAX_CALL_RANGE
      || facts->read (facts->arg, first - CALL_MAX_BYTES, code,
		      (size_t) (last - first) + CALL_MAX_BYTES) != 0)
    return true;
  for (size_t i = 0; i <= last - first; i++)
    if (call_ends_at (b->header.abi_arch, code + CALL_MAX_BYTES + i))
      return true;
  return false;
}

static void
check_site (const place *p, const sframe_coro_func *f)
{
  /* The call itself lies before the return address.  */
  if (ERROR (is_pcrel_code (p->v, f->start - (f->size == 0),
			    f->size + !f->size),
	     NOT_CODE, "start", f->start))
    WARN (has_call (p->v, p->block, f), NO_CALL, "start", f->start);
  check_rows (p, f);
}

static void
check_func (validator *v, const sframe_coro_block *b, uint32_t i,
	    previous *previous)
{
  place self = { v, b, &impl_func_record, impl_func_offset (b, i), i };
  const place *p = &self;
  sframe_coro_func_entry e;
  sframe_coro_where where;
  sframe_coro_func f;
  int err;

  impl_record_load (p->record, b->section->swap,
		    b->section->bytes + p->offset, sizeof e, &e);
  check_reserved (p, &e);
  err = sframe_coro_block_func (b, i, &f, &where);
  if (err != SFRAME_CORO_OK)
    {
      report (v, SFRAME_CORO_ERROR, err, &where, 0);
      return;
    }
  if ((b->header.flags & SFRAME_CORO_F_FUNCS_SORTED) != 0)
    check_order (p, &f, previous);
  ERROR (is_relocatable (v) || f.start + f.size >= f.start, BAD_VALUE, "size",
	 f.size);
  if (!ERROR (sframe_coro_func_take (b, i, &f, &v->left, NULL)
		  == SFRAME_CORO_OK,
	      BAD_COUNT, "num", f.num))
    f.num = 0;
  if (f.kind == SFRAME_CORO_FUNC_SITE)
    check_site (p, &f);
  else
    {
      ERROR (f.size != 0 && is_pcrel_code (v, f.start, f.size), NOT_CODE,
	     "start", f.start);
      check_body (p, &f);
    }
  keep_range (p, &f);
}

static void
check_header (validator *v, const sframe_coro_block *b)
{
  place self = { v, b, &impl_header_record, b->offset, 0 };
  const place *p = &self;
  const sframe_coro_header *h = &b->header;
  size_t used = b->strings + h->strings_len - b->offset;
  bool zero = true;

  check_reserved (p, h);
  ERROR ((h->flags & ~SFRAME_CORO_F_FUNCS_SORTED) == 0, RESERVED, "flags",
	 h->flags);
  for (size_t o = used; zero && o < h->length; o++)
    zero = b->section->bytes[b->offset + o] == 0;
  WARN (zero, BAD_PADDING, "length", h->length);
}

static int
compare (const void *va, const void *vb)
{
  const range *a = va, *b = vb;

  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  if (a->chain != b->chain)
    return a->chain < b->chain ? -1 : 1;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return a->where.offset < b->where.offset ? -1 : 1;
}

/* What concerns several functions: references to chains, which may stand in
   any block, and overlaps.  An equal twin does no harm: link-time optimizers
   leave some.  */
static void
check_ranges (validator *v)
{
  if (is_relocatable (v) || v->num_ranges == 0)
    return;
  for (size_t i = 0; i < v->num_ranges; i++)
    if (impl_map_get (&v->chains, v->ranges[i].chain) == SIZE_MAX)
      {
	sframe_coro_where where = v->ranges[i].where;
	where.field = "chain";
	where.offset += (offsetof (sframe_coro_func_entry, chain)
			 - offsetof (sframe_coro_func_entry, start));
	report (v, SFRAME_CORO_ERROR, SFRAME_CORO_ERR_CHAIN_REF, &where,
		v->ranges[i].chain);
      }
  qsort (v->ranges, v->num_ranges, sizeof *v->ranges, compare);
  for (size_t i = 1, top = 0; i < v->num_ranges; i++)
    {
      const range *a = &v->ranges[top], *b = &v->ranges[i];
      bool same = a->kind == b->kind && a->chain == b->chain;

      if (same && b->start <= a->last)
	report (v,
		a->start == b->start && a->last == b->last
		    ? SFRAME_CORO_WARNING
		    : SFRAME_CORO_ERROR,
		SFRAME_CORO_ERR_OVERLAP, &b->where, b->start);
      if (!same || b->last > a->last)
	top = i;
    }
}

long
sframe_coro_validate (const void *bytes, size_t size, uint64_t address,
		      const sframe_coro_module_facts *facts,
		      sframe_coro_finding_fn fn, void *arg)
{
  validator v = { .facts = facts, .fn = fn, .arg = arg, .left = size };
  sframe_coro_where where = { 0 };
  sframe_coro_block b;
  int err;

  memset (&b, 0, sizeof b);
  err = sframe_coro_section_open (&v.section, bytes, size, address, &where);
  while (err == SFRAME_CORO_OK && !v.stopped
	 && (err = sframe_coro_section_next_block (&v.section, &b, &where))
		== SFRAME_CORO_OK)
    {
      previous previous = { 0 };
      check_header (&v, &b);
      for (uint32_t i = 0; i < b.header.num_chains && !v.stopped; i++)
	check_chain (&v, &b, i);
      for (uint32_t i = 0; i < b.header.num_funcs && !v.stopped; i++)
	check_func (&v, &b, i, &previous);
    }
  if (err == SFRAME_CORO_ERR_INVAL)
    v.nomem = true;
  else if (err != SFRAME_CORO_OK && err != SFRAME_CORO_ERR_NOT_FOUND)
    report (&v, SFRAME_CORO_ERROR, err, &where, 0);
  if (!v.nomem)
    check_ranges (&v);
  impl_map_free (&v.chains);
  free (v.ranges);
  return v.nomem ? -1 : v.errors;
}
