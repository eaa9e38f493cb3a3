/* libsframe-coro: from records to bytes.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include <stdlib.h>

#include "impl.h"

typedef struct func
{
  sframe_coro_func func;
  uint32_t chain;
  sframe_coro_row *rows;
  sframe_coro_body body;
  sframe_coro_point *points;
} func;

typedef struct chain
{
  sframe_coro_chain chain;
  char *name;
} chain;

struct sframe_coro_encoder
{
  uint8_t abi_arch;
  bool swap;
  chain *chains;
  size_t num_chains;
  func *funcs;
  size_t num_funcs;
};

/* Bytes that grow.  A failed allocation is remembered, not lost.  */
typedef struct buffer
{
  unsigned char *bytes;
  size_t len, room;
  bool failed;
} buffer;

/* Append LEN bytes, zeros if SRC is NULL, and give their offset.  */
static size_t
append (buffer *b, const void *src, size_t len)
{
  size_t at = b->len;

  if (b->room - b->len < len)
    {
      size_t room = (b->room + len) * 2;
      unsigned char *p = realloc (b->bytes, room);
      if (p == NULL)
	{
	  b->failed = true;
	  return 0;
	}
      b->bytes = p;
      b->room = room;
    }
  if (src != NULL)
    memcpy (b->bytes + at, src, len);
  else if (len != 0)
    memset (b->bytes + at, 0, len);
  b->len += len;
  return at;
}

static size_t
append_record (buffer *b, const impl_record *record, bool swap,
	       const void *src)
{
  size_t at = append (b, NULL, record->size);
  if (!b->failed)
    impl_record_store (record, swap, src, b->bytes + at);
  return at;
}

static void
pad (buffer *b, size_t align)
{
  append (b, NULL, -b->len & (align - 1));
}

sframe_coro_encoder *
sframe_coro_encoder_new (int abi_arch)
{
  sframe_coro_encoder *e;
  bool big;

  if (!impl_abi_known (abi_arch, &big))
    return NULL;
  e = calloc (1, sizeof *e);
  if (e != NULL)
    {
      e->abi_arch = (uint8_t) abi_arch;
      e->swap = big == impl_host_is_little ();
    }
  return e;
}

void
sframe_coro_encoder_free (sframe_coro_encoder *e)
{
  if (e == NULL)
    return;
  for (size_t i = 0; i < e->num_chains; i++)
    free (e->chains[i].name);
  for (size_t i = 0; i < e->num_funcs; i++)
    {
      free (e->funcs[i].rows);
      free (e->funcs[i].points);
    }
  free (e->chains);
  free (e->funcs);
  free (e);
}

/* Whether the format can express P.  */
static bool
path_fits (const sframe_coro_path *p)
{
  return !p->given || p->num_offs <= SFRAME_CORO_MAX_PATH_OFFS;
}

static bool
chain_fits (const sframe_coro_chain *c)
{
  bool fits = (c->num_heads != 0 && c->num_heads <= SFRAME_CORO_MAX_HEADS
	       && c->num_tests <= SFRAME_CORO_MAX_TESTS);

  for (unsigned i = 0; fits && i < c->num_heads; i++)
    fits = path_fits (&c->head[i].path);
  for (unsigned i = 0; fits && i < SFRAME_CORO_NUM_PATHS; i++)
    fits = path_fits (&c->path[i]);
  return fits;
}

int
sframe_coro_encoder_add_chain (sframe_coro_encoder *e,
			       const sframe_coro_chain *c, uint32_t *index)
{
  chain *p;
  char *name;

  if (!chain_fits (c)
      || e->num_chains >= UINT32_MAX / sizeof (sframe_coro_chain_entry))
    return SFRAME_CORO_ERR_INVAL;
  name = strdup (c->name != NULL ? c->name : "");
  p = realloc (e->chains, (e->num_chains + 1) * sizeof *p);
  if (p != NULL)
    e->chains = p;
  if (p == NULL || name == NULL)
    {
      free (name);
      return SFRAME_CORO_ERR_NOMEM;
    }
  p[e->num_chains] = (chain){ *c, name };
  if (index != NULL)
    *index = (uint32_t) e->num_chains;
  e->num_chains++;
  return SFRAME_CORO_OK;
}

/* A copy of NUM elements of SIZE bytes; NULL for none, or without memory.  */
static void *
copy_array (const void *src, size_t num, size_t size)
{
  void *p = num != 0 ? malloc (num * size) : NULL;
  if (p != NULL)
    memcpy (p, src, num * size);
  return p;
}

int
sframe_coro_encoder_add_func (sframe_coro_encoder *e,
			      const sframe_coro_func *f, uint32_t index,
			      const sframe_coro_row *rows,
			      const sframe_coro_body *body,
			      const sframe_coro_point *points)
{
  bool is_body = f->kind == SFRAME_CORO_FUNC_BODY;
  func n = { .func = *f, .chain = index };
  func *p;

  if ((!is_body && f->kind != SFRAME_CORO_FUNC_SITE)
      || (is_body
	  && (body == NULL || !path_fits (&body->next)
	      || !path_fits (&body->ip)))
      || index >= e->num_chains
      || (f->num != 0 && (is_body ? (const void *) points : rows) == NULL))
    return SFRAME_CORO_ERR_INVAL;
  if (is_body)
    {
      n.body = *body;
      n.points = copy_array (points, f->num, sizeof *points);
    }
  else
    n.rows = copy_array (rows, f->num, sizeof *rows);
  p = realloc (e->funcs, (e->num_funcs + 1) * sizeof *p);
  if (p != NULL)
    e->funcs = p;
  if (p == NULL || (f->num != 0 && n.points == NULL && n.rows == NULL))
    {
      free (n.points);
      free (n.rows);
      return SFRAME_CORO_ERR_NOMEM;
    }
  p[e->num_funcs++] = n;
  return SFRAME_CORO_OK;
}

static uint32_t
put_path (buffer *data, bool swap, const sframe_coro_path *path)
{
  sframe_coro_path_entry e = { .num_offs = path->num_offs };
  size_t at;

  if (!path->given)
    return SFRAME_CORO_NO_DATA;
  if (path->adjust != 0)
    e.flags = SFRAME_CORO_PATH_F_ADJUST;
  at = append_record (data, &impl_path_record, swap, &e);
  for (unsigned i = 0; i <= path->num_offs; i++)
    {
      bool is_off = i < path->num_offs;
      uint32_t v = (uint32_t) (is_off ? path->off[i] : path->adjust);
      if (!is_off && path->adjust == 0)
	break;
      if (swap)
	v = __builtin_bswap32 (v);
      append (data, &v, sizeof v);
    }
  return (uint32_t) at;
}

/* The areas of the block being written; `base' is the run-time address of the
   data area.  */
typedef struct output
{
  bool swap;
  uint64_t base;
  buffer data, strings;
} output;

static uint32_t
put_heads (output *o, const sframe_coro_chain *c)
{
  sframe_coro_head_entry e[SFRAME_CORO_MAX_HEADS];
  size_t first = 0;

  for (unsigned i = 0; i < c->num_heads; i++)
    {
      const sframe_coro_head *h = &c->head[i];
      e[i] = (sframe_coro_head_entry){
	.kind = h->kind, .flags = h->flags,
	.path = put_path (&o->data, o->swap, &h->path), .value = h->value,
	.invalid = h->invalid
      };
    }
  pad (&o->data, 8);
  for (unsigned i = 0; i < c->num_heads; i++)
    {
      if (e[i].kind != SFRAME_CORO_HEAD_TLS_OFFSET
	  && e[i].kind != SFRAME_CORO_HEAD_FRAME)
	e[i].value -= (o->base + o->data.len
		       + offsetof (sframe_coro_head_entry, value));
      size_t at = append_record (&o->data, &impl_head_record, o->swap, &e[i]);
      if (i == 0)
	first = at;
    }
  return (uint32_t) first;
}

static uint32_t
put_tests (output *o, const sframe_coro_chain *c)
{
  size_t first;

  if (c->num_tests == 0)
    return SFRAME_CORO_NO_DATA;
  pad (&o->data, 8);
  first = o->data.len;
  for (unsigned i = 0; i < c->num_tests; i++)
    {
      const sframe_coro_test *t = &c->test[i];
      sframe_coro_test_entry e
	  = { .kind = t->kind, .width = t->width, .actions = t->actions,
	      .off = t->off, .mask = t->mask, .value = t->value };
      append_record (&o->data, &impl_test_record, o->swap, &e);
    }
  return (uint32_t) first;
}

/* Append the entry of chain C, whose own address is ADDRESS.  */
static void
put_chain (output *o, buffer *out, const chain *p, uint64_t address)
{
  const sframe_coro_chain *c = &p->chain;
  sframe_coro_chain_entry e
      = { .flags = c->flags, .num_heads = c->num_heads,
	  .num_tests = c->num_tests, .ip_kind = c->ip_kind,
	  .end_kind = c->end_kind, .roots = c->roots,
	  .ptr_align_log2 = c->ptr_align_log2, .language = c->language,
	  .max_depth = c->max_depth, .root_frame_off = c->root_frame_off,
	  .end_value = c->end_value };

  if (c->end_kind == SFRAME_CORO_END_ADDRESS)
    e.end_value -= address + offsetof (sframe_coro_chain_entry, end_value);
  e.name = (uint32_t) append (&o->strings, p->name, strlen (p->name) + 1);
  e.heads = put_heads (o, c);
  e.tests = put_tests (o, c);
  for (unsigned i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    e.path[i] = put_path (&o->data, o->swap, &c->path[i]);
  append_record (out, &impl_chain_record, o->swap, &e);
}

/* Whether the body of F says nothing that its chain does not.  */
static bool
is_empty_body (const func *f)
{
  return (!f->body.next.given && !f->body.ip.given && f->body.index_size == 0
	  && f->body.index_off == 0);
}

/* Append the rows, or the body and the points, of F.  */
static uint32_t
put_func_data (output *o, const func *f)
{
  bool is_body = f->func.kind == SFRAME_CORO_FUNC_BODY;
  sframe_coro_body_entry e = { .index_off = f->body.index_off,
			       .index_size = f->body.index_size };
  size_t at;

  if (f->func.num == 0 && (!is_body || is_empty_body (f)))
    return SFRAME_CORO_NO_DATA;
  if (is_body)
    {
      e.next = put_path (&o->data, o->swap, &f->body.next);
      e.ip = put_path (&o->data, o->swap, &f->body.ip);
    }
  at = o->data.len;
  if (is_body)
    append_record (&o->data, &impl_body_record, o->swap, &e);
  for (unsigned i = 0; i < f->func.num; i++)
    if (is_body)
      append_record (&o->data, &impl_point_record, o->swap, &f->points[i]);
    else
      append_record (&o->data, &impl_row_record, o->swap, &f->rows[i]);
  return (uint32_t) at;
}

/* Append the entry of F, whose own address is ADDRESS; the chains begin at
   CHAINS.  */
static void
put_func (output *o, buffer *out, const func *f, uint64_t address,
	  uint64_t chains)
{
  sframe_coro_func_entry e = { .size = f->func.size, .num = f->func.num,
			       .kind = f->func.kind };

  e.start = (int64_t) (f->func.start - address
		       - offsetof (sframe_coro_func_entry, start));
  e.chain = (int64_t) (chains
		       + f->chain * sizeof (sframe_coro_chain_entry) - address
		       - offsetof (sframe_coro_func_entry, chain));
  e.data = put_func_data (o, f);
  append_record (out, &impl_func_record, o->swap, &e);
}

/* By start; the rest makes the output independent of the order of input.  */
static int
compare (const void *va, const void *vb)
{
  const func *a = va, *b = vb;
  if (a->func.start != b->func.start)
    return a->func.start < b->func.start ? -1 : 1;
  if (a->func.size != b->func.size)
    return a->func.size < b->func.size ? -1 : 1;
  if (a->func.kind != b->func.kind)
    return a->func.kind < b->func.kind ? -1 : 1;
  return a->chain < b->chain ? -1 : a->chain > b->chain;
}

/* Whether functions of one kind that overlap are equal; they are sorted.  */
static bool
are_disjoint (const sframe_coro_encoder *e)
{
  const sframe_coro_func *last[SFRAME_CORO_FUNC_BODY + 1] = { NULL };

  for (size_t i = 0; i < e->num_funcs; i++)
    {
      const sframe_coro_func *f = &e->funcs[i].func, *l = last[f->kind];
      if (l != NULL && impl_funcs_clash (l, f))
	return false;
      if (l == NULL || impl_func_last (f) >= impl_func_last (l))
	last[f->kind] = f;
    }
  return true;
}

int
sframe_coro_encoder_write (sframe_coro_encoder *e, uint64_t address,
			   unsigned char **bytes, size_t *size)
{
  uint64_t chains = address + sizeof (sframe_coro_header);
  uint64_t funcs = chains + e->num_chains * sizeof (sframe_coro_chain_entry);
  sframe_coro_header h
      = { .magic = SFRAME_CORO_MAGIC, .version = SFRAME_CORO_VERSION,
	  .abi_arch = e->abi_arch,
	  .header_size = sizeof (sframe_coro_header),
	  .chain_size = sizeof (sframe_coro_chain_entry),
	  .func_size = sizeof (sframe_coro_func_entry),
	  .num_chains = (uint32_t) e->num_chains,
	  .num_funcs = (uint32_t) e->num_funcs };
  output o = { .swap = e->swap };
  buffer out = { 0 };
  bool fits;

  if (address % SFRAME_CORO_ALIGN != 0)
    return SFRAME_CORO_ERR_INVAL;
  if (e->num_funcs != 0)
    qsort (e->funcs, e->num_funcs, sizeof *e->funcs, compare);
  h.flags = are_disjoint (e) ? SFRAME_CORO_F_FUNCS_SORTED : 0;
  o.base = funcs + e->num_funcs * sizeof (sframe_coro_func_entry);
  append (&out, NULL, sizeof h);
  for (size_t i = 0; i < e->num_chains; i++)
    put_chain (&o, &out, &e->chains[i], address + out.len);
  for (size_t i = 0; i < e->num_funcs; i++)
    put_func (&o, &out, &e->funcs[i], address + out.len, chains);
  h.data_len = (uint32_t) o.data.len;
  h.strings_len = (uint32_t) o.strings.len;
  append (&out, o.data.bytes, o.data.len);
  append (&out, o.strings.bytes, o.strings.len);
  pad (&out, SFRAME_CORO_ALIGN);
  fits = out.len <= UINT32_MAX;
  h.length = (uint32_t) out.len;
  if (!out.failed)
    impl_record_store (&impl_header_record, o.swap, &h, out.bytes);
  bool failed = out.failed || o.data.failed || o.strings.failed;
  free (o.data.bytes);
  free (o.strings.bytes);
  if (failed || !fits)
    {
      free (out.bytes);
      return failed ? SFRAME_CORO_ERR_NOMEM : SFRAME_CORO_ERR_INVAL;
    }
  *bytes = out.bytes;
  *size = out.len;
  return SFRAME_CORO_OK;
}
