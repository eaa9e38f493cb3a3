/* sframe-coro: the command line of subcommands that look at files.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <argp.h>

#include "files.h"
#include "tool.h"

enum
{
  OPTION_JSON = 256,
  OPTION_STRICT
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  files *f = state->input;

  (void) arg;
  switch (key)
    {
    case OPTION_JSON:
      f->json = true;
      return 0;
    case OPTION_STRICT:
      f->strict = true;
      return 0;
    case ARGP_KEY_ARGS:
      f->paths = state->argv + state->next;
      f->num = state->argc - state->next;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error (state, "no file given");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

files
files_parse (int argc, char **argv, const char *doc, bool has_strict)
{
  const struct argp_option options[]
      = { { "json", OPTION_JSON, NULL, 0, "print JSON", 0 },
	  { has_strict ? "strict" : NULL, has_strict ? OPTION_STRICT : 0, NULL,
	    0, has_strict ? "let warnings count as errors" : NULL, 0 },
	  { 0 } };
  const struct argp argp = { .options = options,
			     .parser = parse_option,
			     .args_doc = "FILE...",
			     .doc = doc };
  files f = { 0 };

  argp_parse (&argp, argc, argv, 0, NULL, &f);
  return f;
}

int
files_do (const files *args, files_fn fn)
{
  json_object *all = json_object_new_object (), *array;
  int worst = TOOL_OK;

  json_add_number (all, "version", 1);
  array = json_add_array (all, "files");
  for (int i = 0; i < args->num; i++)
    {
      json_object *o = args->json ? json_object_new_object () : NULL;
      int status = TOOL_FAILED;
      elf_file file;

      if (o != NULL)
	{
	  json_add_string (o, "file", args->paths[i]);
	  json_object_array_add (array, o);
	}
      if (elf_file_open (&file, args->paths[i]))
	{
	  status = fn (&file, args, o);
	  elf_file_close (&file);
	}
      else if (o != NULL)
	json_add_bool (o, "readable", false);
      if (status > worst)
	worst = status;
    }
  if (args->json)
    json_print (all);
  else
    json_object_put (all);
  return worst;
}

char *
files_section_name (const elf_file *file, const elf_coro *s)
{
  return (file->num_sections == 1 ? tool_strdup (s->name)
				  : tool_printf ("%s[%zu]", s->name, s->scn));
}
