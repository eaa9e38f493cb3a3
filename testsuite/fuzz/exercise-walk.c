/* Follow lists in memory that somebody else has written.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "exercise-parts.h"

int
exercise_read_tile (void *arg, uint64_t address, void *buf, size_t len)
{
  tile *t = arg;
  unsigned char *to = buf;

  t->reads++;
  if (t->size == 0)
    return -1;
  for (size_t at = (size_t) (address % t->size); len > 0; at = 0)
    {
      size_t n = t->size - at < len ? t->size - at : len;
      memcpy (to, t->bytes + at, n);
      to += n;
      len -= n;
    }
  return 0;
}

/* The most reads that one node can take: two for each test; IP, the other IP,
   second word and next, four loads each.  */
#define READS_PER_NODE (2 * SFRAME_CORO_MAX_TESTS + 16)

/* Check that each node is given once, cyclic or not.  */
static void
expect_distinct (const sframe_coro_node *nodes, size_t num)
{
  /* A table with open addressing, half full at most; 0: empty.  */
  uint64_t seen[2 * MAX_NODES] = { 0 };

  for (size_t i = 0; i < num; i++)
    {
      uint64_t hash = nodes[i].address * UINT64_C (0x9e3779b97f4a7c15);
      size_t at = (size_t) (hash >> 57) % (2 * MAX_NODES);

      while (seen[at] != 0)
	{
	  REQUIRE (seen[at] != nodes[i].address);
	  at = (at + 1) % (2 * MAX_NODES);
	}
      seen[at] = nodes[i].address;
    }
}

static void
expect_nodes (const sframe_coro_node *nodes, size_t num, size_t max,
	      sframe_coro_stop stop)
{
  REQUIRE (num <= max && max <= MAX_NODES);
  REQUIRE (stop < SFRAME_CORO_NUM_STOPS);
  for (size_t i = 0; i < num; i++)
    {
      REQUIRE (nodes[i].index == i);
      REQUIRE (nodes[i].address != 0 && nodes[i].address % 8 == 0);
    }
}

void
exercise_expect_roots (const sframe_coro_root *roots, size_t num,
		       size_t max_roots, size_t max_nodes,
		       sframe_coro_stop stop)
{
  size_t nodes = 0;

  REQUIRE (num <= max_roots && stop < SFRAME_CORO_NUM_STOPS);
  for (size_t i = 0; i < num; i++)
    {
      REQUIRE (roots[i].num == 0 || roots[i].first == nodes);
      nodes += roots[i].num;
    }
  REQUIRE (nodes <= max_nodes);
}

static const size_t maxima[NUM_WHICH] = { 0, 1, 7, MAX_NODES };

/* Room for maxima[WHICH] nodes, so that a sanitizer sees the end.  */
static sframe_coro_node *
room_for (unsigned which)
{
  static sframe_coro_node *rooms[NUM_WHICH];

  if (rooms[which] == NULL)
    rooms[which] = malloc (maxima[which] * sizeof **rooms + 1);
  REQUIRE (rooms[which] != NULL);
  return rooms[which];
}

void
exercise_walk_once (const sframe_coro_chain *c, tile *t, unsigned which)
{
  sframe_coro_memory memory = { exercise_read_tile, t };
  sframe_coro_thread thread
      = { 0x7000, 1, (sframe_coro_libc) (which % 3) };
  sframe_coro_tls_block block = { SFRAME_CORO_TLS_DYNAMIC, 0, 1 };
  sframe_coro_node *nodes = room_for (which);
  size_t max = maxima[which], num;
  sframe_coro_stop stop;
  uint64_t base;

  t->reads = 0;
  stop = sframe_coro_walk_list (c, &memory, 0x8000 + 8 * which, nodes, max,
				&num);
  expect_nodes (nodes, num, max, stop);
  expect_distinct (nodes, num);
  REQUIRE (t->reads <= READS_PER_NODE * (max + 1));
  stop = sframe_coro_walk (c, &memory, &thread, which % 2 ? &block : NULL,
			   nodes, max, &num, &base);
  expect_nodes (nodes, num, max, stop);
  expect_distinct (nodes, num);
}

void
exercise_walk (const sframe_coro_chain *c, const unsigned char *bytes,
	       size_t size)
{
  tile t = { bytes, size, 0 };

  for (unsigned which = 0; which < NUM_WHICH; which++)
    exercise_walk_once (c, &t, which);
}

/* Memory of a few words, which may be there several times one after the other,
   may stop to be readable, and may change while it is read.  */
#define BASE UINT64_C (0x8000)
#define MAX_WORDS 64

typedef struct hostile
{
  unsigned char bytes[8 * MAX_WORDS];
  size_t size; /* Bytes of it, a power of two.  */
  size_t end;  /* Bytes that can be read.  */
  size_t reads;
  size_t fail_at;   /* The how manieth read fails; 0: none.  */
  size_t change_at; /* Ditto, gives something else.  */
} hostile;

static int
read_hostile (void *arg, uint64_t address, void *buf, size_t len)
{
  hostile *h = arg;
  uint64_t at = address - BASE;
  unsigned char *to = buf;

  if (++h->reads == h->fail_at || at >= h->end || len > h->end - at)
    return -1;
  for (size_t i = 0; i < len; i++)
    to[i] = h->bytes[(at + i) & (h->size - 1)];
  if (h->reads == h->change_at)
    to[0] ^= 8;
  return 0;
}

static uint64_t
choose_word (choices *c)
{
  static const uint64_t constants[] = {
    0, UINT64_MAX, BASE + 1, 0x800, UINT64_C (1) << 60 | BASE, 1, 2, 3,
    /* A TLS stub and a function of AArch64: testsuite/unit/tls.c.  */
    UINT64_C (0xf2800d00d2a00000), UINT64_C (0xf940040090000000),
    UINT64_C (0xf940080190000000), UINT64_C (0xd503201fd503201f),
    UINT64_C (0xd65f03c0f9400400),
    /* Of x86-64, with a short way to go.  */
    UINT64_C (0xff00000080c0c748), UINT64_C (0xff00000029058b48),
    UINT64_C (0xff00000029058d48),
    /* Of s390x, little end first.  */
    UINT64_C (0x28c400000000c0c0), UINT64_C (0x000004c009000000),
    UINT64_C (0x00c022e309000000), UINT64_C (0x0000e5c009000000),
    UINT64_C (0x0000000000000400), UINT64_C (0x0100000000000000),
  };
  unsigned choice = choose (c, 256);
  uint64_t word = 0;

  if (choice < sizeof constants / sizeof *constants)
    return constants[choice];
  if (choice >= 32)
    return BASE + 8 * (choice - 32);
  for (unsigned i = 0; i < 8; i++)
    word = word << 8 | choose (c, 256);
  return word;
}

static int32_t
choose_offset (choices *c)
{
  static const int32_t constants[] = { INT32_MAX, INT32_MIN, 1, -1 };
  unsigned choice = choose (c, 256);

  return choice < 4 ? constants[choice] : 8 * (((int32_t) choice - 128) / 2);
}

static sframe_coro_path
choose_path (choices *c)
{
  sframe_coro_path path = { 0 };
  unsigned shape = choose (c, 12);

  path.given = shape != 0;
  path.num_offs = (uint8_t) (shape < 6 ? shape != 0 : shape % 5);
  for (unsigned i = 0; i < path.num_offs; i++)
    path.off[i] = choose_offset (c);
  if (shape >= 10 || path.num_offs == 0)
    path.adjust = choose_offset (c);
  return path;
}

static sframe_coro_head
choose_head (choices *c)
{
  sframe_coro_head head = { .kind = (uint8_t) (1 + choose (c, 6)) };

  head.value = (head.kind == SFRAME_CORO_HEAD_TLS_OFFSET
		    ? (uint64_t) choose_offset (c)
		    : choose_word (c));
  head.flags = (uint8_t) choose (c, 2);
  head.invalid = choose_word (c);
  head.path = choose_path (c);
  return head;
}

static sframe_coro_test
choose_test (choices *c)
{
  sframe_coro_test test = { .kind = (uint8_t) (1 + choose (c, 2)) };

  test.width = (uint8_t) (1u << choose (c, 4));
  test.actions = (uint8_t) choose (c, 8);
  test.off = choose_offset (c);
  test.mask = choose_word (c);
  test.value = (test.kind == SFRAME_CORO_TEST_EQUAL
		    ? (uint64_t) choose_offset (c)
		    : choose_word (c));
  return test;
}

static sframe_coro_chain
choose_chain (choices *c)
{
  static const uint8_t aligns[] = { 0, 0, 1, 3, 12 };
  sframe_coro_chain chain = { .name = "" };

  chain.abi_arch = (uint8_t) (1 + choose (c, 4));
  chain.swap = (uint8_t) choose (c, 2);
  chain.flags = choose (c, 16);
  chain.ip_kind = (uint8_t) choose (c, 5);
  chain.end_kind = (uint8_t) choose (c, 4);
  chain.end_value = choose_word (c);
  chain.roots = (uint8_t) choose (c, 4);
  chain.ptr_align_log2 = aligns[choose (c, sizeof aligns)];
  chain.root_frame_off = choose_offset (c);
  for (unsigned i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    chain.path[i] = choose_path (c);
  /* Keys are read: roots that differ by nothing but their addresses make walks
     that take long, and find nothing.  */
  if (chain.roots >= SFRAME_CORO_ROOTS_BY_TID
      && chain.path[SFRAME_CORO_PATH_ROOT_KEY].num_offs == 0)
    chain.path[SFRAME_CORO_PATH_ROOT_KEY].num_offs = 1;
  chain.num_heads = (uint8_t) (1 + choose (c, SFRAME_CORO_MAX_HEADS));
  for (unsigned i = 0; i < chain.num_heads; i++)
    chain.head[i] = choose_head (c);
  chain.num_tests = (uint8_t) choose (c, SFRAME_CORO_MAX_TESTS + 1);
  for (unsigned i = 0; i < chain.num_tests; i++)
    chain.test[i] = choose_test (c);
  return chain;
}

/* The BODY of every function whose entry is an odd multiple of eight.  */
static const sframe_coro_body_rules *
find_body (void *arg, uint64_t ip)
{
  return ip & 8 ? arg : NULL;
}

static sframe_coro_body_rules
choose_body (choices *c)
{
  static const sframe_coro_point_entry points[] = { { 0, 4 }, { 1, 8 } };
  sframe_coro_body_rules rules = { .start = BASE, .num_points = 2 };

  rules.points = (const unsigned char *) points;
  rules.swap = choose (c, 2) != 0;
  rules.body.next = choose_path (c);
  rules.body.ip = choose_path (c);
  rules.body.index_off = choose_offset (c);
  rules.body.index_size = (uint8_t) (1u << choose (c, 5) >> 1);
  return rules;
}

static sframe_coro_row
choose_row (choices *c)
{
  sframe_coro_row row = { .base = (uint16_t) choose (c, 20) };

  if (row.base == 0)
    row.base = SFRAME_CORO_BASE_CFA;
  row.flags = (uint16_t) choose (c, 2);
  row.off = choose_offset (c);
  return row;
}

/* Take what is left of C for the words of a program whose byte order is the
   host's or, if SWAP, the other one.  */
static void
choose_memory (choices *c, bool swap, hostile *h)
{
  size_t num = (size_t) 1 << choose (c, 7);

  h->reads = 0;
  h->size = 8 * num;
  h->end = h->size * (1 + choose (c, 4));
  h->fail_at = choose (c, 64);
  h->change_at = choose (c, 64);
  for (size_t i = 0; i < num; i++)
    {
      uint64_t word = choose_word (c);
      if (swap)
	word = __builtin_bswap64 (word);
      memcpy (h->bytes + 8 * i, &word, sizeof word);
    }
}

static int
read_register (void *arg, unsigned regno, uint64_t *value)
{
  (void) arg;
  *value = BASE + 8 * regno;
  return regno < 16 ? 0 : -1;
}

#define MAX_ROOTS 5

void
exercise_lists (const unsigned char *bytes, size_t size)
{
  static hostile h;
  static sframe_coro_root roots[MAX_ROOTS];
  choices c = { bytes, size };
  sframe_coro_memory memory = { read_hostile, &h };
  sframe_coro_chain chain = choose_chain (&c);
  sframe_coro_body_rules body = choose_body (&c);
  sframe_coro_bodies bodies = { find_body, &body };
  sframe_coro_thread thread
      = { BASE + 8 * choose (&c, 8), choose (&c, 2),
	  (sframe_coro_libc) choose (&c, 3) };
  sframe_coro_tls_block block = { (sframe_coro_tls_kind) choose (&c, 3),
				  choose_offset (&c), choose (&c, 3) };
  sframe_coro_row row = choose_row (&c);
  unsigned which = choose (&c, NUM_WHICH);
  uint64_t frame, first, root;
  sframe_coro_walker walker = { &memory, &thread, &block,
				choose (&c, 2) ? &bodies : NULL, &frame };
  size_t num, max = maxima[which], max_roots = choose (&c, MAX_ROOTS + 1);
  sframe_coro_node *nodes = room_for (which);
  sframe_coro_stop stop;

  choose_memory (&c, chain.swap, &h);
  if (sframe_coro_row_head (&row, chain.swap, &memory, BASE, read_register,
			    NULL, &frame)
      != SFRAME_CORO_OK)
    walker.frame_head = NULL;
  stop = sframe_coro_walk_start (&chain, &chain.head[0], &memory, BASE, &root,
				 &first);
  if (stop != SFRAME_CORO_STOP_END)
    first = BASE;
  h.reads = 0;
  stop = sframe_coro_walk_list (&chain, &memory, first, nodes, max, &num);
  expect_nodes (nodes, num, max, stop);
  REQUIRE (h.reads <= READS_PER_NODE * (max + 1));
  /* Memory that changes, or stops to be readable, before a cycle is noticed may
     show a node twice.  */
  if (h.change_at == 0 && h.fail_at == 0)
    expect_distinct (nodes, num);
  h.reads = 0;
  stop = sframe_coro_walk_roots (&chain, &walker, nodes, max,
				 roots + MAX_ROOTS - max_roots, max_roots,
				 &num, &root);
  exercise_expect_roots (roots + MAX_ROOTS - max_roots, num, max_roots, max,
			 stop);
}
