/* sframe-coro: what all subcommands share.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

void
tool_error (const char *format, ...)
{
  va_list args;

  fflush (stdout);
  fputs ("sframe-coro: ", stderr);
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
  putc ('\n', stderr);
}

static void *
checked (void *p)
{
  if (p == NULL)
    {
      tool_error ("out of memory");
      exit (TOOL_FAILED);
    }
  return p;
}

void *
tool_realloc (void *p, size_t num, size_t size)
{
  if (num == 0)
    num = 1;
  return checked (reallocarray (p, num, size));
}

void *
tool_calloc (size_t num, size_t size)
{
  return checked (calloc (num ? num : 1, size));
}

char *
tool_strdup (const char *s)
{
  return checked (strdup (s));
}

char *
tool_printf (const char *format, ...)
{
  va_list args;
  char *s;
  int n;

  va_start (args, format);
  n = vasprintf (&s, format, args);
  va_end (args);
  return checked (n < 0 ? NULL : s);
}

const char *
tool_basename (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash != NULL ? slash + 1 : path;
}
