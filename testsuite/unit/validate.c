/* Validator: what it finds, where, and that it finds all of it.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stdlib.h>

#include "unit.h"

#define ADDRESS UINT64_C (0x10000)
#define MAX 64

typedef struct findings
{
  sframe_coro_finding found[MAX];
  size_t num, stop_after;
} findings;

static int
collect (void *arg, const sframe_coro_finding *finding)
{
  findings *f = arg;

  ck_assert_uint_lt (f->num, MAX);
  ck_assert (f->stop_after == 0 || f->num < f->stop_after);
  f->found[f->num++] = *finding;
  return f->num == f->stop_after;
}

static long
validate (const unit_hand *h, const sframe_coro_module_facts *facts,
	  findings *f)
{
  long errors, num = 0;

  f->num = 0;
  errors = sframe_coro_validate (h->bytes, h->size, h->address, facts, collect,
				 f);
  for (size_t i = 0; i < f->num; i++)
    num += f->found[i].severity == SFRAME_CORO_ERROR;
  ck_assert_int_eq (errors, num);
  /* Without a function the number is the same.  */
  if (f->stop_after == 0)
    ck_assert_int_eq (sframe_coro_validate (h->bytes, h->size, h->address,
					    facts, NULL, NULL),
		      errors);
  return errors;
}

/* Facts about a module: code, memory, TLS.  */
typedef struct module
{
  unsigned char stub[8];
  sframe_coro_module_facts facts;
} module;

static bool
is_code (void *arg, uint64_t address, uint64_t size)
{
  (void) arg;
  address -= ADDRESS;
  return (address >= HAND_CODE && address < HAND_CODE_END
	  && size <= HAND_CODE_END - address);
}

static int
read_image (void *arg, uint64_t address, void *buf, size_t len)
{
  const module *m = arg;
  uint64_t off = address - ADDRESS - HAND_STUB;

  if (off >= sizeof m->stub || len > sizeof m->stub - off)
    return -1;
  memcpy (buf, m->stub + off, len);
  return 0;
}

static void
make_module (module *m)
{
  static const unsigned char stub[8] = { 0x48, 0xc7, 0xc0, 0xf8, 0xff, 0xff };

  memcpy (m->stub, stub, sizeof stub);
  m->facts = (sframe_coro_module_facts){ .is_code = is_code,
					 .read = read_image,
					 .arg = m,
					 .has_tls_size = true,
					 .tls_size = 60,
					 .tls_align = 16 };
}

/* A field, a value that is all right at the edge of what is, and one that is
   not; what is reported then.  Fields of PC-relative addresses are given the
   address that they shall mean, as an offset from the section.  */
typedef struct check
{
  const char *what;
  const char *poked; /* "header", "chain", "function" with the index below;
			or "data", with an offset into that area.  */
  unsigned index;
  size_t field;
  unsigned width;
  bool pcrel;
  uint64_t good, bad;
  sframe_coro_severity severity;
  int error;
  const char *record, *name; /* As reported.  */
  size_t at;		     /* Offset of the field, in RECORD or data.  */
  unsigned where;  /* Index reported.  */
  unsigned others; /* Findings that come with it.  */
} check;

#define E(NAME) SFRAME_CORO_ERROR, SFRAME_CORO_ERR_##NAME
#define W(NAME) SFRAME_CORO_WARNING, SFRAME_CORO_ERR_##NAME
#define NONE UINT64_C (0xffffffff)

/* A field reported where it was changed.  */
#define CHAIN(I, FIELD, WIDTH, GOOD, BAD, HOW, NAME)                          \
  "chain", I, FIELD, WIDTH, false, GOOD, BAD, HOW, "chain", NAME, FIELD, I, 0
#define FUNC(I, FIELD, WIDTH, GOOD, BAD, HOW, NAME)                           \
  "function", I, FIELD, WIDTH, false, GOOD, BAD, HOW, "function", NAME,       \
      FIELD, I, 0
#define ADDRESS_IN_FUNC(I, FIELD, GOOD, BAD, HOW, NAME)                       \
  "function", I, FIELD, 8, true, GOOD, BAD, HOW, "function", NAME, FIELD, I, 0
#define DATA(OFF, WIDTH, GOOD, BAD, HOW, RECORD, NAME, WHERE)                 \
  "data", 0, OFF, WIDTH, false, GOOD, BAD, HOW, RECORD, NAME, OFF, WHERE, 0

static const check checks[] = {
  { "header flags", "header", 0, 3, 1, false, 1, 0x81, E (RESERVED), "header",
    "flags", 3, 0, 0 },
  { "header reserved", "header", 0, 28, 4, false, 0, 0x10000, E (RESERVED),
    "header", "reserved", 28, 0, 0 },
  { "not sorted", "header", 0, 3, 1, false, 0, 2, E (RESERVED), "header",
    "flags", 3, 0, 0 },

  { "chain flags", CHAIN (1, 4, 4, 0xe, 0x1e, E (RESERVED), "flags") },
  { "chain reserved", CHAIN (0, 72, 8, 0, UINT64_C (1) << 63, E (RESERVED),
			     "reserved") },
  { "name", CHAIN (0, 0, 4, 13, 14, E (BAD_STRING), "name") },
  { "IP kind", "chain", 1, 10, 1, false, 4, 5, E (BAD_KIND), "chain", "ip_kind",
    10, 1, 1 },
  { "end kind", CHAIN (1, 11, 1, 3, 4, E (BAD_KIND), "end_kind") },
  { "roots", CHAIN (1, 12, 1, 3, 4, E (BAD_KIND), "roots") },
  { "tag bits", CHAIN (0, 13, 1, 12, 13, E (BAD_VALUE), "ptr_align_log2") },
  { "no heads", CHAIN (0, 8, 1, 1, 0, E (BAD_COUNT), "num_heads") },
  { "heads", CHAIN (0, 8, 1, 4, 5, E (BAD_COUNT), "num_heads") },
  { "tests", CHAIN (0, 9, 1, 1, 5, E (BAD_COUNT), "num_tests") },
  { "tests unused", "chain", 0, 9, 1, false, 1, 0, W (BAD_VALUE), "chain",
    "tests", 36, 0, 0 },
  { "aux unused", "chain", 1, 10, 1, false, 4, 3, W (BAD_VALUE), "chain",
    "language", 14, 1, 1 },
  { "key unused", "chain", 1, 12, 1, false, 3, 1, W (BAD_VALUE), "chain",
    "path", 40, 1, 0 },
  { "next root unused", "chain", 1, 12, 1, false, 3, 0, W (BAD_VALUE), "chain",
    "path", 40, 1, 1 },
  { "no next", "chain", 1, 44, 4, false, HAND_PATH_D, NONE, E (NO_NEXT),
    "chain", "path", 40, 1, 0 },
  { "IPs of no kind", CHAIN (0, 10, 1, 3, 0, E (NO_IP), "ip_kind") },
  { "language without cookies", CHAIN (0, 14, 2, 0, 1, W (BAD_VALUE),
				       "language") },
  { "cookies of no language", CHAIN (1, 14, 2, 0x8000, 0, W (BAD_VALUE),
				     "language") },
  { "tagged end", "chain", 1, 13, 1, false, 0, 1, W (BAD_VALUE), "chain",
    "end_value", 24, 1, 0 },
  { "next of roots", "chain", 1, 60, 4, false, HAND_PATH_A, NONE, E (NO_NEXT),
    "chain", "roots", 12, 1, 0 },
  { "key of roots", "chain", 1, 64, 4, false, HAND_PATH_B, NONE, E (NO_NEXT),
    "chain", "roots", 12, 1, 0 },
  { "roots without paths", CHAIN (0, 12, 1, 0, 1, E (NO_NEXT), "roots") },
  { "frame of roots", CHAIN (0, 20, 4, 0, 8, W (BAD_VALUE),
			     "root_frame_off") },
  { "heads outside", "chain", 1, 32, 4, false, HAND_HEADS_0, HAND_DATA_LEN + 4,
    E (BAD_OFFSET), "chain", "heads", 32, 1, 0 },
  { "tests misaligned", "chain", 0, 36, 4, false, HAND_TESTS, HAND_TESTS - 4,
    E (BAD_OFFSET), "chain", "tests", 36, 0, 0 },
  { "path outside", "chain", 0, 52, 4, false, HAND_PATH_E, HAND_DATA_LEN,
    E (BAD_OFFSET), "chain", "path", 52, 0, 0 },

  { "head kind 0", DATA (HAND_HEADS_0 + 72, 1, 4, 0, E (BAD_KIND), "head",
			 "kind", 0) },
  { "head kind", DATA (HAND_HEADS_1, 1, 5, 7, E (BAD_KIND), "head", "kind",
		       1) },
  { "head flags", DATA (HAND_HEADS_1 + 1, 1, 1, 3, E (RESERVED), "head",
			"flags", 1) },
  { "head reserved", DATA (HAND_HEADS_0 + 24 + 2, 2, 0, 1, E (RESERVED),
			   "head", "reserved", 0) },
  { "invalid without flag", DATA (HAND_HEADS_0 + 16, 8, 0, 1, E (RESERVED),
				  "head", "invalid", 0) },
  { "value of a frame", DATA (HAND_HEADS_1 + 24 + 8, 8, 0, 1, E (RESERVED),
			      "head", "value", 1) },
  { "TLS, above", DATA (HAND_HEADS_0 + 24 + 8, 8, 59, 60, E (TLS_RANGE),
			"head", "value", 0) },
  { "TLS, below", DATA (HAND_HEADS_0 + 24 + 8, 8, (uint64_t) -64,
			(uint64_t) -65, E (TLS_RANGE), "head", "value", 0) },
  { "TLS, far below", DATA (HAND_HEADS_0 + 24 + 8, 8, (uint64_t) -1,
			    UINT64_C (1) << 63, E (TLS_RANGE), "head",
			    "value", 0) },
  { "stub", "data", 0, HAND_HEADS_0 + 8, 8, true, HAND_STUB, HAND_STUB + 1,
    E (BAD_STUB), "head", "value", HAND_HEADS_0 + 8, 0, 0 },
  { "stub that is not code", "data", 0, HAND_HEADS_0 + 8, 8, true,
    HAND_CODE_END - 1, HAND_CODE_END, E (NOT_CODE), "head", "value",
    HAND_HEADS_0 + 8, 0, 0 },

  { "test kind", DATA (HAND_TESTS + 24, 1, 2, 3, E (BAD_KIND), "test", "kind",
		       0) },
  { "test width", DATA (HAND_TESTS + 24 + 1, 1, 8, 7, E (BAD_VALUE), "test",
			"width", 0) },
  { "no action", DATA (HAND_TESTS + 2, 1, 7, 0, E (BAD_VALUE), "test",
		       "actions", 0) },
  { "test actions", DATA (HAND_TESTS + 2, 1, 1, 8, E (BAD_VALUE), "test",
			  "actions", 0) },
  { "test reserved", DATA (HAND_TESTS + 3, 1, 0, 1, E (RESERVED), "test",
			   "reserved", 0) },
  { "nothing compared", DATA (HAND_TESTS + 24 + 8, 8, 1, 0, W (BAD_VALUE),
			      "test", "mask", 0) },
  { "never equal", DATA (HAND_TESTS + 16, 8, 0xff00, 0x12ff, W (BAD_VALUE),
			 "test", "value", 0) },

  /* The path of a head, and one of the other chain.  */
  { "path flags", "data", 0, HAND_PATH_E + 1, 1, false, 0, 2, E (RESERVED),
    "path", "flags", HAND_PATH_E + 1, 0, 1 },
  { "path reserved", "data", 0, HAND_PATH_E + 2, 2, false, 0, 1, E (RESERVED),
    "path", "reserved", HAND_PATH_E + 2, 0, 1 },

  { "function kind", FUNC (0, 26, 1, 1, 3, E (BAD_KIND), "kind") },
  { "function flags", FUNC (2, 27, 1, 0, 1, E (RESERVED), "flags") },
  { "function reserved", FUNC (3, 28, 4, 0, 1, E (RESERVED), "reserved") },
  { "no chain", "function", 0, 8, 8, true, 32, 40, E (CHAIN_REF), "function",
    "chain", 8, 0, 0 },
  { "site outside", ADDRESS_IN_FUNC (3, 0, HAND_CODE_END, HAND_CODE_END + 1,
				     E (NOT_CODE), "start") },
  { "site over the end", "function", 3, 16, 4, false, 0x1d00, 0x1d01,
    E (NOT_CODE), "function", "start", 0, 3, 0 },
  { "body over the end", "function", 2, 16, 4, false, 0x1e00, 0x1e01,
    E (NOT_CODE), "function", "start", 0, 2, 0 },
  { "data outside", FUNC (1, 20, 4, HAND_ROWS, HAND_DATA_LEN - 20,
			  E (BAD_OFFSET), "data") },

  { "row behind its site", DATA (HAND_ROWS + 12, 4, 32, 33, E (POINT_RANGE),
				 "row", "pc_off", 1) },
  { "rows not in order", "data", 0, HAND_ROWS, 4, false, 15, 16,
    E (ROW_ORDER), "row", "pc_off", HAND_ROWS + 12, 1, 0 },
  { "row base", DATA (HAND_ROWS + 12 + 4, 2, 255, 256, E (BAD_VALUE), "row",
		      "base", 1) },
  { "row flags", DATA (HAND_ROWS + 6, 2, 1, 2, E (RESERVED), "row", "flags",
		       0) },
  { "body reserved", DATA (HAND_BODY + 13, 1, 0, 1, E (RESERVED), "body",
			   "flags", 2) },
  { "index size", DATA (HAND_BODY + 12, 1, 8, 9, E (BAD_VALUE), "body",
			"index_size", 2) },
  { "points without an index", DATA (HAND_BODY + 12, 1, 1, 0, W (BAD_VALUE),
				     "body", "index_size", 2) },
  { "body's path", "data", 0, HAND_BODY, 4, false, NONE, HAND_DATA_LEN,
    E (BAD_OFFSET), "body", "next", HAND_BODY, 2, 0 },
  { "point outside", DATA (HAND_POINTS + 8 + 4, 4, 63, 64, E (POINT_RANGE),
			   "point", "pc_off", 1) },
  { "index too wide", DATA (HAND_POINTS, 4, 0xffff, 0x10000, W (BAD_VALUE),
			    "point", "index", 0) },
};

static size_t
record_offset (const unit_hand *h, const char *record, unsigned index)
{
  if (strcmp (record, "header") == 0)
    return 0;
  if (strcmp (record, "chain") == 0)
    return h->chain[index];
  return strcmp (record, "function") == 0 ? h->func[index] : h->data;
}

static void
poke (const unit_hand *h, const check *c, uint64_t value)
{
  size_t at = record_offset (h, c->poked, c->index) + c->field;

  unit_put (h->bytes + at, c->width, h->big, c->pcrel ? value - at : value);
}

/* Whether F is what C says.  */
static bool
is_expected (const unit_hand *h, const check *c, const sframe_coro_finding *f)
{
  return (f->severity == c->severity && f->error == c->error
	  && f->where.offset
		 == record_offset (h, c->record, c->where) + c->at
	  && f->where.block == 0 && f->where.index == c->where
	  && strcmp (f->where.record, c->record) == 0
	  && (c->name == NULL ? f->where.field == NULL
			      : (f->where.field != NULL
				 && strcmp (f->where.field, c->name) == 0)));
}

START_TEST (each)
{
  const check *c = &checks[_i];
  module m;
  findings f = { .num = 0 };

  make_module (&m);
  for (unsigned a = 0; a < 4; a++)
    {
      unit_hand h = { .abi = unit_abis[a], .address = ADDRESS };

      /* Stubs are read on x86-64 only.  */
      if (c->error == SFRAME_CORO_ERR_BAD_STUB
	  && h.abi != SFRAME_CORO_ABI_AMD64_LE)
	continue;
      unit_hand_make (&h);
      ck_assert_int_eq (validate (&h, &m.facts, &f), 0);
      ck_assert_uint_eq (f.num, 0);
      poke (&h, c, c->good);
      validate (&h, &m.facts, &f);
      ck_assert_msg (f.num == 0, "%s: found in good", c->what);
      poke (&h, c, c->bad);
      validate (&h, &m.facts, &f);
      ck_assert_msg (f.num == 1 + c->others, "%s: %zu found", c->what, f.num);
      ck_assert_msg (is_expected (&h, c, &f.found[0]),
		     "%s: %s at %zu in %s %zu, field %s", c->what,
		     sframe_coro_errmsg (f.found[0].error),
		     f.found[0].where.offset, f.found[0].where.record,
		     f.found[0].where.index,
		     f.found[0].where.field ? f.found[0].where.field : "-");
      unit_hand_free (&h);
    }
}
END_TEST

/* What is wrong in independent records is all reported, in order of the
   section; and no more after the function has had enough.  */
START_TEST (all)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE, .address = ADDRESS };
  static const char *const wrong[]
      = { "header reserved",	"chain flags",	    "chain reserved",
	  "frame of roots",	"language without cookies",
	  "head flags",		"head reserved",    "value of a frame",
	  "TLS, above",		"stub",		    "no action",
	  "nothing compared",	"path reserved",    "function flags",
	  "function reserved",	"no chain",	    "site outside",
	  "row behind its site", "row flags",	    "body reserved",
	  "point outside",	"tagged end" };
  findings f = { .num = 0 };
  module m;

  make_module (&m);
  unit_hand_make (&h);
  for (size_t i = 0; i < ARRAY_SIZE (wrong); i++)
    for (size_t k = 0; k < ARRAY_SIZE (checks); k++)
      if (strcmp (checks[k].what, wrong[i]) == 0)
	poke (&h, &checks[k], checks[k].bad);
  /* The path is one of two heads and of two paths, and told each time.  */
  validate (&h, &m.facts, &f);
  for (size_t i = 0; i < ARRAY_SIZE (wrong); i++)
    for (size_t k = 0; k < ARRAY_SIZE (checks); k++)
      if (strcmp (checks[k].what, wrong[i]) == 0)
	{
	  bool found = false;
	  for (size_t n = 0; n < f.num; n++)
	    found |= is_expected (&h, &checks[k], &f.found[n]);
	  ck_assert_msg (found, "%s", wrong[i]);
	}
  ck_assert_uint_ge (f.num, ARRAY_SIZE (wrong));
  for (size_t n = f.num; n > 0; n--)
    {
      findings g = { .stop_after = n };
      validate (&h, &m.facts, &g);
      ck_assert_uint_eq (g.num, n);
      for (size_t i = 0; i < n; i++)
	ck_assert_mem_eq (&g.found[i], &f.found[i], sizeof g.found[i]);
    }
  unit_hand_free (&h);
}
END_TEST

/* Without facts, only the section itself is looked at.  */
START_TEST (without_facts)
{
  static const char *const not_seen[]
      = { "TLS, above",	  "TLS, below",	       "stub",
	  "stub that is not code", "site outside", "site over the end",
	  "body over the end" };
  sframe_coro_module_facts none = { 0 }, relocatable;
  findings f = { .num = 0 };
  module m;

  make_module (&m);
  relocatable = m.facts;
  relocatable.relocatable = true;
  for (size_t i = 0; i < ARRAY_SIZE (not_seen); i++)
    for (size_t k = 0; k < ARRAY_SIZE (checks); k++)
      if (strcmp (checks[k].what, not_seen[i]) == 0)
	{
	  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE,
			  .address = ADDRESS };
	  unit_hand_make (&h);
	  poke (&h, &checks[k], checks[k].bad);
	  ck_assert_int_eq (validate (&h, &m.facts, &f), 1);
	  ck_assert_int_eq (validate (&h, NULL, &f), 0);
	  ck_assert_int_eq (validate (&h, &none, &f), 0);
	  ck_assert_int_eq (validate (&h, &relocatable, &f), 0);
	  ck_assert_uint_eq (f.num, 0);
	  unit_hand_free (&h);
	}
}
END_TEST

/* A module without TLS has no TLS offsets.  */
START_TEST (no_tls_segment)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE, .address = ADDRESS };
  findings f = { .num = 0 };
  module m;

  make_module (&m);
  m.facts.tls_size = m.facts.tls_align = 0;
  unit_hand_make (&h);
  ck_assert_int_eq (validate (&h, &m.facts, &f), 1);
  ck_assert_int_eq (f.found[0].error, SFRAME_CORO_ERR_TLS_RANGE);
  ck_assert_uint_eq (f.found[0].value, (uint64_t) -24);
  m.facts.has_tls_size = false;
  ck_assert_int_eq (validate (&h, &m.facts, &f), 0);
  unit_hand_free (&h);
}
END_TEST

/* Functions that overlap: in the order of addresses A, B.  */
static const struct
{
  int kind;
  bool same_chain, sorted;
  uint64_t start_a;
  uint32_t size_a;
  uint64_t start_b;
  uint32_t size_b;
  int errors, warnings;
} overlaps[] = {
  /* Sites are open at their start and closed at their end.  */
  { SFRAME_CORO_FUNC_SITE, true, true, 100, 10, 110, 10, 0, 0 },
  { SFRAME_CORO_FUNC_SITE, true, false, 100, 10, 109, 10, 1, 0 },
  { SFRAME_CORO_FUNC_SITE, true, true, 100, 10, 109, 10, 2, 0 },
  { SFRAME_CORO_FUNC_SITE, true, true, 100, 10, 100, 10, 0, 1 },
  { SFRAME_CORO_FUNC_SITE, true, false, 100, 10, 100, 11, 1, 0 },
  { SFRAME_CORO_FUNC_SITE, true, false, 100, 10, 110, 0, 1, 0 },
  { SFRAME_CORO_FUNC_SITE, true, true, 100, 10, 111, 0, 0, 0 },
  { SFRAME_CORO_FUNC_SITE, true, true, 100, 0, 100, 10, 0, 0 },
  { SFRAME_CORO_FUNC_SITE, true, true, 100, 0, 100, 0, 0, 1 },
  /* Different chains may share code, but not in a sorted block.  */
  { SFRAME_CORO_FUNC_SITE, false, false, 100, 10, 105, 10, 0, 0 },
  { SFRAME_CORO_FUNC_SITE, false, true, 100, 10, 105, 10, 1, 0 },
  { SFRAME_CORO_FUNC_SITE, false, true, 100, 10, 100, 10, 0, 0 },
  { SFRAME_CORO_FUNC_BODY, true, true, 100, 10, 110, 10, 0, 0 },
  { SFRAME_CORO_FUNC_BODY, true, false, 100, 10, 109, 10, 1, 0 },
  { SFRAME_CORO_FUNC_BODY, false, false, 100, 10, 109, 10, 0, 0 },
};

START_TEST (overlap)
{
  unit_hand h = { .abi = unit_abis[_i % 4], .address = ADDRESS };
  findings f = { .num = 0 };
  size_t a, b;

  unit_hand_make (&h);
  a = h.func[0];
  b = h.func[1];
  /* The other two out of the way.  */
  unit_put (h.bytes + 3, 1, h.big, overlaps[_i].sorted);
  unit_put (h.bytes + a, 8, h.big, overlaps[_i].start_a - a);
  unit_put (h.bytes + b, 8, h.big, overlaps[_i].start_b - b);
  unit_put (h.bytes + a + 16, 4, h.big, overlaps[_i].size_a);
  unit_put (h.bytes + b + 16, 4, h.big, overlaps[_i].size_b);
  unit_put (h.bytes + a + 20, 4, h.big, NONE);
  unit_put (h.bytes + b + 20, 4, h.big, NONE);
  unit_put (h.bytes + b + 24, 2, h.big, 0);
  unit_put (h.bytes + a + 26, 1, h.big, (uint64_t) overlaps[_i].kind);
  unit_put (h.bytes + b + 26, 1, h.big, (uint64_t) overlaps[_i].kind);
  if (overlaps[_i].same_chain)
    unit_put (h.bytes + b + 8, 8, h.big, h.chain[0] - (b + 8));
  ck_assert_int_eq (validate (&h, NULL, &f), overlaps[_i].errors);
  ck_assert_uint_eq (f.num, overlaps[_i].errors + overlaps[_i].warnings);
  for (size_t i = 0; i < f.num; i++)
    {
      ck_assert (f.found[i].error == SFRAME_CORO_ERR_OVERLAP
		 || f.found[i].error == SFRAME_CORO_ERR_UNSORTED);
      ck_assert_uint_eq (f.found[i].where.offset, b);
      ck_assert_uint_eq (f.found[i].where.index, 1);
      ck_assert_str_eq (f.found[i].where.field, "start");
    }
  unit_hand_free (&h);
}
END_TEST

START_TEST (unsorted)
{
  unit_hand h = { .abi = unit_abis[_i], .address = ADDRESS };
  findings f = { .num = 0 };

  unit_hand_make (&h);
  unit_put (h.bytes + h.func[2], 8, h.big, 0x1800 - h.func[2]);
  ck_assert_int_eq (validate (&h, NULL, &f), 1);
  ck_assert_int_eq (f.found[0].error, SFRAME_CORO_ERR_UNSORTED);
  ck_assert_uint_eq (f.found[0].where.offset, h.func[2]);
  ck_assert_uint_eq (f.found[0].value, ADDRESS + 0x1800);
  unit_put (h.bytes + 3, 1, h.big, 0);
  ck_assert_int_eq (validate (&h, NULL, &f), 0);
  unit_hand_free (&h);
}
END_TEST

/* An IP path without an IP kind, and the reverse; an alternative to nothing;
   bodies without code.  */
START_TEST (contradictions)
{
  unit_hand h = { .abi = unit_abis[_i], .address = ADDRESS };
  findings f = { .num = 0 };

  unit_hand_make (&h);
  unit_put (h.bytes + h.chain[0] + 48, 4, h.big, NONE);
  ck_assert_int_eq (validate (&h, NULL, &f), 2);
  ck_assert_int_eq (f.found[0].error, SFRAME_CORO_ERR_NO_IP);
  ck_assert_str_eq (f.found[0].where.field, "ip_kind");
  ck_assert_int_eq (f.found[1].error, SFRAME_CORO_ERR_NO_IP);
  ck_assert_str_eq (f.found[1].where.field, "path");
  unit_put (h.bytes + h.chain[0] + 52, 4, h.big, NONE);
  unit_put (h.bytes + h.chain[0] + 10, 1, h.big, 0);
  ck_assert_int_eq (validate (&h, NULL, &f), 0);
  unit_put (h.bytes + h.chain[0] + 11, 1, h.big, 0);
  ck_assert_int_eq (validate (&h, NULL, &f), 0);
  ck_assert_uint_eq (f.num, 1);
  ck_assert_str_eq (f.found[0].where.field, "end_value");
  unit_hand_free (&h);

  unit_hand_make (&h);
  unit_put (h.bytes + h.func[2] + 16, 4, h.big, 0);
  ck_assert_int_eq (validate (&h, NULL, &f), 3);
  ck_assert_int_eq (f.found[0].error, SFRAME_CORO_ERR_NOT_CODE);
  ck_assert_int_eq (f.found[1].error, SFRAME_CORO_ERR_POINT_RANGE);
  ck_assert_int_eq (f.found[2].error, SFRAME_CORO_ERR_POINT_RANGE);
  unit_hand_free (&h);
}
END_TEST

/* A path that goes nowhere is odd; as the way to the next node it is wrong.  */
START_TEST (path_to_nowhere)
{
  unit_hand h = { .abi = unit_abis[_i], .address = ADDRESS };
  findings f = { .num = 0 };
  bool wrong = false;

  unit_hand_make (&h);
  unit_put (h.bytes + h.data + HAND_PATH_D + 4, 4, h.big, 0);
  ck_assert_int_eq (validate (&h, NULL, &f), 0);
  ck_assert_uint_eq (f.num, 2); /* A head and a path of the chain.  */
  ck_assert_int_eq (f.found[0].error, SFRAME_CORO_ERR_BAD_VALUE);
  ck_assert_uint_eq (f.found[0].where.offset, h.data + HAND_PATH_D);
  ck_assert_str_eq (f.found[0].where.record, "path");
  unit_put (h.bytes + h.chain[1] + 44, 4, h.big, HAND_PATH_D);
  ck_assert_int_eq (validate (&h, NULL, &f), 1);
  for (size_t i = 0; i < f.num; i++)
    wrong |= f.found[i].error == SFRAME_CORO_ERR_NO_NEXT;
  ck_assert (wrong);
  unit_hand_free (&h);
}
END_TEST

/* What is left of a block behind its strings is zero, and not too much.  */
START_TEST (padding)
{
  unit_hand h = { .abi = unit_abis[_i], .address = ADDRESS };
  findings f = { .num = 0 };

  unit_hand_make (&h);
  h.bytes[h.size - 1] = 1;
  ck_assert_int_eq (validate (&h, NULL, &f), 0);
  ck_assert_uint_eq (f.num, 1);
  ck_assert_int_eq (f.found[0].error, SFRAME_CORO_ERR_BAD_PADDING);
  ck_assert_uint_eq (f.found[0].where.offset, 8);
  ck_assert_str_eq (f.found[0].where.field, "length");
  h.bytes[h.size - 1] = 0;
  ck_assert_int_eq (validate (&h, NULL, &f), 0);
  ck_assert_uint_eq (f.num, 0);
  unit_hand_free (&h);
}
END_TEST

/* The second of two blocks: offsets and the number of the block.  References
   may lead to chains of the other, later ones too.  */
START_TEST (two_blocks)
{
  unit_hand h = { .abi = unit_abis[_i], .address = ADDRESS };
  findings f = { .num = 0 };
  size_t size, second;

  unit_hand_make (&h);
  size = h.size;
  second = size + 8;
  h.bytes = realloc (h.bytes, second + size);
  memset (h.bytes + size, 0, 8);
  memcpy (h.bytes + second, h.bytes, size);
  h.size = second + size;
  /* Equal bytes mean functions elsewhere.  */
  ck_assert_int_eq (validate (&h, NULL, &f), 0);
  ck_assert_uint_eq (f.num, 0);
  unit_put (h.bytes + h.func[0] + 8, 8, h.big,
	    second + h.chain[1] - (h.func[0] + 8));
  ck_assert_int_eq (validate (&h, NULL, &f), 0);
  h.bytes[second + h.chain[1] + 10] = 77;
  ck_assert_int_eq (validate (&h, NULL, &f), 1);
  ck_assert_int_eq (f.found[0].error, SFRAME_CORO_ERR_BAD_KIND);
  ck_assert_uint_eq (f.found[0].where.block, 1);
  ck_assert_uint_eq (f.found[0].where.index, 1);
  ck_assert_uint_eq (f.found[0].where.offset, second + h.chain[1] + 10);
  /* A block that cannot be opened: the findings before it stay.  */
  h.bytes[h.chain[0] + 72] = 1;
  unit_put (h.bytes + second + 2, 1, h.big, 9);
  ck_assert_int_eq (validate (&h, NULL, &f), 3);
  ck_assert_int_eq (f.found[0].error, SFRAME_CORO_ERR_RESERVED);
  ck_assert_int_eq (f.found[1].error, SFRAME_CORO_ERR_BAD_VERSION);
  ck_assert_uint_eq (f.found[1].where.offset, second + 2);
  ck_assert_int_eq (f.found[2].error, SFRAME_CORO_ERR_CHAIN_REF);
  unit_hand_free (&h);
}
END_TEST

START_TEST (not_a_section)
{
  static const unsigned char zeros[16], text[] = "not a section at all";
  findings f = { .num = 0 };

  ck_assert_int_eq (sframe_coro_validate (NULL, 0, 0, NULL, collect, &f), 0);
  ck_assert_int_eq (sframe_coro_validate (zeros, 16, 0, NULL, collect, &f), 0);
  ck_assert_uint_eq (f.num, 0);
  ck_assert_int_eq (sframe_coro_validate (text, sizeof text, 0, NULL, collect,
					  &f),
		    1);
  ck_assert_int_eq (f.found[0].error, SFRAME_CORO_ERR_TRUNCATED);
}
END_TEST

/* What the encoder writes is without findings.  */
START_TEST (encoded)
{
  sframe_coro_chain c
      = { .num_heads = 1,
	  .name = "x",
	  .ip_kind = SFRAME_CORO_IP_FUNCTION_ENTRY,
	  .path = { [SFRAME_CORO_PATH_NEXT] = { 1, 1, { 16 }, 0 },
		    [SFRAME_CORO_PATH_IP] = { 1, 1, { 0 }, 0 } } };
  sframe_coro_encoder *e = sframe_coro_encoder_new (unit_abis[_i]);
  findings f = { .num = 0 };
  unsigned char *bytes;
  size_t size;

  c.head[0].kind = SFRAME_CORO_HEAD_GLOBAL;
  ck_assert_int_eq (sframe_coro_encoder_add_chain (e, &c, NULL), 0);
  for (uint64_t i = 0; i < 20; i++)
    {
      sframe_coro_func s = { .kind = SFRAME_CORO_FUNC_SITE,
			     .start = 0x1000 - 16 * i,
			     .size = 5 };
      ck_assert_int_eq (sframe_coro_encoder_add_func (e, &s, 0, NULL, NULL,
						      NULL),
			0);
    }
  ck_assert_int_eq (sframe_coro_encoder_write (e, ADDRESS, &bytes, &size), 0);
  ck_assert_int_eq (sframe_coro_validate (bytes, size, ADDRESS, NULL, collect,
					  &f),
		    0);
  ck_assert_uint_eq (f.num, 0);
  free (bytes);
  sframe_coro_encoder_free (e);
}
END_TEST

/* A function that goes on at address 0.  */
START_TEST (wraps)
{
  sframe_coro_encoder *e = sframe_coro_encoder_new (SFRAME_CORO_ABI_AMD64_LE);
  sframe_coro_chain c
      = { .name = "x", .num_heads = 1, .head = { { .kind = SFRAME_CORO_HEAD_GLOBAL } },
	  .path = { [SFRAME_CORO_PATH_NEXT] = { .given = 1, .num_offs = 1 } } };
  sframe_coro_func f = { .start = UINT64_MAX - 7, .size = 7,
			 .kind = SFRAME_CORO_FUNC_SITE };
  sframe_coro_module_facts pending = { .relocatable = true };
  findings found = { .num = 0 };
  unsigned char *bytes;
  size_t size;

  ck_assert_int_eq (sframe_coro_encoder_add_chain (e, &c, NULL), 0);
  ck_assert_int_eq (
      sframe_coro_encoder_add_func (e, &f, 0, NULL, NULL, NULL), 0);
  ck_assert_int_eq (sframe_coro_encoder_write (e, ADDRESS, &bytes, &size), 0);
  ck_assert_int_eq (
      sframe_coro_validate (bytes, size, ADDRESS, NULL, collect, &found), 0);
  ck_assert_uint_eq (found.num, 0);
  unit_put (bytes + 32 + 80 + 16, 4, false, 8);
  ck_assert_int_eq (
      sframe_coro_validate (bytes, size, ADDRESS, NULL, collect, &found), 1);
  ck_assert_int_eq (found.found[0].error, SFRAME_CORO_ERR_BAD_VALUE);
  ck_assert_str_eq (found.found[0].where.field, "size");
  /* Where it will be is not known before the link.  */
  ck_assert_int_eq (sframe_coro_validate (bytes, size, ADDRESS, &pending,
					  collect, &found),
		    0);
  free (bytes);
  sframe_coro_encoder_free (e);
}
END_TEST

/* What is before a site.  */
typedef struct before
{
  uint8_t abi;
  unsigned char size; /* Of the site.  */
  bool found;	      /* That no call returns there.  */
  const char *text;   /* What the assembler was given.  */
  unsigned char code[12]; /* The last 7 bytes, and `size' more.  */
} before;

#define AMD64 SFRAME_CORO_ABI_AMD64_LE
#define A64 SFRAME_CORO_ABI_AARCH64_LE
#define A64_BE SFRAME_CORO_ABI_AARCH64_BE
#define S390X SFRAME_CORO_ABI_S390X_BE

static const before befores[] = {
  { AMD64, 0, false, "call x", { 0, 0, 0xe8, 0x12, 0x34, 0x56, 0x78 } },
  { AMD64, 0, false, "call *%r11", { 0, 0, 0, 0, 0x41, 0xff, 0xd3 } },
  { AMD64, 0, false, "call *(%rax)", { 0, 0, 0, 0, 0, 0xff, 0x10 } },
  { AMD64, 0, false, "call *8(%rip)", { 0, 0xff, 0x15, 8, 0, 0, 0 } },
  { AMD64, 0, false, "call *8(%rbx)", { 0, 0, 0, 0, 0xff, 0x53, 8 } },
  { AMD64, 0, false, "call *8(%rsp)", { 0, 0, 0, 0xff, 0x54, 0x24, 8 } },
  { AMD64, 0, false, "call *0x1234(%r12)",
    { 0xff, 0x94, 0x24, 0x34, 0x12, 0, 0 } },
  { AMD64, 0, false, "call *0x12345(%rbx)",
    { 0, 0xff, 0x93, 0x45, 0x23, 0x01, 0 } },
  { AMD64, 0, false, "call *(%rax,%rcx,8)", { 0, 0, 0, 0, 0xff, 0x14, 0xc8 } },
  { AMD64, 0, false, "call *0x1234(,%rcx,8)",
    { 0xff, 0x14, 0xcd, 0x34, 0x12, 0, 0 } },
  { AMD64, 0, true, "jmp *%rax", { 0, 0, 0, 0, 0, 0xff, 0xe0 } },
  { AMD64, 0, true, "lea 8(%rax), %rcx", { 0, 0, 0, 0x48, 0x8d, 0x48, 8 } },
  { AMD64, 0, true, "call *(%rax) and a byte", { 0, 0, 0, 0, 0xff, 0x10, 0 } },
  { AMD64, 0, true, "call x; jmp y", { 0xe8, 0, 0, 0, 0, 0xeb, 0x12 } },
  { AMD64, 5, false, "call x, labels around it",
    { 0, 0, 0, 0, 0, 0, 0, 0xe8, 0, 0, 0, 0 } },
  { AMD64, 3, false, "call x, covered with two more",
    { 0, 0, 0, 0xe8, 0, 0, 0, 0, 0x90, 0x90 } },
  { AMD64, 3, true, "one that returns to the start, which is not covered",
    { 0, 0, 0xe8, 0, 0, 0, 0, 0x90, 0x90, 0x90 } },
  { A64, 0, false, "bl x", { 0, 0, 0, 0x12, 0x34, 0x56, 0x96 } },
  { A64_BE, 0, false, "blr x8", { 0, 0, 0, 0, 0x01, 0x3f, 0xd6 } },
  { A64, 0, false, "blraaz x8", { 0, 0, 0, 0x1f, 0x09, 0x3f, 0xd6 } },
  { A64, 0, false, "blraa x8, x9", { 0, 0, 0, 0x09, 0x09, 0x3f, 0xd7 } },
  { A64, 0, true, "b x", { 0, 0, 0, 0, 0, 0, 0x14 } },
  { A64, 0, true, "br x8", { 0, 0, 0, 0, 0x01, 0x1f, 0xd6 } },
  { A64_BE, 0, true, "ret", { 0, 0, 0, 0xc0, 0x03, 0x5f, 0xd6 } },
  { S390X, 0, false, "brasl %r14, x", { 0, 0xc0, 0xe5, 0, 0, 0x12, 0x34 } },
  { S390X, 0, false, "bras %r14, x", { 0, 0, 0, 0xa7, 0xe5, 0x12, 0x34 } },
  { S390X, 0, false, "basr %r14, %r1", { 0, 0, 0, 0, 0, 0x0d, 0xe1 } },
  { S390X, 0, true, "brcl 15, x", { 0, 0xc0, 0xf4, 0, 0, 0x12, 0x34 } },
  { S390X, 0, true, "br %r1", { 0, 0, 0, 0, 0, 0x07, 0xf1 } },
};

static int
read_before (void *arg, uint64_t address, void *buf, size_t len)
{
  const before *b = arg;

  if (address != ADDRESS + 0x2300 + (b->size != 0) - 7)
    return -1;
  /* The first of what a site with a size covers is the byte behind.  */
  if (b->size == 0)
    ck_assert_uint_eq (len, 7);
  memset (buf, 0, len);
  memcpy (buf, b->code + (b->size != 0), len);
  return 0;
}

/* Sites that no call returns to.  */
START_TEST (calls)
{
  const before *b = &befores[_i];
  sframe_coro_module_facts facts
    = { .read = read_before, .arg = (void *) b }, none = { 0 };
  unit_hand h = { .abi = b->abi, .address = ADDRESS };
  findings f = { .num = 0 };

  unit_hand_make (&h);
  unit_put (h.bytes + h.func[3] + 16, 4, h.big, b->size);
  ck_assert_int_eq (validate (&h, &facts, &f), 0);
  ck_assert_msg (f.num == b->found, "%s: %zu found", b->text, f.num);
  if (b->found)
    {
      ck_assert_int_eq (f.found[0].severity, SFRAME_CORO_WARNING);
      ck_assert_int_eq (f.found[0].error, SFRAME_CORO_ERR_NO_CALL);
      ck_assert_uint_eq (f.found[0].where.offset, h.func[3]);
      ck_assert_str_eq (f.found[0].where.field, "start");
      ck_assert_uint_eq (f.found[0].value, ADDRESS + 0x2300);
    }
  validate (&h, &none, &f);
  ck_assert_uint_eq (f.num, 0);
  facts.relocatable = true;
  validate (&h, &facts, &f);
  ck_assert_uint_eq (f.num, 0);
  unit_hand_free (&h);
}
END_TEST

int
main (void)
{
  const unit_test tests[] = {
    { each, ARRAY_SIZE (checks) },
    { all, 0 },
    { without_facts, 0 },
    { no_tls_segment, 0 },
    { overlap, ARRAY_SIZE (overlaps) },
    { unsorted, 4 },
    { contradictions, 4 },
    { path_to_nowhere, 4 },
    { padding, 4 },
    { two_blocks, 4 },
    { not_a_section, 0 },
    { encoded, 4 },
    { wraps, 0 },
    { calls, ARRAY_SIZE (befores) },
  };
  return unit_run ("validate", tests, ARRAY_SIZE (tests));
}
