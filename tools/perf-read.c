/* sframe-coro: reading perf.data.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   All that is in the file is checked: it may come from anywhere.  */

#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "perf-data.h"
#include "sframe-coro-api.h"
#include "table.h"
#include "tool.h"

/* Build IDs of files, from the feature: by number in `image_names'.  */
typedef struct image_id
{
  uint8_t build_id[PROFILE_MAX_BUILD_ID];
  uint8_t size;
} image_id;

struct perf_reader
{
  FILE *in;
  char *path;
  uint64_t file_size, data_end;
  perf_header header;
  struct perf_event_attr attr;
  profile_info info;
  char **command;
  unsigned char *chains; /* The feature.  */
  char *note;		 /* The text of one, or NULL.  */
  size_t chains_size;
  table image_names;
  image_id *images;
  size_t images_room;
  bool incomplete;
  bool raw_refused; /* Said that something in raw data is wrong.  */

  uint64_t pos; /* Of the record at hand.  */
  union
  {
    struct perf_event_header header;
    uint64_t words[8192];
    unsigned char bytes[1 << 16];
  } record;
  profile_frame *frames;
  profile_list *lists;
  uint64_t last_time, round_time;
};

/* Say what is wrong at offset OFFSET of the file.  */
static bool __attribute__ ((format (printf, 3, 4)))
wrong (perf_reader *r, uint64_t offset, const char *format, ...)
{
  char message[256];
  va_list args;

  va_start (args, format);
  vsnprintf (message, sizeof message, format, args);
  va_end (args);
  tool_error ("%s: offset 0x%" PRIx64 ": %s", r->path, offset, message);
  r->incomplete = true;
  return false;
}

/* Bytes that are taken one after the other.  */
typedef struct cursor
{
  const unsigned char *p, *end;
  bool bad; /* There was less than wanted.  */
} cursor;

static const void *
take (cursor *c, size_t size)
{
  const void *p = c->p;

  if (c->bad || (size_t) (c->end - c->p) < size)
    {
      c->bad = true;
      return NULL;
    }
  c->p += size;
  return p;
}

static uint32_t
take_u32 (cursor *c)
{
  uint32_t n = 0;
  const void *p = take (c, sizeof n);
  if (p != NULL)
    memcpy (&n, p, sizeof n);
  return n;
}

static uint64_t
take_u64 (cursor *c)
{
  uint64_t n = 0;
  const void *p = take (c, sizeof n);
  if (p != NULL)
    memcpy (&n, p, sizeof n);
  return n;
}

/* The string that begins here, with its end; NULL if it has none.  */
static const char *
take_string (cursor *c)
{
  size_t left = (size_t) (c->end - c->p);
  size_t len = c->bad ? 0 : strnlen ((const char *) c->p, left);
  return take (c, len + 1);
}

/* The file around the data.  */

static bool
read_at (perf_reader *r, uint64_t offset, void *buf, size_t size)
{
  if (fseeko (r->in, (off_t) offset, SEEK_SET) == 0
      && fread (buf, 1, size, r->in) == size)
    return true;
  if (ferror (r->in))
    return wrong (r, offset, "cannot read: %s", strerror (errno));
  return wrong (r, offset, "the file ends here");
}

static bool
is_inside (const perf_reader *r, const perf_section *s)
{
  return s->offset <= r->file_size && s->size <= r->file_size - s->offset;
}

static bool
read_header (perf_reader *r)
{
  perf_header *h = &r->header;

  if (fseeko (r->in, 0, SEEK_END) != 0)
    {
      tool_error ("%s: perf.data cannot be read from what is no file",
		  r->path);
      return false;
    }
  r->file_size = (uint64_t) ftello (r->in);
  if (!read_at (r, 0, h, sizeof *h < r->file_size ? sizeof *h : 16))
    return false;
  if (memcmp (h->magic, PERF_MAGIC, sizeof h->magic) != 0)
    return wrong (r, 0, "perf.data of another byte order is not supported");
  if (h->size == 16)
    return wrong (r, 8, "perf.data that was written to a pipe is not "
			"supported");
  if (r->file_size < sizeof *h)
    return wrong (r, r->file_size, "the file ends inside its header");
  if (h->size < sizeof *h)
    return wrong (r, 8, "header of %" PRIu64 " bytes", h->size);
  if (!is_inside (r, &h->attrs))
    return wrong (r, offsetof (perf_header, attrs),
		  "the attributes are outside of the file");
  if (h->data.offset > r->file_size || h->data.offset < sizeof *h)
    return wrong (r, offsetof (perf_header, data),
		  "the data are outside of the file");
  r->data_end = h->data.offset + h->data.size;
  /* perf fills both in at the end.  */
  if (is_inside (r, &h->data)
      && (h->data.size != 0
	  || memcmp (h->features, (uint64_t[4]){ 0 }, sizeof h->features)))
    return true;
  tool_error ("%s: not finished, or cut off; reading what is there", r->path);
  r->incomplete = true;
  r->data_end = r->file_size;
  memset (h->features, 0, sizeof h->features);
  return true;
}

/* Read attribute I.  */
static bool
read_attr (perf_reader *r, uint64_t i, struct perf_event_attr *attr)
{
  const perf_header *h = &r->header;
  size_t size = (size_t) h->attr_size - sizeof (perf_section);

  memset (attr, 0, sizeof *attr);
  return read_at (r, h->attrs.offset + i * h->attr_size, attr,
		  size < sizeof *attr ? size : sizeof *attr);
}

static bool
read_attrs (perf_reader *r)
{
  const perf_header *h = &r->header;
  uint64_t where = offsetof (perf_header, attr_size), num;
  struct perf_event_attr other;

  if (h->attr_size < PERF_ATTR_SIZE_VER0 + sizeof (perf_section)
      || h->attr_size > 4096)
    return wrong (r, where, "attributes of %" PRIu64 " bytes", h->attr_size);
  num = h->attrs.size / h->attr_size;
  if (num == 0)
    return wrong (r, where, "no event");
  if (!read_attr (r, 0, &r->attr))
    return false;
  for (uint64_t i = 1; i < num; i++)
    if (!read_attr (r, i, &other))
      return false;
    else if (other.sample_type != r->attr.sample_type
	     || other.read_format != r->attr.read_format
	     || other.sample_id_all != r->attr.sample_id_all)
      return wrong (r, h->attrs.offset + i * h->attr_size,
		    "events with samples of several kinds are not supported");
  if (num > 1)
    tool_error ("%s: samples of %" PRIu64 " events are taken as of one",
		r->path, num);
  return true;
}

/* Features.  */

static void
take_command (perf_reader *r, cursor *c)
{
  uint32_t num = take_u32 (c);

  if (num > (size_t) (c->end - c->p) / sizeof num)
    return;
  r->command = tool_calloc (num + 1u, sizeof *r->command);
  for (uint32_t i = 0; i < num; i++)
    {
      cursor word = *c;
      uint32_t size = take_u32 (c);
      const void *p = take (c, size);
      if (p == NULL)
	break;
      word = (cursor){ p, c->p, false };
      r->command[i] = tool_strdup (take_string (&word) != NULL ? p : "?");
    }
  r->info.command = r->command;
}

static void
take_note (perf_reader *r, cursor *c)
{
  uint32_t size = take_u32 (c);
  const char *text = take (c, size);

  if (text == NULL)
    return;
  r->note = tool_calloc (size + 1u, 1);
  memcpy (r->note, text, size);
  tool_make_printable (r->note);
  r->info.note = r->note;
}

static void
take_build_ids (perf_reader *r, cursor *c)
{
  perf_build_id b;
  const void *p;

  while ((p = take (c, sizeof b)) != NULL)
    {
      cursor name = { c->p, c->p, false };
      const char *path;
      image_id *id;
      uint32_t n;

      memcpy (&b, p, sizeof b);
      if (b.header.size < sizeof b
	  || take (c, b.header.size - sizeof b) == NULL)
	return;
      name.end = c->p;
      path = take_string (&name);
      if ((b.header.misc & PERF_RECORD_MISC_BUILD_ID_SIZE) == 0)
	b.build_id_size = sizeof b.build_id;
      if (path == NULL || b.build_id_size > sizeof b.build_id)
	continue;
      n = table_string (&r->image_names, path);
      r->images = table_grow (r->images, &r->images_room, n + 1u, sizeof *id);
      id = &r->images[n];
      id->size = b.build_id_size;
      memcpy (id->build_id, b.build_id, sizeof id->build_id);
    }
}

/* Read the feature of BIT at S.  */
static bool
read_feature (perf_reader *r, unsigned bit, const perf_section *s)
{
  unsigned char *bytes;
  cursor c;

  if (!is_inside (r, s))
    return wrong (r, s->offset, "feature %u is outside of the file", bit);
  bytes = tool_calloc (1, s->size);
  if (!read_at (r, s->offset, bytes, s->size))
    {
      free (bytes);
      return false;
    }
  c = (cursor){ bytes, bytes + s->size, false };
  if (bit == PERF_FEATURE_CMDLINE)
    take_command (r, &c);
  else if (bit == PERF_FEATURE_SFRAME_CORO_NOTE)
    take_note (r, &c);
  else if (bit == PERF_FEATURE_BUILD_ID)
    take_build_ids (r, &c);
  else
    {
      r->chains = bytes;
      r->chains_size = s->size;
      return true;
    }
  free (bytes);
  return true;
}

static bool
read_features (perf_reader *r)
{
  uint64_t offset = r->data_end;
  perf_section s;

  for (unsigned bit = 0; bit < 256; bit++)
    {
      if ((r->header.features[bit / 64] >> bit % 64 & 1) == 0)
	continue;
      if (!read_at (r, offset, &s, sizeof s))
	return false;
      offset += sizeof s;
      if ((bit == PERF_FEATURE_CMDLINE || bit == PERF_FEATURE_BUILD_ID
	   || bit == PERF_FEATURE_SFRAME_CORO
	   || bit == PERF_FEATURE_SFRAME_CORO_NOTE)
	  && !read_feature (r, bit, &s))
	return false;
    }
  return true;
}

/* What perf calls the event.  */
static const char *
event_name (const struct perf_event_attr *a)
{
  static const struct
  {
    uint32_t type;
    uint64_t config;
    const char *name;
  } names[]
      = { { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock" },
	  { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock" },
	  { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults" },
	  { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles" },
	  { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
	    "instructions" } };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].type == a->type && names[i].config == a->config)
      return names[i].name;
  return NULL;
}

perf_reader *
perf_reader_open (FILE *in, const char *path)
{
  perf_reader *r = tool_calloc (1, sizeof *r);

  r->in = in;
  r->path = tool_strdup (path);
  r->frames = tool_calloc (PROFILE_MAX_FRAMES, sizeof *r->frames);
  r->lists = tool_calloc (PROFILE_MAX_LISTS, sizeof *r->lists);
  if (!read_header (r) || !read_attrs (r) || !read_features (r))
    {
      perf_reader_free (r);
      return NULL;
    }
  r->info.event = event_name (&r->attr);
  r->info.type = r->attr.type;
  r->info.config = r->attr.config;
  r->info.frequency = r->attr.freq ? r->attr.sample_freq : 0;
  return r;
}

const profile_info *
perf_reader_info (const perf_reader *r)
{
  return &r->info;
}

bool
perf_reader_is_complete (const perf_reader *r)
{
  return !r->incomplete;
}

void
perf_reader_free (perf_reader *r)
{
  for (char **word = r->command; word != NULL && *word != NULL; word++)
    free (*word);
  free (r->command);
  free (r->note);
  free (r->chains);
  free (r->images);
  table_free (&r->image_names);
  free (r->frames);
  free (r->lists);
  free (r->path);
  free (r);
}

/* Records.  */

/* What is behind a record that is no sample: its last words.  */
static void
read_id (perf_reader *r, cursor *c, profile_event *e)
{
  static const uint64_t fields[]
      = { PERF_SAMPLE_TID, PERF_SAMPLE_TIME,	   PERF_SAMPLE_ID,
	  PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER };
  uint64_t type = r->attr.sample_type;
  size_t size = 0;
  cursor id;

  if (!r->attr.sample_id_all)
    return;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    size += type & fields[i] ? 8 : 0;
  if (size > (size_t) (c->end - c->p))
    {
      c->bad = true;
      return;
    }
  c->end -= size;
  id = (cursor){ c->end, c->end + size, false };
  if (type & PERF_SAMPLE_TID)
    {
      e->pid = take_u32 (&id);
      e->tid = take_u32 (&id);
    }
  if (type & PERF_SAMPLE_TIME)
    e->time = take_u64 (&id);
  take (&id, (type & PERF_SAMPLE_ID ? 8 : 0)
		 + (type & PERF_SAMPLE_STREAM_ID ? 8 : 0));
  if (type & PERF_SAMPLE_CPU)
    e->cpu = take_u32 (&id);
}

static bool
take_task (cursor *c, profile_event *e, profile_kind kind)
{
  e->kind = kind;
  e->pid = take_u32 (c);
  e->fork.parent_pid = take_u32 (c);
  e->tid = take_u32 (c);
  e->fork.parent_tid = take_u32 (c);
  return true;
}

static bool
take_comm (const perf_reader *r, cursor *c, profile_event *e)
{
  e->kind = PROFILE_COMM;
  e->pid = take_u32 (c);
  e->tid = take_u32 (c);
  e->comm.exec
      = (r->record.header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
  e->comm.name = take_string (c);
  return true;
}

static void
take_identity (const perf_reader *r, cursor *c, profile_mmap *m)
{
  const uint8_t *p;

  if ((r->record.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0)
    {
      p = take (c, 24);
      if (p != NULL && p[0] <= sizeof m->build_id)
	{
	  m->build_id_size = p[0];
	  memcpy (m->build_id, p + 4, sizeof m->build_id);
	}
    }
  else
    {
      m->major = take_u32 (c);
      m->minor = take_u32 (c);
      m->inode = take_u64 (c);
      m->generation = take_u64 (c);
    }
  m->prot = take_u32 (c);
  m->flags = take_u32 (c);
}

/* Set the build ID of M from the feature, if that knows it.  */
static void
find_build_id (const perf_reader *r, bool kernel, profile_mmap *m)
{
  char *name = tool_strdup (m->path), *end = strchr (name, ']');
  uint32_t n;

  /* There the kernel is without the symbol that its map has.  */
  if (kernel && end != NULL)
    end[1] = 0;
  if (table_find (&r->image_names, name, strlen (name) + 1, &n))
    {
      m->build_id_size = r->images[n].size;
      memcpy (m->build_id, r->images[n].build_id, sizeof m->build_id);
    }
  free (name);
}

/* A map; false if it is not of code.  */
static bool
take_mmap (const perf_reader *r, cursor *c, profile_event *e)
{
  profile_mmap *m = &e->mmap;

  e->kind = PROFILE_MMAP;
  e->pid = take_u32 (c);
  e->tid = take_u32 (c);
  m->address = take_u64 (c);
  m->length = take_u64 (c);
  m->offset = take_u64 (c);
  if (r->record.header.type == PERF_RECORD_MMAP2)
    take_identity (r, c, m);
  m->path = take_string (c);
  if (m->path != NULL && m->build_id_size == 0)
    find_build_id (r, e->pid == PROFILE_KERNEL_PID, m);
  return (r->record.header.misc & PERF_RECORD_MISC_MMAP_DATA) == 0;
}

static bool
take_lost (const perf_reader *r, cursor *c, profile_event *e)
{
  e->kind = PROFILE_LOST;
  e->lost.samples = r->record.header.type == PERF_RECORD_LOST_SAMPLES;
  if (!e->lost.samples)
    take_u64 (c);
  e->lost.num = take_u64 (c);
  return true;
}

/* Samples.  */

/* Pass over a PERF_SAMPLE_READ.  */
static void
skip_read (const perf_reader *r, cursor *c)
{
  uint64_t f = r->attr.read_format;
  uint64_t times = ((f & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0)
		   + ((f & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0);
  uint64_t each = 1 + ((f & PERF_FORMAT_ID) != 0)
#ifdef PERF_FORMAT_LOST
		  + ((f & PERF_FORMAT_LOST) != 0)
#endif
      ;
  uint64_t num = 1;

  if (f & PERF_FORMAT_GROUP)
    num = take_u64 (c);
  if (num > sizeof r->record / 8)
    c->bad = true;
  else
    take (c, (times + num * each) * 8);
}

/* A frame at ADDRESS in CONTEXT, a marker or 0; FIRST: of that context.  */
static profile_frame
plain_frame (uint64_t address, uint64_t context, bool first)
{
  bool kernel = context == (uint64_t) PERF_CONTEXT_KERNEL;
  return (profile_frame){ .address = address,
			  .kind = kernel ? PROFILE_KERNEL : PROFILE_NATIVE,
			  .flags = first ? 0 : PROFILE_FRAME_RETURN,
			  .list = PROFILE_NO_LIST };
}

static void
take_callchain (perf_reader *r, cursor *c, profile_sample *s)
{
  uint64_t num = take_u64 (c), context = 0;
  bool first = true;

  for (uint64_t i = 0; i < num && !c->bad; i++)
    {
      uint64_t address = take_u64 (c);
      if (address >= (uint64_t) PERF_CONTEXT_MAX)
	{
	  context = address;
	  first = true;
	}
      else if (s->num_frames < PROFILE_MAX_FRAMES)
	{
	  r->frames[s->num_frames++] = plain_frame (address, context, first);
	  first = false;
	}
      else
	s->cut = PROFILE_CUT_NO_ROOM;
    }
}

/* Add to S what the raw data at C, which has our magic, say of it.  */
static bool
take_raw (perf_reader *r, cursor *c, profile_sample *s)
{
  perf_raw raw;
  const void *p = take (c, sizeof raw);

  if (p == NULL)
    return false;
  memcpy (&raw, p, sizeof raw);
  if (raw.version != PERF_RAW_VERSION || raw.num_frames != s->num_frames
      || raw.num_lists > PROFILE_MAX_LISTS)
    return false;
  p = take (c, raw.num_lists * sizeof *r->lists);
  if (p == NULL)
    return false;
  memcpy (r->lists, p, raw.num_lists * sizeof *r->lists);
  for (uint32_t i = 0; i < raw.num_frames; i++)
    {
      perf_raw_frame f;
      p = take (c, sizeof f);
      if (p == NULL)
	return false;
      memcpy (&f, p, sizeof f);
      if (f.kind > PROFILE_AWAITING
	  || (f.list >= raw.num_lists && f.list != PROFILE_NO_LIST))
	return false;
      r->frames[i] = (profile_frame){ r->frames[i].address, f.kind, f.flags,
				      f.list };
    }
  s->num_lists = raw.num_lists;
  s->cut = raw.cut;
  return true;
}

static void
take_raw_if_ours (perf_reader *r, cursor *c, profile_sample *s)
{
  uint32_t size = take_u32 (c), magic = 0;
  const unsigned char *p = take (c, size);
  cursor raw;

  if (p == NULL || size < sizeof magic)
    return;
  memcpy (&magic, p, sizeof magic);
  raw = (cursor){ p, p + size, false };
  if (magic != PERF_RAW_MAGIC || take_raw (r, &raw, s) || r->raw_refused)
    return;
  wrong (r, r->pos, "what sframe-coro added to this sample is malformed; such "
		    "samples are taken without it");
  r->raw_refused = true;
}

/* The fields of the sample before its call chain.  */
static uint64_t
take_sample_head (perf_reader *r, cursor *c, profile_event *e)
{
  uint64_t type = r->attr.sample_type, ip = 0;

  if (type & PERF_SAMPLE_IDENTIFIER)
    take_u64 (c);
  if (type & PERF_SAMPLE_IP)
    ip = take_u64 (c);
  if (type & PERF_SAMPLE_TID)
    {
      e->pid = take_u32 (c);
      e->tid = take_u32 (c);
    }
  if (type & PERF_SAMPLE_TIME)
    e->time = take_u64 (c);
  take (c, (type & PERF_SAMPLE_ADDR ? 8 : 0) + (type & PERF_SAMPLE_ID ? 8 : 0)
	       + (type & PERF_SAMPLE_STREAM_ID ? 8 : 0));
  if (type & PERF_SAMPLE_CPU)
    {
      e->cpu = take_u32 (c);
      take_u32 (c);
    }
  e->sample.period = type & PERF_SAMPLE_PERIOD ? take_u64 (c)
		     : r->attr.freq	       ? 1
					       : r->attr.sample_period;
  if (type & PERF_SAMPLE_READ)
    skip_read (r, c);
  return ip;
}

static bool
take_sample (perf_reader *r, cursor *c, profile_event *e)
{
  uint64_t type = r->attr.sample_type, ip;
  profile_sample *s = &e->sample;
  bool kernel = ((r->record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK)
		 == PERF_RECORD_MISC_KERNEL);

  e->kind = PROFILE_SAMPLE;
  s->cut = PROFILE_CUT_UNKNOWN;
  s->frames = r->frames;
  s->lists = r->lists;
  ip = take_sample_head (r, c, e);
  if (type & PERF_SAMPLE_CALLCHAIN)
    take_callchain (r, c, s);
  if (type & PERF_SAMPLE_RAW)
    take_raw_if_ours (r, c, s);
  if (s->num_frames == 0 && type & PERF_SAMPLE_IP && ip != 0)
    r->frames[s->num_frames++] = plain_frame (
	ip, kernel ? (uint64_t) PERF_CONTEXT_KERNEL : 0, true);
  return true;
}

/* Make event E of the record at hand; false if it stands for none.  */
static bool
take_event (perf_reader *r, cursor *c, profile_event *e)
{
  uint32_t type = r->record.header.type;

  memset (e, 0, sizeof *e);
  if (type == PERF_RECORD_SAMPLE)
    return take_sample (r, c, e);
  if (type >= PERF_USER_TRACING_DATA - 2)
    return false;
  read_id (r, c, e);
  switch (type)
    {
    case PERF_RECORD_COMM:
      return take_comm (r, c, e);
    case PERF_RECORD_FORK:
      return take_task (c, e, PROFILE_FORK);
    case PERF_RECORD_EXIT:
      return take_task (c, e, PROFILE_EXIT);
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
      return take_mmap (r, c, e);
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
      return take_lost (r, c, e);
    default:
      return false;
    }
}

/* Put chains, of which the feature tells, before all samples.  */
static void
put_chains (perf_reader *r, profile_order *o)
{
  cursor c = { r->chains, r->chains + r->chains_size, false };
  profile_event e = { .kind = PROFILE_CHAIN };
  perf_chain entry;
  const void *p;

  while (r->chains_size != 0 && c.p != c.end)
    {
      char *name;

      if ((p = take (&c, sizeof entry)) == NULL)
	break;
      memcpy (&entry, p, sizeof entry);
      if ((p = take (&c, (entry.size + 3u) & ~3u)) == NULL)
	break;
      name = tool_calloc (1, entry.size + 1u);
      memcpy (name, p, entry.size);
      e.chain = (profile_chain){ entry.number, entry.language, name };
      profile_order_put (o, &e);
      free (name);
    }
  if (c.bad)
    {
      tool_error ("%s: the names of chains are malformed", r->path);
      r->incomplete = true;
    }
}

/* Bytes behind the record at hand that its size leaves out.  */
static uint64_t
bytes_behind (const perf_reader *r)
{
  cursor c = { r->record.bytes + sizeof r->record.header,
	       r->record.bytes + r->record.header.size, false };

  if (r->record.header.type == PERF_USER_AUXTRACE)
    return take_u64 (&c);
  if (r->record.header.type == PERF_USER_TRACING_DATA)
    return ((uint64_t) take_u32 (&c) + 7) & ~UINT64_C (7);
  return 0;
}

/* Do the record at hand.  */
static bool
do_record (perf_reader *r, profile_order *o)
{
  const struct perf_event_header *h = &r->record.header;
  cursor c = { r->record.bytes + sizeof *h, r->record.bytes + h->size, false };
  profile_event e;

  if (h->type == PERF_USER_COMPRESSED)
    return wrong (r, r->pos, "compressed records are not supported");
  if (h->type == PERF_USER_FINISHED_ROUND)
    {
      bool ok = profile_order_flush (o, r->round_time);
      r->round_time = r->last_time;
      return ok;
    }
  if (!take_event (r, &c, &e))
    return true;
  if (c.bad)
    return wrong (r, r->pos, "record of type %" PRIu32 " and %u bytes is too "
			     "short for what is in it", h->type, h->size);
  if (e.time > r->last_time && e.time != UINT64_MAX)
    r->last_time = e.time;
  profile_order_put (o, &e);
  return true;
}

/* Read the record at r->pos.  */
static bool
read_record (perf_reader *r)
{
  struct perf_event_header *h = &r->record.header;
  uint64_t left = r->data_end - r->pos;

  if (left < sizeof *h)
    return wrong (r, r->pos, "the data end inside a record");
  if (fread (h, 1, sizeof *h, r->in) != sizeof *h)
    return wrong (r, r->pos, "cannot read");
  if (h->size < sizeof *h)
    return wrong (r, r->pos, "record of %u bytes", h->size);
  if (h->size > left)
    return wrong (r, r->pos, "the data end inside a record");
  if (fread (r->record.bytes + sizeof *h, 1, h->size - sizeof *h, r->in)
      != h->size - sizeof *h)
    return wrong (r, r->pos, "cannot read");
  return true;
}

static bool
run (perf_reader *r, profile_order *o, void (*progress) (double done))
{
  uint64_t start = r->header.data.offset, total = r->data_end - start;
  uint64_t shown = start;

  r->pos = start;
  if (fseeko (r->in, (off_t) start, SEEK_SET) != 0)
    return wrong (r, start, "cannot read");
  while (r->pos < r->data_end)
    {
      uint64_t behind;

      if (!read_record (r) || !do_record (r, o))
	return false;
      behind = bytes_behind (r);
      if (behind > r->data_end - r->pos - r->record.header.size)
	return wrong (r, r->pos, "the data end inside a record");
      if (behind != 0 && fseeko (r->in, (off_t) behind, SEEK_CUR) != 0)
	return wrong (r, r->pos, "cannot read");
      r->pos += r->record.header.size + behind;
      if (progress != NULL && r->pos - shown > total / 100)
	{
	  progress ((double) (r->pos - start) / (double) total);
	  shown = r->pos;
	}
    }
  return true;
}

bool
perf_reader_run (perf_reader *r, profile_sink sink,
		 void (*progress) (double done))
{
  profile_order *o = profile_order_new (sink);
  bool ok;

  put_chains (r, o);
  ok = run (r, o, progress);
  /* What comes before an error is good.  */
  ok &= profile_order_flush (o, UINT64_MAX);
  profile_order_free (o);
  return ok;
}
