/* sframe-coro: building and printing JSON.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef JSON_H
#define JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Values.  A string may hold any bytes; those that are not UTF-8 come out as
   question marks.  Addresses are strings, since JSON's numbers are not exact
   enough for them.  */
extern json_object *json_string (const char *s);
extern json_object *json_address (uint64_t address);

/* Add a member to object O.  json_add_string adds nothing for NULL.  */
extern void json_add (json_object *o, const char *key, json_object *value);
extern void json_add_string (json_object *o, const char *key, const char *s);
extern void json_add_address (json_object *o, const char *key,
			      uint64_t address);
extern void json_add_number (json_object *o, const char *key, int64_t n);
extern void json_add_bool (json_object *o, const char *key, bool b);

/* Add an empty array to O, and return it.  */
extern json_object *json_add_array (json_object *o, const char *key);

/* Write O to OUT, or print it to stdout, and free it.  */
extern void json_write (json_object *o, FILE *out);
extern void json_print (json_object *o);

#endif /* JSON_H */
