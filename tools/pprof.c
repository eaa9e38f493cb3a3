/* sframe-coro: writing profiles for pprof.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary-write.h"
#include "tool.h"

#ifndef HAVE_PPROF

bool
pprof_write (summary *s, FILE *out)
{
  (void) s;
  (void) out;
  tool_error ("pprof: " SUMMARY_PPROF_MISSING);
  return false;
}

#else

#include <zlib.h>

#include "tools/pprof.pb-c.h"

typedef Perftools__Profiles__Profile pb_profile;
typedef Perftools__Profiles__ValueType pb_value_type;
typedef Perftools__Profiles__Sample pb_sample;
typedef Perftools__Profiles__Label pb_label;
typedef Perftools__Profiles__Mapping pb_mapping;
typedef Perftools__Profiles__Location pb_location;
typedef Perftools__Profiles__Line pb_line;
typedef Perftools__Profiles__Function pb_function;

/* Messages that are made in one piece: an array of messages TYPE, initialized
   with INIT, and pointers to each of them.  */
#define NEW_MESSAGES(TYPE, INIT, NUM, LIST, POINTERS)                         \
  do                                                                          \
    {                                                                         \
      static const TYPE init = INIT;                                          \
      LIST = tool_calloc (NUM, sizeof *LIST);                                 \
      POINTERS = tool_calloc (NUM, sizeof *POINTERS);                         \
      for (size_t new_i = 0; new_i < (NUM); new_i++)                          \
	{                                                                     \
	  LIST[new_i] = init;                                                 \
	  POINTERS[new_i] = &LIST[new_i];                                     \
	}                                                                     \
    }                                                                         \
  while (0)

typedef struct builder
{
  summary *s;
  pb_profile profile;
  table strings; /* 0: the empty one.  */
  void **blocks; /* To be freed.  */
  size_t num_blocks, blocks_room;
} builder;

static void *
own (builder *b, void *p)
{
  b->blocks = table_grow (b->blocks, &b->blocks_room, b->num_blocks + 1,
			  sizeof *b->blocks);
  return b->blocks[b->num_blocks++] = p;
}

static void *
new_block (builder *b, size_t num, size_t size)
{
  return own (b, tool_calloc (num, size));
}

/* The index of S, which has to be UTF-8 there.  */
static int64_t
string (builder *b, const char *s)
{
  char *copy = tool_strdup (s);
  int64_t n;

  tool_make_utf8 (copy);
  n = table_string (&b->strings, copy);
  free (copy);
  return n;
}

/* The index of the summary's string N.  */
static int64_t
string_of (builder *b, uint32_t n)
{
  return string (b, summary_string (b->s, n));
}

static pb_value_type *
value_type (builder *b, const char *type, const char *unit)
{
  pb_value_type *v = new_block (b, 1, sizeof *v);

  perftools__profiles__value_type__init (v);
  v->type = string (b, type);
  v->unit = string (b, unit);
  return v;
}

/* What the weights are called.  */
static const char *
weight_name (const summary *s)
{
  return s->unit[0] == 'n' ? "cpu" : *s->event != 0 ? s->event : "events";
}

static void
add_types (builder *b)
{
  const char *name = weight_name (b->s);
  pb_profile *p = &b->profile;

  p->n_sample_type = 2;
  p->sample_type = new_block (b, 2, sizeof *p->sample_type);
  p->sample_type[0] = value_type (b, "samples", "count");
  p->sample_type[1] = value_type (b, name, b->s->unit);
  p->period_type = value_type (b, name, b->s->unit);
  p->period = (int64_t) b->s->period;
  p->duration_nanos = (int64_t) (b->s->last - b->s->first);
}

/* Build IDs are written in hexadecimal.  */
static int64_t
build_id_string (builder *b, const summary_module *m)
{
  char text[2 * PROFILE_MAX_BUILD_ID + 1] = "";

  for (size_t i = 0; i < m->build_id_size; i++)
    snprintf (text + 2 * i, 3, "%02x", m->build_id[i]);
  return string (b, text);
}

static void
add_mappings (builder *b)
{
  pb_profile *p = &b->profile;
  pb_mapping *list;

  p->n_mapping = b->s->maps.num;
  NEW_MESSAGES (pb_mapping, PERFTOOLS__PROFILES__MAPPING__INIT, p->n_mapping,
		list, p->mapping);
  own (b, list);
  own (b, p->mapping);
  for (size_t i = 0; i < p->n_mapping; i++)
    {
      const summary_map *m = &b->s->map_list[i];
      const summary_module *mod = summary_module_at (b->s, m->module);

      list[i].id = i + 1;
      list[i].memory_start = m->start;
      list[i].memory_limit = m->end;
      list[i].file_offset = m->offset;
      list[i].filename = string_of (b, mod->path);
      list[i].build_id = build_id_string (b, mod);
      /* Or else pprof looks for symbols itself, and finds worse ones.  */
      list[i].has_functions = true;
    }
}

static void
add_lines (builder *b, pb_location *l, const summary_names *names)
{
  pb_line *list;

  l->n_line = names->num;
  NEW_MESSAGES (pb_line, PERFTOOLS__PROFILES__LINE__INIT, names->num, list,
		l->line);
  own (b, list);
  own (b, l->line);
  for (size_t i = 0; i < names->num; i++)
    {
      list[i].function_id = names->lines[i].function + 1u;
      list[i].line = names->lines[i].line;
    }
}

static void
add_locations (builder *b)
{
  pb_profile *p = &b->profile;
  pb_location *list;

  p->n_location = b->s->places.num;
  NEW_MESSAGES (pb_location, PERFTOOLS__PROFILES__LOCATION__INIT,
		p->n_location, list, p->location);
  own (b, list);
  own (b, p->location);
  for (uint32_t i = 0; i < p->n_location; i++)
    {
      const summary_place *place = summary_place_at (b->s, i);
      const summary_map *m
	  = place->map != SUMMARY_NONE ? &b->s->map_list[place->map] : NULL;

      list[i].id = i + 1u;
      list[i].mapping_id = m != NULL ? place->map + 1u : 0;
      list[i].address
	  = place->address + (m != NULL ? m->start - m->offset : 0);
      list[i].sframe_coro_kind = place->kind + 1u;
      list[i].sframe_coro_chain
	  = place->chain != SUMMARY_NONE ? string_of (b, place->chain) : 0;
      add_lines (b, &list[i], &b->s->names[i]);
    }
}

static void
add_functions (builder *b)
{
  pb_profile *p = &b->profile;
  pb_function *list;

  p->n_function = b->s->functions.num;
  NEW_MESSAGES (pb_function, PERFTOOLS__PROFILES__FUNCTION__INIT,
		p->n_function, list, p->function);
  own (b, list);
  own (b, p->function);
  for (uint32_t i = 0; i < p->n_function; i++)
    {
      const summary_function *f = summary_function_at (b->s, i);
      list[i].id = i + 1u;
      list[i].name = string_of (b, f->name);
      list[i].system_name = string_of (b, f->symbol);
      list[i].filename = string_of (b, f->file);
    }
}

/* Samples.  */

static void
add_stack (builder *b, pb_sample *sample, uint32_t node)
{
  size_t depth = 0;

  for (uint32_t n = node; n != 0; n = summary_node_at (b->s, n)->parent)
    depth++;
  sample->n_location_id = depth;
  sample->location_id = new_block (b, depth, sizeof *sample->location_id);
  for (size_t i = 0; i < depth; i++)
    {
      const summary_node *n = summary_node_at (b->s, node);
      sample->location_id[i] = n->place + 1u;
      node = n->parent;
    }
}

static void
add_label (builder *b, pb_sample *sample, const char *key, int64_t str,
	   int64_t num)
{
  pb_label *l = new_block (b, 1, sizeof *l);

  perftools__profiles__label__init (l);
  l->key = string (b, key);
  l->str = str;
  l->num = num;
  sample->label = tool_realloc (sample->label, sample->n_label + 1,
				sizeof *sample->label);
  sample->label[sample->n_label++] = l;
}

/* A label for each chain in the stack of NODE.  */
static void
add_chain_labels (builder *b, pb_sample *sample, uint32_t node)
{
  size_t first = sample->n_label;

  for (; node != 0; node = summary_node_at (b->s, node)->parent)
    {
      uint32_t place = summary_node_at (b->s, node)->place;
      uint32_t chain = summary_place_at (b->s, place)->chain;
      int64_t name = chain != SUMMARY_NONE ? string_of (b, chain) : 0;
      bool known = name == 0;

      for (size_t i = first; i < sample->n_label && !known; i++)
	known = sample->label[i]->str == name;
      if (!known)
	add_label (b, sample, "chain", name, 0);
    }
}

static void
add_samples (builder *b)
{
  pb_profile *p = &b->profile;
  pb_sample *list;

  p->n_sample = b->s->groups.num;
  NEW_MESSAGES (pb_sample, PERFTOOLS__PROFILES__SAMPLE__INIT, p->n_sample,
		list, p->sample);
  own (b, list);
  own (b, p->sample);
  for (uint32_t i = 0; i < p->n_sample; i++)
    {
      const summary_group *g = summary_group_at (b->s, i);
      const summary_thread *t = summary_thread_at (b->s, g->thread);

      add_stack (b, &list[i], g->node);
      list[i].n_value = 2;
      list[i].value = new_block (b, 2, sizeof *list[i].value);
      list[i].value[0] = (int64_t) b->s->counts[i].samples;
      list[i].value[1] = (int64_t) b->s->counts[i].weight;
      add_label (b, &list[i], "thread", string_of (b, t->comm), 0);
      add_label (b, &list[i], "pid", 0, t->pid);
      add_label (b, &list[i], "tid", 0, t->tid);
      add_chain_labels (b, &list[i], g->node);
      own (b, list[i].label);
    }
}

static void
add_comments (builder *b)
{
  pb_profile *p = &b->profile;
  char *lost = tool_printf ("%llu samples were lost",
			    (unsigned long long) b->s->lost);

  p->comment = new_block (b, 3, sizeof *p->comment);
  p->comment[p->n_comment++]
      = string (b, PACKAGE_NAME " " PACKAGE_VERSION);
  if (b->s->lost != 0)
    p->comment[p->n_comment++] = string (b, lost);
  if (*b->s->note != 0)
    p->comment[p->n_comment++] = string (b, b->s->note);
  free (lost);
}

static void
add_strings (builder *b)
{
  pb_profile *p = &b->profile;

  p->n_string_table = b->strings.num;
  p->string_table = new_block (b, b->strings.num, sizeof *p->string_table);
  for (uint32_t i = 0; i < b->strings.num; i++)
    p->string_table[i] = (char *) table_key (&b->strings, i);
}

/* Output.  */

/* A buffer of protobuf-c that compresses and writes.  */
typedef struct gzip_buffer
{
  ProtobufCBuffer base;
  z_stream z;
  FILE *out;
} gzip_buffer;

static void
deflate_all (gzip_buffer *g, int flush)
{
  unsigned char bytes[1 << 15];

  do
    {
      g->z.next_out = bytes;
      g->z.avail_out = sizeof bytes;
      deflate (&g->z, flush);
      fwrite (bytes, 1, sizeof bytes - g->z.avail_out, g->out);
    }
  while (g->z.avail_out == 0);
}

static void
append (ProtobufCBuffer *buffer, size_t len, const uint8_t *data)
{
  gzip_buffer *g = (gzip_buffer *) buffer;

  g->z.next_in = (unsigned char *) data;
  g->z.avail_in = (unsigned) len;
  deflate_all (g, Z_NO_FLUSH);
}

static bool
write_gzip (const pb_profile *p, FILE *out)
{
  gzip_buffer g = { .base.append = append, .out = out };

  /* 16: with a header of gzip, in which there is no time.  */
  if (deflateInit2 (&g.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
		    Z_DEFAULT_STRATEGY)
      != Z_OK)
    {
      tool_error ("zlib: cannot compress");
      return false;
    }
  perftools__profiles__profile__pack_to_buffer (p, &g.base);
  deflate_all (&g, Z_FINISH);
  deflateEnd (&g.z);
  return true;
}

bool
pprof_write (summary *s, FILE *out)
{
  builder b = { .s = s };
  bool ok;

  perftools__profiles__profile__init (&b.profile);
  string (&b, "");
  add_types (&b);
  add_mappings (&b);
  add_locations (&b);
  add_functions (&b);
  add_samples (&b);
  add_comments (&b);
  add_strings (&b);
  ok = write_gzip (&b.profile, out);
  for (size_t i = 0; i < b.num_blocks; i++)
    free (b.blocks[i]);
  free (b.blocks);
  table_free (&b.strings);
  return ok;
}

#endif
