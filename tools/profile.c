/* sframe-coro: profiles, as streams of events.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "table.h"
#include "tool.h"

const char *
profile_cut_text (uint32_t cut)
{
  static const char *const texts[] = {
#define PROFILE_CUT_TEXT(NAME, TEXT) TEXT,
    PROFILE_CUTS (PROFILE_CUT_TEXT)
#undef PROFILE_CUT_TEXT
  };
  return cut < PROFILE_NUM_CUTS ? texts[cut] : "?";
}

/* Sorting by time.  */

/* An event, and behind it a copy of what it points to.  */
typedef struct queued
{
  uint64_t time, number;
  profile_event *event;
} queued;

struct profile_order
{
  profile_sink sink;
  queued *heap; /* The first one on top.  */
  size_t num, room;
  uint64_t last; /* Time of the event put last.  */
  uint64_t number;
};

profile_order *
profile_order_new (profile_sink sink)
{
  profile_order *o = tool_calloc (1, sizeof *o);
  o->sink = sink;
  return o;
}

static bool
is_before (const queued *a, const queued *b)
{
  return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void
swap (queued *a, queued *b)
{
  queued t = *a;
  *a = *b;
  *b = t;
}

static profile_event *
keep_with (const profile_event *e, size_t size)
{
  profile_event *copy = tool_realloc (NULL, 1, sizeof *copy + size);
  *copy = *e;
  return copy;
}

/* A copy of E and of its string; AT is where in E that is.  */
static profile_event *
keep_string (const profile_event *e, size_t at)
{
  const char *s = *(const char *const *) ((const char *) e + at);
  size_t size = strlen (s) + 1;
  profile_event *copy = keep_with (e, size);

  *(const char **) ((char *) copy + at) = memcpy (copy + 1, s, size);
  return copy;
}

static profile_event *
keep_sample (const profile_event *e)
{
  const profile_sample *s = &e->sample;
  size_t frames = s->num_frames * sizeof *s->frames;
  size_t lists = s->num_lists * sizeof *s->lists;
  profile_event *copy = keep_with (e, frames + lists);
  char *behind = (char *) (copy + 1);

  if (frames != 0)
    copy->sample.frames = memcpy (behind, s->frames, frames);
  if (lists != 0)
    copy->sample.lists = memcpy (behind + frames, s->lists, lists);
  return copy;
}

static profile_event *
keep (const profile_event *e)
{
  switch (e->kind)
    {
    case PROFILE_COMM:
      return keep_string (e, offsetof (profile_event, comm.name));
    case PROFILE_MMAP:
      return keep_string (e, offsetof (profile_event, mmap.path));
    case PROFILE_CHAIN:
      return keep_string (e, offsetof (profile_event, chain.name));
    case PROFILE_SAMPLE:
      return keep_sample (e);
    case PROFILE_FORK:
    case PROFILE_EXIT:
    case PROFILE_LOST:
      break;
    }
  return keep_with (e, 0);
}

void
profile_order_put (profile_order *o, const profile_event *e)
{
  size_t i = o->num;

  if (e->time != 0)
    o->last = e->time;
  o->heap = table_grow (o->heap, &o->room, o->num + 1, sizeof *o->heap);
  o->heap[o->num++] = (queued){ o->last, o->number++, keep (e) };
  for (; i != 0 && is_before (&o->heap[i], &o->heap[(i - 1) / 2]);
       i = (i - 1) / 2)
    swap (&o->heap[i], &o->heap[(i - 1) / 2]);
}

static profile_event *
take_first (profile_order *o)
{
  profile_event *first = o->heap[0].event;
  size_t i = 0, child;

  o->heap[0] = o->heap[--o->num];
  while ((child = 2 * i + 1) < o->num)
    {
      if (child + 1 < o->num && is_before (&o->heap[child + 1], &o->heap[child]))
	child++;
      if (!is_before (&o->heap[child], &o->heap[i]))
	break;
      swap (&o->heap[i], &o->heap[child]);
      i = child;
    }
  return first;
}

bool
profile_order_flush (profile_order *o, uint64_t time)
{
  bool ok = true;

  while (ok && o->num != 0 && o->heap[0].time <= time)
    {
      profile_event *e = take_first (o);
      ok = o->sink.put (o->sink.arg, e);
      free (e);
    }
  return ok;
}

void
profile_order_free (profile_order *o)
{
  if (o == NULL)
    return;
  for (size_t i = 0; i < o->num; i++)
    free (o->heap[i].event);
  free (o->heap);
  free (o);
}
