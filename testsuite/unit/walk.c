/* Walker: why a walk stops, and what it gives until then.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stdlib.h>

#include "unit.h"

#define MAX 512

/* A node of the tests: four words.  */
typedef struct node
{
  uint64_t ip, alt, tag, next;
} node;

/* Enough of them, with room around for paths with negative offsets.  */
static node room[MAX + 16];
#define NODES (room + 8)

static uint64_t
address_of (const void *p)
{
  return (uintptr_t) p;
}

/* Link NUM nodes; the last one goes on at LAST.  IPs tell them apart.  */
static void
make_list (size_t num, uint64_t last)
{
  memset (room, 0xee, sizeof room);
  for (size_t i = 0; i < num; i++)
    {
      NODES[i].ip = 0x401000 + i;
      NODES[i].alt = 0x501010 + i;
      NODES[i].tag = 0;
      NODES[i].next = i + 1 < num ? address_of (&NODES[i + 1]) : last;
    }
}

static sframe_coro_path
load_at (int32_t off)
{
  return (sframe_coro_path){ .given = 1, .num_offs = 1, .off = { off } };
}

static sframe_coro_chain
plain_chain (void)
{
  sframe_coro_chain c = { .abi_arch = SFRAME_CORO_ABI_AMD64_LE,
			  .num_heads = 1,
			  .ip_kind = SFRAME_CORO_IP_FUNCTION_ENTRY };
  c.path[SFRAME_CORO_PATH_IP] = load_at (offsetof (node, ip));
  c.path[SFRAME_CORO_PATH_NEXT] = load_at (offsetof (node, next));
  return c;
}

typedef struct result
{
  sframe_coro_stop stop;
  size_t num;
  sframe_coro_node *nodes; /* From malloc, no longer than the maximum.  */
} result;

static result
walk_by (const sframe_coro_chain *c, const sframe_coro_memory *memory,
	 uint64_t first, size_t max)
{
  result r = { .nodes = malloc (max * sizeof *r.nodes + 1) };

  r.stop = sframe_coro_walk_list (c, memory, first, r.nodes, max, &r.num);
  ck_assert_uint_le (r.num, max);
  return r;
}

static void
expect_same (const result *a, const result *b)
{
  ck_assert_int_eq (a->stop, b->stop);
  ck_assert_uint_eq (a->num, b->num);
  for (size_t i = 0; i < a->num; i++)
    {
      ck_assert_uint_eq (a->nodes[i].address, b->nodes[i].address);
      ck_assert_uint_eq (a->nodes[i].ip, b->nodes[i].ip);
      ck_assert_uint_eq (a->nodes[i].aux, b->nodes[i].aux);
      ck_assert_uint_eq (a->nodes[i].flags, b->nodes[i].flags);
      ck_assert_uint_eq (a->nodes[i].index, b->nodes[i].index);
    }
}

/* Walk from FIRST with a function that reads, and as the process itself in
   both ways to say so; they must agree.  */
static result
walk (const sframe_coro_chain *c, uint64_t first, size_t max)
{
  const unit_piece piece = { address_of (room), room, sizeof room };
  unit_memory at = { .pieces = &piece, .num = 1 };
  sframe_coro_memory foreign = { unit_memory_read, &at };
  sframe_coro_memory own = { NULL, NULL };
  result r = walk_by (c, &foreign, first, max);
  result by_null = walk_by (c, NULL, first, max);
  result by_own = walk_by (c, &own, first, max);

  expect_same (&r, &by_null);
  expect_same (&r, &by_own);
  free (by_null.nodes);
  free (by_own.nodes);
  return r;
}

/* Walk C from FIRST and expect STOP after the nodes with the NUM numbers at
   WANT, or the first NUM if it is NULL.  */
static void
expect_walk (const sframe_coro_chain *c, uint64_t first, size_t max,
	     sframe_coro_stop stop, const unsigned *want, size_t num)
{
  result r = walk (c, first, max);

  ck_assert_int_eq (r.stop, stop);
  ck_assert_uint_eq (r.num, num);
  for (size_t i = 0; i < num; i++)
    {
      const node *n = &NODES[want != NULL ? want[i] : i];
      ck_assert_uint_eq (r.nodes[i].address, address_of (n));
      ck_assert_uint_eq (r.nodes[i].ip, n->ip);
      ck_assert_uint_eq (r.nodes[i].aux, 0);
      ck_assert_uint_eq (r.nodes[i].flags, 0);
      ck_assert_uint_eq (r.nodes[i].index, i);
    }
  free (r.nodes);
}

#define FIRST address_of (NODES)
#define STOP(NAME) SFRAME_CORO_STOP_##NAME

START_TEST (to_the_end)
{
  sframe_coro_chain c = plain_chain ();

  for (size_t n = 1; n <= MAX; n += n < 70 ? 1 : 37)
    {
      make_list (n, 0);
      expect_walk (&c, FIRST, MAX, STOP (END), NULL, n);
      expect_walk (&c, FIRST, n, STOP (END), NULL, n);
    }
  ck_assert (!sframe_coro_stop_is_cut (STOP (END)));
}
END_TEST

START_TEST (no_head)
{
  sframe_coro_chain c = plain_chain ();

  expect_walk (&c, 0, MAX, STOP (NO_HEAD), NULL, 0);
  expect_walk (&c, 0, 0, STOP (NO_HEAD), NULL, 0);
  /* Nothing but tag bits is null.  */
  c.ptr_align_log2 = 3;
  expect_walk (&c, 7, MAX, STOP (NO_HEAD), NULL, 0);
  ck_assert (!sframe_coro_stop_is_cut (STOP (NO_HEAD)));
}
END_TEST

START_TEST (depth_limit)
{
  sframe_coro_chain c = plain_chain ();

  make_list (50, 0);
  for (size_t max = 0; max < 50; max++)
    expect_walk (&c, FIRST, max, STOP (DEPTH_LIMIT), NULL, max);
  ck_assert (sframe_coro_stop_is_cut (STOP (DEPTH_LIMIT)));
}
END_TEST

/* All tails and cycles of up to 40 nodes: each node once, with room to spare
   and without.  */
START_TEST (cycle)
{
  sframe_coro_chain c = plain_chain ();
  size_t tail = (size_t) _i;

  for (size_t length = 1; length <= 40; length++)
    {
      size_t n = tail + length;
      make_list (n, address_of (&NODES[tail]));
      expect_walk (&c, FIRST, MAX, STOP (CYCLE), NULL, n);
      expect_walk (&c, FIRST, 2 * n, STOP (CYCLE), NULL, n);
      expect_walk (&c, FIRST, n + 1, STOP (CYCLE), NULL, n);
      expect_walk (&c, FIRST, n, STOP (CYCLE), NULL, n);
      expect_walk (&c, FIRST, n - 1, STOP (DEPTH_LIMIT), NULL, n - 1);
    }
  ck_assert (sframe_coro_stop_is_cut (STOP (CYCLE)));
}
END_TEST

/* Cycles as long as the limit.  */
START_TEST (long_cycle)
{
  static const size_t lengths[] = { 200, 255, 256, 257, 300, 511, 512 };
  sframe_coro_chain c = plain_chain ();

  for (size_t i = 0; i < ARRAY_SIZE (lengths); i++)
    for (size_t tail = 0; tail < lengths[i]; tail += 1 + lengths[i] / 3)
      {
	make_list (lengths[i], address_of (&NODES[tail]));
	expect_walk (&c, FIRST, MAX, STOP (CYCLE), NULL, lengths[i]);
      }
}
END_TEST

/* Memory of which only the first LEFT reads work, as when a process ends while
   it is looked at.  */
typedef struct dying
{
  unit_memory memory;
  size_t left;
} dying;

static int
dying_read (void *arg, uint64_t address, void *buf, size_t len)
{
  dying *d = arg;

  if (d->left == 0)
    return -1;
  d->left--;
  return unit_memory_read (&d->memory, address, buf, len);
}

/* A cycle whose memory can no longer be read from some point on.  Nodes may
   show up a second time before that, as the cycle is not noticed yet, but each
   is what the list has there, and no more are read than it takes to notice.  */
START_TEST (cycle_cut)
{
  const unit_piece piece = { address_of (room), room, sizeof room };
  sframe_coro_chain c = plain_chain ();
  size_t tail = (size_t) _i, length = 5, twice = 0, unreadable = 0;
  size_t all = 2 * MAX, reads = 0;

  make_list (tail + length, address_of (&NODES[tail]));
  for (size_t left = 0; left <= all; left++)
    {
      dying d = { { .pieces = &piece, .num = 1 }, left };
      sframe_coro_memory memory = { dying_read, &d };
      result r = walk_by (&c, &memory, FIRST, MAX);

      for (size_t i = 0; i < r.num; i++)
	ck_assert_uint_eq (
	    r.nodes[i].address,
	    address_of (
		&NODES[i < tail ? i : tail + (i - tail) % length]));
      twice += r.num > tail + length;
      if (r.stop == STOP (UNREADABLE))
	{
	  /* Address and IP of each, of the last one maybe only the IP.  */
	  ck_assert_uint_eq (d.left, 0);
	  ck_assert_uint_eq (r.num, (left + 1) / 2);
	  unreadable++;
	}
      else
	{
	  ck_assert_int_eq (r.stop, STOP (CYCLE));
	  ck_assert_uint_eq (r.num, tail + length);
	  /* It takes as many reads whatever comes after them.  */
	  if (reads == 0)
	    reads = left;
	  ck_assert_uint_eq (left - d.left, reads);
	}
      free (r.nodes);
    }
  ck_assert_uint_gt (reads, 0);
  ck_assert_uint_eq (unreadable, reads);
  /* Brent: the mark is in the cycle, and far enough from its next place, after
     less than four times as many steps as there are nodes.  */
  ck_assert_uint_lt (reads, 2 * 4 * (tail + length));
  /* After seven nodes before the cycle the mark moves right into it.  */
  if (tail % 8 != 7)
    ck_assert_uint_gt (twice, 0);
}
END_TEST

/* A node that is its own next one: the end if the chain says so.  */
START_TEST (end_self)
{
  sframe_coro_chain c = plain_chain ();

  for (size_t n = 1; n < 20; n++)
    {
      make_list (n, address_of (&NODES[n - 1]));
      c.end_kind = SFRAME_CORO_END_SELF;
      expect_walk (&c, FIRST, MAX, STOP (END), NULL, n);
      expect_walk (&c, FIRST, n, STOP (END), NULL, n);
      c.end_kind = SFRAME_CORO_END_NULL;
      expect_walk (&c, FIRST, MAX, STOP (CYCLE), NULL, n);
    }
  /* A longer cycle remains one.  */
  c.end_kind = SFRAME_CORO_END_SELF;
  make_list (3, FIRST);
  expect_walk (&c, FIRST, MAX, STOP (CYCLE), NULL, 3);
}
END_TEST

START_TEST (end_value)
{
  static const int kinds[]
      = { SFRAME_CORO_END_VALUE, SFRAME_CORO_END_ADDRESS };
  /* Values that are no pointers, and one that is.  */
  const uint64_t values[]
      = { 1, UINT64_MAX, 0xdead, address_of (&NODES[100]) };
  sframe_coro_chain c = plain_chain ();

  for (size_t i = 0; i < ARRAY_SIZE (values); i++)
    {
      make_list (5, values[i]);
      c.end_kind = (uint8_t) kinds[i % 2];
      c.end_value = values[i];
      expect_walk (&c, FIRST, MAX, STOP (END), NULL, 5);
      expect_walk (&c, values[i], MAX, STOP (NO_HEAD), NULL, 0);
      /* Null ends every list.  */
      make_list (5, 0);
      expect_walk (&c, FIRST, MAX, STOP (END), NULL, 5);
    }
  /* `end_value' is not meant with other kinds.  */
  c.end_kind = SFRAME_CORO_END_NULL;
  c.end_value = address_of (&NODES[2]);
  expect_walk (&c, FIRST, MAX, STOP (END), NULL, 5);
}
END_TEST

static const struct
{
  uint64_t pointer;
  bool bad_on_amd64, bad_elsewhere;
} pointers[] = {
  { 1, true, true },
  { 4095, true, true },
  { 4088, true, true },
  { UINT64_MAX, true, true },
  { UINT64_C (0x0100000000000000), true, false },
  { UINT64_C (0xffffffff80000000), true, false },
  { UINT64_C (0x00fffffffffffff8), false, false },
  { 4096, false, false },
  { UINT64_C (0x00007fff12345674), true, true },
};

START_TEST (bad_pointer)
{
  const unit_piece piece = { address_of (room), room, sizeof room };
  unit_memory at = { .pieces = &piece, .num = 1 };
  sframe_coro_memory memory = { unit_memory_read, &at };

  for (unsigned a = 0; a < 4; a++)
    for (size_t n = 0; n < 4; n++)
      {
	sframe_coro_chain c = plain_chain ();
	uint64_t p = pointers[_i].pointer;
	bool amd64 = unit_abis[a] == SFRAME_CORO_ABI_AMD64_LE;
	bool bad = (amd64 ? pointers[_i].bad_on_amd64
			  : pointers[_i].bad_elsewhere);
	result r;

	c.abi_arch = (uint8_t) unit_abis[a];
	make_list (n, p);
	r = walk_by (&c, &memory, n != 0 ? FIRST : p, MAX);
	ck_assert_int_eq (r.stop, bad ? STOP (BAD_POINTER) : STOP (UNREADABLE));
	ck_assert_uint_eq (r.num, n);
	free (r.nodes);
      }
  ck_assert (sframe_coro_stop_is_cut (STOP (BAD_POINTER)));
  ck_assert (sframe_coro_stop_is_cut (STOP (UNREADABLE)));
  ck_assert (sframe_coro_stop_is_cut (STOP (UNRESOLVED)));
}
END_TEST

/* Let each single read fail.  What is given is what the whole walk gives, up
   to the node at which nothing goes on, or with one IP missing.  */
START_TEST (each_read)
{
  const unit_piece piece = { address_of (room), room, sizeof room };
  unit_memory at = { .pieces = &piece, .num = 1 };
  sframe_coro_memory memory = { unit_memory_read, &at };
  sframe_coro_chain c = plain_chain ();
  size_t reads, cut = 0, without_ip = 0;
  result whole;

  c.path[SFRAME_CORO_PATH_IP_ALT] = load_at (offsetof (node, alt));
  c.num_tests = 2;
  c.test[0] = (sframe_coro_test){ .kind = SFRAME_CORO_TEST_EQUAL,
				  .width = 8,
				  .actions = SFRAME_CORO_ACT_STOP,
				  .off = offsetof (node, ip),
				  .mask = UINT64_MAX,
				  .value = offsetof (node, alt) };
  c.test[1] = (sframe_coro_test){ .kind = SFRAME_CORO_TEST_VALUE,
				  .width = 2,
				  .actions = SFRAME_CORO_ACT_HIDE,
				  .off = offsetof (node, tag),
				  .mask = 1,
				  .value = 1 };
  make_list (6, 0);
  NODES[2].ip = 0;
  NODES[4].tag = 1;
  whole = walk_by (&c, &memory, FIRST, MAX);
  ck_assert_int_eq (whole.stop, STOP (END));
  reads = at.reads;
  for (at.fail_at = 1; at.fail_at <= reads; at.fail_at++)
    {
      result r;
      size_t missing = 0;

      at.reads = 0;
      r = walk_by (&c, &memory, FIRST, MAX);
      for (size_t i = 0; i < r.num; i++)
	{
	  ck_assert_uint_eq (r.nodes[i].address, whole.nodes[i].address);
	  if ((r.nodes[i].flags & SFRAME_CORO_NODE_NO_IP) == 0)
	    {
	      ck_assert_uint_eq (r.nodes[i].ip, whole.nodes[i].ip);
	      ck_assert_uint_eq (r.nodes[i].flags, whole.nodes[i].flags);
	      continue;
	    }
	  ck_assert_uint_eq (r.nodes[i].ip, 0);
	  missing++;
	}
      if (r.stop == STOP (UNREADABLE))
	{
	  ck_assert_uint_eq (at.reads, at.fail_at);
	  ck_assert_uint_eq (missing, 0);
	  cut++;
	}
      else
	{
	  ck_assert_int_eq (r.stop, STOP (END));
	  ck_assert_uint_eq (r.num, whole.num);
	  ck_assert_uint_eq (missing, 1);
	  without_ip++;
	}
      free (r.nodes);
    }
  /* Two fields and one, next: four for each of six nodes; and seven IPs.  */
  ck_assert_uint_eq (cut, 24);
  ck_assert_uint_eq (without_ip, 7);
  free (whole.nodes);
}
END_TEST

/* A node of which nothing can be read is none.  */
START_TEST (unmapped_node)
{
  const unit_piece piece = { address_of (room), room, sizeof room };
  unit_memory at = { .pieces = &piece, .num = 1 };
  sframe_coro_memory memory = { unit_memory_read, &at };
  sframe_coro_chain c = plain_chain ();
  result r;

  make_list (3, 0x10000);
  r = walk_by (&c, &memory, FIRST, MAX);
  ck_assert_int_eq (r.stop, STOP (UNREADABLE));
  ck_assert_uint_eq (r.num, 3);
  free (r.nodes);
  /* One that goes on, but has no readable IP, is one.  */
  c.path[SFRAME_CORO_PATH_IP] = load_at (0x100000);
  make_list (3, 0);
  r = walk_by (&c, &memory, FIRST, MAX);
  ck_assert_int_eq (r.stop, STOP (END));
  ck_assert_uint_eq (r.num, 3);
  for (size_t i = 0; i < 3; i++)
    {
      ck_assert_uint_eq (r.nodes[i].flags, SFRAME_CORO_NODE_NO_IP);
      ck_assert_uint_eq (r.nodes[i].ip, 0);
    }
  free (r.nodes);
}
END_TEST

START_TEST (without_ips)
{
  sframe_coro_chain c = plain_chain ();
  result r;

  c.ip_kind = SFRAME_CORO_IP_NONE;
  make_list (4, 0);
  r = walk (&c, FIRST, MAX);
  ck_assert_int_eq (r.stop, STOP (END));
  ck_assert_uint_eq (r.num, 4);
  for (size_t i = 0; i < 4; i++)
    {
      ck_assert_uint_eq (r.nodes[i].ip, 0);
      ck_assert_uint_eq (r.nodes[i].flags, SFRAME_CORO_NODE_NO_IP);
    }
  free (r.nodes);
}
END_TEST

/* From a node over a box to the member of the next node, and back to the
   beginning of that one.  */
START_TEST (long_paths)
{
  sframe_coro_chain c = plain_chain ();
  uint64_t *boxes = (uint64_t *) (NODES + 100);
  const size_t n = 10;
  result r;

  make_list (n, 0);
  for (size_t i = 0; i < n; i++)
    {
      /* Two boxes for each node, entered behind their words.  */
      NODES[i].next = address_of (&boxes[2 * i + 1]);
      boxes[2 * i] = address_of (&boxes[2 * i + 1]);
      boxes[2 * i + 1] = i + 1 < n ? address_of (&NODES[i + 1].tag) : 0;
      NODES[i].alt = address_of (&NODES[i].ip);
    }
  c.path[SFRAME_CORO_PATH_NEXT]
      = (sframe_coro_path){ .given = 1,
			    .num_offs = 3,
			    .off = { offsetof (node, next), -8, 0 },
			    .adjust = -(int32_t) offsetof (node, tag) };
  c.path[SFRAME_CORO_PATH_IP]
      = (sframe_coro_path){ .given = 1,
			    .num_offs = 2,
			    .off = { offsetof (node, alt), 0 },
			    .adjust = 0x1000 };
  r = walk (&c, FIRST, MAX);
  ck_assert_int_eq (r.stop, STOP (END));
  ck_assert_uint_eq (r.num, n);
  for (size_t i = 0; i < n; i++)
    {
      ck_assert_uint_eq (r.nodes[i].address, address_of (&NODES[i]));
      ck_assert_uint_eq (r.nodes[i].ip, 0x401000 + i + 0x1000);
    }
  free (r.nodes);
}
END_TEST

/* A null word anywhere on a path makes it null, adjusted or not.  */
START_TEST (null_on_path)
{
  sframe_coro_chain c = plain_chain ();
  result r;

  make_list (3, 0);
  c.path[SFRAME_CORO_PATH_NEXT]
      = (sframe_coro_path){ .given = 1,
			    .num_offs = 4,
			    .off = { offsetof (node, next), 0, 0, 0 },
			    .adjust = 8 };
  NODES[0].next = address_of (&NODES[50]);
  NODES[50].ip = 0;
  expect_walk (&c, FIRST, MAX, STOP (END), NULL, 1);
  c.path[SFRAME_CORO_PATH_NEXT] = load_at (offsetof (node, next));
  make_list (3, 0);
  c.path[SFRAME_CORO_PATH_IP]
      = (sframe_coro_path){ .given = 1,
			    .num_offs = 2,
			    .off = { offsetof (node, tag), 16 },
			    .adjust = -1 };
  r = walk (&c, FIRST, MAX);
  ck_assert_uint_eq (r.num, 3);
  for (size_t i = 0; i < 3; i++)
    {
      ck_assert_uint_eq (r.nodes[i].ip, 0);
      ck_assert_uint_eq (r.nodes[i].flags, 0);
    }
  free (r.nodes);
}
END_TEST

/* Nodes in an array: the way to the next is a stride.  */
START_TEST (stride)
{
  sframe_coro_chain c = plain_chain ();

  make_list (20, 0);
  c.path[SFRAME_CORO_PATH_NEXT]
      = (sframe_coro_path){ .given = 1, .adjust = sizeof (node) };
  c.end_kind = SFRAME_CORO_END_ADDRESS;
  c.end_value = address_of (&NODES[15]);
  expect_walk (&c, FIRST, MAX, STOP (END), NULL, 15);
  expect_walk (&c, FIRST, 15, STOP (END), NULL, 15);
}
END_TEST

START_TEST (tag_bits)
{
  sframe_coro_chain c = plain_chain ();

  for (unsigned bits = 1; bits <= 3; bits++)
    for (uint64_t tag = 1; tag < 1u << bits; tag++)
      {
	make_list (5, tag);
	for (size_t i = 0; i < 4; i++)
	  NODES[i].next |= tag;
	c.ptr_align_log2 = (uint8_t) bits;
	expect_walk (&c, FIRST | tag, MAX, STOP (END), NULL, 5);
      }
  c.ptr_align_log2 = 0;
  expect_walk (&c, FIRST, MAX, STOP (BAD_POINTER), NULL, 1);
}
END_TEST

/* Where the resume pointer is null, the destroy pointer tells.  */
START_TEST (ip_alternative)
{
  sframe_coro_chain c = plain_chain ();
  result r;

  c.path[SFRAME_CORO_PATH_IP_ALT] = load_at (offsetof (node, alt));
  make_list (4, 0);
  NODES[1].ip = 0;
  NODES[2].ip = NODES[2].alt = 0;
  r = walk (&c, FIRST, MAX);
  ck_assert_uint_eq (r.num, 4);
  ck_assert_uint_eq (r.nodes[0].ip, 0x401000);
  ck_assert_uint_eq (r.nodes[0].flags, 0);
  ck_assert_uint_eq (r.nodes[1].ip, 0x501011);
  ck_assert_uint_eq (r.nodes[1].flags, SFRAME_CORO_NODE_ALT_IP);
  ck_assert_uint_eq (r.nodes[2].ip, 0);
  ck_assert_uint_eq (r.nodes[3].ip, 0x401003);
  free (r.nodes);
}
END_TEST

START_TEST (cookies)
{
  sframe_coro_chain c = plain_chain ();
  result r;

  c.ip_kind = SFRAME_CORO_IP_COOKIE;
  c.path[SFRAME_CORO_PATH_AUX] = load_at (offsetof (node, alt));
  make_list (3, 0);
  r = walk (&c, FIRST, MAX);
  ck_assert_uint_eq (r.num, 3);
  for (size_t i = 0; i < 3; i++)
    {
      ck_assert_uint_eq (r.nodes[i].ip, 0x401000 + i);
      ck_assert_uint_eq (r.nodes[i].aux, 0x501010 + i);
    }
  free (r.nodes);
}
END_TEST

/* A test on the third of five nodes.  Its tag word holds TAG, the others' 0;
   the alternative IP of the third is 0x501012.  */
#define HIDE SFRAME_CORO_ACT_HIDE
#define BOUNDARY SFRAME_CORO_ACT_BOUNDARY
#define TAG offsetof (node, tag)
#define ALT offsetof (node, alt)

static const struct
{
  sframe_coro_test test;
  uint64_t tag;
  bool holds;
} test_cases[] = {
  { { SFRAME_CORO_TEST_VALUE, 8, HIDE, TAG, UINT64_MAX, 0x1122334455667788 },
    0x1122334455667788, true },
  { { SFRAME_CORO_TEST_VALUE, 8, HIDE, TAG, UINT64_MAX, 0x1122334455667788 },
    0x1022334455667788, false },
  { { SFRAME_CORO_TEST_VALUE, 4, HIDE, TAG, UINT64_MAX, 0xfffffffe },
    0x11fffffffe, true },
  { { SFRAME_CORO_TEST_VALUE, 4, HIDE, TAG + 4, UINT64_MAX, 0x11223344 },
    0x1122334455667788, true },
  { { SFRAME_CORO_TEST_VALUE, 2, HIDE, TAG, UINT64_MAX, 0x8001 }, 0x18001,
    true },
  { { SFRAME_CORO_TEST_VALUE, 2, HIDE, TAG, 0x8000, 0x8000 }, 0x18001, true },
  { { SFRAME_CORO_TEST_VALUE, 2, HIDE, TAG, 0x4000, 0x4000 }, 0x18001, false },
  { { SFRAME_CORO_TEST_VALUE, 1, HIDE, TAG, UINT64_MAX, 0x80 }, 0x180, true },
  { { SFRAME_CORO_TEST_VALUE, 1, HIDE, TAG + 7, 0xf0, 0xc0 },
    0xcc00000000000000, true },
  /* Bits outside the mask do not count, whatever the value.  */
  { { SFRAME_CORO_TEST_VALUE, 1, HIDE, TAG, 0xff, 0x180 }, 0x80, true },
  { { SFRAME_CORO_TEST_EQUAL, 8, HIDE, TAG, UINT64_MAX, ALT },
    0x501010 + 2, true },
  { { SFRAME_CORO_TEST_EQUAL, 8, HIDE, TAG, UINT64_MAX, ALT },
    0x501010 + 3, false },
  { { SFRAME_CORO_TEST_EQUAL, 8, HIDE, TAG, 0xfff000, ALT }, 0x501abc, true },
  { { SFRAME_CORO_TEST_EQUAL, 1, HIDE, TAG, UINT64_MAX, ALT }, 0x9912, true },
  { { SFRAME_CORO_TEST_EQUAL, 8, HIDE, TAG, UINT64_MAX,
      (uint64_t) -(int64_t) sizeof (node) }, 0x401001, true },
};

START_TEST (test_kinds)
{
  sframe_coro_chain c = plain_chain ();
  result r;

  c.num_tests = 1;
  c.test[0] = test_cases[_i].test;
  make_list (5, 0);
  NODES[2].tag = test_cases[_i].tag;
  r = walk (&c, FIRST, MAX);
  ck_assert_int_eq (r.stop, STOP (END));
  ck_assert_uint_eq (r.num, 5);
  for (size_t i = 0; i < 5; i++)
    ck_assert_uint_eq (r.nodes[i].flags, i == 2 && test_cases[_i].holds
					     ? SFRAME_CORO_NODE_HIDDEN
					     : 0);
  free (r.nodes);
}
END_TEST

START_TEST (negative_offset)
{
  sframe_coro_chain c = plain_chain ();
  result r;

  c.num_tests = 1;
  c.test[0] = (sframe_coro_test){
    SFRAME_CORO_TEST_VALUE, 1, BOUNDARY, (int32_t) TAG - (int32_t) sizeof (node), 1, 1
  };
  make_list (4, 0);
  NODES[-1].tag = 0;
  NODES[1].tag = 1;
  r = walk (&c, FIRST, MAX);
  ck_assert_uint_eq (r.num, 4);
  for (size_t i = 0; i < 4; i++)
    ck_assert_uint_eq (r.nodes[i].flags,
		       i == 2 ? SFRAME_CORO_NODE_BOUNDARY : 0);
  free (r.nodes);
}
END_TEST

/* Each bit of the tag is a test of its own; what holds adds up.  */
START_TEST (actions)
{
  static const uint8_t actions[4]
      = { HIDE, BOUNDARY, HIDE | BOUNDARY, SFRAME_CORO_ACT_STOP };
  sframe_coro_chain c = plain_chain ();

  c.num_tests = 4;
  for (unsigned k = 0; k < 4; k++)
    c.test[k] = (sframe_coro_test){ SFRAME_CORO_TEST_VALUE, 1, actions[k],
				    TAG, 1u << k, 1u << k };
  for (unsigned tag = 0; tag < 16; tag++)
    {
      uint32_t flags = 0;
      result r;

      make_list (5, 0);
      NODES[3].tag = tag;
      r = walk (&c, FIRST, MAX);
      if (tag & 5)
	flags |= SFRAME_CORO_NODE_HIDDEN;
      if (tag & 6)
	flags |= SFRAME_CORO_NODE_BOUNDARY;
      ck_assert_int_eq (r.stop, tag & 8 ? STOP (TEST) : STOP (END));
      ck_assert_uint_eq (r.num, tag & 8 ? 3 : 5);
      for (size_t i = 0; i < r.num; i++)
	ck_assert_uint_eq (r.nodes[i].flags, i == 3 ? flags : 0);
      free (r.nodes);
    }
  ck_assert (!sframe_coro_stop_is_cut (STOP (TEST)));
}
END_TEST

/* noop_coroutine () is a frame whose resume and destroy pointers are equal;
   also as the very first node.  */
START_TEST (stop_by_test)
{
  sframe_coro_chain c = plain_chain ();

  c.num_tests = 1;
  c.test[0] = (sframe_coro_test){ SFRAME_CORO_TEST_EQUAL,   8,
				  SFRAME_CORO_ACT_STOP,	    0,
				  UINT64_MAX,		    ALT };
  for (size_t n = 0; n < 4; n++)
    {
      make_list (4, 0);
      NODES[n].alt = NODES[n].ip;
      expect_walk (&c, FIRST, MAX, STOP (TEST), NULL, n);
    }
}
END_TEST

/* Memory of the other byte order gives what memory of this one gives.  */
START_TEST (swapped)
{
  static node other[MAX + 16];
  const unit_piece piece = { address_of (room), other, sizeof other };
  unit_memory at = { .pieces = &piece, .num = 1 };
  sframe_coro_memory memory = { unit_memory_read, &at };
  sframe_coro_chain c = plain_chain ();
  unit_random rnd = { 5 };
  result here, there;

  c.path[SFRAME_CORO_PATH_IP_ALT] = load_at (offsetof (node, alt));
  c.num_tests = 1;
  for (unsigned width = 1; width <= 8; width *= 2)
    {
      c.test[0] = (sframe_coro_test){ SFRAME_CORO_TEST_VALUE, (uint8_t) width,
				      HIDE, TAG, 3, 1 };
      make_list (40, 0);
      for (size_t i = 0; i < 40; i++)
	{
	  NODES[i].tag = unit_next (&rnd);
	  if (unit_below (&rnd, 3) == 0)
	    NODES[i].ip = 0;
	}
      c.swap = 0;
      here = walk (&c, FIRST, MAX);
      for (size_t i = 0; i < sizeof room / 8; i++)
	((uint64_t *) other)[i]
	    = __builtin_bswap64 (((const uint64_t *) room)[i]);
      /* Only the field of the test is not a word.  */
      for (size_t i = 0; i < 40; i++)
	unit_put ((unsigned char *) &other[8 + i].tag, width,
		  impl_host_is_little (), NODES[i].tag);
      c.swap = 1;
      there = walk_by (&c, &memory, FIRST, MAX);
      expect_same (&here, &there);
      free (here.nodes);
      free (there.nodes);
    }
}
END_TEST

/* From a head to the first node.  */
START_TEST (start)
{
  sframe_coro_chain c = plain_chain ();
  sframe_coro_memory own = { NULL, NULL };
  sframe_coro_head *head = &c.head[0];
  uint64_t variable, root, first;

  make_list (3, 0);
  /* The variable is the root, and the root is the first node.  */
  ck_assert_int_eq (sframe_coro_walk_start (&c, head, &own, FIRST, &root,
					    &first),
		    STOP (END));
  ck_assert_uint_eq (root, FIRST);
  ck_assert_uint_eq (first, FIRST);
  /* The variable points to it.  */
  head->path = load_at (0);
  variable = FIRST;
  ck_assert_int_eq (sframe_coro_walk_start (&c, head, NULL,
					    address_of (&variable), &root,
					    &first),
		    STOP (END));
  ck_assert_uint_eq (first, FIRST);
  /* The root points to it.  */
  c.path[SFRAME_CORO_PATH_TOP] = load_at (offsetof (node, next));
  ck_assert_int_eq (sframe_coro_walk_start (&c, head, NULL,
					    address_of (&variable), &root,
					    &first),
		    STOP (END));
  ck_assert_uint_eq (root, FIRST);
  ck_assert_uint_eq (first, address_of (&NODES[1]));
  ck_assert_int_eq (sframe_coro_walk_start (&c, head, NULL,
					    address_of (&variable), NULL,
					    &first),
		    STOP (END));
  /* No first node, no root, something else.  */
  NODES[0].next = 0;
  ck_assert_int_eq (sframe_coro_walk_start (&c, head, NULL,
					    address_of (&variable), &root,
					    &first),
		    STOP (NO_HEAD));
  variable = 0;
  ck_assert_int_eq (sframe_coro_walk_start (&c, head, NULL,
					    address_of (&variable), &root,
					    &first),
		    STOP (NO_HEAD));
  variable = 12345;
  ck_assert_int_eq (sframe_coro_walk_start (&c, head, NULL,
					    address_of (&variable), &root,
					    &first),
		    STOP (BAD_POINTER));
  variable = FIRST | 5;
  NODES[0].next = address_of (&NODES[1]) | 2;
  c.ptr_align_log2 = 3;
  ck_assert_int_eq (sframe_coro_walk_start (&c, head, NULL,
					    address_of (&variable), &root,
					    &first),
		    STOP (END));
  ck_assert_uint_eq (root, FIRST);
  ck_assert_uint_eq (first, address_of (&NODES[1]));
}
END_TEST

/* Alternates: the first head that gives a list is used; otherwise a failure is
   worth more mention than a list that is not there.  */
static const struct
{
  const char *heads; /* 'g'ood, 'n'ull, 'u'nreadable, 'b'ad, no 's'lot,
			unres'o'lved.  */
  sframe_coro_stop stop;
  int used; /* Which head; -1: none.  */
} alternates[] = {
  { "g", STOP (END), 0 },
  { "n", STOP (NO_HEAD), 0 },
  { "s", STOP (NO_HEAD), -1 },
  { "u", STOP (UNREADABLE), 0 },
  { "b", STOP (BAD_POINTER), 0 },
  { "o", STOP (UNRESOLVED), -1 },
  { "ng", STOP (END), 1 },
  { "sg", STOP (END), 1 },
  { "ubog", STOP (END), 3 },
  { "gu", STOP (END), 0 },
  { "un", STOP (UNREADABLE), -2 },
  { "os", STOP (UNRESOLVED), -1 },
  { "nsns", STOP (NO_HEAD), -2 },
};

START_TEST (heads)
{
  static uint64_t good, null, bad = 3;
  const unit_piece pieces[]
      = { { address_of (room), room, sizeof room },
	  { address_of (&good), &good, sizeof good },
	  { address_of (&null), &null, sizeof null },
	  { address_of (&bad), &bad, sizeof bad } };
  unit_memory at = { .pieces = pieces, .num = 4 };
  sframe_coro_memory memory = { unit_memory_read, &at };
  sframe_coro_thread thread = { 0x7f0000000000, 1, SFRAME_CORO_LIBC_UNKNOWN };
  sframe_coro_chain c = plain_chain ();
  sframe_coro_node nodes[MAX];
  const char *kinds = alternates[_i].heads;
  uint64_t base = 1;
  size_t num = 99;
  sframe_coro_stop stop;

  make_list (3, 0);
  good = FIRST;
  c.num_heads = (uint8_t) strlen (kinds);
  for (unsigned i = 0; i < c.num_heads; i++)
    {
      sframe_coro_head *h = &c.head[i];
      h->path = load_at (0);
      h->kind = SFRAME_CORO_HEAD_GLOBAL;
      h->value = kinds[i] == 'g'   ? address_of (&good)
		 : kinds[i] == 'n' ? address_of (&null)
		 : kinds[i] == 'b' ? address_of (&bad)
				   : 0x10000;
      if (kinds[i] == 's')
	{
	  h->kind = SFRAME_CORO_HEAD_TP_SLOT;
	  h->value = address_of (&null);
	}
      else if (kinds[i] == 'o')
	{
	  h->kind = SFRAME_CORO_HEAD_TLS_OFFSET;
	  h->value = 8;
	}
    }
  stop = sframe_coro_walk (&c, &memory, &thread, NULL, nodes, MAX, &num,
			   &base);
  ck_assert_int_eq (stop, alternates[_i].stop);
  ck_assert_uint_eq (num, stop == STOP (END) ? 3 : 0);
  if (stop == STOP (END))
    ck_assert_uint_eq (base, c.head[alternates[_i].used].value);
  else if (alternates[_i].used == -1)
    ck_assert_uint_eq (base, 0);
  ck_assert_int_eq (sframe_coro_walk (&c, &memory, &thread, NULL, nodes, MAX,
				      &num, NULL),
		    stop);
}
END_TEST

/* A thread-local head, all the way.  */
START_TEST (from_thread)
{
  static uint64_t block[4];
  sframe_coro_chain c = plain_chain ();
  sframe_coro_thread thread
      = { address_of (&block[4]), 1, SFRAME_CORO_LIBC_UNKNOWN };
  sframe_coro_node nodes[MAX];
  uint64_t base;
  size_t num;

  make_list (4, 0);
  block[1] = FIRST;
  c.head[0] = (sframe_coro_head){ .kind = SFRAME_CORO_HEAD_TLS_OFFSET,
				  .value = (uint64_t) -24,
				  .path = load_at (0) };
  ck_assert_int_eq (sframe_coro_walk (&c, NULL, &thread, NULL, nodes, MAX,
				      &num, &base),
		    STOP (END));
  ck_assert_uint_eq (base, address_of (&block[1]));
  ck_assert_uint_eq (num, 4);
  block[1] = 0;
  ck_assert_int_eq (sframe_coro_walk (&c, NULL, &thread, NULL, nodes, MAX,
				      &num, &base),
		    STOP (NO_HEAD));
  ck_assert_uint_eq (num, 0);
}
END_TEST

/* Chains have equal rules unless a field differs that is a rule.  */
START_TEST (equal_chains)
{
  unit_random r = { 99 };
  unit_model m;
  sframe_coro_chain a, b;

  for (unsigned i = 0; i < 200; i++)
    {
      unit_model_make (&m, &r, SFRAME_CORO_ABI_AMD64_LE, 0);
      a = b = m.chains[0];
      /* These are no rules.  */
      b.address = 1234;
      b.name = "another";
      b.num_heads = 1;
      b.head[0].kind = 77;
      b.max_depth++;
      ck_assert (sframe_coro_chain_equal (&a, &b));
#define DIFFERS(LVALUE)                                                       \
  do                                                                          \
    {                                                                         \
      sframe_coro_chain save = b;                                             \
      b.LVALUE ^= 1;                                                          \
      ck_assert_msg (!sframe_coro_chain_equal (&a, &b), #LVALUE);             \
      b = save;                                                               \
    }                                                                         \
  while (0)
      DIFFERS (flags);
      DIFFERS (abi_arch);
      DIFFERS (num_tests);
      DIFFERS (ip_kind);
      DIFFERS (end_kind);
      DIFFERS (roots);
      DIFFERS (ptr_align_log2);
      DIFFERS (language);
      DIFFERS (root_frame_off);
      if (a.end_kind >= SFRAME_CORO_END_VALUE)
	DIFFERS (end_value);
      for (unsigned k = 0; k < a.num_tests; k++)
	{
	  DIFFERS (test[k].kind);
	  DIFFERS (test[k].width);
	  DIFFERS (test[k].actions);
	  DIFFERS (test[k].off);
	  DIFFERS (test[k].mask);
	  DIFFERS (test[k].value);
	}
      for (unsigned k = 0; k < SFRAME_CORO_NUM_PATHS; k++)
	{
	  DIFFERS (path[k].given);
	  DIFFERS (path[k].num_offs);
	  DIFFERS (path[k].adjust);
	  for (unsigned o = 0; o < a.path[k].num_offs; o++)
	    DIFFERS (path[k].off[o]);
	}
#undef DIFFERS
    }
}
END_TEST

int
main (void)
{
  const unit_test tests[] = {
    { to_the_end, 0 },
    { no_head, 0 },
    { depth_limit, 0 },
    { cycle, 41 },
    { long_cycle, 0 },
    { cycle_cut, 20 },
    { end_self, 0 },
    { end_value, 0 },
    { bad_pointer, ARRAY_SIZE (pointers) },
    { each_read, 0 },
    { unmapped_node, 0 },
    { without_ips, 0 },
    { long_paths, 0 },
    { null_on_path, 0 },
    { stride, 0 },
    { tag_bits, 0 },
    { ip_alternative, 0 },
    { cookies, 0 },
    { test_kinds, ARRAY_SIZE (test_cases) },
    { negative_offset, 0 },
    { actions, 0 },
    { stop_by_test, 0 },
    { swapped, 0 },
    { start, 0 },
    { heads, ARRAY_SIZE (alternates) },
    { from_thread, 0 },
    { equal_chains, 0 },
  };
  return unit_run ("walk", tests, ARRAY_SIZE (tests));
}
