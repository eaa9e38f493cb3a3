/* sframe-coro: printing the stacks of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef SHOW_H
#define SHOW_H

#include <json-c/json.h>

#include "snapshot.h"

typedef struct show_options
{
  bool coroutines_only; /* Leave native frames out that are none.  */
  bool logical;		/* Leave out what is between a resume site and the
			   coroutine below.  */
  bool addresses;	/* Print them with names.  */
  bool mangled;		/* Print names as they are in files.  */
  bool color;
  size_t max_frames; /* Of a stack; 0: all.  */
} show_options;

/* Print S to stdout as text.  */
extern void show_text (const snapshot *s, const show_options *o);

/* Add the same to object ALL.  */
extern void show_json (json_object *all, const snapshot *s,
		       const show_options *o);

#endif /* SHOW_H */
