/* sframe-coro: files in the format of perf.data.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Records and attributes are the kernel's, from linux/perf_event.h.  What is
   in the file around them is described in the kernel's
   tools/perf/Documentation/perf.data-file-format.txt.  */

#ifndef PERF_DATA_H
#define PERF_DATA_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile.h"

/* A part of the file; bytes.  */
typedef struct perf_section
{
  uint64_t offset, size;
} perf_section;

#define PERF_MAGIC "PERFILE2"
#define PERF_MAGIC_SWAPPED "2ELIFREP"

/* The head of the file.  Behind the data there is a perf_section for each bit
   in FEATURES, in their order.  */
typedef struct perf_header
{
  char magic[8];
  uint64_t size;      /* Of this.  */
  uint64_t attr_size; /* Of an element of ATTRS: a perf_event_attr of
			 this size less a perf_section of IDs.  */
  perf_section attrs, data, event_types;
  uint64_t features[4];
} perf_header;

_Static_assert (sizeof (perf_header) == 104, "as in the file");

/* Features.  The last one is ours: perf looks at those only that it knows.  */
enum
{
  PERF_FEATURE_BUILD_ID = 2,
  PERF_FEATURE_OSRELEASE = 4,
  PERF_FEATURE_VERSION = 5,
  PERF_FEATURE_ARCH = 6,
  PERF_FEATURE_NRCPUS = 7,
  PERF_FEATURE_CMDLINE = 11,
  PERF_FEATURE_COMPRESSED = 27,
  PERF_FEATURE_SFRAME_CORO = 192,
  PERF_FEATURE_SFRAME_CORO_NOTE = 193
};

/* Records that are not the kernel's.  */
enum
{
  PERF_USER_TRACING_DATA = 66, /* Data follows that its size leaves out.  */
  PERF_USER_FINISHED_ROUND = 68,
  PERF_USER_AUXTRACE = 71, /* Data follows that its size leaves out.  */
  PERF_USER_COMPRESSED = 81
};

/* An entry of PERF_FEATURE_BUILD_ID.  The name of the file follows.  */
typedef struct perf_build_id
{
  struct perf_event_header header;
  int32_t pid;
  uint8_t build_id[20];
  uint8_t build_id_size; /* If PERF_RECORD_MISC_BUILD_ID_SIZE.  */
  uint8_t unused[3];
} perf_build_id;
#define PERF_RECORD_MISC_BUILD_ID_SIZE (1 << 15)

_Static_assert (sizeof (perf_build_id) == 36, "as in the file");

/* What sframe-coro says of a sample, as its PERF_SAMPLE_RAW data: this, the
   lists, and a word for each entry of the call chain that is no marker.  */
#define PERF_RAW_MAGIC 0x4f434653u /* "SFCO" */
#define PERF_RAW_VERSION 1
typedef struct perf_raw
{
  uint32_t magic;
  uint16_t version, num_lists;
  uint32_t cut; /* profile_cut.  */
  uint32_t num_frames;
} perf_raw;

_Static_assert (sizeof (perf_raw) == 16, "as in the file");
_Static_assert (sizeof (profile_list) == 12, "as in the file");

typedef struct perf_raw_frame
{
  uint8_t kind, flags; /* As in profile_frame.  */
  uint16_t list;
} perf_raw_frame;

/* An entry of PERF_FEATURE_SFRAME_CORO, a chain.  SIZE bytes of name follow,
   with zeros up to a multiple of 4.  */
typedef struct perf_chain
{
  uint32_t number;
  uint16_t language, size;
} perf_chain;

/* The samples that are written: header.sample_type, and what is behind other
   records.  */
#define PERF_WRITE_SAMPLE_TYPE                                                \
  (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU      \
   | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

typedef struct perf_writer perf_writer;

extern void *perf_writer_open (const char *path, const profile_info *info);
extern bool perf_writer_put (void *arg, const profile_event *e);
extern bool perf_writer_close (void *arg);

typedef struct perf_reader perf_reader;

/* Open the file IN, called PATH, which starts with PERF_MAGIC, and read what
   is around the data.  NULL after a message.  */
extern perf_reader *perf_reader_open (FILE *in, const char *path);
extern const profile_info *perf_reader_info (const perf_reader *r);

/* Put all events into SINK, in order of time; false after a message.  PROGRESS,
   if not NULL, is called now and then with the part that is done.  */
extern bool perf_reader_run (perf_reader *r, profile_sink sink,
			     void (*progress) (double done));
/* Whether all that the file has was understood.  */
extern bool perf_reader_is_complete (const perf_reader *r);
extern void perf_reader_free (perf_reader *r);

#endif /* PERF_DATA_H */
