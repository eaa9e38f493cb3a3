/* sframe-coro: what all subcommands share.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef TOOL_H
#define TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses.  */
enum
{
  TOOL_OK = 0,
  TOOL_INCOMPLETE = 1, /* check: findings; stack: something is missing.  */
  TOOL_FAILED = 2
};

/* The subcommands; ARGV[0] is the name of the subcommand.  */
extern int dump_main (int argc, char **argv);
extern int check_main (int argc, char **argv);
extern int list_main (int argc, char **argv);
extern int stack_main (int argc, char **argv);
extern int record_main (int argc, char **argv);
extern int report_main (int argc, char **argv);

/* Print "sframe-coro: MESSAGE" to stderr, behind what is in stdout.  */
extern void tool_error (const char *format, ...)
    __attribute__ ((format (printf, 1, 2)));

/* The number ARG of the command line, from 1 to INT_MAX; a usage error that
   calls it a WHAT, if it is none.  */
struct argp_state;
extern int tool_number (const char *arg, struct argp_state *state,
			const char *what);

/* End the program for want of memory.  A process that is held is let go by the
   kernel then.  */
extern _Noreturn void tool_no_memory (void);

/* CLOCK_MONOTONIC, in ns.  */
extern uint64_t tool_now_ns (void);

/* Until it is told otherwise, tool_error prints nothing.  */
extern void tool_be_quiet (bool quiet);

/* Like realloc for NUM elements of SIZE bytes; ends the program if there is
   no memory.  */
extern void *tool_realloc (void *p, size_t num, size_t size);

/* A zeroed array, and copies of strings, in the same way.  */
extern void *tool_calloc (size_t num, size_t size);
extern char *tool_strdup (const char *s);
extern char *tool_printf (const char *format, ...)
    __attribute__ ((format (printf, 1, 2)));

/* The SIZE bytes at P as hexadecimal digits, to be freed.  */
extern char *tool_hex (const unsigned char *p, size_t size);

/* The part of PATH behind the last slash.  */
extern const char *tool_basename (const char *path);

/* Put question marks in the place of bytes of S that are not UTF-8.  */
extern void tool_make_utf8 (char *s);

/* Put question marks in the place of control characters of S: what names in
   files and processes have of them is not for terminals.  */
extern void tool_make_printable (char *s);

/* Write S to OUT, made printable.  */
extern void tool_put_printable (const char *s, FILE *out);

#endif /* TOOL_H */
