/* Profiles that are cut off anywhere, or have a wrong bit anywhere, are read
   without harm: meant for sanitizers.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <check.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All of it but the messages, which are counted instead.  */
#define tool_error print_error
#include "tool.c"
#undef tool_error

#include "perf-data.h"
#include "summary-write.h"

static unsigned long num_messages;

void
tool_error (const char *format, ...)
{
  (void) format;
  num_messages++;
}

typedef struct contents
{
  char *bytes;
  size_t size;
} contents;

#define NUM_SAMPLES 6

/* Put a bit of everything.  */
static void
put_events (profile_sink sink)
{
  static const profile_frame frames[]
      = { { 0x3010, PROFILE_KERNEL, 0, PROFILE_NO_LIST },
	  { 0x1010, PROFILE_NATIVE, 0, 0 },
	  { 0x1020, PROFILE_AWAITING, 0, 0 },
	  { 0, PROFILE_AWAITING, PROFILE_FRAME_NOT_CODE, 0 },
	  { 0x1030, PROFILE_NATIVE, PROFILE_FRAME_RETURN, PROFILE_NO_LIST },
	  { 0x9999, PROFILE_AWAITING, PROFILE_FRAME_NO_SITE, 1 } };
  static const profile_list lists[]
      = { { 0, 3, SFRAME_CORO_STOP_END }, { 7, 1, SFRAME_CORO_STOP_CYCLE } };
  profile_event events[]
      = { { .kind = PROFILE_CHAIN, .chain = { 0, 1, "a chain" } },
	  { .kind = PROFILE_MMAP, .pid = PROFILE_KERNEL_PID,
	    .mmap = { .address = 0x3000, .length = 0x1000, .offset = 0x3000,
		      .path = "[kernel.kallsyms]_text", .build_id = { 1, 2 },
		      .build_id_size = 20 } },
	  { .kind = PROFILE_COMM, .pid = 1, .tid = 1, .comm = { "one", true } },
	  { .kind = PROFILE_MMAP, .pid = 1, .tid = 1,
	    .mmap = { .address = 0x1000, .length = 0x1000, .offset = 0x100,
		      .path = "/no/such/file" } },
	  { .kind = PROFILE_FORK, .pid = 2, .tid = 2, .fork = { 1, 1 } },
	  { .kind = PROFILE_LOST, .lost = { 3, true } },
	  { .kind = PROFILE_LOST, .lost = { 4, false } },
	  { .kind = PROFILE_EXIT, .pid = 1, .tid = 1 } };

  for (size_t i = 0; i < sizeof events / sizeof *events; i++)
    sink.put (sink.arg, &events[i]);
  for (uint32_t i = 0; i < NUM_SAMPLES; i++)
    {
      profile_event e = { .kind = PROFILE_SAMPLE, .pid = 1 + i % 2,
			  .tid = 1 + i % 2, .time = 1000 + i };
      e.sample = (profile_sample){ 10, frames + i % 2, 6 - i % 3 - i % 2,
				   lists, 2, i % 3 };
      sink.put (sink.arg, &e);
    }
}

static const profile_info info = { .event = "cpu-clock",
				   .type = PERF_TYPE_SOFTWARE,
				   .config = PERF_COUNT_SW_CPU_CLOCK,
				   .frequency = 999 };

static contents
read_back (const char *path)
{
  FILE *f = fopen (path, "r");
  contents c;

  ck_assert_ptr_nonnull (f);
  fseek (f, 0, SEEK_END);
  c.size = (size_t) ftell (f);
  c.bytes = malloc (c.size);
  rewind (f);
  ck_assert_uint_eq (fread (c.bytes, 1, c.size, f), c.size);
  fclose (f);
  remove (path);
  return c;
}

static contents
make_perf (void)
{
  static char *command[] = { "sframe-coro", "record", NULL };
  char path[] = "malformed.XXXXXX";
  profile_info with_command = info;
  int fd = mkstemp (path);
  void *w;

  ck_assert_int_ge (fd, 0);
  fclose (fdopen (fd, "r"));
  with_command.command = command;
  w = perf_writer_open (path, &with_command);
  ck_assert_ptr_nonnull (w);
  put_events ((profile_sink){ perf_writer_put, w });
  ck_assert (perf_writer_close (w));
  return read_back (path);
}

/* Read it; true if that went well.  *SAMPLES says how many there were.  */
typedef bool (*read_fn) (FILE *in, summary *s);

static bool
read_perf (FILE *in, summary *s)
{
  perf_reader *r = perf_reader_open (in, "test");
  bool ok;

  if (r == NULL)
    return false;
  ok = perf_reader_run (r, (profile_sink){ summary_put, s }, NULL);
  ok &= perf_reader_is_complete (r);
  perf_reader_free (r);
  return ok;
}

/* Read SIZE bytes; they are at the end of a block, so that sanitizers see what
   reads behind them.  */
static bool
try (const char *bytes, size_t size, read_fn read, uint64_t *samples)
{
  char *copy = memcpy (malloc (size + 1), bytes, size);
  FILE *in = fmemopen (copy, size, "r");
  summary *s = summary_new (&info);
  bool ok;

  num_messages = 0;
  ok = in != NULL && read (in, s);
  *samples = s->total.samples;
  ck_assert_msg (ok || in == NULL || num_messages != 0,
		 "refused without a message");
  summary_free (s);
  if (in != NULL)
    fclose (in);
  free (copy);
  return ok;
}

/* Every length but the whole, and every bit of every byte.  */
static void
damage (contents c, read_fn read, bool cut_is_refused)
{
  uint64_t samples;

  ck_assert (try (c.bytes, c.size, read, &samples));
  ck_assert_uint_eq (samples, NUM_SAMPLES);
  for (size_t size = 0; size < c.size; size++)
    {
      bool ok = try (c.bytes, size, read, &samples);
      ck_assert_msg (!ok || !cut_is_refused, "cut at %zu: not noticed", size);
      ck_assert_uint_le (samples, NUM_SAMPLES);
    }
  for (size_t i = 0; i < c.size * 8; i++)
    {
      c.bytes[i / 8] ^= (char) (1 << i % 8);
      try (c.bytes, c.size, read, &samples);
      c.bytes[i / 8] ^= (char) (1 << i % 8);
    }
  free (c.bytes);
}

START_TEST (perf)
{
  damage (make_perf (), read_perf, true);
}
END_TEST

#ifdef HAVE_PPROF

static bool
read_pprof (FILE *in, summary *s)
{
  return pprof_read (in, "test", s);
}

static contents
make_pprof (void)
{
  summary *s = summary_new (&info);
  contents c;
  FILE *out = open_memstream (&c.bytes, &c.size);

  put_events ((profile_sink){ summary_put, s });
  for (uint32_t i = 0; i < s->places.num; i++)
    summary_add_line (&s->names[i],
		      summary_function_number (s, "name", "symbol", "file"),
		      i);
  ck_assert (pprof_write (s, out));
  fclose (out);
  summary_free (s);
  return c;
}

START_TEST (pprof)
{
  damage (make_pprof (), read_pprof, true);
}
END_TEST

#include <zlib.h>

/* Uncompressed: what was cut off may be good as it is.  */
START_TEST (pprof_plain)
{
  contents c = make_pprof (), plain = { calloc (1, 65536), 65536 };
  z_stream z = { .next_in = (unsigned char *) c.bytes,
		 .avail_in = (unsigned) c.size,
		 .next_out = (unsigned char *) plain.bytes,
		 .avail_out = 65536 };

  ck_assert_int_eq (inflateInit2 (&z, 15 + 16), Z_OK);
  ck_assert_int_eq (inflate (&z, Z_FINISH), Z_STREAM_END);
  inflateEnd (&z);
  plain.size -= z.avail_out;
  free (c.bytes);
  damage (plain, read_pprof, false);
}
END_TEST

#endif

int
main (void)
{
  Suite *suite = suite_create ("malformed profiles");
  TCase *t = tcase_create ("malformed");
  SRunner *runner;
  int failed;

  tcase_add_test (t, perf);
#ifdef HAVE_PPROF
  tcase_add_test (t, pprof);
  tcase_add_test (t, pprof_plain);
#endif
  suite_add_tcase (suite, t);
  runner = srunner_create (suite);
  srunner_run_all (runner, CK_NORMAL);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed != 0;
}
