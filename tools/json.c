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

json_object *
json_string (const char *s)
{
  char *copy = tool_strdup (s);
  json_object *o;

  tool_make_utf8 (copy);
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
json_write (json_object *o, FILE *out)
{
  fputs (json_object_to_json_string_ext (o, JSON_C_TO_STRING_PRETTY
						| JSON_C_TO_STRING_NOSLASHESCAPE),
	 out);
  putc ('\n', out);
  json_object_put (o);
}

void
json_print (json_object *o)
{
  json_write (o, stdout);
}
