/* Lists of roots, heads in native frames, and bodies with suspend points.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stdlib.h>

#include "unit.h"

#define MAX_NODES 64
#define MAX_ROOTS 16
#define TID 4711
#define TP UINT64_C (0x7f1234567000)

/* What the tests' lists are made of.  The sentinel looks like a root.  */
typedef struct root
{
  uint64_t top, next, key, frame;
} root;

typedef struct node
{
  uint64_t resume, destroy, next, waits_for;
  uint64_t index;
} node;

static struct arena
{
  uint64_t head;
  root sentinel;
  root roots[40];
  node nodes[40];
} arena;

static uint64_t
address_of (const void *p)
{
  return (uintptr_t) p;
}

static sframe_coro_path
load_at (int32_t off)
{
  return (sframe_coro_path){ .given = 1, .num_offs = 1, .off = { off } };
}

static sframe_coro_chain
make_chain (int roots)
{
  sframe_coro_chain c = { .abi_arch = SFRAME_CORO_ABI_AMD64_LE,
			  .num_heads = 1,
			  .ip_kind = SFRAME_CORO_IP_FUNCTION_ENTRY,
			  .roots = (uint8_t) roots };

  c.head[0] = (sframe_coro_head){ .kind = SFRAME_CORO_HEAD_GLOBAL,
				  .value = address_of (&arena.head),
				  .path = load_at (0) };
  c.path[SFRAME_CORO_PATH_TOP] = load_at (offsetof (root, top));
  c.path[SFRAME_CORO_PATH_ROOT_NEXT] = load_at (offsetof (root, next));
  c.path[SFRAME_CORO_PATH_ROOT_KEY] = load_at (offsetof (root, key));
  c.path[SFRAME_CORO_PATH_NEXT] = load_at (offsetof (node, next));
  c.path[SFRAME_CORO_PATH_IP] = load_at (offsetof (node, resume));
  c.path[SFRAME_CORO_PATH_IP_ALT] = load_at (offsetof (node, destroy));
  return c;
}

/* NUM roots, root I with I nodes of its own; the last goes on at LAST.  */
static void
make_roots (size_t num, uint64_t last)
{
  size_t used = 0;

  memset (&arena, 0, sizeof arena);
  for (size_t i = 0; i < num; i++)
    {
      root *r = &arena.roots[i];
      r->next = i + 1 < num ? address_of (&arena.roots[i + 1]) : last;
      r->key = TID + i % 2;
      r->frame = 0x7ffe0000 + i;
      for (size_t k = 0; k < i && used < ARRAY_SIZE (arena.nodes); k++)
	{
	  node *n = &arena.nodes[used++];
	  n->resume = 0x401000 + 0x100 * i + k;
	  n->next = k + 1 < i ? address_of (n + 1) : 0;
	  if (k == 0)
	    r->top = address_of (n);
	}
    }
  arena.head = num != 0 ? address_of (&arena.roots[0]) : 0;
}

typedef struct result
{
  sframe_coro_stop stop;
  size_t num;
  sframe_coro_root roots[MAX_ROOTS];
  sframe_coro_node nodes[MAX_NODES];
  uint64_t base;
} result;

/* Walk by C with at most MAX_ROOTS roots, as the process itself and by a
   function that reads: both must give the same.  */
static void
walk (const sframe_coro_chain *c, const sframe_coro_bodies *bodies,
      const uint64_t *frame_head, size_t max_nodes, size_t max_roots,
      result *r)
{
  const unit_piece piece = { address_of (&arena), &arena, sizeof arena };
  unit_memory at = { .pieces = &piece, .num = 1 };
  const sframe_coro_memory ways[] = { { NULL, NULL },
				      { unit_memory_read, &at } };
  sframe_coro_thread thread = { TP, TID, SFRAME_CORO_LIBC_GLIBC };
  static result each[2];

  for (size_t i = 0; i < 2; i++)
    {
      sframe_coro_walker w = { &ways[i], &thread, NULL, bodies, frame_head };
      result *e = &each[i];
      memset (e, 0, sizeof *e);
      e->stop = sframe_coro_walk_roots (c, &w, e->nodes, max_nodes, e->roots,
					max_roots, &e->num, &e->base);
      ck_assert_uint_le (e->num, max_roots);
    }
  ck_assert_mem_eq (&each[0], &each[1], sizeof each[0]);
  *r = each[0];
}

/* Expect the roots with the numbers at WANT.  */
static void
expect_roots (const result *r, sframe_coro_stop stop, const unsigned *want,
	      size_t num)
{
  size_t first = 0;

  ck_assert_int_eq (r->stop, stop);
  ck_assert_uint_eq (r->num, num);
  for (size_t i = 0; i < num; i++)
    {
      const sframe_coro_root *x = &r->roots[i];
      ck_assert_uint_eq (x->address, address_of (&arena.roots[want[i]]));
      ck_assert_uint_eq (x->num, want[i]);
      ck_assert_uint_eq (x->first, first);
      ck_assert_int_eq (x->stop, want[i] == 0 ? SFRAME_CORO_STOP_NO_HEAD
					      : SFRAME_CORO_STOP_END);
      for (size_t k = 0; k < x->num; k++)
	{
	  const sframe_coro_node *n = &r->nodes[first + k];
	  ck_assert_uint_eq (n->ip, 0x401000 + 0x100 * want[i] + k);
	  ck_assert_uint_eq (n->index, k);
	}
      first += x->num;
    }
}

#define EXPECT(R, STOP, ...)                                                  \
  expect_roots (&(R), SFRAME_CORO_STOP_##STOP,                                \
		(const unsigned[]){ __VA_ARGS__ },                            \
		sizeof (const unsigned[]){ __VA_ARGS__ } / sizeof (unsigned))

START_TEST (all)
{
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_ALL);
  result r;

  make_roots (4, 0);
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  EXPECT (r, END, 0, 1, 2, 3);
  ck_assert_uint_eq (r.base, address_of (&arena.head));
  ck_assert_uint_eq (r.roots[1].frame, 0);
  ck_assert_uint_eq (r.roots[1].blocked, 0);
  /* Exactly as many as there is room for, and one more.  */
  walk (&c, NULL, NULL, MAX_NODES, 4, &r);
  EXPECT (r, END, 0, 1, 2, 3);
  walk (&c, NULL, NULL, MAX_NODES, 3, &r);
  EXPECT (r, DEPTH_LIMIT, 0, 1, 2);
}
END_TEST

/* There is but one root, however many are linked.  */
START_TEST (single)
{
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_NONE);
  result r;

  make_roots (4, 0);
  arena.head = address_of (&arena.roots[2]);
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  EXPECT (r, END, 2);
  make_roots (0, 0);
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  ck_assert_int_eq (r.stop, SFRAME_CORO_STOP_NO_HEAD);
  ck_assert_uint_eq (r.num, 0);
}
END_TEST

START_TEST (by_key)
{
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_BY_TID);
  result r;

  make_roots (5, 0);
  /* Thread IDs have 32 bits.  */
  arena.roots[2].key |= UINT64_C (0xabcd) << 32;
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  EXPECT (r, END, 0, 2, 4);
  arena.roots[0].key = arena.roots[2].key = arena.roots[4].key = 1;
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  ck_assert_int_eq (r.stop, SFRAME_CORO_STOP_NO_HEAD);
  c.roots = SFRAME_CORO_ROOTS_BY_TP;
  arena.roots[1].key = TP;
  arena.roots[3].key = TP | UINT64_C (1) << 63;
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  EXPECT (r, END, 1);
}
END_TEST

/* Circular lists: through the head itself, a sentinel in it, or any of the
   roots.  No root is given twice.  */
START_TEST (circular)
{
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_ALL);
  result r;

  make_roots (4, address_of (&arena.roots[0]));
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  EXPECT (r, END, 0, 1, 2, 3);
  for (size_t back = 1; back < 8; back++)
    {
      make_roots (8, address_of (&arena.roots[back]));
      walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
      EXPECT (r, CYCLE, 0, 1, 2, 3, 4, 5, 6, 7);
    }
  /* A sentinel that the head is.  */
  make_roots (4, address_of (&arena.sentinel));
  arena.sentinel.next = arena.head;
  c.head[0].value = address_of (&arena.sentinel);
  c.head[0].path = load_at (offsetof (root, next));
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  EXPECT (r, END, 0, 1, 2, 3);
  arena.sentinel.next = address_of (&arena.sentinel);
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  ck_assert_int_eq (r.stop, SFRAME_CORO_STOP_NO_HEAD);
}
END_TEST

/* Roots of other threads without end.  */
START_TEST (endless)
{
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_BY_TID);
  result r;

  for (size_t back = 1; back < 8; back++)
    {
      make_roots (8, address_of (&arena.roots[back]));
      for (size_t i = 0; i < 8; i++)
	arena.roots[i].key = 1;
      walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
      ck_assert_int_eq (r.stop, SFRAME_CORO_STOP_CYCLE);
      ck_assert_uint_eq (r.num, 0);
    }
}
END_TEST

START_TEST (cut)
{
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_ALL);
  result r;

  make_roots (3, 0x1001);
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  EXPECT (r, BAD_POINTER, 0, 1, 2);
  /* One root's list does not spoil the others'.  */
  make_roots (4, 0);
  arena.roots[2].top = 0x1001;
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  ck_assert_int_eq (r.stop, SFRAME_CORO_STOP_END);
  ck_assert_uint_eq (r.num, 4);
  ck_assert_int_eq (r.roots[2].stop, SFRAME_CORO_STOP_BAD_POINTER);
  ck_assert_uint_eq (r.roots[3].num, 3);
  /* The nodes of all together are limited.  */
  make_roots (4, 0);
  walk (&c, NULL, NULL, 4, MAX_ROOTS, &r);
  ck_assert_uint_eq (r.num, 4);
  ck_assert_int_eq (r.roots[3].stop, SFRAME_CORO_STOP_DEPTH_LIMIT);
  ck_assert_uint_eq (r.roots[3].num, 1);
}
END_TEST

/* Others' roots that are never the same: a stride through memory of which
   nothing is read.  */
START_TEST (steps)
{
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_BY_TP);
  result r;

  make_roots (1, 0);
  c.path[SFRAME_CORO_PATH_ROOT_NEXT]
      = (sframe_coro_path){ .given = 1, .adjust = 8 };
  /* No thread pointer is odd.  */
  c.path[SFRAME_CORO_PATH_ROOT_KEY]
      = (sframe_coro_path){ .given = 1, .adjust = 1 };
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  ck_assert_int_eq (r.stop, SFRAME_CORO_STOP_DEPTH_LIMIT);
  ck_assert_uint_eq (r.num, 0);
}
END_TEST

/* Walk by C in memory of which nothing but the arena can be read.  */
static sframe_coro_stop
walk_foreign (const sframe_coro_chain *c, result *r)
{
  const unit_piece piece = { address_of (&arena), &arena, sizeof arena };
  unit_memory at = { .pieces = &piece, .num = 1 };
  const sframe_coro_memory memory = { unit_memory_read, &at };
  sframe_coro_thread thread = { TP, TID, SFRAME_CORO_LIBC_GLIBC };
  sframe_coro_walker w = { .memory = &memory, .thread = &thread };

  memset (r, 0, sizeof *r);
  r->stop = sframe_coro_walk_roots (c, &w, r->nodes, MAX_NODES, r->roots,
				    MAX_ROOTS, &r->num, &r->base);
  return r->stop;
}

START_TEST (unreadable)
{
  const uint64_t nowhere = 0x10000;
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_ALL);
  result r;

  /* The root that cannot be read is told, and that nothing is behind it.  */
  make_roots (3, nowhere);
  ck_assert_int_eq (walk_foreign (&c, &r), SFRAME_CORO_STOP_UNREADABLE);
  ck_assert_uint_eq (r.num, 4);
  ck_assert_int_eq (r.roots[2].stop, SFRAME_CORO_STOP_END);
  ck_assert_uint_eq (r.roots[3].address, nowhere);
  ck_assert_int_eq (r.roots[3].stop, SFRAME_CORO_STOP_UNREADABLE);
  ck_assert_uint_eq (r.roots[3].num, 0);
  /* Nobody knows whose it is.  */
  c.roots = SFRAME_CORO_ROOTS_BY_TID;
  ck_assert_int_eq (walk_foreign (&c, &r), SFRAME_CORO_STOP_UNREADABLE);
  ck_assert_uint_eq (r.num, 2);
  c.head[0].value = nowhere;
  ck_assert_int_eq (walk_foreign (&c, &r), SFRAME_CORO_STOP_UNREADABLE);
  ck_assert_uint_eq (r.num, 0);
}
END_TEST

/* A head in the TLS block of a module of which nothing is known.  */
START_TEST (unresolved)
{
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_ALL);
  result r;

  make_roots (3, 0);
  c.head[0].kind = SFRAME_CORO_HEAD_TLS_OFFSET;
  c.head[0].value = 8;
  ck_assert_int_eq (walk_foreign (&c, &r), SFRAME_CORO_STOP_UNRESOLVED);
  ck_assert_uint_eq (r.num, 0);
}
END_TEST

START_TEST (frames_and_blocked)
{
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_ALL);
  result r;

  make_roots (3, 0);
  /* The last node of root 2 waits for root 1.  */
  arena.nodes[2].waits_for = address_of (&arena.roots[1]);
  c.flags = SFRAME_CORO_CHAIN_ROOT_FRAME;
  c.root_frame_off = offsetof (root, frame);
  c.path[SFRAME_CORO_PATH_BLOCKED] = load_at (offsetof (node, waits_for));
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  EXPECT (r, END, 0, 1, 2);
  for (size_t i = 0; i < 3; i++)
    ck_assert_uint_eq (r.roots[i].frame, 0x7ffe0000 + i);
  ck_assert_uint_eq (r.roots[0].blocked, 0);
  ck_assert_uint_eq (r.roots[1].blocked, 0);
  ck_assert_uint_eq (r.roots[2].blocked, address_of (&arena.roots[1]));
}
END_TEST

/* Heads in order; one in a native frame counts where a frame is given.  */
START_TEST (frame_head)
{
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_ALL);
  uint64_t in_frame;
  result r;

  make_roots (3, 0);
  in_frame = address_of (&arena.roots[1]);
  c.num_heads = 2;
  c.head[1] = c.head[0];
  c.head[0] = (sframe_coro_head){ .kind = SFRAME_CORO_HEAD_FRAME };
  walk (&c, NULL, &in_frame, MAX_NODES, MAX_ROOTS, &r);
  EXPECT (r, END, 1, 2);
  ck_assert_uint_eq (r.base, in_frame);
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  EXPECT (r, END, 0, 1, 2);
  ck_assert_uint_eq (r.base, address_of (&arena.head));
  in_frame = 0;
  walk (&c, NULL, &in_frame, MAX_NODES, MAX_ROOTS, &r);
  EXPECT (r, END, 0, 1, 2);
}
END_TEST

static int
read_register (void *arg, unsigned regno, uint64_t *value)
{
  (void) arg;
  if (regno != 3)
    return -1;
  *value = address_of (&arena.roots[0]);
  return 0;
}

START_TEST (row_head)
{
  const struct
  {
    sframe_coro_row row;
    int err;
    uint64_t head;
  } cases[] = {
    { { 0, SFRAME_CORO_BASE_CFA, 0, -8 }, 0, address_of (&arena.nodes[0]) },
    { { 0, SFRAME_CORO_BASE_CFA, 1, -8 }, 0, address_of (&arena.head) },
    { { 0, 3, 0, offsetof (root, frame) }, 0, 0x7ffe0000 },
    { { 0, 3, 1, 16 }, 0, address_of (&arena.roots[0]) + 16 },
    { { 0, 4, 1, 0 }, SFRAME_CORO_ERR_UNREADABLE, 0 },
    { { 0, SFRAME_CORO_BASE_CFA, 0, -4096 }, SFRAME_CORO_ERR_UNREADABLE, 0 },
  };
  const unit_piece piece = { address_of (&arena), &arena, sizeof arena };
  unit_memory at = { .pieces = &piece, .num = 1 };
  sframe_coro_memory memory = { unit_memory_read, &at };
  uint64_t cfa = address_of (&arena.head) + 8, head;

  make_roots (2, 0);
  arena.head = address_of (&arena.nodes[0]);
  for (size_t i = 0; i < ARRAY_SIZE (cases); i++)
    {
      ck_assert_int_eq (sframe_coro_row_head (&cases[i].row, false, &memory,
					      cfa, read_register, NULL, &head),
			cases[i].err);
      if (cases[i].err == SFRAME_CORO_OK)
	ck_assert_uint_eq (head, cases[i].head);
    }
  ck_assert_int_eq (sframe_coro_row_head (&cases[3].row, false, &memory, cfa,
					  NULL, NULL, &head),
		    SFRAME_CORO_ERR_UNREADABLE);
}
END_TEST

/* Add function F of the one chain to E.  */
static void
add (sframe_coro_encoder *e, sframe_coro_func f, const sframe_coro_row *rows,
     const sframe_coro_body *body, const sframe_coro_point *points)
{
  ck_assert_int_eq (sframe_coro_encoder_add_func (e, &f, 0, rows, body,
						  points),
		    SFRAME_CORO_OK);
}

/* An index with two bodies and a site with rows.  *BYTES is to be freed last.
   The byte order of the section is that of ABI, the lists are ours.  */
static sframe_coro_index *
make_index (int abi, unsigned char **bytes)
{
  const sframe_coro_row rows[] = { { 4, SFRAME_CORO_BASE_CFA, 0, -8 },
				   { 12, 3, 1, 40 } };
  const sframe_coro_point points[] = { { 2, 16 }, { 4, 32 }, { 4, 48 } };
  const sframe_coro_body counted
      = { .index_off = offsetof (node, index), .index_size = 2 };
  const sframe_coro_body other
      = { .next = load_at (offsetof (node, waits_for)),
	  .ip = load_at (offsetof (node, destroy)) };
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_NONE);
  sframe_coro_encoder *e = sframe_coro_encoder_new (abi);
  sframe_coro_index *x = sframe_coro_index_new ();
  sframe_coro_section s;
  size_t size;

  c.name = "x";
  ck_assert_int_eq (sframe_coro_encoder_add_chain (e, &c, NULL), 0);
  add (e, (sframe_coro_func){ .start = 0x501000, .size = 64, .num = 3,
			      .kind = SFRAME_CORO_FUNC_BODY },
       NULL, &counted, points);
  add (e, (sframe_coro_func){ .start = 0x502000, .size = 64,
			      .kind = SFRAME_CORO_FUNC_BODY },
       NULL, &other, NULL);
  add (e, (sframe_coro_func){ .start = 0x503000, .size = 20, .num = 2,
			      .kind = SFRAME_CORO_FUNC_SITE },
       rows, NULL, NULL);
  ck_assert_int_eq (sframe_coro_encoder_write (e, 0x10000, bytes, &size), 0);
  sframe_coro_encoder_free (e);
  ck_assert_int_eq (sframe_coro_section_open (&s, *bytes, size, 0x10000, NULL),
		    0);
  ck_assert_int_eq (sframe_coro_index_add (x, &s, NULL, NULL), 0);
  ck_assert_int_eq (sframe_coro_index_finish (x), 0);
  return x;
}

START_TEST (bodies)
{
  unsigned char *bytes;
  sframe_coro_index *x = make_index (unit_abis[_i], &bytes);
  sframe_coro_bodies b = sframe_coro_index_bodies (x);
  sframe_coro_chain c = make_chain (SFRAME_CORO_ROOTS_NONE);
  static const uint64_t resume_pc[] = { 0x501010, 0x501020, 0, 0, 0, 0 };
  static const uint64_t ip[]
      = { 0x501000, 0x501000, 0x501000, 0x777000, 0x401000, 0x600000 };
  node *n = arena.nodes;
  result r;

  c.path[SFRAME_CORO_PATH_TOP].given = 0;
  make_roots (0, 0);
  arena.head = address_of (n);
  for (unsigned i = 0; i < 6; i++)
    {
      n[i].resume = 0x501000;
      n[i].next = i < 5 ? address_of (&n[i + 1]) : 0;
    }
  n[0].index = 2;
  n[1].index = 4 | 7 << 16; /* Two bytes of it count.  */
  n[2].index = 6;	    /* No such point.  */
  /* A body that says where next and IP are.  */
  n[3].resume = 0x502000;
  n[3].destroy = 0x777000;
  n[3].next = 0;
  n[3].waits_for = address_of (&n[4]);
  n[4].resume = 0x401000; /* No body.  */
  n[5].resume = 0;	  /* At its end.  */
  n[5].destroy = 0x600000;
  n[5].index = 2;
  walk (&c, &b, NULL, MAX_NODES, MAX_ROOTS, &r);
  ck_assert_int_eq (r.stop, SFRAME_CORO_STOP_END);
  ck_assert_uint_eq (r.num, 1);
  ck_assert_uint_eq (r.roots[0].num, 6);
  for (unsigned i = 0; i < 6; i++)
    {
      ck_assert_uint_eq (r.nodes[i].address, address_of (&n[i]));
      ck_assert_uint_eq (r.nodes[i].ip, ip[i]);
      ck_assert_uint_eq (r.nodes[i].resume_pc, resume_pc[i]);
    }
  ck_assert_uint_eq (r.nodes[5].flags, SFRAME_CORO_NODE_ALT_IP);
  /* Without them all is by the chain.  */
  walk (&c, NULL, NULL, MAX_NODES, MAX_ROOTS, &r);
  ck_assert_uint_eq (r.roots[0].num, 4);
  for (unsigned i = 0; i < 4; i++)
    ck_assert_uint_eq (r.nodes[i].resume_pc, 0);
  ck_assert_uint_eq (r.nodes[3].ip, 0x502000);
  sframe_coro_index_free (x);
  free (bytes);
}
END_TEST

/* A row holds from its PC on, seen from the instruction before the return
   address or from there.  */
START_TEST (rows)
{
  unsigned char *bytes;
  sframe_coro_index *x = make_index (unit_abis[_i], &bytes);
  size_t cursor = 0;
  const sframe_coro_func *f
      = sframe_coro_index_find (x, 0x503001, SFRAME_CORO_FUNC_SITE, &cursor,
				NULL);
  sframe_coro_row row;

  ck_assert_ptr_nonnull (f);
  ck_assert_int_eq (sframe_coro_index_row (x, f, 0x503001, &row),
		    SFRAME_CORO_ERR_NOT_FOUND);
  ck_assert_int_eq (sframe_coro_index_row (x, f, 0x503008, &row), 0);
  ck_assert_uint_eq (row.base, SFRAME_CORO_BASE_CFA);
  ck_assert_int_eq (row.off, -8);
  ck_assert_int_eq (sframe_coro_index_row (x, f, 0x503014, &row), 0);
  ck_assert_uint_eq (row.base, 3);
  ck_assert_uint_eq (row.flags, SFRAME_CORO_ROW_IN_REGISTER);
  ck_assert_int_eq (row.off, 40);
  ck_assert_int_eq (sframe_coro_index_row_at (x, f, 0, &row), 0);
  ck_assert_int_eq (row.off, -8);
  ck_assert_int_eq (sframe_coro_index_row_at (x, f, 1, &row), 0);
  ck_assert_int_eq (row.off, 40);
  ck_assert_int_eq (sframe_coro_index_row_at (x, f, 2, &row),
		    SFRAME_CORO_ERR_NOT_FOUND);
  sframe_coro_index_free (x);
  free (bytes);
}
END_TEST

int
main (void)
{
  const unit_test tests[] = {
    { all, 0 },
    { single, 0 },
    { by_key, 0 },
    { circular, 0 },
    { endless, 0 },
    { cut, 0 },
    { steps, 0 },
    { unreadable, 0 },
    { unresolved, 0 },
    { frames_and_blocked, 0 },
    { frame_head, 0 },
    { row_head, 0 },
    { bodies, 4 },
    { rows, 4 },
  };
  return unit_run ("roots", tests, ARRAY_SIZE (tests));
}
