/* sframe-coro: `dump', the contents of the sections of files.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "tool.h"

/* A section being dumped.  */
typedef struct dumped
{
  const elf_file *file;
  const elf_coro *section;
  size_t *left; /* See sframe_coro_func_take.  */
} dumped;

static bool
name_address (void *arg, uint64_t address, size_t field, char *buf,
	      size_t len)
{
  const dumped *d = arg;
  return elf_file_name (d->file, d->section, address, field, buf, len);
}

static int
open_section (const dumped *d, sframe_coro_section *s,
	      sframe_coro_where *where)
{
  return sframe_coro_section_open (s, d->section->bytes, d->section->size,
				   d->section->address, where);
}

/* Text.  */

static int
dump_text (const dumped *d)
{
  sframe_coro_dump_options options = { name_address, (void *) d };
  sframe_coro_where where = { 0 };
  sframe_coro_section s;
  char *name = files_section_name (d->file, d->section);
  int err = open_section (d, &s, &where);

  printf ("%s: section %s at 0x%" PRIx64 ", %zu bytes:\n", d->file->path, name,
	  d->section->address, d->section->size);
  if (err == SFRAME_CORO_OK)
    err = sframe_coro_section_dump (&s, stdout, &options);
  else
    printf ("\n  Error at offset %#zx: %s\n\n", where.offset,
	    sframe_coro_errmsg (err));
  if (err != SFRAME_CORO_OK)
    tool_error ("%s: %s: %s", d->file->path, name, sframe_coro_errmsg (err));
  free (name);
  return err;
}

/* JSON.  */

/* Add address A, which the field at FIELD refers to, to O, and its name.  */
static void
add_target (const dumped *d, json_object *o, const char *key, uint64_t a,
	    size_t field)
{
  char name[512], *name_key;

  json_add_address (o, key, a);
  if (!name_address ((void *) d, a, field, name, sizeof name))
    return;
  name_key = tool_printf ("%s_name", key);
  json_add_string (o, name_key, name);
  free (name_key);
}

static void
add_path (json_object *o, const char *key, const sframe_coro_path *path)
{
  json_object *p, *offs;

  if (!path->given)
    return;
  p = json_object_new_object ();
  offs = json_add_array (p, "offsets");
  for (unsigned i = 0; i < path->num_offs; i++)
    json_object_array_add (offs, json_object_new_int64 (path->off[i]));
  json_add_number (p, "adjust", path->adjust);
  json_add (o, key, p);
}

static json_object *
head_json (const sframe_coro_head *h)
{
  json_object *o = json_object_new_object ();

  json_add_string (o, "kind", sframe_coro_head_kind_name (h->kind));
  if (h->kind == SFRAME_CORO_HEAD_TLS_OFFSET)
    json_add_number (o, "offset", (int64_t) h->value);
  else if (h->kind != SFRAME_CORO_HEAD_FRAME)
    json_add_address (o, "address", h->value);
  if (h->flags & SFRAME_CORO_HEAD_F_INVALID)
    json_add_address (o, "invalid", h->invalid);
  add_path (o, "path", &h->path);
  return o;
}

static json_object *
test_json (const sframe_coro_test *t)
{
  static const struct
  {
    uint8_t bit;
    const char *name;
  } actions[] = { { SFRAME_CORO_ACT_HIDE, "hide" },
		  { SFRAME_CORO_ACT_BOUNDARY, "boundary" },
		  { SFRAME_CORO_ACT_STOP, "stop" } };
  json_object *o = json_object_new_object (), *array;
  bool equal = t->kind == SFRAME_CORO_TEST_EQUAL;

  json_add_string (o, "kind", equal ? "equal" : "value");
  json_add_number (o, "width", t->width);
  json_add_number (o, "offset", t->off);
  if (equal)
    json_add_number (o, "offset2", (int64_t) t->value);
  else
    json_add_address (o, "value", t->value);
  json_add_address (o, "mask", t->mask);
  array = json_add_array (o, "actions");
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
    if (t->actions & actions[i].bit)
      json_object_array_add (array, json_string (actions[i].name));
  return o;
}

static void
add_rules (json_object *o, const sframe_coro_chain *c)
{
  json_object *heads = json_add_array (o, "heads"), *paths, *tests;

  for (unsigned i = 0; i < c->num_heads; i++)
    json_object_array_add (heads, head_json (&c->head[i]));
  paths = json_object_new_object ();
  for (int i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    add_path (paths, sframe_coro_path_name (i), &c->path[i]);
  json_add (o, "paths", paths);
  tests = json_add_array (o, "tests");
  for (unsigned i = 0; i < c->num_tests; i++)
    json_object_array_add (tests, test_json (&c->test[i]));
}

static json_object *
chain_json (const dumped *d, const sframe_coro_chain *c)
{
  json_object *o = json_object_new_object ();

  json_add_string (o, "name", c->name);
  add_target (d, o, "address", c->address,
	      (size_t) (c->address - d->section->address));
  json_add_number (o, "flags", c->flags);
  add_rules (o, c);
  json_add_string (o, "ip", sframe_coro_ip_kind_name (c->ip_kind));
  json_add_number (o, "language", c->language);
  json_add_string (o, "end", sframe_coro_end_kind_name (c->end_kind));
  if (c->end_kind >= SFRAME_CORO_END_VALUE)
    json_add_address (o, "end_value", c->end_value);
  json_add_string (o, "roots", sframe_coro_roots_name (c->roots));
  if (c->flags & SFRAME_CORO_CHAIN_ROOT_FRAME)
    json_add_number (o, "root_frame_offset", c->root_frame_off);
  json_add_number (o, "ptr_align_log2", c->ptr_align_log2);
  json_add_number (o, "max_depth", c->max_depth);
  return o;
}

static int
add_rows (json_object *o, const sframe_coro_block *b,
	  const sframe_coro_func *f, sframe_coro_where *where)
{
  json_object *array = json_add_array (o, "rows");
  sframe_coro_row row;

  for (uint32_t i = 0; i < f->num; i++)
    {
      json_object *r;
      int err = sframe_coro_func_row (b, f, i, &row, where);
      if (err != SFRAME_CORO_OK)
	return err;
      r = json_object_new_object ();
      json_add_address (r, "start", f->start + row.pc_off);
      if (row.base != SFRAME_CORO_BASE_CFA)
	json_add_number (r, "register", row.base);
      json_add_number (r, "offset", row.off);
      json_add_bool (r, "in_register",
		     (row.flags & SFRAME_CORO_ROW_IN_REGISTER) != 0);
      json_object_array_add (array, r);
    }
  return SFRAME_CORO_OK;
}

static int
add_body (json_object *o, const sframe_coro_block *b,
	  const sframe_coro_func *f, sframe_coro_where *where)
{
  json_object *array = json_add_array (o, "points");
  sframe_coro_body body;
  sframe_coro_point point;
  int err = sframe_coro_func_body (b, f, &body, where);

  if (err != SFRAME_CORO_OK)
    return err == SFRAME_CORO_ERR_NOT_FOUND ? SFRAME_CORO_OK : err;
  add_path (o, "next", &body.next);
  add_path (o, "ip", &body.ip);
  json_add_number (o, "index_offset", body.index_off);
  json_add_number (o, "index_size", body.index_size);
  for (uint32_t i = 0; i < f->num; i++)
    {
      json_object *p;
      err = sframe_coro_func_point (b, f, i, &point, where);
      if (err != SFRAME_CORO_OK)
	return err;
      p = json_object_new_object ();
      json_add_number (p, "index", point.index);
      json_add_address (p, "address", f->start + point.pc_off);
      json_object_array_add (array, p);
    }
  return SFRAME_CORO_OK;
}

/* Add function I of block B to ARRAY.  */
static int
add_func (const dumped *d, json_object *array, const sframe_coro_block *b,
	  uint32_t i, sframe_coro_where *where)
{
  size_t off = b->funcs + (size_t) i * b->header.func_size;
  json_object *o;
  sframe_coro_func f;
  int err = sframe_coro_block_func (b, i, &f, where);

  if (err != SFRAME_CORO_OK)
    return err;
  err = sframe_coro_func_take (b, i, &f, d->left, where);
  if (err != SFRAME_CORO_OK)
    return err;
  o = json_object_new_object ();
  json_object_array_add (array, o);
  json_add_string (o, "kind", sframe_coro_func_kind_name (f.kind));
  add_target (d, o, "start", f.start,
	      off + offsetof (sframe_coro_func_entry, start));
  json_add_number (o, "size", f.size);
  add_target (d, o, "chain", f.chain,
	      off + offsetof (sframe_coro_func_entry, chain));
  return (f.kind == SFRAME_CORO_FUNC_BODY ? add_body (o, b, &f, where)
					  : add_rows (o, b, &f, where));
}

/* Note ERR in ERRORS, and keep the first in *FIRST.  */
static void
note (json_object *errors, int err, const sframe_coro_where *where, int *first)
{
  json_object *o;

  if (err == SFRAME_CORO_OK || err == SFRAME_CORO_ERR_NOT_FOUND)
    return;
  o = json_object_new_object ();
  json_add_number (o, "offset", (int64_t) where->offset);
  json_add_string (o, "record", where->record);
  json_add_string (o, "field", where->field);
  json_add_string (o, "message", sframe_coro_errmsg (err));
  json_object_array_add (errors, o);
  if (*first == SFRAME_CORO_OK)
    *first = err;
}

static void
add_block (const dumped *d, json_object *o, const sframe_coro_block *b,
	   json_object *errors, int *first)
{
  json_object *chains, *funcs;
  sframe_coro_where where = { 0 };
  sframe_coro_chain c;

  json_add_number (o, "offset", (int64_t) b->offset);
  json_add_number (o, "version", b->header.version);
  json_add_number (o, "flags", b->header.flags);
  json_add_number (o, "abi", b->header.abi_arch);
  json_add_string (o, "abi_name", sframe_coro_abi_name (b->header.abi_arch));
  json_add_number (o, "length", b->header.length);
  chains = json_add_array (o, "chains");
  for (uint32_t i = 0; i < b->header.num_chains; i++)
    {
      int err = sframe_coro_block_chain (b, i, &c, &where);
      if (err == SFRAME_CORO_OK)
	json_object_array_add (chains, chain_json (d, &c));
      note (errors, err, &where, first);
    }
  funcs = json_add_array (o, "functions");
  for (uint32_t i = 0; i < b->header.num_funcs; i++)
    note (errors, add_func (d, funcs, b, i, &where), &where, first);
}

static int
dump_json (const dumped *d, json_object *array)
{
  json_object *o = json_object_new_object (), *blocks, *errors;
  sframe_coro_where where = { 0 };
  sframe_coro_section s;
  sframe_coro_block b;
  int err, first = SFRAME_CORO_OK;

  json_object_array_add (array, o);
  json_add_string (o, "name", d->section->name);
  json_add_number (o, "number", (int64_t) d->section->scn);
  json_add_address (o, "address", d->section->address);
  json_add_number (o, "size", (int64_t) d->section->size);
  blocks = json_add_array (o, "blocks");
  errors = json_add_array (o, "errors");
  memset (&b, 0, sizeof b);
  err = open_section (d, &s, &where);
  while (err == SFRAME_CORO_OK
	 && (err = sframe_coro_section_next_block (&s, &b, &where))
		== SFRAME_CORO_OK)
    {
      json_object *block = json_object_new_object ();
      json_object_array_add (blocks, block);
      add_block (d, block, &b, errors, &first);
    }
  note (errors, err, &where, &first);
  return first;
}

static int
dump_file (const elf_file *file, const files *args, json_object *o)
{
  json_object *sections = o != NULL ? json_add_array (o, "sections") : NULL;
  int status = TOOL_OK;

  (void) args;
  for (size_t i = 0; i < file->num_sections; i++)
    {
      size_t left = file->sections[i].size;
      dumped d = { file, &file->sections[i], &left };
      int err = sections != NULL ? dump_json (&d, sections) : dump_text (&d);
      if (err != SFRAME_CORO_OK)
	status = TOOL_INCOMPLETE;
    }
  return status;
}

int
dump_main (int argc, char **argv)
{
  files f = files_parse (argc, argv,
			 "Print the contents of the section .sframe_coro of "
			 "ELF files.",
			 false);
  return files_do (&f, dump_file);
}
