/* sframe-coro: profiles as speedscope shows them.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   https://www.speedscope.app/file-format-schema.json  */

#include "config.h"

#include <stdlib.h>

#include "calls.h"
#include "json.h"
#include "summary-write.h"
#include "tool.h"

/* Each thread is a profile of its own, but for more than these.  */
#define MAX_THREADS 256

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* Frames are shared by all profiles: by calls_frame, their numbers.  */
typedef struct frames
{
  table numbers;
  json_object *list;
} frames;

static json_object *
make_frame (const summary *s, const calls_frame *f)
{
  json_object *o = json_object_new_object ();
  const char *name = summary_string (s, f->name);
  const char *file = summary_string (s, f->file);
  char *shown = tool_printf (f->kind == SUMMARY_AWAITING ? "%s [awaiting]"
			     : f->kind == SUMMARY_KERNEL ? "%s [kernel]"
							 : "%s",
			     name);

  json_add_string (o, "name", shown);
  /* The viewer colours by it.  */
  if (*file == 0 && f->module != SUMMARY_NONE)
    file = summary_module_name (s, f->module);
  if (*file != 0)
    json_add_string (o, "file", file);
  free (shown);
  return o;
}

static uint32_t
frame_number (frames *all, const summary *s, const calls_frame *f)
{
  size_t before = all->numbers.num;
  uint32_t n = table_number (&all->numbers, f, sizeof *f);

  if (all->numbers.num != before)
    json_object_array_add (all->list, make_frame (s, f));
  return n;
}

static json_object *
make_stack (frames *all, const calls *c, const uint32_t *path, size_t num)
{
  json_object *stack = json_object_new_array ();

  for (size_t i = 0; i < num; i++)
    {
      uint32_t frame = calls_node_at (c, path[i])->frame;
      uint32_t n = frame_number (all, c->s, calls_frame_at (c, frame));
      json_object_array_add (stack, json_object_new_int64 (n));
    }
  return stack;
}

/* A profile of calls C.  */
static json_object *
make_profile (frames *all, const calls *c, const char *name)
{
  json_object *o = json_object_new_object (), *samples, *weights;
  uint32_t *path = NULL;
  size_t room = 0;

  json_add_string (o, "type", "sampled");
  json_add_string (o, "name", name);
  json_add_string (o, "unit",
		   c->s->unit[0] == 'n' ? "nanoseconds" : "none");
  json_add_number (o, "startValue", 0);
  json_add_number (o, "endValue", (int64_t) c->total[0].weight);
  samples = json_add_array (o, "samples");
  weights = json_add_array (o, "weights");
  for (uint32_t n = 0; n < c->nodes.num; n++)
    if (c->self[n].samples != 0)
      {
	size_t num = calls_path (c, n, &path, &room);
	json_object_array_add (samples, make_stack (all, c, path, num));
	json_object_array_add (
	    weights, json_object_new_int64 ((int64_t) c->self[n].weight));
      }
  free (path);
  return o;
}

static void
add_threads (frames *all, summary *s, json_object *profiles)
{
  if (s->threads.num > MAX_THREADS)
    {
      tool_error ("note: %zu threads are too many for a speedscope profile of "
		  "each; there is one of all", s->threads.num);
      return;
    }
  for (uint32_t i = 0; i < s->threads.num; i++)
    {
      const summary_thread *t = summary_thread_at (s, i);
      char *name;
      calls c;

      calls_make_thread (&c, s, i);
      if (c.total[0].samples != 0)
	{
	  name = tool_printf ("%s (%u/%u)", summary_string (s, t->comm),
			      t->pid, t->tid);
	  json_object_array_add (profiles, make_profile (all, &c, name));
	  free (name);
	}
      calls_free (&c);
    }
}

bool
speedscope_write (summary *s, FILE *out)
{
  json_object *o = json_object_new_object (), *shared, *profiles;
  frames all = { 0 };
  calls c;

  json_add_string (o, "$schema", SCHEMA);
  json_add_string (o, "exporter", PACKAGE_NAME " " PACKAGE_VERSION);
  json_add_string (o, "name", *s->event != 0 ? s->event : "profile");
  json_add_number (o, "activeProfileIndex", 0);
  shared = json_object_new_object ();
  json_add (o, "shared", shared);
  all.list = json_add_array (shared, "frames");
  profiles = json_add_array (o, "profiles");
  calls_make (&c, s);
  json_object_array_add (profiles, make_profile (&all, &c, "all threads"));
  calls_free (&c);
  add_threads (&all, s, profiles);
  fputs (json_object_to_json_string_ext (o, JSON_C_TO_STRING_PLAIN
						| JSON_C_TO_STRING_NOSLASHESCAPE),
	 out);
  putc ('\n', out);
  json_object_put (o);
  table_free (&all.numbers);
  return true;
}
