/* sframe-coro: the command line of subcommands that look at files.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef FILES_H
#define FILES_H

#include <stdbool.h>

#include "elf-file.h"
#include "json.h"

typedef struct files
{
  char **paths;
  int num;
  bool json;
  bool strict; /* `check' only.  */
} files;

/* Parse the command line of a subcommand that DOC describes; HAS_STRICT says
   whether it has that option.  */
extern files files_parse (int argc, char **argv, const char *doc,
			  bool has_strict);

/* Do FN for each of the files.  It gets an object to fill with JSON, NULL if
   none is wanted, and returns an exit status.  Return the worst; files that
   cannot be read are the worst.  */
typedef int (*files_fn) (const elf_file *file, const files *args,
			 json_object *o);
extern int files_do (const files *args, files_fn fn);

/* What to call section S of FILE in messages: with its number where there are
   several; to be freed.  */
extern char *files_section_name (const elf_file *file, const elf_coro *s);

#endif /* FILES_H */
