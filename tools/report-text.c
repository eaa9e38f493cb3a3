/* sframe-coro: summaries of profiles, for people.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "json.h"
#include "report-text.h"
#include "tool.h"

bool
report_sort_find (const char *name, report_sort *sort)
{
  static const char *const names[] = { "total", "self", "await", "name" };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp (names[i], name) == 0)
      {
	*sort = (report_sort) i;
	return true;
      }
  return false;
}

/* Rows.  */

/* What is counted: a function, or with a chain a function in it.  */
typedef struct row_key
{
  uint32_t name, module, chain;
} row_key;

typedef struct row
{
  row_key key;
  uint64_t self;  /* Samples in it.  */
  uint64_t total; /* Samples with it in the stack.  */
  uint64_t await; /* Samples in whose stack it awaits.  */
} row;

/* Frames of a row in the stack at hand.  */
typedef struct active
{
  unsigned any, awaiting;
} active;

typedef struct rows
{
  const calls *c;
  table keys; /* row_key.  */
  row *list;
  active *active;
  size_t room, active_room;
} rows;

static uint32_t
row_number (rows *r, const calls_frame *f, uint32_t chain)
{
  row_key key = { f->name, f->module, chain };
  uint32_t n = table_number (&r->keys, &key, sizeof key);

  r->list = table_grow (r->list, &r->room, n + 1u, sizeof *r->list);
  r->active
      = table_grow (r->active, &r->active_room, n + 1u, sizeof *r->active);
  r->list[n].key = key;
  return n;
}

/* Enter node NODE, whose frame is one of row N.  */
static void
enter_row (rows *r, uint32_t n, uint32_t node, bool awaiting)
{
  const calls *c = r->c;
  row *row = &r->list[n];
  active *a = &r->active[n];

  row->self += c->self[node].samples;
  if (a->any++ == 0)
    row->total += c->total[node].samples;
  if (awaiting && a->awaiting++ == 0)
    row->await += c->total[node].samples;
}

static void
leave_row (rows *r, uint32_t n, bool awaiting)
{
  r->active[n].any--;
  r->active[n].awaiting -= awaiting;
}

/* Enter or leave NODE, for its function and for that in its chain.  */
static void
visit (rows *r, uint32_t node, bool enter)
{
  const calls_frame *f
      = calls_frame_at (r->c, calls_node_at (r->c, node)->frame);
  bool awaiting = f->kind == SUMMARY_AWAITING;
  uint32_t chains[2] = { SUMMARY_NONE, f->chain };

  if (f->kind == CALLS_COMM)
    return;
  for (int i = 0; i < 1 + (f->chain != SUMMARY_NONE); i++)
    {
      uint32_t n = row_number (r, f, chains[i]);
      if (enter)
	enter_row (r, n, node, awaiting);
      else
	leave_row (r, n, awaiting);
    }
}

/* Count all nodes, those that are inside of others while those are active.  */
static void
count_rows (rows *r)
{
  calls_order order = calls_sort (r->c);
  uint32_t *next = tool_calloc (r->c->nodes.num, sizeof *next);
  uint32_t node = 0;

  memcpy (next, order.first, r->c->nodes.num * sizeof *next);
  for (;;)
    if (next[node] < order.first[node + 1])
      {
	node = order.list[next[node]++];
	visit (r, node, true);
      }
    else if (node == 0)
      break;
    else
      {
	visit (r, node, false);
	node = calls_node_at (r->c, node)->parent;
      }
  free (next);
  calls_order_free (&order);
}

typedef struct sort_arg
{
  const summary *s;
  report_sort sort;
} sort_arg;

/* Greater numbers first, then by name.  */
static int
compare_rows (const void *p, const void *q, void *arg)
{
  const row *a = p, *b = q;
  const sort_arg *s = arg;
  uint64_t x[3] = { a->total, a->self, a->await };
  uint64_t y[3] = { b->total, b->self, b->await };
  static const uint8_t keys[][3]
      = { { 0, 1, 2 }, { 1, 0, 2 }, { 2, 0, 1 } };
  int order;

  if (s->sort != REPORT_NAME)
    for (int i = 0; i < 3; i++)
      {
	int k = keys[s->sort][i];
	if (x[k] != y[k])
	  return x[k] > y[k] ? -1 : 1;
      }
  order = strcmp (summary_string (s->s, a->key.name),
		  summary_string (s->s, b->key.name));
  return (order != 0 ? order
	  : a->key.module != b->key.module
	      ? strcmp (summary_module_name (s->s, a->key.module),
			summary_module_name (s->s, b->key.module))
	      : 0);
}

static rows
make_rows (const calls *c, report_sort sort)
{
  rows r = { .c = c };
  sort_arg arg = { c->s, sort };

  count_rows (&r);
  if (r.keys.num != 0)
    qsort_r (r.list, r.keys.num, sizeof *r.list, compare_rows, &arg);
  return r;
}

static void
free_rows (rows *r)
{
  table_free (&r->keys);
  free (r->list);
  free (r->active);
}

/* Text.  */

static double
percent (uint64_t part, uint64_t whole)
{
  return whole != 0 ? 100.0 * (double) part / (double) whole : 0;
}

static uint64_t
num_cut (const summary_chain *c)
{
  uint64_t n = 0;
  for (int i = 0; i < SFRAME_CORO_NUM_STOPS; i++)
    if (sframe_coro_stop_is_cut (i))
      n += c->stops[i];
  return n;
}

/* Print NUM of WHAT, and a plural's s.  */
static void
print_number (FILE *out, uint64_t num, const char *what)
{
  fprintf (out, "%" PRIu64 " %s%s", num, what, num == 1 ? "" : "s");
}

static void
print_head (const summary *s, FILE *out)
{
  print_number (out, s->total.samples, "sample");
  if (*s->event != 0)
    fprintf (out, " of %s", s->event);
  if (s->frequency != 0)
    fprintf (out, " at %" PRIu64 " Hz", s->frequency);
  fputs (", ", out);
  print_number (out, s->threads.num, "thread");
  if (s->last > s->first)
    fprintf (out, ", %.2f s", (double) (s->last - s->first) / 1e9);
  putc ('\n', out);
  if (*s->note != 0)
    fprintf (out, "recorded with the small sampler: %s\n", s->note);
  if (s->filtered != 0)
    fprintf (out, "%" PRIu64 " samples of other threads are left out\n",
	     s->filtered);
  if (s->lost != 0)
    fprintf (out, "%" PRIu64 " samples were lost\n", s->lost);
  if (s->lost_events != 0)
    fprintf (out, "%" PRIu64 " other events were lost: some names may be "
		  "missing\n", s->lost_events);
  for (uint32_t i = PROFILE_CUT_UNKNOWN + 1; i < PROFILE_NUM_CUTS; i++)
    if (s->cuts[i] != 0)
      fprintf (out, "%" PRIu64 " native stacks were cut: %s\n", s->cuts[i],
	       profile_cut_text (i));
}

static void
print_row (const summary *s, const row *r, bool is_chain, FILE *out)
{
  uint64_t all = s->total.samples;
  const char *module = summary_module_name (s, r->key.module);

  if (is_chain)
    fputs ("  ", out);
  fprintf (out, "%6.2f%% %6.2f%% ", percent (r->self, all),
	   percent (r->total, all));
  if (r->await != 0)
    fprintf (out, "%6.2f%%", percent (r->await, all));
  else
    fputs ("      -", out);
  fputs ("  ", out);
  tool_put_printable (summary_string (s, r->key.name), out);
  if (*module != 0)
    {
      fputs ("  (", out);
      tool_put_printable (module, out);
      putc (')', out);
    }
  putc ('\n', out);
}

/* Print the rows of CHAIN.  */
static void
print_rows (const summary *s, const rows *r, uint32_t chain, unsigned limit,
	    FILE *out)
{
  size_t num = 0;

  for (size_t i = 0; i < r->keys.num; i++)
    if (r->list[i].key.chain == chain && (num++ < limit || limit == 0))
      print_row (s, &r->list[i], chain != SUMMARY_NONE, out);
  if (limit != 0 && num > limit)
    fprintf (out, "  (%zu more; --limit=0 shows all)\n", num - limit);
}

static void
print_chain (const summary *s, uint32_t string, const summary_chain *c,
	     FILE *out)
{
  uint64_t cut = num_cut (c);

  fputs ("\nchain ", out);
  tool_put_printable (summary_string (s, string), out);
  fprintf (out, ": %.2f%% of the samples",
	   percent (c->total.samples, s->total.samples));
  if (c->lists != 0)
    {
      fputs (", ", out);
      print_number (out, c->lists, "list");
      fprintf (out, ", %.1f nodes each",
	       (double) c->nodes / (double) c->lists);
    }
  putc ('\n', out);
  if (cut != 0)
    for (int i = 0; i < SFRAME_CORO_NUM_STOPS; i++)
      if (sframe_coro_stop_is_cut (i) && c->stops[i] != 0)
	{
	  fputs ("  ", out);
	  print_number (out, c->stops[i], "list");
	  fprintf (out, " cut: %s\n", sframe_coro_stop_text (i));
	}
  if (c->no_site != 0)
    {
      fputs ("  ", out);
      print_number (out, c->no_site, "list");
      fputs (" without a resume site in the stack\n", out);
    }
}

void
report_text (summary *s, const report_options *o, FILE *out)
{
  calls c;
  rows r;

  calls_make (&c, s);
  r = make_rows (&c, o->sort);
  print_head (s, out);
  fputs ("\n   self   total   await  function\n", out);
  print_rows (s, &r, SUMMARY_NONE, o->limit, out);
  for (uint32_t i = 0; i < s->chain_names.num; i++)
    {
      uint32_t string = *(const uint32_t *) table_key (&s->chain_names, i);
      print_chain (s, string, &s->chains[i], out);
      print_rows (s, &r, string, o->limit, out);
    }
  free_rows (&r);
  calls_free (&c);
}

/* JSON.  */

static json_object *
json_row (const summary *s, const row *r)
{
  json_object *o = json_object_new_object ();
  const char *module = summary_module_name (s, r->key.module);

  json_add_string (o, "function", summary_string (s, r->key.name));
  json_add_string (o, "module", *module != 0 ? module : NULL);
  json_add_number (o, "self", (int64_t) r->self);
  json_add_number (o, "total", (int64_t) r->total);
  json_add_number (o, "await", (int64_t) r->await);
  return o;
}

static void
json_rows (json_object *o, const summary *s, const rows *r, uint32_t chain,
	   unsigned limit)
{
  json_object *array = json_add_array (o, "functions");

  for (size_t i = 0; i < r->keys.num; i++)
    if (r->list[i].key.chain == chain
	&& (limit == 0 || json_object_array_length (array) < limit))
      json_object_array_add (array, json_row (s, &r->list[i]));
}

/* How many there are of each reason in COUNTS.  */
static void
json_reasons (json_object *o, const char *key, const uint64_t *counts,
	      uint32_t num, const char *(*text) (uint32_t))
{
  json_object *reasons = json_object_new_object ();

  for (uint32_t i = 0; i < num; i++)
    if (counts[i] != 0)
      json_add_number (reasons, text (i), (int64_t) counts[i]);
  json_add (o, key, reasons);
}

static const char *
stop_text (uint32_t stop)
{
  return sframe_coro_stop_text ((int) stop);
}

static json_object *
json_chain (const summary *s, uint32_t string, const summary_chain *c)
{
  json_object *o = json_object_new_object ();

  json_add_string (o, "chain", summary_string (s, string));
  json_add_number (o, "samples", (int64_t) c->total.samples);
  json_add_number (o, "lists", (int64_t) c->lists);
  json_add_number (o, "nodes", (int64_t) c->nodes);
  json_add_number (o, "cut", (int64_t) num_cut (c));
  json_add_number (o, "no_site", (int64_t) c->no_site);
  json_reasons (o, "stops", c->stops, SFRAME_CORO_NUM_STOPS, stop_text);
  return o;
}

void
report_json (summary *s, const report_options *o, FILE *out)
{
  json_object *all = json_object_new_object (), *chains;
  calls c;
  rows r;

  calls_make (&c, s);
  r = make_rows (&c, o->sort);
  json_add_number (all, "version", 1);
  json_add_string (all, "event", *s->event != 0 ? s->event : NULL);
  json_add_string (all, "unit", s->unit);
  json_add_string (all, "note", *s->note != 0 ? s->note : NULL);
  json_add_number (all, "samples", (int64_t) s->total.samples);
  json_add_number (all, "weight", (int64_t) s->total.weight);
  json_add_number (all, "lost", (int64_t) s->lost);
  json_add_number (all, "lost_events", (int64_t) s->lost_events);
  json_add_number (all, "left_out", (int64_t) s->filtered);
  json_add_number (all, "threads", (int64_t) s->threads.num);
  json_reasons (all, "native", s->cuts, PROFILE_NUM_CUTS, profile_cut_text);
  json_rows (all, s, &r, SUMMARY_NONE, o->limit);
  chains = json_add_array (all, "chains");
  for (uint32_t i = 0; i < s->chain_names.num; i++)
    {
      uint32_t string = *(const uint32_t *) table_key (&s->chain_names, i);
      json_object *chain = json_chain (s, string, &s->chains[i]);
      json_rows (chain, s, &r, string, o->limit);
      json_object_array_add (chains, chain);
    }
  json_write (all, out);
  free_rows (&r);
  calls_free (&c);
}
