/* sframe-coro: what all subcommands share.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tool.h"

static bool is_quiet;

void
tool_be_quiet (bool quiet)
{
  is_quiet = quiet;
}

void
tool_error (const char *format, ...)
{
  va_list args;
  char *text;

  if (is_quiet)
    return;
  va_start (args, format);
  if (vasprintf (&text, format, args) < 0)
    tool_no_memory ();
  va_end (args);
  fflush (stdout);
  fputs ("sframe-coro: ", stderr);
  tool_put_printable (text, stderr);
  putc ('\n', stderr);
  free (text);
}

void
tool_no_memory (void)
{
  /* Nothing is to be allocated for this message.  */
  fputs ("sframe-coro: out of memory\n", stderr);
  exit (TOOL_FAILED);
}

static void *
checked (void *p)
{
  if (p == NULL)
    tool_no_memory ();
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

char *
tool_hex (const unsigned char *p, size_t size)
{
  static const char digits[] = "0123456789abcdef";
  char *text = tool_calloc (size * 2 + 1, 1);

  for (size_t i = 0; i < size; i++)
    {
      text[2 * i] = digits[p[i] >> 4];
      text[2 * i + 1] = digits[p[i] & 15];
    }
  return text;
}

const char *
tool_basename (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* The length of the UTF-8 character at S, 0 if there is none.  Overlong forms,
   surrogates and what lies behind U+10FFFF are none.  */
static size_t
utf8_length (const unsigned char *s)
{
  uint32_t c;
  size_t len;

  if (s[0] < 0x80)
    return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4)
    return 0;
  len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  c = s[0] & (0xff >> (len + 1));
  for (size_t i = 1; i < len; i++)
    {
      if ((s[i] & 0xc0) != 0x80)
	return 0;
      c = c << 6 | (s[i] & 0x3f);
    }
  if ((len == 3 && c < 0x800) || (len == 4 && (c < 0x10000 || c > 0x10ffff))
      || (c >= 0xd800 && c < 0xe000))
    return 0;
  return len;
}

void
tool_make_utf8 (char *s)
{
  while (*s != 0)
    {
      size_t len = utf8_length ((unsigned char *) s);
      if (len == 0)
	*s = '?';
      s += len ? len : 1;
    }
}

/* Control characters are ASCII's, and U+0080 to U+009f.  */
void
tool_make_printable (char *s)
{
  for (unsigned char *p = (unsigned char *) s; *p != 0; p++)
    if (*p < ' ' || *p == 0x7f)
      *p = '?';
    else if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
      p[0] = p[1] = '?';
}

void
tool_put_printable (const char *s, FILE *out)
{
  char *copy = tool_strdup (s);

  tool_make_printable (copy);
  fputs (copy, out);
  free (copy);
}

int
tool_number (const char *arg, struct argp_state *state, const char *what)
{
  char *end;
  long n;

  errno = 0;
  n = strtol (arg, &end, 10);
  if (errno != 0 || end == arg || *end != 0 || n <= 0 || n > INT_MAX)
    argp_error (state, "`%s' is not a %s", arg, what);
  return (int) n;
}

uint64_t
tool_now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}
