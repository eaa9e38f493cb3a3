/* sframe-coro: files that are written.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct output
{
  FILE *file;
  char *path; /* For messages.  */
  bool is_stdout;
  int error; /* Why the first write that failed did; 0: none.  */
} output;

/* Open PATH for writing, "-" for stdout.  False after a message.  */
extern bool output_open (output *o, const char *path);

/* Whether all writing to O, of which the last was just now, went well so far.
   If not, output_close tells why.  */
extern bool output_is_good (output *o);

/* Close it; OK says whether all went well so far.  If it did not, or does not
   now, remove the file if it is a regular one, and return false after a
   message about what goes wrong now.  */
extern bool output_close (output *o, bool ok);

#endif /* OUTPUT_H */
