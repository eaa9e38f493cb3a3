/* All that the library's validator finds in sections, for a comparison.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: findings <LIST

   Each line of the input is the address of a section, as a decimal number, and
   the name of a file with its contents.  Prints for each "section NAME", and
   for each finding

     SEVERITY CODE OFFSET

   The validator is told nothing of a file, nor that it is relocatable.  */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sframe-coro-api.h"

static const char *const codes[] = {
#define CODE(NAME, TEXT) #NAME,
  SFRAME_CORO_ERRORS (CODE)
};

static int
print (void *arg, const sframe_coro_finding *f)
{
  (void) arg;
  printf ("%s %s %zu\n",
	  f->severity == SFRAME_CORO_ERROR ? "error" : "warning",
	  codes[f->error], f->where.offset);
  return 0;
}

/* The contents of file NAME; NULL if it cannot be read.  */
static unsigned char *
read_file (const char *name, size_t *size)
{
  FILE *file = fopen (name, "rb");
  unsigned char *bytes = NULL;
  long len;

  if (file == NULL)
    return NULL;
  if (fseek (file, 0, SEEK_END) == 0 && (len = ftell (file)) >= 0)
    {
      rewind (file);
      *size = (size_t) len;
      /* Exactly as large, so that a sanitizer sees what is beyond.  */
      bytes = malloc (*size + !*size);
      if (bytes != NULL && fread (bytes, 1, *size, file) != *size)
	{
	  free (bytes);
	  bytes = NULL;
	}
    }
  fclose (file);
  return bytes;
}

int
main (void)
{
  char name[4096];
  uint64_t address;

  while (scanf ("%" SCNu64 " %4095s", &address, name) == 2)
    {
      size_t size;
      unsigned char *bytes = read_file (name, &size);

      if (bytes == NULL)
	{
	  perror (name);
	  return 1;
	}
      printf ("section %s\n", name);
      if (sframe_coro_validate (bytes, size, address, NULL, print, NULL) < 0)
	return 1;
      free (bytes);
    }
  return 0;
}
