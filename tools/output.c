/* sframe-coro: files that are written.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "tool.h"

bool
output_open (output *o, const char *path)
{
  o->is_stdout = strcmp (path, "-") == 0;
  o->file = o->is_stdout ? stdout : fopen (path, "w+e");
  if (o->file == NULL)
    {
      tool_error ("%s: cannot write: %s", path, strerror (errno));
      return false;
    }
  o->path = tool_strdup (o->is_stdout ? "standard output" : path);
  o->error = 0;
  return true;
}

bool
output_is_good (output *o)
{
  if (o->error == 0 && ferror (o->file))
    o->error = errno;
  return o->error == 0;
}

bool
output_close (output *o, bool ok)
{
  struct stat st;
  bool failed = ferror (o->file) | (fflush (o->file) != 0);
  int error = o->error != 0 ? o->error : errno;
  bool is_file = (!o->is_stdout && fstat (fileno (o->file), &st) == 0
		  && S_ISREG (st.st_mode));

  if (!o->is_stdout && fclose (o->file) != 0 && !failed)
    {
      failed = true;
      error = errno;
    }
  if (ok && failed)
    tool_error ("%s: cannot write: %s", o->path, strerror (error));
  ok &= !failed;
  if (!ok && is_file)
    unlink (o->path);
  free (o->path);
  o->path = NULL;
  return ok;
}
