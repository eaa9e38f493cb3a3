/* sframe-coro: building and printing JSON.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "tool.h"

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

json_object *
json_string (const char *s)
{
  char *copy = tool_strdup (s);
  json_object *o;

  for (char *p = copy; *p != 0;)
    {
      size_t len = utf8_length ((unsigned char *) p);
      if (len == 0)
	*p = '?';
      p += len ? len : 1;
    }
  o = json_object_new_string (copy);
  free (copy);
  return o;
}

json_object *
json_address (uint64_t address)
{
  char buf[32];
  snprintf (buf, sizeof buf, "0x%" PRIx64, address);
  return json_object_new_string (buf);
}

void
json_add (json_object *o, const char *key, json_object *value)
{
  json_object_object_add (o, key, value);
}

void
json_add_string (json_object *o, const char *key, const char *s)
{
  if (s != NULL)
    json_add (o, key, json_string (s));
}

void
json_add_address (json_object *o, const char *key, uint64_t address)
{
  json_add (o, key, json_address (address));
}

void
json_add_number (json_object *o, const char *key, int64_t n)
{
  json_add (o, key, json_object_new_int64 (n));
}

void
json_add_bool (json_object *o, const char *key, bool b)
{
  json_add (o, key, json_object_new_boolean (b));
}

json_object *
json_add_array (json_object *o, const char *key)
{
  json_object *array = json_object_new_array ();
  json_add (o, key, array);
  return array;
}

void
json_print (json_object *o)
{
  puts (json_object_to_json_string_ext (o, JSON_C_TO_STRING_PRETTY
					       | JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put (o);
}
