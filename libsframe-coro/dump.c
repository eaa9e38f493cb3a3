/* libsframe-coro: a section as text.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include <inttypes.h>

#include "impl.h"

typedef struct dumper
{
  FILE *out;
  const sframe_coro_dump_options *options;
  size_t left; /* See sframe_coro_func_take.  */
} dumper;

typedef struct flag_name
{
  uint32_t flag;
  const char *name;
} flag_name;

static const flag_name header_flags[]
    = { { SFRAME_CORO_F_FUNCS_SORTED, "SFRAME_CORO_F_FUNCS_SORTED" },
	{ 0, NULL } };

static const flag_name chain_flags[]
    = { { SFRAME_CORO_CHAIN_HEAD_IS_RUNNING, "running_head" },
	{ SFRAME_CORO_CHAIN_PROCESS_SCOPE, "process_scope" },
	{ SFRAME_CORO_CHAIN_ROOT_FRAME, "root_frame" },
	{ SFRAME_CORO_CHAIN_IP_PTRAUTH, "ptrauth" },
	{ 0, NULL } };

static const flag_name actions[] = { { SFRAME_CORO_ACT_HIDE, "hide" },
				     { SFRAME_CORO_ACT_BOUNDARY, "boundary" },
				     { SFRAME_CORO_ACT_STOP, "stop" },
				     { 0, NULL } };

static void
dump_flags (const dumper *d, const flag_name *names, uint32_t flags,
	    const char *none)
{
  const char *sep = "";

  for (; names->name != NULL; names++)
    if (flags & names->flag)
      {
	fprintf (d->out, "%s%s", sep, names->name);
	sep = ", ";
	flags &= ~names->flag;
      }
  if (flags != 0)
    fprintf (d->out, "%s0x%" PRIx32, sep, flags);
  else if (*sep == 0)
    fputs (none, d->out);
}

/* Print the target ADDRESS of the field at section offset FIELD.  */
static void
dump_target (const dumper *d, uint64_t address, size_t field)
{
  char name[512];

  fprintf (d->out, "%016" PRIx64, address);
  if (d->options != NULL && d->options->name != NULL
      && d->options->name (d->options->arg, address, field, name,
			   sizeof name))
    fprintf (d->out, " <%s>", name);
}

/* Print PATH as the directive takes it.  */
static void
dump_path (const dumper *d, const sframe_coro_path *path)
{
  const char *sep = "";

  for (unsigned i = 0; i < path->num_offs; i++, sep = ", ")
    fprintf (d->out, "%s%" PRId32, sep, path->off[i]);
  if (path->adjust != 0 || path->num_offs == 0)
    fprintf (d->out, "%sadjust=%" PRId32, sep, path->adjust);
}

static void
dump_head (const dumper *d, const sframe_coro_head *head, unsigned i,
	   size_t off)
{
  fprintf (d->out, "      head [%u]: %s, ", i,
	   sframe_coro_head_kind_name (head->kind));
  if (head->kind == SFRAME_CORO_HEAD_TLS_OFFSET)
    fprintf (d->out, "%" PRId64, (int64_t) head->value);
  else
    dump_target (d, head->value,
		 off + offsetof (sframe_coro_head_entry, value));
  if (head->flags & SFRAME_CORO_HEAD_F_INVALID)
    fprintf (d->out, ", invalid %#" PRIx64, head->invalid);
  if (head->path.given)
    {
      fputs (", path ", d->out);
      dump_path (d, &head->path);
    }
  putc ('\n', d->out);
}

static void
dump_test (const dumper *d, const sframe_coro_test *t, unsigned i)
{
  fprintf (d->out, "      test [%u]: ", i);
  if (t->kind == SFRAME_CORO_TEST_EQUAL)
    fprintf (d->out, "equal, width %u, offsets %" PRId32 ", %" PRId64,
	     t->width, t->off, (int64_t) t->value);
  else
    fprintf (d->out, "value, width %u, offset %" PRId32 ", value %#" PRIx64,
	     t->width, t->off, t->value);
  fprintf (d->out, ", mask %#" PRIx64 ": ", t->mask);
  dump_flags (d, actions, t->actions, "nothing");
  putc ('\n', d->out);
}

static void
dump_rules (const dumper *d, const sframe_coro_chain *c, size_t off)
{
  for (unsigned i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    if (c->path[i].given)
      {
	fprintf (d->out, "      path %s: ", sframe_coro_path_name ((int) i));
	dump_path (d, &c->path[i]);
	putc ('\n', d->out);
      }
  fprintf (d->out, "      ip: %s", sframe_coro_ip_kind_name (c->ip_kind));
  if (c->language != 0)
    fprintf (d->out, ", language %u", c->language);
  fprintf (d->out, "\n      end: %s",
	   sframe_coro_end_kind_name (c->end_kind));
  if (c->end_kind == SFRAME_CORO_END_VALUE)
    fprintf (d->out, " %#" PRIx64, c->end_value);
  else if (c->end_kind == SFRAME_CORO_END_ADDRESS)
    {
      putc (' ', d->out);
      dump_target (d, c->end_value,
		   off + offsetof (sframe_coro_chain_entry, end_value));
    }
  putc ('\n', d->out);
  if (c->roots != SFRAME_CORO_ROOTS_NONE)
    fprintf (d->out, "      roots: %s\n", sframe_coro_roots_name (c->roots));
  if (c->flags & SFRAME_CORO_CHAIN_ROOT_FRAME)
    fprintf (d->out, "      root frame at: %" PRId32 "\n", c->root_frame_off);
  if (c->ptr_align_log2 != 0)
    fprintf (d->out, "      tag bits: %u\n", c->ptr_align_log2);
  if (c->max_depth != 0)
    fprintf (d->out, "      max depth: %" PRIu32 "\n", c->max_depth);
}

/* Print NAME so that no byte of it can control a terminal.  */
static void
dump_name (const dumper *d, const char *name)
{
  for (; *name != 0; name++)
    {
      unsigned char c = (unsigned char) *name;
      if (c < 0x20 || c == 0x7f || c == '"' || c == '\\')
	fprintf (d->out, "\\x%02x", c);
      else
	putc (c, d->out);
    }
}

static int
dump_chain (const dumper *d, const sframe_coro_block *b, uint32_t i,
	    sframe_coro_where *where)
{
  size_t off = impl_chain_offset (b, i), at;
  sframe_coro_chain_entry e;
  sframe_coro_head_entry h;
  sframe_coro_chain c;
  int err = sframe_coro_block_chain (b, i, &c, where);

  if (err != SFRAME_CORO_OK)
    return err;
  fprintf (d->out, "\n    chain [%" PRIu32 "]: \"", i);
  dump_name (d, c.name);
  fputs ("\" at ", d->out);
  dump_target (d, c.address, off);
  fputs ("\n      flags: ", d->out);
  dump_flags (d, chain_flags, c.flags, "none");
  putc ('\n', d->out);
  impl_record_load (&impl_chain_record, b->section->swap,
		    b->section->bytes + off, sizeof e, &e);
  for (unsigned k = 0; k < c.num_heads; k++)
    {
      err = impl_load_head (b, &e, i, k, &h, &at, where);
      if (err != SFRAME_CORO_OK)
	return err;
      dump_head (d, &c.head[k], k, at);
    }
  dump_rules (d, &c, off);
  for (unsigned k = 0; k < c.num_tests; k++)
    dump_test (d, &c.test[k], k);
  return SFRAME_CORO_OK;
}

static int
dump_body (const dumper *d, const sframe_coro_block *b,
	   const sframe_coro_func *f, sframe_coro_where *where)
{
  sframe_coro_body body;
  sframe_coro_point point;
  int err = sframe_coro_func_body (b, f, &body, where);

  if (err == SFRAME_CORO_ERR_NOT_FOUND)
    return SFRAME_CORO_OK;
  if (err != SFRAME_CORO_OK)
    return err;
  if (body.next.given)
    {
      fputs ("        path next: ", d->out);
      dump_path (d, &body.next);
      putc ('\n', d->out);
    }
  if (body.ip.given)
    {
      fputs ("        path ip: ", d->out);
      dump_path (d, &body.ip);
      putc ('\n', d->out);
    }
  if (body.index_size != 0)
    fprintf (d->out, "        index: offset %" PRId32 ", width %u\n",
	     body.index_off, body.index_size);
  for (uint32_t i = 0; i < f->num; i++)
    {
      err = sframe_coro_func_point (b, f, i, &point, where);
      if (err != SFRAME_CORO_OK)
	return err;
      fprintf (d->out, "        point %" PRIu32 ": %016" PRIx64 "\n",
	       point.index, f->start + point.pc_off);
    }
  return SFRAME_CORO_OK;
}

static int
dump_rows (const dumper *d, const sframe_coro_block *b,
	   const sframe_coro_func *f, sframe_coro_where *where)
{
  sframe_coro_row row;

  for (uint32_t i = 0; i < f->num; i++)
    {
      int err = sframe_coro_func_row (b, f, i, &row, where);
      if (err != SFRAME_CORO_OK)
	return err;
      fprintf (d->out, "        %016" PRIx64 "  ", f->start + row.pc_off);
      if (row.base == SFRAME_CORO_BASE_CFA)
	fputs ("cfa", d->out);
      else
	fprintf (d->out, "reg %u", row.base);
      fprintf (d->out, ", %" PRId32 "%s\n", row.off,
	       row.flags & SFRAME_CORO_ROW_IN_REGISTER ? " (in register)"
						       : "");
    }
  return SFRAME_CORO_OK;
}

static int
dump_func (dumper *d, const sframe_coro_block *b, uint32_t i,
	   sframe_coro_where *where)
{
  size_t off = impl_func_offset (b, i);
  sframe_coro_func f;
  int err = sframe_coro_block_func (b, i, &f, where);

  if (err != SFRAME_CORO_OK)
    return err;
  fprintf (d->out, "    func [%" PRIu32 "]: %s, pc = ", i,
	   sframe_coro_func_kind_name (f.kind));
  dump_target (d, f.start, off + offsetof (sframe_coro_func_entry, start));
  fprintf (d->out, ", size = %" PRIu32 " bytes, chain = ", f.size);
  dump_target (d, f.chain, off + offsetof (sframe_coro_func_entry, chain));
  putc ('\n', d->out);
  err = sframe_coro_func_take (b, i, &f, &d->left, where);
  if (err != SFRAME_CORO_OK)
    return err;
  return (f.kind == SFRAME_CORO_FUNC_BODY ? dump_body (d, b, &f, where)
					  : dump_rows (d, b, &f, where));
}

static void
dump_header (const dumper *d, const sframe_coro_block *b)
{
  const sframe_coro_header *h = &b->header;

  fprintf (d->out, "\n  Block [%zu] at offset %#zx :\n\n", b->number,
	   b->offset);
  fprintf (d->out, "    Version: SFRAME_CORO_VERSION_%u\n", h->version);
  fputs ("    Flags: ", d->out);
  dump_flags (d, header_flags, h->flags, "NONE");
  fprintf (d->out, "\n    ABI/Arch: %s\n",
	   sframe_coro_abi_name (h->abi_arch));
  fprintf (d->out, "    Length: %" PRIu32 " bytes\n", h->length);
  fprintf (d->out, "    Num Chains: %" PRIu32 "\n", h->num_chains);
  fprintf (d->out, "    Num Functions: %" PRIu32 "\n", h->num_funcs);
}

static void
dump_error (const dumper *d, int err, const sframe_coro_where *where)
{
  fprintf (d->out, "\n  Error at offset %#zx", where->offset);
  if (where->record != NULL)
    fprintf (d->out, ", block %zu, %s %zu", where->block, where->record,
	     where->index);
  if (where->field != NULL)
    fprintf (d->out, ", field %s", where->field);
  fprintf (d->out, ": %s\n", sframe_coro_errmsg (err));
}

/* Note ERR: print it, and keep the first in *FIRST.  */
static void
note (const dumper *d, int err, const sframe_coro_where *where, int *first)
{
  if (err == SFRAME_CORO_OK)
    return;
  dump_error (d, err, where);
  if (*first == SFRAME_CORO_OK)
    *first = err;
}

int
sframe_coro_section_dump (const sframe_coro_section *s, FILE *out,
			  const sframe_coro_dump_options *options)
{
  dumper d = { out, options, s->size };
  sframe_coro_where where = { 0 };
  sframe_coro_block b;
  int err, first = SFRAME_CORO_OK;

  memset (&b, 0, sizeof b);
  while ((err = sframe_coro_section_next_block (s, &b, &where))
	 == SFRAME_CORO_OK)
    {
      dump_header (&d, &b);
      for (uint32_t i = 0; i < b.header.num_chains; i++)
	note (&d, dump_chain (&d, &b, i, &where), &where, &first);
      if (b.header.num_funcs != 0)
	putc ('\n', out);
      for (uint32_t i = 0; i < b.header.num_funcs; i++)
	note (&d, dump_func (&d, &b, i, &where), &where, &first);
    }
  if (err != SFRAME_CORO_ERR_NOT_FOUND)
    note (&d, err, &where, &first);
  putc ('\n', out);
  return first;
}
