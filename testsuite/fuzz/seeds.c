/* Write sections for the fuzzers to begin with, two per ABI, into a directory.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stdlib.h>

#include "sframe-coro-api.h"

static sframe_coro_path
path (int num, int32_t a, int32_t b, int32_t adjust)
{
  return (sframe_coro_path){ .given = 1,
			     .num_offs = (uint8_t) num,
			     .off = { a, num > 1 ? b : 0 },
			     .adjust = adjust };
}

/* A chain with a head of each kind that there is room for, from KIND on.  */
static sframe_coro_chain
make_chain (int kind)
{
  sframe_coro_chain c = { .name = "seed",
			  .num_heads = 3,
			  .num_tests = 2,
			  .ip_kind = SFRAME_CORO_IP_FUNCTION_ENTRY,
			  .end_kind = SFRAME_CORO_END_ADDRESS,
			  .ptr_align_log2 = 3,
			  .end_value = 0x10040 };

  for (int i = 0; i < c.num_heads; i++)
    {
      c.head[i].kind = (uint8_t) (kind + i);
      c.head[i].value = kind + i == SFRAME_CORO_HEAD_FRAME ? 0 : 0x10000;
      c.head[i].path = path (1, 8 * i, 0, 0);
    }
  c.test[0] = (sframe_coro_test){ .kind = SFRAME_CORO_TEST_EQUAL,
				  .width = 8,
				  .actions = SFRAME_CORO_ACT_STOP,
				  .mask = UINT64_MAX,
				  .value = 8 };
  c.test[1] = (sframe_coro_test){ .kind = SFRAME_CORO_TEST_VALUE,
				  .width = 2,
				  .actions = SFRAME_CORO_ACT_BOUNDARY,
				  .off = -2,
				  .mask = 3,
				  .value = 1 };
  c.path[SFRAME_CORO_PATH_TOP] = path (1, 16, 0, 0);
  c.path[SFRAME_CORO_PATH_NEXT] = path (2, 24, -8, -16);
  c.path[SFRAME_CORO_PATH_IP] = path (1, 0, 0, 0);
  c.path[SFRAME_CORO_PATH_IP_ALT] = path (1, 8, 0, 0);
  return c;
}

/* The least that is of use: a chain with one head.  */
static sframe_coro_chain
make_small_chain (void)
{
  sframe_coro_chain c = { .name = "",
			  .num_heads = 1,
			  .ip_kind = SFRAME_CORO_IP_FUNCTION_ENTRY };

  c.head[0] = (sframe_coro_head){ .kind = SFRAME_CORO_HEAD_GLOBAL,
				  .value = 0x10000 };
  c.path[SFRAME_CORO_PATH_NEXT] = path (1, 8, 0, 0);
  c.path[SFRAME_CORO_PATH_IP] = path (1, 0, 0, 0);
  return c;
}

static bool
add_funcs (sframe_coro_encoder *e, uint32_t chain)
{
  const sframe_coro_row row = { 0, SFRAME_CORO_BASE_CFA, 0, -24 };
  const sframe_coro_point point = { 2, 4 };
  const sframe_coro_body body
      = { .next = path (1, 8, 0, 0), .index_off = 16, .index_size = 2 };
  const sframe_coro_func site
      = { .start = 0x20000 + 64 * chain, .size = 5, .num = 1,
	  .kind = SFRAME_CORO_FUNC_SITE };
  const sframe_coro_func code
      = { .start = 0x30000 + 64 * chain, .size = 32, .num = 1,
	  .kind = SFRAME_CORO_FUNC_BODY };

  return (sframe_coro_encoder_add_func (e, &site, chain, &row, NULL, NULL)
	      == SFRAME_CORO_OK
	  && sframe_coro_encoder_add_func (e, &code, chain, NULL, &body, &point)
		 == SFRAME_CORO_OK);
}

/* Write the section for ABI into DIRECTORY, of two chains or, if SMALL, one.  */
static bool
write_seed (const char *directory, int abi, bool small)
{
  sframe_coro_encoder *e = sframe_coro_encoder_new (abi);
  unsigned char *bytes = NULL;
  char name[4096];
  size_t size;
  bool ok = e != NULL;
  FILE *out;

  for (uint32_t i = 0; ok && i < (small ? 1 : 2); i++)
    {
      sframe_coro_chain c
	  = small ? make_small_chain () : make_chain (i == 0 ? 1 : 4);
      ok = (sframe_coro_encoder_add_chain (e, &c, NULL) == SFRAME_CORO_OK
	    && add_funcs (e, i));
    }
  ok = ok
       && sframe_coro_encoder_write (e, 0x10000, &bytes, &size)
	      == SFRAME_CORO_OK;
  snprintf (name, sizeof name, "%s/abi-%d%s", directory, abi,
	    small ? "-small" : "");
  out = ok ? fopen (name, "wb") : NULL;
  ok = out != NULL && fwrite (bytes, 1, size, out) == size;
  if (out != NULL)
    ok &= fclose (out) == 0;
  free (bytes);
  sframe_coro_encoder_free (e);
  return ok;
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    return EXIT_FAILURE;
  for (int abi = SFRAME_CORO_ABI_AARCH64_BE; abi <= SFRAME_CORO_ABI_S390X_BE;
       abi++)
    if (!write_seed (argv[1], abi, false) || !write_seed (argv[1], abi, true))
      {
	perror (argv[1]);
	return EXIT_FAILURE;
      }
  return EXIT_SUCCESS;
}
