/* sframe-coro: profiles as flame graphs.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   One page of HTML that needs nothing else.  The boxes are where they have to
   be as the page is written, so it can be read without scripts too.  */

#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "summary-write.h"
#include "tool.h"

/* The page, with @WORDS@ for what is not always the same.  */
static const char page[] =
#include "tools/flamegraph-html.h"
    ;

/* Boxes whose share is less than one in this many are left out.  */
#define MIN_SHARE 10000

#define ROW_HEIGHT 17 /* Pixels, as in the page.  */

/* A node to draw.  */
typedef struct box
{
  uint32_t node;
  uint64_t x;	 /* Left edge, in samples.  */
  size_t around; /* Number of the box around it, in the order they come.  */
  unsigned depth;
} box;

typedef struct graph
{
  const calls *c;
  FILE *out;
  calls_order order;
  size_t num_boxes, left_out;
} graph;

/* Text.  */

static void
put_text (FILE *out, const char *s)
{
  char *copy = tool_strdup (s);

  tool_make_utf8 (copy);
  for (const char *p = copy; *p != 0; p++)
    switch (*p)
      {
      case '&':
	fputs ("&amp;", out);
	break;
      case '<':
	fputs ("&lt;", out);
	break;
      case '>':
	fputs ("&gt;", out);
	break;
      case '"':
	fputs ("&quot;", out);
	break;
      default:
	putc ((unsigned char) *p < ' ' || *p == 127 ? '?' : *p, out);
      }
  free (copy);
}

/* Kinds have a colour each, in three shades that go with the name.  */
static void
put_class (FILE *out, const calls_frame *f, const char *name)
{
  static const char letters[] = "knrat"; /* By calls_frame.kind.  */
  unsigned shade = 0;

  for (const char *p = name; *p != 0; p++)
    shade = (shade * 31 + (unsigned char) *p) % 3001;
  putc (letters[f->kind], out);
  if (f->kind != CALLS_COMM && shade % 3 != 0)
    fprintf (out, " %c%u", letters[f->kind], shade % 3);
}

static void
put_percent (FILE *out, const char *property, uint64_t n, uint64_t total)
{
  fprintf (out, "%s:%.4f%%;", property, 100.0 * (double) n / (double) total);
}

/* What a box is, in words.  */
static void
put_title (const graph *g, uint32_t node, const calls_frame *f)
{
  static const char *const kinds[]
      = { "kernel", "native", "coroutine, running", "coroutine, awaiting",
	  "thread" };
  const summary_count *count = &g->c->total[node];

  fputs (" title=\"", g->out);
  if (f == NULL)
    fputs ("all", g->out);
  else
    {
      put_text (g->out, calls_name (g->c, node));
      fprintf (g->out, "\n%s", kinds[f->kind]);
      if (f->chain != SUMMARY_NONE)
	{
	  fputs (" [", g->out);
	  put_text (g->out, summary_string (g->c->s, f->chain));
	  putc (']', g->out);
	}
      if (f->module != SUMMARY_NONE)
	{
	  fputs (", ", g->out);
	  put_text (g->out, summary_module_name (g->c->s, f->module));
	}
    }
  fprintf (g->out, "\n%" PRIu64 " samples, %.2f %%\"", count->samples,
	   100.0 * (double) count->samples
	       / (double) g->c->total[0].samples);
}

static void
put_box (graph *g, const box *b)
{
  const calls_node *node = calls_node_at (g->c, b->node);
  const calls_frame *f
      = b->node != 0 ? calls_frame_at (g->c, node->frame) : NULL;
  uint64_t total = g->c->total[0].samples;
  uint64_t samples = g->c->total[b->node].samples;
  const char *name = f != NULL ? calls_name (g->c, b->node) : "all";

  fputs ("<div class=\"", g->out);
  if (f != NULL)
    put_class (g->out, f, name);
  else
    putc ('t', g->out);
  fputs ("\" style=\"", g->out);
  put_percent (g->out, "left", b->x, total);
  put_percent (g->out, "width", samples, total);
  fprintf (g->out, "top:%upx\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64
		   "\" data-d=\"%u\"",
	   b->depth * ROW_HEIGHT, b->x, samples, b->depth);
  if (b->node != 0)
    fprintf (g->out, " data-p=\"%zu\"", b->around);
  fprintf (g->out, " role=\"treeitem\" aria-level=\"%u\" tabindex=\"-1\"",
	   b->depth + 1);
  put_title (g, b->node, f);
  putc ('>', g->out);
  put_text (g->out, name);
  fputs ("</div>\n", g->out);
}

/* Drawing.  */

typedef struct stack
{
  box *list;
  size_t num, room;
} stack;

static void
push (stack *s, box b)
{
  s->list = table_grow (s->list, &s->room, s->num + 1, sizeof *s->list);
  s->list[s->num++] = b;
}

/* Put the children of box B, which is box NUMBER, on S, the last one first.  */
static void
push_children (graph *g, stack *s, const box *b, size_t number)
{
  uint32_t first = g->order.first[b->node];
  uint32_t last = g->order.first[b->node + 1];
  uint64_t x = b->x;

  for (uint32_t i = first; i < last; i++)
    x += g->c->total[g->order.list[i]].samples;
  for (uint32_t i = last; i-- != first;)
    {
      uint32_t node = g->order.list[i];
      uint64_t samples = g->c->total[node].samples;

      x -= samples;
      if (samples * MIN_SHARE < g->c->total[0].samples)
	g->left_out++;
      else
	push (s, (box){ node, x, number, b->depth + 1 });
    }
}

/* Write the boxes of G, each after the one around it, from left to right.  */
static void
put_boxes (graph *g)
{
  stack s = { 0 };

  if (g->c->total[0].samples != 0)
    push (&s, (box){ 0 });
  while (s.num != 0)
    {
      box b = s.list[--s.num];
      put_box (g, &b);
      push_children (g, &s, &b, g->num_boxes++);
    }
  free (s.list);
}

/* How many rows there are.  */
static unsigned
num_rows (const calls *c)
{
  unsigned *depth = tool_calloc (c->nodes.num, sizeof *depth), deepest = 0;

  for (uint32_t n = 1; n < c->nodes.num; n++)
    {
      depth[n] = depth[calls_node_at (c, n)->parent] + 1;
      if (depth[n] > deepest
	  && c->total[n].samples * MIN_SHARE >= c->total[0].samples)
	deepest = depth[n];
    }
  free (depth);
  return deepest + 1;
}

static void
put_footer (const graph *g)
{
  const summary *s = g->c->s;

  fprintf (g->out, "%" PRIu64 " samples", s->total.samples);
  if (*s->event != 0)
    {
      fputs (" of ", g->out);
      put_text (g->out, s->event);
    }
  if (s->lost != 0)
    fprintf (g->out, ", %" PRIu64 " lost", s->lost);
  if (g->left_out != 0)
    fprintf (g->out, ", %zu boxes narrower than 1/%d left out with what they "
		     "call", g->left_out, MIN_SHARE);
  if (*s->note != 0)
    {
      fputs ("; recorded with the small sampler: ", g->out);
      put_text (g->out, s->note);
    }
  fputs (".", g->out);
}

static void
put_word (graph *g, const char *word, size_t len)
{
  if (len == 5 && memcmp (word, "TITLE", len) == 0)
    fprintf (g->out, "Flame graph with coroutines: %" PRIu64 " samples",
	     g->c->s->total.samples);
  else if (len == 6 && memcmp (word, "HEIGHT", len) == 0)
    fprintf (g->out, "%u", num_rows (g->c) * ROW_HEIGHT);
  else if (len == 5 && memcmp (word, "BOXES", len) == 0)
    put_boxes (g);
  else if (len == 6 && memcmp (word, "FOOTER", len) == 0)
    put_footer (g);
  else if (len == 4 && memcmp (word, "UNIT", len) == 0)
    fputs ("the samples", g->out);
}

bool
flamegraph_write (summary *s, FILE *out)
{
  const char *p = page, *word;
  calls c;
  graph g = { .c = &c, .out = out };

  calls_make (&c, s);
  g.order = calls_sort (&c);
  while ((word = strchr (p, '@')) != NULL)
    {
      size_t len = strspn (word + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
      fwrite (p, 1, (size_t) (word - p), out);
      p = word + 1 + len;
      if (len != 0 && *p == '@')
	put_word (&g, word + 1, len), p++;
      else
	fwrite (word, 1, len + 1, out);
    }
  fputs (p, out);
  calls_order_free (&g.order);
  calls_free (&c);
  return true;
}
