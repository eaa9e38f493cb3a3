/* Damaged sections, hostile memory: nothing crashes, nothing runs on.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Buffers are exactly as long as what is in them, so that a sanitizer sees
   each byte read beyond.  */

#include <stdlib.h>

#include "../fuzz/exercise.h"
#include "unit.h"

#define ADDRESS UINT64_C (0x10000)

static FILE *
nowhere (void)
{
  FILE *out = fopen ("/dev/null", "w");
  ck_assert_ptr_nonnull (out);
  return out;
}

/* A section of two blocks with what the encoder writes: fewer overlapping
   records than in that of unit_hand.  */
static unsigned char *
make_encoded (int abi, size_t *size)
{
  unit_random r = { 41 };
  unit_model m;
  size_t first, second;
  unsigned char *a, *b;

  unit_model_make (&m, &r, abi, ADDRESS);
  a = unit_model_encode (&m, &first);
  unit_model_make (&m, &r, abi, ADDRESS + first + 8);
  b = unit_model_encode (&m, &second);
  a = realloc (a, first + 8 + second);
  memset (a + first, 0, 8);
  memcpy (a + first + 8, b, second);
  free (b);
  *size = first + 8 + second;
  return a;
}

/* Sections number 0 to 7: each ABI, by hand and encoded.  */
static unsigned char *
make_section (int i, size_t *size)
{
  unit_hand h = { .abi = unit_abis[i % 4], .address = ADDRESS };

  if (i >= 4)
    return make_encoded (unit_abis[i % 4], size);
  unit_hand_make (&h);
  *size = h.size;
  return h.bytes;
}

START_TEST (truncated)
{
  FILE *out = nowhere ();
  size_t size;
  unsigned char *bytes = make_section (_i, &size);

  for (size_t n = 0; n <= size; n++)
    {
      unsigned char *part = malloc (n + !n);
      memcpy (part, bytes, n);
      exercise_section (part, n, out);
      free (part);
    }
  free (bytes);
  fclose (out);
}
END_TEST

/* Every byte, all values it can have in one section of each byte order, and
   in the others each bit turned, the least and the greatest value.  */
static unsigned
values_of (int section, unsigned char was, unsigned char *values)
{
  unsigned n = 0;

  if (section == 2 || section == 3)
    for (unsigned v = 0; v < 256; v++)
      values[n++] = (unsigned char) v;
  else
    {
      for (unsigned bit = 0; bit < 8; bit++)
	values[n++] = (unsigned char) (was ^ 1u << bit);
      values[n++] = 0;
      values[n++] = 0xff;
      values[n++] = (unsigned char) (was + 1);
    }
  return n;
}

#define SLICES 8

START_TEST (one_byte)
{
  FILE *out = nowhere ();
  size_t size;
  int section = _i / SLICES;
  unsigned char *bytes = make_section (section, &size);
  unsigned char values[256];

  for (size_t at = (size_t) (_i % SLICES); at < size; at += SLICES)
    {
      unsigned char was = bytes[at];
      unsigned n = values_of (section, was, values);
      for (unsigned k = 0; k < n; k++)
	{
	  bytes[at] = values[k];
	  /* Text takes longest.  */
	  exercise_section (bytes, size, k % 8 == at % 8 ? out : NULL);
	}
      bytes[at] = was;
    }
  free (bytes);
  fclose (out);
}
END_TEST

/* 32-bit fields with values at which sums overflow.  */
START_TEST (extreme_words)
{
  static const uint32_t extremes[]
      = { 0,	      1,	  0x7fffffff, 0x80000000, 0xffffffff,
	  0xfffffffe, 0xfffffff8, 0xfffffff0, 0xffffff00, 0x10000000,
	  0x03333333, 0x08000000, 0x07ffffff, 0xffff };
  FILE *out = nowhere ();
  size_t size;
  unsigned char *bytes = make_section (_i, &size), was[4];
  bool big = unit_abi_is_big (unit_abis[_i % 4]);

  for (size_t at = 0; at + 4 <= size; at += 4)
    {
      memcpy (was, bytes + at, 4);
      for (size_t k = 0; k < ARRAY_SIZE (extremes); k++)
	{
	  unit_put (bytes + at, 4, big, extremes[k]);
	  exercise_section (bytes, size, out);
	}
      memcpy (bytes + at, was, 4);
    }
  free (bytes);
  fclose (out);
}
END_TEST

/* Several changes at once.  */
START_TEST (many_bytes)
{
  FILE *out = nowhere ();
  unit_random r = { (uint64_t) _i };
  size_t size;
  unsigned char *bytes = make_section (_i, &size);
  unsigned char *damaged = malloc (size);

  for (unsigned i = 0; i < 3000; i++)
    {
      memcpy (damaged, bytes, size);
      for (uint64_t n = 1 + unit_below (&r, 6); n > 0; n--)
	{
	  size_t at = unit_below (&r, size);
	  damaged[at] = (unsigned char) (unit_below (&r, 2)
					     ? unit_next (&r)
					     : damaged[unit_below (&r, size)]);
	}
      exercise_section (damaged, size, i % 8 == 0 ? out : NULL);
    }
  free (damaged);
  free (bytes);
  fclose (out);
}
END_TEST

/* Any chain in any memory.  */
START_TEST (hostile_memory)
{
  unit_random r = { (uint64_t) _i };
  uint64_t words[16];
  unit_model m;

  for (unsigned i = 0; i < 2000; i++)
    {
      size_t num = 1 + unit_below (&r, ARRAY_SIZE (words));
      unit_model_make (&m, &r, unit_abis[_i % 4], ADDRESS);
      for (size_t k = 0; k < num; k++)
	switch (unit_below (&r, 4))
	  {
	  case 0:
	    words[k] = unit_next (&r);
	    break;
	  case 1:
	    words[k] = 0;
	    break;
	  default:
	    words[k] = 0x7f0000000000 + 8 * unit_below (&r, 100);
	    break;
	  }
      for (size_t k = 0; k < m.num_chains; k++)
	{
	  sframe_coro_chain *c = &m.chains[k];
	  c->abi_arch = (uint8_t) unit_abis[_i % 4];
	  c->swap = (uint8_t) unit_below (&r, 2);
	  if (unit_below (&r, 2))
	    c->num_tests = 0;
	  exercise_walk (c, (const unsigned char *) words, 8 * num);
	}
    }
}
END_TEST

START_TEST (any_stacks)
{
  unit_random r = { (uint64_t) _i };
  unsigned char bytes[512];

  for (unsigned i = 0; i < 5000; i++)
    {
      for (size_t k = 0; k < sizeof bytes; k++)
	bytes[k] = (unsigned char) unit_next (&r);
      exercise_splice (bytes, unit_below (&r, sizeof bytes + 1));
    }
}
END_TEST

int
main (void)
{
  const unit_test tests[] = {
    { truncated, 8 },
    { one_byte, 8 * SLICES },
    { extreme_words, 8 },
    { many_bytes, 8 },
    { hostile_memory, 8 },
    { any_stacks, 4 },
  };
  return unit_run ("robust", tests, ARRAY_SIZE (tests));
}
