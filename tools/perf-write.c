/* sframe-coro: writing perf.data.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "output.h"
#include "perf-data.h"
#include "table.h"
#include "tool.h"

/* perf sorts what it reads up to the last but one end of a round; this many
   bytes make a round.  */
#define ROUND_SIZE (1 << 20)

/* Names of files, and the build ID that came with them.  */
typedef struct image
{
  uint8_t build_id[PROFILE_MAX_BUILD_ID];
  uint8_t build_id_size;
  bool kernel;
} image;

struct perf_writer
{
  output out;
  perf_header header;
  uint64_t pos;	  /* Bytes written.  */
  uint64_t round; /* Where the round began.  */
  /* The record at hand; it begins with a header.  */
  union
  {
    struct perf_event_header header;
    uint64_t words[8192];
    char bytes[1 << 16];
  } record;
  size_t size;
  /* For the features.  */
  table image_names;
  image *images;
  size_t images_room;
  char *chains;
  size_t chains_size, chains_room;
  char *command; /* The feature.  */
  char *note;	 /* The text of one, or NULL.  */
  size_t command_size;
};

/* Records.  */

static void
begin (perf_writer *w, uint32_t type, uint16_t misc)
{
  w->record.header = (struct perf_event_header){ .type = type, .misc = misc };
  w->size = sizeof w->record.header;
}

/* Add SIZE bytes to the record, which has the room: a sample with all frames
   and lists that it may have is the longest.  */
static void
add (perf_writer *w, const void *p, size_t size)
{
  memcpy (w->record.bytes + w->size, p, size);
  w->size += size;
}

_Static_assert (8 * (PROFILE_MAX_FRAMES + 16)
		      + 4 * (PROFILE_MAX_FRAMES + 1)
		      + 12 * PROFILE_MAX_LISTS + 64 < (1 << 16) - 8,
		"a sample fits a record");

static void
add_u32 (perf_writer *w, uint32_t n)
{
  add (w, &n, sizeof n);
}

static void
add_u64 (perf_writer *w, uint64_t n)
{
  add (w, &n, sizeof n);
}

static void
pad (perf_writer *w)
{
  add (w, (const char[8]){ 0 }, -w->size % 8);
}

/* S, cut to MAX bytes, with its end.  */
static void
add_string (perf_writer *w, const char *s, size_t max)
{
  add (w, s, strnlen (s, max));
  add (w, "", 1);
  pad (w);
}

static void
write_bytes (perf_writer *w, const void *p, size_t size)
{
  w->pos += fwrite (p, 1, size, w->out.file);
}

static bool
end (perf_writer *w)
{
  w->record.header.size = (uint16_t) w->size;
  write_bytes (w, w->record.bytes, w->size);
  return output_is_good (&w->out);
}

/* What is behind all records but samples, as PERF_WRITE_SAMPLE_TYPE says.  */
static bool
end_with_id (perf_writer *w, const profile_event *e)
{
  add_u32 (w, e->pid);
  add_u32 (w, e->tid);
  add_u64 (w, e->time);
  add_u32 (w, e->cpu);
  add_u32 (w, 0);
  return end (w);
}

/* Events.  */

static bool
put_comm (perf_writer *w, const profile_event *e)
{
  begin (w, PERF_RECORD_COMM, e->comm.exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
  add_u32 (w, e->pid);
  add_u32 (w, e->tid);
  add_string (w, e->comm.name, 1024);
  return end_with_id (w, e);
}

static bool
put_task (perf_writer *w, const profile_event *e, uint32_t type,
	  uint32_t parent_pid, uint32_t parent_tid)
{
  begin (w, type, 0);
  add_u32 (w, e->pid);
  add_u32 (w, parent_pid);
  add_u32 (w, e->tid);
  add_u32 (w, parent_tid);
  add_u64 (w, e->time);
  return end_with_id (w, e);
}

/* Keep the build ID of M for the feature.  */
static void
note_build_id (perf_writer *w, const profile_mmap *m, bool kernel)
{
  uint32_t n = table_string (&w->image_names, m->path);
  image *i;

  w->images = table_grow (w->images, &w->images_room, n + 1u,
			  sizeof *w->images);
  i = &w->images[n];
  i->kernel = kernel;
  i->build_id_size = m->build_id_size;
  memcpy (i->build_id, m->build_id, m->build_id_size);
}

static bool
put_mmap (perf_writer *w, const profile_event *e)
{
  const profile_mmap *m = &e->mmap;
  bool kernel = e->pid == PROFILE_KERNEL_PID, has_id = m->build_id_size != 0;
  uint16_t misc = kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

  if (has_id)
    note_build_id (w, m, kernel);
  begin (w, PERF_RECORD_MMAP2,
	 has_id ? misc | PERF_RECORD_MISC_MMAP_BUILD_ID : misc);
  add_u32 (w, e->pid);
  add_u32 (w, kernel ? 0 : e->tid);
  add_u64 (w, m->address);
  add_u64 (w, m->length);
  add_u64 (w, m->offset);
  if (has_id)
    {
      add (w, (const uint8_t[4]){ m->build_id_size }, 4);
      add (w, m->build_id, sizeof m->build_id);
    }
  else
    {
      add_u32 (w, m->major);
      add_u32 (w, m->minor);
      add_u64 (w, m->inode);
      add_u64 (w, m->generation);
    }
  add_u32 (w, m->prot);
  add_u32 (w, m->flags);
  add_string (w, m->path, 4096);
  return end_with_id (w, e);
}

static bool
put_chain (perf_writer *w, const profile_chain *c)
{
  size_t size = strnlen (c->name, UINT16_MAX - 3), padded = (size + 3) & ~3u;
  perf_chain entry = { c->number, c->language, (uint16_t) size };
  size_t need = w->chains_size + sizeof entry + padded;

  w->chains = table_grow (w->chains, &w->chains_room, need, 1);
  memcpy (w->chains + w->chains_size, &entry, sizeof entry);
  memcpy (w->chains + w->chains_size + sizeof entry, c->name, size);
  w->chains_size = need;
  return true;
}

static bool
put_lost (perf_writer *w, const profile_event *e)
{
  if (e->lost.samples)
    begin (w, PERF_RECORD_LOST_SAMPLES, 0);
  else
    {
      begin (w, PERF_RECORD_LOST, 0);
      add_u64 (w, 0);
    }
  add_u64 (w, e->lost.num);
  return end_with_id (w, e);
}

/* The call chain, with a marker wherever it goes from kernel to user or
   back.  */
static void
add_callchain (perf_writer *w, const profile_sample *s, size_t num)
{
  size_t count = w->size;
  uint64_t context = 0, entries = 0;

  add_u64 (w, 0);
  for (size_t i = 0; i < num; i++)
    {
      const profile_frame *f = &s->frames[i];
      uint64_t new_context = f->kind == PROFILE_KERNEL
				 ? (uint64_t) PERF_CONTEXT_KERNEL
				 : (uint64_t) PERF_CONTEXT_USER;
      /* More changes than a sample can have are no changes.  */
      if (new_context != context && entries < num + 8)
	{
	  add_u64 (w, context = new_context);
	  entries++;
	}
      /* What would be taken for a marker is no address of code.  */
      add_u64 (w, f->address < (uint64_t) PERF_CONTEXT_MAX ? f->address : 0);
      entries++;
    }
  memcpy (w->record.bytes + count, &entries, sizeof entries);
}

static void
add_raw (perf_writer *w, const profile_sample *s, size_t num, size_t lists)
{
  perf_raw raw = { .magic = PERF_RAW_MAGIC,
		   .version = PERF_RAW_VERSION,
		   .num_lists = (uint16_t) lists,
		   .cut = num < s->num_frames ? PROFILE_CUT_NO_ROOM : s->cut,
		   .num_frames = (uint32_t) num };
  size_t size
      = sizeof raw + lists * sizeof *s->lists + num * sizeof (perf_raw_frame);

  /* With its own size, it has to be whole words.  */
  size += (12 - size % 8) % 8;
  add_u32 (w, (uint32_t) size);
  add (w, &raw, sizeof raw);
  if (lists != 0)
    add (w, s->lists, lists * sizeof *s->lists);
  for (size_t i = 0; i < num; i++)
    {
      const profile_frame *f = &s->frames[i];
      perf_raw_frame word = { f->kind, f->flags, f->list };
      add (w, &word, sizeof word);
    }
  pad (w);
}

static bool
put_sample (perf_writer *w, const profile_event *e)
{
  const profile_sample *s = &e->sample;
  size_t num = s->num_frames, lists = s->num_lists;
  bool kernel = num != 0 && s->frames[0].kind == PROFILE_KERNEL;

  if (num > PROFILE_MAX_FRAMES)
    num = PROFILE_MAX_FRAMES;
  if (lists > PROFILE_MAX_LISTS)
    lists = PROFILE_MAX_LISTS;
  begin (w, PERF_RECORD_SAMPLE,
	 kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
  add_u64 (w, num != 0 ? s->frames[0].address : 0);
  add_u32 (w, e->pid);
  add_u32 (w, e->tid);
  add_u64 (w, e->time);
  add_u32 (w, e->cpu);
  add_u32 (w, 0);
  add_u64 (w, s->period);
  add_callchain (w, s, num);
  add_raw (w, s, num, lists);
  return end (w);
}

static bool
put (perf_writer *w, const profile_event *e)
{
  switch (e->kind)
    {
    case PROFILE_COMM:
      return put_comm (w, e);
    case PROFILE_FORK:
      return put_task (w, e, PERF_RECORD_FORK, e->fork.parent_pid,
		       e->fork.parent_tid);
    case PROFILE_EXIT:
      return put_task (w, e, PERF_RECORD_EXIT, e->pid, e->pid);
    case PROFILE_MMAP:
      return put_mmap (w, e);
    case PROFILE_CHAIN:
      return put_chain (w, &e->chain);
    case PROFILE_SAMPLE:
      return put_sample (w, e);
    case PROFILE_LOST:
      return put_lost (w, e);
    }
  return true;
}

bool
perf_writer_put (void *arg, const profile_event *e)
{
  perf_writer *w = arg;
  bool ok = put (w, e);

  if (ok && w->pos - w->round > ROUND_SIZE)
    {
      begin (w, PERF_USER_FINISHED_ROUND, 0);
      ok = end (w);
      w->round = w->pos;
    }
  return ok;
}

/* Features.  */

/* A string feature has its length first.  */
static void
append_string (char **bytes, size_t *size, const char *s)
{
  size_t len = strlen (s) + 1, padded = (len + 63) & ~(size_t) 63;
  uint32_t head = (uint32_t) padded;

  *bytes = tool_realloc (*bytes, *size + sizeof head + padded, 1);
  memcpy (*bytes + *size, &head, sizeof head);
  memset (*bytes + *size + sizeof head, 0, padded);
  memcpy (*bytes + *size + sizeof head, s, len);
  *size += sizeof head + padded;
}

static void
set_command (perf_writer *w, char *const *command)
{
  uint32_t num = 0;

  if (command == NULL)
    return;
  while (command[num] != NULL)
    num++;
  w->command_size = sizeof num;
  w->command = tool_calloc (1, sizeof num);
  memcpy (w->command, &num, sizeof num);
  for (uint32_t i = 0; i < num; i++)
    append_string (&w->command, &w->command_size, command[i]);
}

/* Write a feature; its place goes to *WHERE.  */
static void
write_feature (perf_writer *w, unsigned bit, const void *bytes, size_t size,
	       perf_section **where)
{
  w->header.features[bit / 64] |= UINT64_C (1) << bit % 64;
  *(*where)++ = (perf_section){ w->pos, size };
  write_bytes (w, bytes, size);
}

static void
write_string_feature (perf_writer *w, unsigned bit, const char *s,
		      perf_section **where)
{
  char *bytes = NULL;
  size_t size = 0;

  append_string (&bytes, &size, s);
  write_feature (w, bit, bytes, size, where);
  free (bytes);
}

/* The symbol behind the brackets is only for the map.  */
static size_t
kernel_name_length (const char *name)
{
  const char *end = strchr (name, ']');
  return end != NULL ? (size_t) (end + 1 - name) : strlen (name);
}

static void
write_build_ids (perf_writer *w, perf_section **where)
{
  char *bytes = NULL;
  size_t size = 0;

  for (uint32_t n = 0; n < w->image_names.num; n++)
    {
      const char *name = table_key (&w->image_names, n);
      const image *i = &w->images[n];
      size_t len = i->kernel ? kernel_name_length (name)
			     : strnlen (name, 4095);
      size_t padded = (len + 64) & ~(size_t) 63;
      perf_build_id b = { .pid = -1, .build_id_size = i->build_id_size };

      b.header.misc
	  = (i->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER)
	    | PERF_RECORD_MISC_BUILD_ID_SIZE;
      b.header.size = (uint16_t) (sizeof b + padded);
      memcpy (b.build_id, i->build_id, sizeof b.build_id);
      bytes = tool_realloc (bytes, size + b.header.size, 1);
      memset (bytes + size, 0, b.header.size);
      memcpy (bytes + size, &b, sizeof b);
      memcpy (bytes + size + sizeof b, name, len);
      size += b.header.size;
    }
  write_feature (w, PERF_FEATURE_BUILD_ID, bytes, size, where);
  free (bytes);
}

/* In the order of their bits.  */
static void
write_features (perf_writer *w)
{
  perf_section sections[9] = { { 0, 0 } }, *end = sections;
  uint64_t table = w->pos;
  struct utsname u;
  uint32_t cpus[2] = { (uint32_t) sysconf (_SC_NPROCESSORS_CONF),
		       (uint32_t) sysconf (_SC_NPROCESSORS_ONLN) };

  /* Room for their places, known only then.  */
  write_bytes (w, sections, sizeof sections);
  if (w->image_names.num != 0)
    write_build_ids (w, &end);
  if (uname (&u) != 0)
    memset (&u, 0, sizeof u);
  write_string_feature (w, PERF_FEATURE_OSRELEASE, u.release, &end);
  write_string_feature (w, PERF_FEATURE_VERSION, PACKAGE_VERSION, &end);
  write_string_feature (w, PERF_FEATURE_ARCH, u.machine, &end);
  write_feature (w, PERF_FEATURE_NRCPUS, cpus, sizeof cpus, &end);
  if (w->command != NULL)
    write_feature (w, PERF_FEATURE_CMDLINE, w->command, w->command_size, &end);
  write_feature (w, PERF_FEATURE_SFRAME_CORO, w->chains, w->chains_size, &end);
  if (w->note != NULL)
    write_string_feature (w, PERF_FEATURE_SFRAME_CORO_NOTE, w->note, &end);
  if (fseeko (w->out.file, (off_t) table, SEEK_SET) == 0)
    write_bytes (w, sections,
		 (size_t) ((char *) end - (char *) sections));
}

/* Beginning and end.  */

/* As old a size of it as has all that is used: perf refuses longer ones than
   it knows.  */
#define ATTR_SIZE PERF_ATTR_SIZE_VER5

static struct perf_event_attr
make_attr (const profile_info *info)
{
  return (struct perf_event_attr){
    .size = ATTR_SIZE,
    .type = info->type,
    .config = info->config,
    .sample_freq = info->frequency,
    .freq = 1,
    .sample_type = PERF_WRITE_SAMPLE_TYPE,
    .sample_id_all = 1,
    .disabled = 1,
    .inherit = 1,
    .mmap = 1,
    .mmap2 = 1,
    .comm = 1,
    .comm_exec = 1,
    .task = 1,
    .exclude_guest = 1,
    .use_clockid = 1,
    .clockid = CLOCK_MONOTONIC,
    .sample_max_stack = PROFILE_MAX_FRAMES
  };
}

static void
write_header (perf_writer *w)
{
  if (fseeko (w->out.file, 0, SEEK_SET) == 0)
    fwrite (&w->header, 1, sizeof w->header, w->out.file);
}

void *
perf_writer_open (const char *path, const profile_info *info)
{
  perf_writer *w = tool_calloc (1, sizeof *w);
  struct perf_event_attr attr = make_attr (info);
  perf_section no_ids = { 0, 0 };

  if (!output_open (&w->out, path))
    {
      free (w);
      return NULL;
    }
  if (fseeko (w->out.file, 0, SEEK_SET) != 0)
    {
      tool_error ("%s: perf.data cannot be written to what is no file",
		  w->out.path);
      output_close (&w->out, false);
      free (w);
      return NULL;
    }
  memcpy (w->header.magic, PERF_MAGIC, sizeof w->header.magic);
  w->header.size = sizeof w->header;
  w->header.attr_size = ATTR_SIZE + sizeof no_ids;
  w->header.attrs
      = (perf_section){ sizeof w->header, ATTR_SIZE + sizeof no_ids };
  w->header.data.offset = sizeof w->header + w->header.attrs.size;
  write_bytes (w, &w->header, sizeof w->header);
  write_bytes (w, &attr, ATTR_SIZE);
  write_bytes (w, &no_ids, sizeof no_ids);
  set_command (w, info->command);
  w->note = info->note != NULL ? tool_strdup (info->note) : NULL;
  return w;
}

bool
perf_writer_close (void *arg)
{
  perf_writer *w = arg;
  bool ok;

  w->header.data.size = w->pos - w->header.data.offset;
  write_features (w);
  write_header (w);
  ok = output_close (&w->out, true);
  table_free (&w->image_names);
  free (w->images);
  free (w->chains);
  free (w->command);
  free (w->note);
  free (w);
  return ok;
}
