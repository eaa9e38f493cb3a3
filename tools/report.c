/* sframe-coro: `report', the summary of a profile, or another format of it.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "perf-data.h"
#include "profile.h"
#include "report-text.h"
#include "summary-write.h"
#include "tool.h"

typedef struct options
{
  const char *file;
  const char *output;
  const profile_format *format; /* NULL: text.  */
  bool json;
  report_options text;
  summary_filter filter;
} options;

enum
{
  OPTION_FORMAT = 256,
  OPTION_SORT,
  OPTION_COMM,
  OPTION_PID,
  OPTION_TID,
  OPTION_JSON
};

static const struct argp_option argp_options[]
    = { { "format", OPTION_FORMAT, "FORMAT", 0,
	  "text (default), pprof, folded, speedscope or flamegraph", 0 },
	{ "json", OPTION_JSON, NULL, 0, "print JSON", 0 },
	{ "output", 'o', "FILE", 0, "write to FILE, not to stdout", 0 },
	{ "limit", 'n', "N", 0,
	  "at most N functions, and N of each chain; 0: all (20)", 0 },
	{ "sort", OPTION_SORT, "KEY", 0,
	  "self, total (default), await or name", 0 },
	{ "comm", OPTION_COMM, "NAME", 0, "threads called NAME only", 0 },
	{ "pid", OPTION_PID, "PID", 0, "process PID only", 0 },
	{ "tid", OPTION_TID, "TID", 0, "thread TID only", 0 },
	{ 0 } };

static const profile_format *
parse_format (const char *arg, struct argp_state *state)
{
  const profile_format *f = profile_format_find (arg);

  if (strcmp (arg, "text") == 0)
    return NULL;
  if (f == NULL)
    argp_error (state, "unknown format `%s'", arg);
  else if (f->missing != NULL)
    argp_failure (state, TOOL_FAILED, 0, "format `%s': %s", arg, f->missing);
  else if (!profile_format_is_summary (f))
    argp_error (state, "`%s' can only be recorded", arg);
  return f;
}

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  options *o = state->input;

  switch (key)
    {
    case OPTION_FORMAT:
      o->format = parse_format (arg, state);
      return 0;
    case OPTION_JSON:
      o->json = true;
      return 0;
    case 'o':
      o->output = arg;
      return 0;
    case 'n':
      o->text.limit = (strcmp (arg, "0") == 0
			   ? 0
			   : (unsigned) tool_number (arg, state, "number"));
      return 0;
    case OPTION_SORT:
      if (!report_sort_find (arg, &o->text.sort))
	argp_error (state, "cannot sort by `%s'", arg);
      return 0;
    case OPTION_COMM:
      o->filter.comm = arg;
      return 0;
    case OPTION_PID:
      o->filter.pid = (unsigned) tool_number (arg, state, "process ID");
      return 0;
    case OPTION_TID:
      o->filter.tid = (unsigned) tool_number (arg, state, "thread ID");
      return 0;
    case ARGP_KEY_ARG:
      if (o->file != NULL)
	argp_error (state, "more than one file given");
      o->file = arg;
      return 0;
    case ARGP_KEY_END:
      if (o->file == NULL)
	argp_error (state, "no file given");
      if (o->json && o->format != NULL)
	argp_error (state, "--json and --format exclude each other");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp report_argp
    = { .options = argp_options,
	.parser = parse_option,
	.args_doc = "FILE",
	.doc = "Sum up a profile: by function, and by chain of coroutines; or "
	       "convert it to another format.  FILE is perf.data or of "
	       "pprof." };

/* Reading.  */

static void
show_progress (double done)
{
  fprintf (stderr, "\rreading: %3.0f %%", 100 * done);
}

static void
end_progress (void)
{
  fputs ("\r               \r", stderr);
}

/* Read perf.data; NULL after a message.  *COMPLETE is cleared if something is
   missing.  */
static summary *
read_perf (FILE *in, const options *o, bool *complete)
{
  perf_reader *r = perf_reader_open (in, o->file);
  bool terminal = isatty (STDERR_FILENO);
  summary *s;

  if (r == NULL)
    return NULL;
  s = summary_new (perf_reader_info (r));
  s->filter = o->filter;
  *complete = perf_reader_run (r, (profile_sink){ summary_put, s },
			       terminal ? show_progress : NULL);
  if (terminal)
    end_progress ();
  *complete &= perf_reader_is_complete (r);
  perf_reader_free (r);
  return s;
}

static summary *
read_pprof (FILE *in, const options *o)
{
  profile_info info = { 0 };
  summary *s = summary_new (&info);

  s->filter = o->filter;
  if (pprof_read (in, o->file, s))
    return s;
  summary_free (s);
  return NULL;
}

/* Whether IN begins as perf.data does, of either byte order.  */
static bool
is_perf (FILE *in)
{
  char magic[8];
  size_t size = fread (magic, 1, sizeof magic, in);

  rewind (in);
  return (size == sizeof magic
	  && (memcmp (magic, PERF_MAGIC, sizeof magic) == 0
	      || memcmp (magic, PERF_MAGIC_SWAPPED, sizeof magic) == 0));
}

static summary *
read_file (const options *o, bool *complete)
{
  FILE *in = fopen (o->file, "re");
  summary *s;

  *complete = true;
  if (in == NULL)
    {
      tool_error ("%s: cannot open: %s", o->file, strerror (errno));
      return NULL;
    }
  s = is_perf (in) ? read_perf (in, o, complete) : read_pprof (in, o);
  fclose (in);
  return s;
}

/* Writing.  */

static bool
write_report (const options *o, summary *s)
{
  const char *path = o->output;
  output out;
  bool ok = true;

  if (path == NULL)
    path = "-";
  if (!output_open (&out, path))
    return false;
  if (o->format != NULL)
    ok = profile_format_write (o->format, s, out.file);
  else if (o->json)
    report_json (s, &o->text, out.file);
  else
    report_text (s, &o->text, out.file);
  return output_close (&out, ok);
}

int
report_main (int argc, char **argv)
{
  options o = { .text = { .limit = 20 } };
  bool complete;
  summary *s;
  int status = TOOL_FAILED;

  argp_parse (&report_argp, argc, argv, 0, NULL, &o);
  s = read_file (&o, &complete);
  if (s == NULL)
    return TOOL_FAILED;
  summary_name (s);
  if (write_report (&o, s))
    status = complete ? TOOL_OK : TOOL_INCOMPLETE;
  summary_free (s);
  return status;
}
