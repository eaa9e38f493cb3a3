/* sframe-coro: printing the stacks of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef SHOW_H
#define SHOW_H

#include <json-c/json.h>

#include "functions.h"
#include "trace.h"

/* Print T to stdout as text.  */
extern void show_text (const trace_thread *t, const modules *m,
		       functions *fs);

/* The same as an object.  */
extern json_object *show_json (const trace_thread *t, const modules *m,
			       functions *fs);

#endif /* SHOW_H */
