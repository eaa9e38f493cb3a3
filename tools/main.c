/* sframe-coro: looking at .sframe_coro in files and processes.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

typedef struct command
{
  const char *name;
  int (*main) (int argc, char **argv);
} command;

static const command commands[] = { { "dump", dump_main },
				    { "check", check_main },
				    { "list", list_main },
				    { "stack", stack_main },
				    { "record", record_main },
				    { "report", report_main } };

typedef struct selection
{
  const command *command;
  int first; /* Index of the subcommand's name in argv.  */
} selection;

static void
print_version (FILE *out, struct argp_state *state)
{
  (void) state;
  fputs ("sframe-coro (" PACKAGE_NAME ") " PACKAGE_VERSION "\n"
	 "Copyright (C) 2026 The libsframe-coro authors\n"
	 "License GPLv3+: GNU GPL version 3 or later "
	 "<https://gnu.org/licenses/gpl.html>.\n"
	 "This is free software: you are free to change and redistribute it.\n"
	 "There is NO WARRANTY, to the extent permitted by law.\n",
	 out);
}

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  selection *s = state->input;

  switch (key)
    {
    case ARGP_KEY_ARG:
      for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
	if (strcmp (arg, commands[i].name) == 0)
	  s->command = &commands[i];
      if (s->command == NULL)
	argp_error (state, "unknown command `%s'", arg);
      /* What follows is the subcommand's.  */
      s->first = state->next - 1;
      state->next = state->argc;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error (state, "no command given");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp main_argp
    = { .parser = parse_option,
	.args_doc = "dump FILE...\ncheck FILE...\nlist PID|FILE...\n"
		    "stack -p PID\nstack --core=FILE\n"
		    "record -p PID\nrecord -a\nrecord [--] COMMAND\n"
		    "report FILE",
	.doc = "Look at linked-list stacks, as coroutines make them, that "
	       "the section .sframe_coro describes.\v"
	       "  dump    print the section of ELF files\n"
	       "  check   find what is wrong with it\n"
	       "  list    tell what processes or files describe\n"
	       "  stack   show the stacks of a process or a core\n"
	       "  record  sample running programs into a profile\n"
	       "  report  sum up or convert a profile\n"
	       "\n"
	       "`sframe-coro COMMAND --help' tells the options of a command." };

/* What was printed, --help too, is to have arrived.  */
static void
check_output (void)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return;
  tool_error ("cannot write: %s", strerror (errno));
  _exit (TOOL_FAILED);
}

int
main (int argc, char **argv)
{
  selection s = { 0 };
  int status;

  argp_program_version_hook = print_version;
  argp_err_exit_status = TOOL_FAILED;
  if (atexit (check_output) != 0)
    tool_no_memory ();
  argp_parse (&main_argp, argc, argv, ARGP_IN_ORDER, NULL, &s);
  argv[s.first]
      = tool_printf ("%s %s", tool_basename (argv[0]), s.command->name);
  status = s.command->main (argc - s.first, argv + s.first);
  free (argv[s.first]);
  return status;
}
