/* List what the .sframe_coro section of an ELF file describes.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: list FILE  */

#include <inttypes.h>
#include <stdio.h>

#include "modules.h"

static void
print_chain (const sframe_coro_chain *chain)
{
  printf ("chain \"%s\" at %#" PRIx64 "\n", chain->name, chain->address);
  for (unsigned i = 0; i < chain->num_heads; i++)
    printf ("  head: %s\n", sframe_coro_head_kind_name (chain->head[i].kind));
  printf ("  IP: %s, end: %s, roots: %s\n",
          sframe_coro_ip_kind_name (chain->ip_kind),
          sframe_coro_end_kind_name (chain->end_kind),
          sframe_coro_roots_name (chain->roots));
}

static void
print_function (const sframe_coro_func *func, const sframe_coro_chain *chain,
                Dwfl *modules)
{
  printf ("%s at %#" PRIx64 ", %" PRIu32 " bytes, in %s, of \"%s\"\n",
          sframe_coro_func_kind_name (func->kind), func->start, func->size,
          modules_function (modules, func->start - 1),
          chain != NULL ? chain->name : "?");
}

static void
print_index (const sframe_coro_index *index, Dwfl *modules)
{
  for (size_t i = 0; i < sframe_coro_index_num_chains (index); i++)
    print_chain (&sframe_coro_index_chain_at (index, i)->chain);
  for (size_t i = 0; i < sframe_coro_index_num_funcs (index); i++)
    {
      size_t number;
      const sframe_coro_func *func
        = sframe_coro_index_func_at (index, i, &number);
      const sframe_coro_index_chain *chain
        = sframe_coro_index_chain_at (index, number);

      print_function (func, chain ? &chain->chain : NULL, modules);
    }
}

int
main (int argc, char **argv)
{
  Dwfl *modules = argc == 2 ? modules_of_file (argv[1]) : NULL;
  sframe_coro_index *index = sframe_coro_index_new ();
  int status = 1;

  if (modules != NULL && index != NULL && modules_index (modules, index) == 0)
    {
      print_index (index, modules);
      status = 0;
    }
  sframe_coro_index_free (index);
  dwfl_end (modules);
  return status;
}
