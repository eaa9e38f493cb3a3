/* sframe-coro: the formats profiles are written in.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "perf-data.h"
#include "profile.h"
#include "summary-write.h"
#include "tool.h"

/* All formats but perf.data are written at the end, from a summary.  */
static const profile_format formats[]
    = { { "perf.data", NULL, "perf.data" },
	{ "pprof", SUMMARY_PPROF_MISSING, "profile.pb.gz" },
	{ "folded", NULL, NULL },
	{ "speedscope", NULL, "profile.speedscope.json" },
	{ "flamegraph", NULL, "flamegraph.html" },
	{ NULL, NULL, NULL } };

static const summary_write_fn summary_writers[]
    = { NULL, pprof_write, folded_write, speedscope_write, flamegraph_write };

struct profile_writer
{
  bool (*put) (void *arg, const profile_event *e);
  bool (*close) (void *arg);
  void *arg;
};

const profile_format *
profile_formats (void)
{
  return formats;
}

const profile_format *
profile_format_find (const char *name)
{
  for (const profile_format *f = formats; f->name != NULL; f++)
    if (strcmp (f->name, name) == 0)
      return f;
  return NULL;
}

bool
profile_format_is_summary (const profile_format *format)
{
  return summary_writers[format - formats] != NULL;
}

bool
profile_format_write (const profile_format *format, summary *s, FILE *out)
{
  return summary_writers[format - formats](s, out);
}

/* A summary that is to be written.  */
typedef struct summary_writer
{
  const profile_format *format;
  output out;
  summary *summary;
} summary_writer;

static bool
put_into_summary (void *arg, const profile_event *e)
{
  summary_writer *w = arg;
  return summary_put (w->summary, e);
}

static bool
close_summary (void *arg)
{
  summary_writer *w = arg;
  bool ok;

  summary_name (w->summary);
  ok = output_close (&w->out, profile_format_write (w->format, w->summary,
						    w->out.file));
  summary_free (w->summary);
  free (w);
  return ok;
}

static summary_writer *
open_summary (const profile_format *format, const char *path,
	      const profile_info *info)
{
  summary_writer *w = tool_calloc (1, sizeof *w);

  w->format = format;
  if (!output_open (&w->out, path))
    {
      free (w);
      return NULL;
    }
  w->summary = summary_new (info);
  return w;
}

profile_writer *
profile_writer_open (const profile_format *format, const char *path,
		     const profile_info *info)
{
  profile_writer w = { put_into_summary, close_summary, NULL }, *copy;

  if (summary_writers[format - formats] == NULL)
    w = (profile_writer){ perf_writer_put, perf_writer_close,
			  perf_writer_open (path, info) };
  else
    w.arg = open_summary (format, path, info);
  if (w.arg == NULL)
    return NULL;
  copy = tool_calloc (1, sizeof *copy);
  *copy = w;
  return copy;
}

bool
profile_writer_put (profile_writer *w, const profile_event *e)
{
  return w->put (w->arg, e);
}

profile_sink
profile_writer_sink (profile_writer *w)
{
  return (profile_sink){ w->put, w->arg };
}

bool
profile_writer_close (profile_writer *w)
{
  bool ok = w->close (w->arg);
  free (w);
  return ok;
}
