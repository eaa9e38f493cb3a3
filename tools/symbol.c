/* sframe-coro: names of functions.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <bfd.h>
#include <libiberty/demangle.h>

#include "symbol.h"
#include "tool.h"

char *
symbol_demangle (const char *name)
{
  char *plain = bfd_demangle (NULL, name, DMGL_PARAMS | DMGL_ANSI);
  return plain != NULL ? plain : tool_strdup (name);
}

/* Suffixes, behind a dot; a number may follow, behind one more.  */
typedef struct suffix
{
  const char *name;
  bool coroutine; /* A part of a coroutine, not of a plain function.  */
} suffix;

static const suffix suffixes[]
    = { { "actor", true },	 { "destroy", true },	 { "resume", true },
	{ "cleanup", true },	 { "cold", false },	 { "part", false },
	{ "isra", false },	 { "constprop", false }, { "lto_priv", false },
	{ "llvm", false },	 { "clone", false },	 { "localalias", false },
	{ "unlikely", false } };

static const suffix *
find_suffix (const char *word, size_t len)
{
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (strlen (suffixes[i].name) == len
	&& memcmp (suffixes[i].name, word, len) == 0)
      return &suffixes[i];
  return NULL;
}

static bool
is_number (const char *word, size_t len)
{
  size_t digits = 0;

  while (digits < len && isdigit ((unsigned char) word[digits]))
    digits++;
  return digits == len;
}

/* Where the last word of the first LEN bytes of NAME begins, behind its dot;
   0 if there is no dot.  */
static size_t
last_word (const char *name, size_t len)
{
  while (len != 0 && name[len - 1] != '.')
    len--;
  return len;
}

/* The length of NAME without suffixes; *COROUTINE says whether one was of a
   coroutine.  */
static size_t
base_length (const char *name, bool *coroutine)
{
  /* A symbol version comes last; an empty name is none.  */
  size_t len = name[0] != 0 ? 1 + strcspn (name + 1, "@") : 0;

  *coroutine = false;
  for (;;)
    {
      size_t end = len, word = last_word (name, end);
      const suffix *s;

      /* A number belongs to the suffix before it; alone it tells functions
	 apart.  */
      if (word > 1 && is_number (name + word, end - word))
	{
	  end = word - 1;
	  word = last_word (name, end);
	}
      if (word < 2 || (s = find_suffix (name + word, end - word)) == NULL)
	return len;
      *coroutine |= s->coroutine;
      len = word - 1;
    }
}

bool
symbol_same_function (const char *a, const char *b)
{
  bool coroutine_a, coroutine_b;
  size_t len = base_length (a, &coroutine_a);

  return (len == base_length (b, &coroutine_b) && coroutine_a == coroutine_b
	  && memcmp (a, b, len) == 0);
}

/* g++ names the pieces of a coroutine after a function that takes the frame,
   whose type it calls "NAME.Frame", NAME being that of the coroutine, mangled.
   Return where in the first LEN bytes of SYMBOL that NAME begins, and set *LEN
   to where it ends; or SYMBOL, if there is none.  */
static const char *
coroutine_name (const char *symbol, size_t *len)
{
  static const char frame[] = ".Frame";
  size_t tail = sizeof frame - 1;

  if (*len <= tail || memcmp (symbol + *len - tail, frame, tail) != 0)
    return symbol;
  for (size_t i = 1; i + tail < *len; i++)
    if (symbol[i] == '_' && isdigit ((unsigned char) symbol[i - 1]))
      {
	size_t digits = i - 1;
	while (digits != 0 && isdigit ((unsigned char) symbol[digits - 1]))
	  digits--;
	/* Names in C++'s mangling have their length before them.  */
	if (strtoul (symbol + digits, NULL, 10) == *len - i)
	  {
	    *len -= i + tail;
	    return symbol + i;
	  }
      }
  return symbol;
}

bool
symbol_is_piece_of (const char *symbol, const char *name)
{
  bool coroutine;
  size_t len = base_length (symbol, &coroutine);

  symbol = coroutine_name (symbol, &len);
  return strlen (name) == len && memcmp (symbol, name, len) == 0;
}

char *
symbol_display (const char *symbol)
{
  bool coroutine;
  size_t len = base_length (symbol, &coroutine);
  const char *name = coroutine_name (symbol, &len);
  char *base = tool_strdup (name), *shown;

  base[len] = 0;
  shown = symbol_demangle (base);
  free (base);
  return shown;
}
