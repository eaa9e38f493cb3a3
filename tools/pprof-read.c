/* sframe-coro: reading profiles of pprof.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   All that is in the file is checked: it may come from anywhere.  */

#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "summary-write.h"
#include "tool.h"

#ifndef HAVE_PPROF

bool
pprof_read (FILE *in, const char *path, summary *s)
{
  (void) in;
  (void) s;
  tool_error ("%s: pprof: " SUMMARY_PPROF_MISSING, path);
  return false;
}

#else

#include <zlib.h>

#include "tools/pprof.pb-c.h"

/* More is taken for an attempt to use up memory.  */
#define MAX_SIZE ((size_t) 1 << 30)

typedef Perftools__Profiles__Profile pb_profile;
typedef Perftools__Profiles__Sample pb_sample;
typedef Perftools__Profiles__Mapping pb_mapping;
typedef Perftools__Profiles__Location pb_location;
typedef Perftools__Profiles__Function pb_function;

typedef struct reader
{
  const char *path;
  summary *s;
  const pb_profile *p;
  /* By ID: index plus 1 in the list of the profile.  */
  table mapping_ids, location_ids, function_ids;
  uint32_t *maps;   /* For each mapping: number in the summary's maps.  */
  uint32_t *places; /* For each location: number of the place.  */
  size_t samples, weight; /* Which of the values they are.  */
} reader;

static bool __attribute__ ((format (printf, 2, 3)))
wrong (const reader *r, const char *format, ...)
{
  char message[256];
  va_list args;

  va_start (args, format);
  vsnprintf (message, sizeof message, format, args);
  va_end (args);
  tool_error ("%s: %s", r->path, message);
  return false;
}

/* Bytes.  */

typedef struct bytes
{
  unsigned char *p;
  size_t num, room;
} bytes;

/* Read all of IN.  */
static bool
read_all (FILE *in, const char *path, bytes *b)
{
  size_t got;

  do
    {
      b->p = table_grow (b->p, &b->room, b->num + (1 << 16), 1);
      got = fread (b->p + b->num, 1, 1 << 16, in);
      b->num += got;
    }
  while (got != 0 && b->num < MAX_SIZE);
  if (got == 0 && !ferror (in))
    return true;
  tool_error ("%s: %s", path, got != 0 ? "too large" : strerror (errno));
  return false;
}

/* Append what B holds, uncompressed, to OUT.  */
static bool
uncompress_all (const bytes *b, const char *path, bytes *out)
{
  z_stream z = { .next_in = b->p, .avail_in = (unsigned) b->num };
  int err;

  /* 16: there is a header of gzip.  */
  if (inflateInit2 (&z, 15 + 16) != Z_OK)
    {
      tool_error ("%s: zlib: cannot uncompress", path);
      return false;
    }
  do
    {
      out->p = table_grow (out->p, &out->room, out->num + (1 << 16), 1);
      z.next_out = out->p + out->num;
      z.avail_out = 1 << 16;
      err = inflate (&z, Z_NO_FLUSH);
      out->num += (1 << 16) - z.avail_out;
    }
  while (err == Z_OK && out->num < MAX_SIZE);
  inflateEnd (&z);
  if (err == Z_STREAM_END)
    return true;
  if (err == Z_OK)
    tool_error ("%s: more than %zu bytes, uncompressed", path, MAX_SIZE);
  else
    tool_error ("%s: offset 0x%zx: the compressed data are malformed or cut "
		"off", path, b->num - z.avail_in);
  return false;
}

/* Read IN, which may be compressed.  */
static bool
read_bytes (FILE *in, const char *path, bytes *b)
{
  bytes plain = { 0 };
  bool ok;

  if (!read_all (in, path, b))
    return false;
  if (b->num < 2 || b->p[0] != 0x1f || b->p[1] != 0x8b)
    return true;
  ok = uncompress_all (b, path, &plain);
  free (b->p);
  *b = plain;
  return ok;
}

/* Strings and IDs.  */

static const char *
string (const reader *r, int64_t n)
{
  const char *s = "";

  if (n >= 0 && (uint64_t) n < r->p->n_string_table)
    s = r->p->string_table[n];
  return s != NULL ? s : "";
}

/* Check that all indices of strings are good ones.  */
static bool
check_string (const reader *r, int64_t n, const char *what, size_t index)
{
  if (n >= 0 && (uint64_t) n < r->p->n_string_table)
    return true;
  return wrong (r, "%s %zu: there is no string %" PRId64, what, index, n);
}

/* Number IDs in the order of their list: those come first that are first.  */
static bool
add_id (const reader *r, table *ids, uint64_t id, const char *what,
	size_t index)
{
  if (id == 0)
    return wrong (r, "%s %zu: has the ID 0", what, index);
  if (table_number (ids, &id, sizeof id) != index)
    return wrong (r, "%s %zu: another one has the ID %" PRIu64, what, index,
		  id);
  return true;
}

static bool
find_id (const reader *r, const table *ids, uint64_t id, const char *what,
	 uint32_t *index)
{
  if (table_find (ids, &id, sizeof id, index))
    return true;
  return wrong (r, "there is no %s with the ID %" PRIu64, what, id);
}

/* Parts.  */

static void
parse_build_id (const char *text, summary_module *m)
{
  unsigned byte;

  while (m->build_id_size < sizeof m->build_id
	 && sscanf (text, "%2x", &byte) == 1 && text[1] != 0)
    {
      m->build_id[m->build_id_size++] = (uint8_t) byte;
      text += 2;
    }
}

static bool
read_mapping (reader *r, size_t i)
{
  const pb_mapping *m = r->p->mapping[i];
  summary *s = r->s;
  summary_module mod;
  uint32_t n;

  if (!check_string (r, m->filename, "mapping", i)
      || !check_string (r, m->build_id, "mapping", i)
      || !add_id (r, &r->mapping_ids, m->id, "mapping", i))
    return false;
  memset (&mod, 0, sizeof mod);
  mod.path = table_string (&s->strings, string (r, m->filename));
  parse_build_id (string (r, m->build_id), &mod);
  n = table_number (&s->maps, &m->id, sizeof m->id);
  s->map_list
      = table_grow (s->map_list, &s->maps_room, n + 1u, sizeof *s->map_list);
  s->map_list[n] = (summary_map){ table_number (&s->modules, &mod, sizeof mod),
				  m->memory_start, m->memory_limit,
				  m->file_offset };
  r->maps[i] = n;
  return true;
}

static bool
check_function (reader *r, size_t i)
{
  const pb_function *f = r->p->function[i];

  return (check_string (r, f->name, "function", i)
	  && check_string (r, f->system_name, "function", i)
	  && check_string (r, f->filename, "function", i)
	  && add_id (r, &r->function_ids, f->id, "function", i));
}

static bool
read_lines (reader *r, const pb_location *l, summary_names *names)
{
  for (size_t i = 0; i < l->n_line; i++)
    {
      const pb_function *f;
      int64_t line = l->line[i]->line;
      uint32_t n;

      if (!find_id (r, &r->function_ids, l->line[i]->function_id, "function",
		    &n))
	return false;
      f = r->p->function[n];
      n = summary_function_number (r->s, string (r, f->name),
				   string (r, f->system_name),
				   string (r, f->filename));
      summary_add_line (names, n,
			line > 0 && line <= UINT32_MAX ? (uint32_t) line : 0);
    }
  return true;
}

static bool
set_mapping (reader *r, const pb_location *l, summary_place *place)
{
  const summary_map *m;
  uint32_t n;

  place->module = place->map = SUMMARY_NONE;
  place->address = l->address;
  if (l->mapping_id == 0)
    return true;
  if (!find_id (r, &r->mapping_ids, l->mapping_id, "mapping", &n))
    return false;
  m = &r->s->map_list[r->maps[n]];
  place->map = r->maps[n];
  place->module = m->module;
  place->address += m->offset - m->start;
  return true;
}

static bool
read_location (reader *r, size_t i)
{
  const pb_location *l = r->p->location[i];
  uint32_t kind = l->sframe_coro_kind;
  int64_t chain = l->sframe_coro_chain;
  summary_names names = { 0 }, *known;
  summary_place place;

  memset (&place, 0, sizeof place);
  if (!check_string (r, chain, "location", i)
      || !add_id (r, &r->location_ids, l->id, "location", i)
      || !set_mapping (r, l, &place))
    return false;
  place.kind = (uint16_t) (kind - 1 <= SUMMARY_AWAITING ? kind - 1
							 : SUMMARY_NATIVE);
  place.code = place.map != SUMMARY_NONE;
  /* Others leave addresses out where they have names.  */
  if (l->address == 0 && l->n_line != 0)
    {
      place.address = l->id;
      place.code = 2;
    }
  place.chain = chain != 0
		    ? table_string (&r->s->strings, string (r, chain))
		    : SUMMARY_NONE;
  r->places[i] = summary_place_number (r->s, &place);
  if (!read_lines (r, l, &names))
    {
      free (names.lines);
      return false;
    }
  /* Those without names get some as all do; of two that are one, the first has
     them.  */
  known = &r->s->names[r->places[i]];
  if (known->num == 0)
    *known = names;
  else
    free (names.lines);
  return true;
}

/* Samples.  */

static bool
read_labels (reader *r, const pb_sample *sample, size_t i, summary_thread *t)
{
  t->comm = table_string (&r->s->strings, "[thread]");
  for (size_t j = 0; j < sample->n_label; j++)
    {
      const Perftools__Profiles__Label *l = sample->label[j];
      const char *key;

      if (!check_string (r, l->key, "label of sample", i)
	  || !check_string (r, l->str, "label of sample", i))
	return false;
      key = string (r, l->key);
      if (strcmp (key, "thread") == 0 && l->str != 0)
	t->comm = table_string (&r->s->strings, string (r, l->str));
      else if (strcmp (key, "pid") == 0)
	t->pid = (uint32_t) l->num;
      else if (strcmp (key, "tid") == 0)
	t->tid = (uint32_t) l->num;
    }
  return true;
}

static bool
read_sample (reader *r, size_t i)
{
  const pb_sample *sample = r->p->sample[i];
  summary_thread t = { 0 };
  summary_count count;
  uint32_t node = 0, chain;

  if (sample->n_value != r->p->n_sample_type)
    return wrong (r, "sample %zu: has %zu values, not %zu", i, sample->n_value,
		  r->p->n_sample_type);
  count.samples = (uint64_t) sample->value[r->samples];
  count.weight = (uint64_t) sample->value[r->weight];
  if (count.samples > INT64_MAX || count.weight > INT64_MAX)
    return wrong (r, "sample %zu: has a negative value", i);
  if (!read_labels (r, sample, i, &t))
    return false;
  if (!summary_wants (r->s, &t))
    {
      r->s->filtered += count.samples;
      return true;
    }
  r->s->num_samples++;
  for (size_t j = sample->n_location_id; j-- != 0;)
    {
      uint32_t n;
      if (!find_id (r, &r->location_ids, sample->location_id[j], "location",
		    &n))
	return false;
      node = summary_node_number (r->s, node, r->places[n]);
      chain = summary_place_at (r->s, r->places[n])->chain;
      if (chain != SUMMARY_NONE)
	summary_count_chain (r->s, chain, count);
    }
  summary_count_stack (r->s, node, &t, count);
  return true;
}

/* Find which values are numbers of samples, and which are weights.  */
static bool
read_types (reader *r)
{
  const pb_profile *p = r->p;
  const char *unit;

  if (p->n_sample_type == 0)
    return wrong (r, "no profile: there is no type of values");
  for (size_t i = 0; i < p->n_sample_type; i++)
    if (!check_string (r, p->sample_type[i]->type, "type", i)
	|| !check_string (r, p->sample_type[i]->unit, "type", i))
      return false;
  r->weight = p->n_sample_type - 1;
  for (size_t i = 0; i < p->n_sample_type; i++)
    if (strcmp (string (r, p->sample_type[i]->type), "samples") == 0)
      r->samples = i;
  unit = string (r, p->sample_type[r->weight]->unit);
  r->s->unit = strcmp (unit, "nanoseconds") == 0 ? "nanoseconds" : "count";
  free (r->s->event);
  r->s->event = tool_strdup (string (r, p->sample_type[r->weight]->type));
  r->s->period = p->period > 0 ? (uint64_t) p->period : 0;
  if (p->duration_nanos > 0)
    r->s->last = (uint64_t) p->duration_nanos;
  return true;
}

static bool
read_profile (reader *r)
{
  const pb_profile *p = r->p;
  bool ok = read_types (r);

  if (ok && *string (r, 0) != 0)
    ok = wrong (r, "no profile: the first string is not empty");
  r->maps = tool_calloc (p->n_mapping, sizeof *r->maps);
  r->places = tool_calloc (p->n_location, sizeof *r->places);
  for (size_t i = 0; ok && i < p->n_mapping; i++)
    ok = read_mapping (r, i);
  for (size_t i = 0; ok && i < p->n_function; i++)
    ok = check_function (r, i);
  for (size_t i = 0; ok && i < p->n_location; i++)
    ok = read_location (r, i);
  for (size_t i = 0; ok && i < p->n_sample; i++)
    ok = read_sample (r, i);
  free (r->maps);
  free (r->places);
  table_free (&r->mapping_ids);
  table_free (&r->location_ids);
  table_free (&r->function_ids);
  return ok;
}

bool
pprof_read (FILE *in, const char *path, summary *s)
{
  reader r = { .path = path, .s = s };
  bytes b = { 0 };
  pb_profile *p;
  bool ok = read_bytes (in, path, &b);

  if (!ok)
    {
      free (b.p);
      return false;
    }
  p = perftools__profiles__profile__unpack (NULL, b.num, b.p);
  free (b.p);
  if (p == NULL)
    {
      tool_error ("%s: neither perf.data nor a profile of pprof", path);
      return false;
    }
  r.p = p;
  ok = read_profile (&r);
  perftools__profiles__profile__free_unpacked (p, NULL);
  return ok;
}

#endif
