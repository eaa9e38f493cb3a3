/* Splicer: small pictures of stacks.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A stack is a string, leaf first.  A native frame is the letter of the
   function it is in (upper case: the caller does not know its bounds), then,
   as needed:
     !01  it is at a site of chains 0 and 1
     @5   its CFA is 5
     =f2  the caller knows that it executes node f2
   A list is its chain, `+' if its head is running, `@5' if it belongs to the
   frame with that CFA, a colon, and its nodes: the letter of the function that
   the IP is in (`_': no IP) and a number, then `-' if hidden and `|' if a
   boundary.  In the result `f=f1' is a frame that is a node, `.f2' a node that
   is no frame, `^' a running one, `?' one without a site.  */

#include <ctype.h>
#include <stdlib.h>

#include "unit.h"

#define MAX 64

typedef struct picture
{
  const char *what;
  const char *natives;
  const char *lists[5];
  const char *want;
} picture;

static const picture pictures[] = {
  { "nothing", "", { NULL }, "" },
  { "no lists", "a b m", { NULL }, "a b m" },
  { "an empty list", "a r!0 m", { "0+:" }, "a r m" },

  /* The running coroutine is on the native stack.  */
  { "running head", "f r!0 m", { "0+: f1 f2 g3" }, "f=f1^ .f2 .g3 r m" },
  { "only the running one", "f r!0 m", { "0+: f1" }, "f=f1^ r m" },
  { "in what it calls", "x y f r!0 m", { "0+: f1 g2" },
    "x y f=f1^ .g2 r m" },
  { "helpers between it and the site", "f w r!0 m", { "0+: f1 g2" },
    "f=f1^ .g2 w r m" },
  { "head is not on the stack", "x r!0 m", { "0+: f1 g2" },
    "x .f1^ .g2 r m" },
  { "below the site nothing counts", "x r!0 f m", { "0+: f1 g2" },
    "x .f1^ .g2 r f m" },
  { "site is the leaf", "r!0 m", { "0+: f1 g2" }, ".f1^ .g2 r m" },
  { "site is the last frame", "f r!0", { "0+: f1 g2" }, "f=f1^ .g2 r" },
  { "bounds not known", "F r!0 m", { "0+: f1 g2" }, "F .f1^ .g2 r m" },
  { "no IP", "f r!0 m", { "0+: _1 g2" }, "f ._1^ .g2 r m" },

  /* Compilers that do not jump on a symmetric transfer.  */
  { "several on the stack", "f g h r!0 m", { "0+: f1 g2 h3 k4" },
    "f=f1^ g=g2 h=h3 .k4 r m" },
  { "all on the stack", "f g h r!0 m", { "0+: f1 g2 h3" },
    "f=f1^ g=g2 h=h3 r m" },
  { "others between them", "f w g w r!0 m", { "0+: f1 g2 k3" },
    "f=f1^ w g=g2 .k3 w r m" },
  { "recursion", "f f f r!0 m", { "0+: f1 f2 f3 f4 f5" },
    "f=f1^ f=f2 f=f3 .f4 .f5 r m" },
  { "recursion, more frames than nodes", "f f f r!0 m", { "0+: f1 f2" },
    "f=f1^ f=f2 f r m" },
  { "stale activations below", "a b a r!0 m", { "0+: a1 c2" },
    "a=a1^ .c2 b a r m" },
  { "a stale activation above", "b a r!0 m", { "0+: a1 c2" },
    "b a=a1^ .c2 r m" },
  { "frames of a node further on are not it", "g f r!0 m",
    { "0+: f1 g2" }, "g f=f1^ .g2 r m" },

  /* The first node awaits: frames of its function are others.  */
  { "head not running", "f r!0 m", { "0: f1 g2" }, "f .f1 .g2 r m" },
  { "one of another function", "x r!0 m", { "0: f1" }, "x .f1 r m" },
  { "node known", "f=f1 r!0 m", { "0: f1 g2" }, "f=f1 .g2 r m" },
  { "nodes known", "f=f1 w g=g2 r!0 m", { "0: f1 g2 h3" },
    "f=f1 w g=g2 .h3 r m" },
  { "known to be another", "f=f9 f=f1 r!0 m", { "0+: f1 f2" },
    "f f=f1^ .f2 r m" },
  { "known, whatever the function", "x=f1 r!0 m", { "0+: f1 f2" },
    "x=f1^ .f2 r m" },
  { "known, but not the next one", "x=g2 r!0 m", { "0+: f1 g2" },
    "x .f1^ .g2 r m" },
  { "known and not known", "f=f1 f r!0 m", { "0+: f1 f2 f3" },
    "f=f1^ f=f2 .f3 r m" },

  /* Never dropped.  */
  { "no site", "a b m", { "0: f1 g2" }, "a b m .f1? .g2?" },
  { "no site, running", "f b m", { "0+: f1 g2" }, "f=f1^ b m .g2?" },
  { "no native frames", "", { "0: f1 g2" }, ".f1? .g2?" },
  { "a site of another chain", "a r!1 m", { "0: f1" }, "a r m .f1?" },

  /* Several lists of one chain.  */
  { "roots in order", "f r!0 l g r!0 m", { "0+: f1 f2", "0+: g3 g4" },
    "f=f1^ .f2 r l g=g3^ .g4 r m" },
  { "the same coroutine function", "f r!0 f r!0 m",
    { "0+: f1 f2", "0+: f3 f4" }, "f=f1^ .f2 r f=f3^ .f4 r m" },
  { "more lists than sites", "f r!0 m", { "0+: f1", "0: g2", "0: h3" },
    "f=f1^ r m .g2? .h3?" },
  { "more sites than lists", "a r!0 r!0 m", { "0: f1" }, "a .f1 r r m" },
  { "awaiting only", "a r!0 b r!0 m", { "0: f1 f2", "0: g3" },
    "a .f1 .f2 r b .g3 r m" },

  /* Several chains.  */
  { "two chains", "f r!0 p q!1 m", { "0+: f1 f2", "1: p1 p2" },
    "f=f1^ .f2 r p .p1 .p2 q m" },
  { "outer chain first", "f r!0 p q!1 m", { "1: p1 p2", "0+: f1 f2" },
    "f=f1^ .f2 r p .p1 .p2 q m" },
  { "interleaved", "a r!0 q!1 r!0 q!1 m", { "0: f1", "1: p2", "0: f3", "1: p4" },
    "a .f1 r .p2 q .f3 r .p4 q m" },
  { "one frame, two chains", "a r!01 m", { "0: f1", "1: p2" },
    "a .f1 .p2 r m" },
  { "one without, one with", "a r!1 m", { "0: f1", "1: p2" },
    "a .p2 r m .f1?" },
  { "a frame is a node of one chain only", "f r!0 q!1 m",
    { "0+: f1", "1+: f2 f3" }, "f=f1^ r .f2^ .f3 q m" },

  /* Boundaries: one part at each activation of an evaluation loop.  */
  { "boundaries", "p!0 x p!0 m", { "0: a1 b2| c3 d4|" },
    ".a1 .b2 p x .c3 .d4 p m" },
  { "last part open", "p!0 x p!0 m", { "0: a1| c3 d4" },
    ".a1 p x .c3 .d4 p m" },
  { "more parts than sites", "p!0 m", { "0: a1| b2| c3" },
    ".a1 p m .b2? .c3?" },
  { "hidden boundaries", "p!0 x p!0 m", { "0: a1 b2-| c3 d4-|" },
    ".a1 p x .c3 p m" },
  { "a part that is all hidden takes its site", "p!0 x p!0 m",
    { "0: a1-| b2|" }, "p x .b2 p m" },
  { "then the next list", "p!0 p!0 x p!0 m", { "0: a1| b2|", "0: c3|" },
    ".a1 p .b2 p x .c3 p m" },
  { "running, with boundaries", "f r!0 g r!0 m", { "0+: f1 h2| g3 k4" },
    "f=f1^ .h2 r g=g3 .k4 r m" },

  /* Hidden nodes.  */
  { "hidden", "a r!0 m", { "0: f1- f2 f3-" }, "a .f2 r m" },
  { "all hidden", "a r!0 m", { "0: f1- f2-" }, "a r m" },
  { "a frame that is a hidden node stays plain", "f f r!0 m",
    { "0+: f1- f2 f3" }, "f f=f2 .f3 r m" },
  { "a hidden node among frames", "f g h r!0 m", { "0+: f1 g2- h3 k4" },
    "f=f1^ g h=h3 .k4 r m" },
  { "a hidden node that is no frame", "f h r!0 m", { "0+: f1 g2- h3 k4" },
    "f=f1^ h=h3 .k4 r m" },
  { "hidden in the end", "f r!0 m", { "0+: f1 g2-" }, "f=f1^ r m" },

  /* Lists that name their frame.  */
  { "by frame", "p!0@1 x p!0@2 m", { "0@2: a1" }, "p x .a1 p m" },
  { "by frame, no site needed", "p@1 x p@2 m", { "0@2: a1" },
    "p x .a1 p m" },
  { "in order", "p!0@1 x p!0@2 m", { "0@1: a1", "0@2: b2" },
    ".a1 p x .b2 p m" },
  { "not in order", "p!0@1 x p!0@2 m", { "0@2: a1", "0@1: b2" },
    ".b2 p x .a1 p m" },
  { "named and not named", "p!0@1 x p!0@2 m", { "0@1: a1", "0: b2" },
    ".a1 p x .b2 p m" },
  { "by frame, then by sites", "p!0@1 x p!0@2 y p!0@3 m",
    { "0@2: a1| b2|" }, "p x .a1 p y .b2 p m" },
  { "by frame, then no site", "p!0@1 p@2 m", { "0@2: a1| b2|" },
    "p .a1 p m .b2?" },
  { "not in order, with boundaries", "p!0@1 p!0@2 p!0@3 m",
    { "0@2: a1| b2|", "0@1: c3" }, ".c3 p .a1 p .b2 p m" },
  { "frame is not there", "p!0@1 m", { "0@7: a1" }, "p m .a1?" },
  { "addresses not known", "p!0 m", { "0@1: a1" }, "p m .a1?" },
  { "by frame, running", "f r@1 g r@2 m", { "0+@1: f1 f2", "0+@2: g3 g4" },
    "f=f1^ .f2 r g=g3^ .g4 r m" },
};

/* What a picture says.  */
typedef struct scene
{
  sframe_coro_native natives[MAX];
  char sites[MAX][4]; /* Chains that a frame is at a site of.  */
  char letters[MAX];
  size_t num_natives;
  sframe_coro_list lists[5];
  sframe_coro_node nodes[5][MAX];
  char names[5][MAX][3];
  size_t num_lists;
} scene;

static uint64_t
function_of (char letter)
{
  return letter == '_' ? 0 : 0x400000 + 0x1000 * (uint64_t) letter;
}

/* The address of the node that is called by a letter and a digit.  */
static uint64_t
node_of (const char *name)
{
  return 0x7f0000000000 + 0x100 * (uint64_t) name[0]
	 + 8 * (uint64_t) (name[1] - '0');
}

static const char *
parse_native (scene *s, const char *p)
{
  size_t i = s->num_natives++;
  sframe_coro_native *n = &s->natives[i];
  char letter = *p++;

  memset (n, 0, sizeof *n);
  s->letters[i] = letter;
  n->func_start = function_of ((char) tolower ((unsigned char) letter));
  n->func_end = n->func_start + 0x1000;
  /* Which frame it is, for is_site below.  */
  n->pc = n->func_start + i;
  if (islower ((unsigned char) letter))
    n->flags |= SFRAME_CORO_NATIVE_FUNC;
  while (*p != 0 && *p != ' ')
    {
      char c = *p++;
      if (c == '!')
	for (size_t k = 0; isdigit ((unsigned char) *p); k++)
	  s->sites[i][k] = *p++;
      else if (c == '@')
	{
	  n->flags |= SFRAME_CORO_NATIVE_CFA;
	  n->cfa = 16 * (uint64_t) (*p++ - '0') + 16;
	}
      else if (c == '=')
	{
	  n->node = node_of (p);
	  p += 2;
	}
    }
  return p;
}

static const char *
parse_node (scene *s, size_t list, const char *p)
{
  size_t i = s->lists[list].num++;
  sframe_coro_node *n = &s->nodes[list][i];

  *n = (sframe_coro_node){ .address = node_of (p),
			   .ip = function_of (p[0]),
			   .index = (uint32_t) i };
  memcpy (s->names[list][i], p, 2);
  for (p += 2; *p != 0 && *p != ' '; p++)
    n->flags |= *p == '-' ? SFRAME_CORO_NODE_HIDDEN
			  : SFRAME_CORO_NODE_BOUNDARY;
  return p;
}

static void
parse_list (scene *s, const char *p)
{
  size_t i = s->num_lists++;
  sframe_coro_list *l = &s->lists[i];

  *l = (sframe_coro_list){ .chain = (size_t) (*p++ - '0'),
			   .nodes = s->nodes[i] };
  for (; *p != ':'; p++)
    if (*p == '+')
      l->head_is_running = true;
    else if (*p == '@')
      l->frame = 16 * (uint64_t) (*++p - '0') + 8;
  for (p++; *p != 0;)
    p = *p == ' ' ? p + 1 : parse_node (s, i, p);
}

static void
parse (scene *s, const picture *p)
{
  memset (s, 0, sizeof *s);
  for (const char *n = p->natives; *n != 0;)
    n = *n == ' ' ? n + 1 : parse_native (s, n);
  for (size_t i = 0; i < ARRAY_SIZE (p->lists) && p->lists[i] != NULL; i++)
    parse_list (s, p->lists[i]);
}

static bool
is_site (void *arg, size_t chain, const sframe_coro_native *native)
{
  const scene *s = arg;
  return strchr (s->sites[native - s->natives], (int) ('0' + chain)) != NULL;
}

/* Draw the result, and check what the pictures leave open: native frames in
   their order, and which list a node is of.  */
static void
draw (const scene *s, const sframe_coro_spliced *out, size_t num, char *text)
{
  size_t native = 0;

  *text = 0;
  for (size_t i = 0; i < num; i++)
    {
      const sframe_coro_spliced *e = &out[i];
      uint32_t states
	  = SFRAME_CORO_SPLICED_RUNNING | SFRAME_CORO_SPLICED_AWAITING;

      if (i != 0)
	*text++ = ' ';
      if (e->native != SFRAME_CORO_NO_INDEX)
	{
	  ck_assert_uint_eq (e->native, native);
	  *text++ = s->letters[native++];
	}
      if (e->list != SFRAME_CORO_NO_INDEX)
	{
	  *text++ = e->native != SFRAME_CORO_NO_INDEX ? '=' : '.';
	  memcpy (text, s->names[e->list][e->node], 2);
	  text += 2;
	  ck_assert ((e->flags & states) != 0 && (e->flags & states) != states);
	}
      else
	ck_assert_uint_eq (e->flags, 0);
      if (e->flags & SFRAME_CORO_SPLICED_RUNNING)
	*text++ = '^';
      if (e->flags & SFRAME_CORO_SPLICED_NO_SITE)
	*text++ = '?';
      *text = 0;
    }
  ck_assert_uint_eq (native, s->num_natives);
}

START_TEST (picture_by_picture)
{
  const picture *p = &pictures[_i];
  scene s;
  sframe_coro_splice_ops ops = { .is_site = is_site, .arg = &s };
  sframe_coro_spliced *out;
  char text[1024];
  size_t num = 99, need;

  parse (&s, p);
  need = s.num_natives;
  for (size_t i = 0; i < s.num_lists; i++)
    need += s.lists[i].num;
  /* No more room than is promised to be enough.  */
  out = malloc (need * sizeof *out + 1);
  ck_assert_int_eq (sframe_coro_splice (s.natives, s.num_natives, s.lists,
					s.num_lists, &ops, out, need, &num),
		    SFRAME_CORO_OK);
  draw (&s, out, num, text);
  ck_assert_msg (strcmp (text, p->want) == 0, "%s: \"%s\", not \"%s\"",
		 p->what, text, p->want);
  if (need != 0)
    {
      ck_assert_int_eq (sframe_coro_splice (s.natives, s.num_natives, s.lists,
					    s.num_lists, &ops, out, need - 1,
					    &num),
			SFRAME_CORO_ERR_INVAL);
      ck_assert_uint_eq (num, 0);
    }
  free (out);
}
END_TEST

/* A caller that knows better what function a pointer belongs to: clang's
   destroy functions are not the resume functions.  */
static bool
is_same_letter (void *arg, uint64_t ip, const sframe_coro_native *native)
{
  size_t *asked = arg;
  ++*asked;
  return ip + 0x20000 == native->func_start;
}

static bool
is_any_site (void *arg, size_t chain, const sframe_coro_native *native)
{
  (void) arg;
  (void) chain;
  return native->func_start == function_of ('r');
}

START_TEST (by_caller)
{
  static const picture p
      = { "", "f F r m", { "0+: f1 g2", NULL }, "f F .f1^ .g2 r m" };
  size_t asked = 0;
  sframe_coro_splice_ops ops = { is_any_site, is_same_letter, &asked };
  sframe_coro_spliced out[MAX];
  char text[1024];
  size_t num;
  scene s;

  parse (&s, &p);
  ck_assert_int_eq (sframe_coro_splice (s.natives, s.num_natives, s.lists, 1,
					&ops, out, MAX, &num),
		    SFRAME_CORO_OK);
  draw (&s, out, num, text);
  ck_assert_str_eq (text, p.want);
  ck_assert_uint_eq (asked, 2);
  s.nodes[0][0].ip -= 0x20000;
  ck_assert_int_eq (sframe_coro_splice (s.natives, s.num_natives, s.lists, 1,
					&ops, out, MAX, &num),
		    SFRAME_CORO_OK);
  draw (&s, out, num, text);
  ck_assert_str_eq (text, "f=f1^ .g2 F r m");
  /* It is not asked where it cannot know, or need not.  */
  asked = 0;
  s.lists[0].head_is_running = false;
  s.natives[1].node = 1;
  ck_assert_int_eq (sframe_coro_splice (s.natives, s.num_natives, s.lists, 1,
					&ops, out, MAX, &num),
		    SFRAME_CORO_OK);
  ck_assert_uint_eq (asked, 0);
}
END_TEST

static void
make_scene (scene *s, unit_random *r)
{
  memset (s, 0, sizeof *s);
  s->num_natives = unit_below (r, 12);
  for (size_t i = 0; i < s->num_natives; i++)
    {
      char token[12];
      snprintf (token, sizeof token, "%c%s%s@%c", 'a' + (int) unit_below (r, 4),
		unit_below (r, 3) ? "" : "!0", unit_below (r, 4) ? "" : "=a1",
		'0' + (int) unit_below (r, 4));
      s->num_natives = i;
      parse_native (s, token);
      s->num_natives = i + 1;
    }
  for (size_t k = 1 + unit_below (r, 4); k-- > 0;)
    {
      char text[80];
      int len = snprintf (text, sizeof text, "%c%s%s:",
			  '0' + (int) unit_below (r, 2),
			  unit_below (r, 2) ? "+" : "",
			  unit_below (r, 4) ? "" : "@1");
      for (size_t n = unit_below (r, 7); n-- > 0;)
	len += snprintf (text + len, sizeof text - (size_t) len, " %c%c%s%s",
			 'a' + (int) unit_below (r, 4),
			 '1' + (int) unit_below (r, 9),
			 unit_below (r, 4) ? "" : "-",
			 unit_below (r, 4) ? "" : "|");
      parse_list (s, text);
    }
}

/* Whatever the input: native frames and nodes that are not hidden once each,
   in their order; what has no site comes last.  */
START_TEST (nothing_lost)
{
  unit_random r = { (uint64_t) _i };
  scene s;
  sframe_coro_splice_ops ops = { .is_site = is_site, .arg = &s };
  sframe_coro_spliced out[MAX];
  char text[1024];

  for (unsigned i = 0; i < 2000; i++)
    {
      size_t next[5] = { 0 }, num, shown = 0;
      bool behind = false;

      make_scene (&s, &r);
      ck_assert_int_eq (sframe_coro_splice (s.natives, s.num_natives, s.lists,
					    s.num_lists, &ops, out, MAX, &num),
			SFRAME_CORO_OK);
      draw (&s, out, num, text);
      for (size_t k = 0; k < num; k++)
	{
	  if (out[k].flags & SFRAME_CORO_SPLICED_NO_SITE)
	    behind = true;
	  ck_assert (!behind || out[k].native == SFRAME_CORO_NO_INDEX);
	  if (out[k].list == SFRAME_CORO_NO_INDEX)
	    continue;
	  ck_assert_uint_lt (out[k].list, s.num_lists);
	  ck_assert_uint_lt (out[k].node, s.lists[out[k].list].num);
	  ck_assert ((s.nodes[out[k].list][out[k].node].flags
		      & SFRAME_CORO_NODE_HIDDEN)
		     == 0);
	  shown++;
	  /* Lists that name their frame may have their parts in one place.  */
	  ck_assert_uint_ge (out[k].node, next[out[k].list]);
	  next[out[k].list] = out[k].node + 1;
	}
      for (size_t l = 0; l < s.num_lists; l++)
	for (size_t n = 0; n < s.lists[l].num; n++)
	  shown -= (s.nodes[l][n].flags & SFRAME_CORO_NODE_HIDDEN) == 0;
      ck_assert_uint_eq (shown, 0);
    }
}
END_TEST

int
main (void)
{
  const unit_test tests[] = {
    { picture_by_picture, ARRAY_SIZE (pictures) },
    { by_caller, 0 },
    { nothing_lost, 8 },
  };
  return unit_run ("splice", tests, ARRAY_SIZE (tests));
}
