/* sframe-coro: what is mapped into a process, or was into one that dumped core.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Source of the format: proc_pid_maps(5).  */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "maps.h"
#include "ranges.h"
#include "tool.h"

/* All of the file at PATH, of length *SIZE, as a string; or NULL.  */
static char *
read_text (const char *path, size_t *size)
{
  size_t room = 1 << 16, len = 0;
  int fd = open (path, O_RDONLY | O_CLOEXEC), err;
  ssize_t n = 0;
  char *text;

  if (fd < 0)
    return NULL;
  text = tool_realloc (NULL, room, 1);
  errno = 0;
  while ((n = read (fd, text + len, room - len - 1)) > 0)
    {
      len += (size_t) n;
      if (room - len < 4096)
	text = tool_realloc (text, room *= 2, 1);
    }
  err = errno;
  close (fd);
  text[len] = 0;
  *size = len;
  if (n == 0 && len != 0)
    return text;
  free (text);
  errno = err;
  return NULL;
}

/* Where a field ends that *P is at; *P goes on behind it and the character or
   the blanks that follow.  */
static uint64_t
take_number (char **p, int base)
{
  uint64_t n = strtoull (*p, p, base);

  if (**p == '-' || **p == ':')
    ++*p;
  *p += strspn (*p, " ");
  return n;
}

/* Names have line feeds as "\012", and nothing else so.  */
static void
unescape (char *name)
{
  static const char feed[] = "\\012";
  size_t len = sizeof feed - 1;
  char *p = name;

  while ((p = strstr (p, feed)) != NULL)
    {
      memmove (p + 1, p + len, strlen (p + len) + 1);
      *p++ = '\n';
    }
}

/* Parse LINE, which is changed, into *M.  */
static bool
parse_line (char *line, mapping *m)
{
  static const char deleted[] = " (deleted)";
  size_t len, tail = sizeof deleted - 1;
  char *p = line, *perms;
  uint64_t major;

  m->start = take_number (&p, 16);
  m->end = take_number (&p, 16);
  perms = p;
  if (strcspn (p, " ") != 4)
    return false;
  p += 5;
  m->readable = perms[0] == 'r';
  m->executable = perms[2] == 'x';
  m->offset = take_number (&p, 16);
  major = take_number (&p, 16);
  m->device = major << 32 | take_number (&p, 16);
  m->inode = take_number (&p, 10);
  unescape (p);
  len = strlen (p);
  m->deleted = (m->inode != 0 && len > tail
		&& strcmp (p + len - tail, deleted) == 0);
  if (m->deleted)
    p[len - tail] = 0;
  m->name = p;
  return m->start < m->end;
}

/* The mappings that TEXT, of length LEN, tells of; it belongs to them.  */
static mappings
parse (char *text, size_t len)
{
  mappings maps = { .text = text, .len = len }, *m = &maps;
  size_t room = 0;
  char *next;

  m->read = tool_realloc (NULL, len, 1);
  memcpy (m->read, text, len);
  for (char *line = m->text; *line != 0; line = next)
    {
      next = line + strcspn (line, "\n");
      if (*next != 0)
	*next++ = 0;
      if (m->num == room)
	{
	  room = room ? room * 2 : 256;
	  m->list = tool_realloc (m->list, room, sizeof *m->list);
	}
      if (parse_line (line, &m->list[m->num]))
	m->num++;
    }
  return maps;
}

bool
mappings_read (mappings *m, const char *path)
{
  size_t len;
  char *text = read_text (path, &len);

  *m = (mappings){ 0 };
  if (text == NULL)
    return false;
  *m = parse (text, len);
  return true;
}

bool
mappings_update (mappings *m, const char *path, bool *code_changed)
{
  size_t len;
  char *text = read_text (path, &len);
  mappings now;

  if (text == NULL)
    return false;
  *code_changed = false;
  /* A process is held meanwhile, and mostly nothing is new.  */
  if (m->read != NULL && m->len == len && memcmp (m->read, text, len) == 0)
    {
      free (text);
      return true;
    }
  now = parse (text, len);
  *code_changed = !mappings_same_code (m, &now);
  mappings_free (m);
  *m = now;
  return true;
}

void
mappings_free (mappings *m)
{
  free (m->list);
  free (m->text);
  free (m->read);
  *m = (mappings){ 0 };
}

const mapping *
mappings_find (const mappings *m, uint64_t address)
{
  return ranges_find (m->list, m->num, sizeof *m->list, address);
}

bool
mapping_is_file (const mapping *m)
{
  return m->name[0] == '/';
}

bool
mapping_same_file (const mapping *a, const mapping *b)
{
  return (a->inode == b->inode && a->device == b->device
	  && strcmp (a->name, b->name) == 0);
}

/* The next mapping of a file's code from number I on; or the number of
   mappings.  */
static size_t
next_code (const mappings *m, size_t i)
{
  while (i < m->num
	 && !(m->list[i].executable && mapping_is_file (&m->list[i])))
    i++;
  return i;
}

bool
mappings_same_code (const mappings *a, const mappings *b)
{
  size_t i = next_code (a, 0), k = next_code (b, 0);

  for (; i < a->num && k < b->num;
       i = next_code (a, i + 1), k = next_code (b, k + 1))
    {
      const mapping *x = &a->list[i], *y = &b->list[k];
      if (x->start != y->start || x->end != y->end || x->offset != y->offset
	  || !mapping_same_file (x, y))
	return false;
    }
  return i == a->num && k == b->num;
}
