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

typedef struct queued
{
  profile_event event; /* What it points to is in `data'.  */
  uint64_t time, number;
  char *data;
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

/* Have a copy of E's string *S in Q.  */
static void
keep_string (queued *q, const char **s)
{
  *s = q->data = tool_strdup (*s);
}

static void
keep_sample (queued *q, profile_sample *s)
{
  size_t frames = s->num_frames * sizeof *s->frames;
  size_t lists = s->num_lists * sizeof *s->lists;

  q->data = tool_calloc (1, frames + lists);
  if (frames != 0)
    s->frames = memcpy (q->data, s->frames, frames);
  if (lists != 0)
    s->lists = memcpy (q->data + frames, s->lists, lists);
}

static queued
keep (const profile_event *e)
{
  queued q = { .event = *e };

  switch (e->kind)
    {
    case PROFILE_COMM:
      keep_string (&q, &q.event.comm.name);
      break;
    case PROFILE_MMAP:
      keep_string (&q, &q.event.mmap.path);
      break;
    case PROFILE_CHAIN:
      keep_string (&q, &q.event.chain.name);
      break;
    case PROFILE_SAMPLE:
      keep_sample (&q, &q.event.sample);
      break;
    case PROFILE_FORK:
    case PROFILE_EXIT:
    case PROFILE_LOST:
      break;
    }
  return q;
}

void
profile_order_put (profile_order *o, const profile_event *e)
{
  queued q = keep (e);
  size_t i = o->num;

  if (e->time != 0)
    o->last = e->time;
  q.time = o->last;
  q.number = o->number++;
  o->heap = table_grow (o->heap, &o->room, o->num + 1, sizeof *o->heap);
  o->heap[o->num++] = q;
  for (; i != 0 && is_before (&o->heap[i], &o->heap[(i - 1) / 2]);
       i = (i - 1) / 2)
    swap (&o->heap[i], &o->heap[(i - 1) / 2]);
}

static queued
take_first (profile_order *o)
{
  queued first = o->heap[0];
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
      queued q = take_first (o);
      ok = o->sink.put (o->sink.arg, &q.event);
      free (q.data);
    }
  return ok;
}

void
profile_order_free (profile_order *o)
{
  if (o == NULL)
    return;
  for (size_t i = 0; i < o->num; i++)
    free (o->heap[i].data);
  free (o->heap);
  free (o);
}
