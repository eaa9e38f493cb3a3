/* Dump: the text of a section.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stdlib.h>

#include "unit.h"

#define ADDRESS UINT64_C (0x10000)

/* The text of H, in memory from malloc.  */
static char *
dump (const unit_hand *h, const sframe_coro_dump_options *options, int err)
{
  sframe_coro_section s;
  char *text = NULL;
  size_t len;
  FILE *out = open_memstream (&text, &len);

  ck_assert_ptr_nonnull (out);
  ck_assert_int_eq (sframe_coro_section_open (&s, h->bytes, h->size,
					      h->address, NULL),
		    SFRAME_CORO_OK);
  ck_assert_int_eq (sframe_coro_section_dump (&s, out, options), err);
  ck_assert_int_eq (fclose (out), 0);
  return text;
}

/* The section of unit_hand, compared with what was put there by eye.  */

#define HEADER_TEXT \
  "\n" \
  "  Block [0] at offset 0 :\n" \
  "\n" \
  "    Version: SFRAME_CORO_VERSION_1\n" \
  "    Flags: SFRAME_CORO_F_FUNCS_SORTED\n" \
  "    ABI/Arch: AMD64 (little-endian)\n" \
  "    Length: 648 bytes\n" \
  "    Num Chains: 2\n" \
  "    Num Functions: 4\n" \
  "\n"

#define CHAIN_0_TEXT \
  "    chain [0]: \"demo.task\" at 0000000000010020\n" \
  "      flags: running_head\n" \
  "      head [0]: tls, 0000000000013000, path 0\n" \
  "      head [1]: tls_offset, -24, path 32, -8, adjust=-16\n" \
  "      head [2]: tp_slot, 0000000000015000, path -8, 16, -24, 32\n" \
  "      head [3]: global, 0000000000015010\n" \
  "      path next: 32, -8, adjust=-16\n" \
  "      path ip: 0\n" \
  "      path ip_alt: 8\n" \
  "      ip: entry\n" \
  "      end: address 0000000000015030\n" \
  "      tag bits: 3\n" \
  "      max depth: 100\n" \
  "      test [0]: value, width 2, offset -4, value 0x1200, mask 0xff00: hide, boundary\n" \
  "      test [1]: equal, width 8, offsets 0, 8, mask 0xffffffffffffffff: stop\n" \
  "\n"

#define CHAIN_1_TEXT \
  "    chain [1]: \"py\" at 0000000000010070\n" \
  "      flags: process_scope, root_frame, ptrauth\n" \
  "      head [0]: pthread_key, 0000000000015020, invalid 0xffffffff, path 8\n" \
  "      head [1]: frame, 0000000000000000, path adjust=24\n" \
  "      path top: 0\n" \
  "      path next: 8\n" \
  "      path ip: 32, -8, adjust=-16\n" \
  "      path aux: adjust=24\n" \
  "      path root_next: -8, 16, -24, 32\n" \
  "      path root_key: 0\n" \
  "      path blocked: 8\n" \
  "      ip: cookie, language 1\n" \
  "      end: value 0xfeedfacecafef00d\n" \
  "      roots: tid\n" \
  "      root frame at: -16\n" \
  "\n"

#define FUNCS_TEXT \
  "    func [0]: site, pc = 0000000000012000, size = 5 bytes, chain = 0000000000010020\n" \
  "    func [1]: site, pc = 0000000000012100, size = 32 bytes, chain = 0000000000010070\n" \
  "        0000000000012100  cfa, -24\n" \
  "        0000000000012110  reg 3, 40 (in register)\n" \
  "    func [2]: body, pc = 0000000000012200, size = 64 bytes, chain = 0000000000010020\n" \
  "        path next: 8\n" \
  "        path ip: 0\n" \
  "        index: offset -2, width 2\n" \
  "        point 2: 000000000001220c\n" \
  "        point 4: 000000000001223f\n" \
  "    func [3]: site, pc = 0000000000012300, size = 0 bytes, chain = 0000000000010070\n" \
  "\n"

static void
expect_text (const unit_hand *h, const sframe_coro_dump_options *options,
	     int err, const char *want)
{
  char *got = dump (h, options, err);
  ck_assert_str_eq (got, want);
  free (got);
}

/* Expect that the text of H has WANT in it.  */
static void
expect_part (const unit_hand *h, const sframe_coro_dump_options *options,
	     int err, const char *want)
{
  char *got = dump (h, options, err);
  ck_assert_msg (strstr (got, want) != NULL, "no \"%s\" in:\n%s", want, got);
  free (got);
}

START_TEST (text)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE, .address = ADDRESS };

  unit_hand_make (&h);
  expect_text (&h, NULL, SFRAME_CORO_OK,
	       HEADER_TEXT CHAIN_0_TEXT CHAIN_1_TEXT FUNCS_TEXT);
  unit_hand_free (&h);
}
END_TEST

/* The text is that of the values, whatever the byte order.  */
START_TEST (abis)
{
  static const char *const names[]
      = { "AArch64 (big-endian)", "AArch64 (little-endian)",
	  "AMD64 (little-endian)", "s390x (big-endian)" };
  unit_hand h = { .abi = unit_abis[_i], .address = ADDRESS };
  char line[80];

  unit_hand_make (&h);
  snprintf (line, sizeof line, "    ABI/Arch: %s\n", names[_i]);
  expect_part (&h, NULL, SFRAME_CORO_OK, line);
  expect_part (&h, NULL, SFRAME_CORO_OK,
	       CHAIN_0_TEXT CHAIN_1_TEXT FUNCS_TEXT);
  unit_hand_free (&h);
}
END_TEST

START_TEST (nothing)
{
  static const unsigned char zeros[8];
  unit_hand h = { .bytes = (unsigned char *) zeros, .size = sizeof zeros };

  expect_text (&h, NULL, SFRAME_CORO_OK, "\n");
}
END_TEST

static bool
name_some (void *arg, uint64_t address, size_t field, char *buf, size_t len)
{
  const unit_hand *h = arg;

  /* Fields of PC-relative addresses are at their offset in the section.  */
  if (field == h->func[1])
    ck_assert_uint_eq (address, ADDRESS + 0x2100);
  if (field == h->func[1] + 8)
    ck_assert_uint_eq (address, ADDRESS + h->chain[1]);
  if (field == h->data + HAND_HEADS_0 + 8)
    ck_assert_uint_eq (address, ADDRESS + HAND_STUB);
  if (address == ADDRESS + 0x2100)
    {
      snprintf (buf, len, "resume+%#zx", field);
      return true;
    }
  return false;
}

START_TEST (symbols)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE, .address = ADDRESS };
  const sframe_coro_dump_options options = { name_some, &h };
  char line[200];

  unit_hand_make (&h);
  snprintf (line, sizeof line,
	    "    func [1]: site, pc = 0000000000012100 <resume+%#zx>,"
	    " size = 32 bytes, chain = 0000000000010070\n",
	    h.func[1]);
  expect_part (&h, &options, SFRAME_CORO_OK, line);
  expect_part (&h, &options, SFRAME_CORO_OK, CHAIN_0_TEXT CHAIN_1_TEXT);
  unit_hand_free (&h);
}
END_TEST

/* Names cannot control a terminal.  */
START_TEST (escapes)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE, .address = ADDRESS };

  unit_hand_make (&h);
  memcpy (h.bytes + h.strings + 1, "a\x1b\"\\\n\x7f\xc3\xa9!", 9);
  expect_part (&h, NULL, SFRAME_CORO_OK,
	       "chain [0]: \"a\\x1b\\x22\\x5c\\x0a\\x7f\xc3\xa9!\" at ");
  unit_hand_free (&h);
}
END_TEST

/* One field changed, and what is in the text then.  */
static const struct
{
  const char *record;
  unsigned index;
  size_t field;
  unsigned width;
  uint64_t value;
  const char *want;
} variants[] = {
  { "header", 0, 3, 1, 0, "    Flags: NONE\n" },
  { "header", 0, 3, 1, 0x81, "    Flags: SFRAME_CORO_F_FUNCS_SORTED, 0x80\n" },
  { "chain", 0, 4, 4, 0, "      flags: none\n" },
  { "chain", 0, 4, 4, 0x11, "      flags: running_head, 0x10\n" },
  { "chain", 0, 11, 1, 0, "      end: null\n" },
  { "chain", 0, 11, 1, 1, "      end: self\n" },
  { "chain", 0, 10, 1, 0, "      ip: none\n" },
  { "chain", 0, 10, 1, 2, "      ip: return\n" },
  { "chain", 0, 10, 1, 3, "      ip: pc\n" },
  { "chain", 0, 12, 1, 1, "      roots: all\n" },
  { "chain", 0, 12, 1, 3, "      roots: tp\n" },
  { "data", 0, HAND_TESTS + 2, 1, 0, "mask 0xff00: nothing\n" },
  { "data", 0, HAND_TESTS + 2, 1, 4, "mask 0xff00: stop\n" },
  { "data", 0, HAND_HEADS_0 + 25, 1, 1, "tls_offset, -24, invalid 0, path" },
};

static size_t
record_offset (const unit_hand *h, const char *record, unsigned index)
{
  if (strcmp (record, "chain") == 0)
    return h->chain[index];
  if (strcmp (record, "function") == 0)
    return h->func[index];
  return strcmp (record, "data") == 0 ? h->data : 0;
}

START_TEST (variant)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE, .address = ADDRESS };

  unit_hand_make (&h);
  unit_put (h.bytes
		+ record_offset (&h, variants[_i].record, variants[_i].index)
		+ variants[_i].field,
	    variants[_i].width, h.big, variants[_i].value);
  expect_part (&h, NULL, SFRAME_CORO_OK, variants[_i].want);
  unit_hand_free (&h);
}
END_TEST

/* What cannot be decoded is said in its place, and the rest is there.  */
START_TEST (damaged)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE, .address = ADDRESS };

  unit_hand_make (&h);
  h.bytes[h.chain[0] + 10] = 99;
  expect_text (&h, NULL, SFRAME_CORO_ERR_BAD_KIND,
	       HEADER_TEXT
	       "  Error at offset 0x2a, block 0, chain 0, field ip_kind:"
	       " unknown kind\n\n" CHAIN_1_TEXT FUNCS_TEXT);
  h.bytes[h.chain[0] + 10] = 1;
  h.bytes[h.data + HAND_BODY + 12] = 3;
  expect_part (&h, NULL, SFRAME_CORO_ERR_BAD_VALUE,
	       "    func [2]: body, pc = 0000000000012200, size = 64 bytes,"
	       " chain = 0000000000010020\n\n  Error at offset 0x260,"
	       " block 0, body 0, field index_size: value out of range\n"
	       "    func [3]: site");
  unit_hand_free (&h);
}
END_TEST

/* The first error is what is returned; a block that is none ends the text.  */
START_TEST (second_block)
{
  unit_hand h = { .abi = SFRAME_CORO_ABI_AMD64_LE, .address = ADDRESS };

  unit_hand_make (&h);
  h.bytes = realloc (h.bytes, h.size + 40);
  memset (h.bytes + h.size, 0x5a, 40);
  h.size += 40;
  expect_part (&h, NULL, SFRAME_CORO_ERR_BAD_MAGIC,
	       "size = 0 bytes, chain = 0000000000010070\n"
	       "\n  Error at offset 0x288, block 1, header 0, field magic:"
	       " not a .sframe_coro block\n\n");
  h.bytes[h.func[0] + 26] = 7;
  expect_part (&h, NULL, SFRAME_CORO_ERR_BAD_KIND,
	       "\n  Error at offset 0xda, block 0, function 0, field kind:"
	       " unknown kind\n    func [1]: site");
  unit_hand_free (&h);
}
END_TEST

START_TEST (names)
{
  static const char *(*const name_of[]) (int)
      = { sframe_coro_abi_name,	     sframe_coro_head_kind_name,
	  sframe_coro_ip_kind_name,  sframe_coro_end_kind_name,
	  sframe_coro_roots_name,    sframe_coro_path_name,
	  sframe_coro_func_kind_name };
  static const int first[] = { 1, 1, 0, 0, 0, 0, 1 };
  static const int last[] = { 4, 6, 4, 3, 3, 7, 2 };

  for (size_t i = 0; i < ARRAY_SIZE (name_of); i++)
    {
      for (int k = first[i]; k <= last[i]; k++)
	ck_assert_str_ne (name_of[i](k), "?");
      ck_assert_str_eq (name_of[i](first[i] - 1), "?");
      ck_assert_str_eq (name_of[i](last[i] + 1), "?");
      ck_assert_str_eq (name_of[i](INT32_MAX), "?");
      ck_assert_str_eq (name_of[i](INT32_MIN), "?");
    }
}
END_TEST

int
main (void)
{
  const unit_test tests[] = {
    { text, 0 },
    { abis, 4 },
    { nothing, 0 },
    { symbols, 0 },
    { escapes, 0 },
    { variant, ARRAY_SIZE (variants) },
    { damaged, 0 },
    { second_block, 0 },
    { names, 0 },
  };
  return unit_run ("dump", tests, ARRAY_SIZE (tests));
}
