# Names in sframe-coro.h, as lines of a C program that prints their values.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The values are the compiler's; the comments' offsets are printed as well, to
# be compared like the specification's.

function trim(s)
{
  sub(/^[ \t]+/, "", s)
  sub(/[ \t]+$/, "", s)
  return s
}

function constant(name)
{
  printf "CONSTANT (\"%s\", %s)\n", name, name
}

# Without comments, but keep the offset a field's comment begins with.
{
  line = $0
  offset = ""
  if (match(line, /\/\* *[0-9]+[: ]/))
    {
      offset = substr(line, RSTART + 2, RLENGTH - 3)
      gsub(/ /, "", offset)
    }
  out = ""
  while (line != "")
    if (in_comment)
      {
	if (!(at = index(line, "*/")))
	  break
	line = substr(line, at + 2)
	in_comment = 0
      }
    else if ((at = index(line, "/*")))
      {
	out = out substr(line, 1, at - 1)
	line = substr(line, at + 2)
	in_comment = 1
      }
    else
      {
	out = out line
	line = ""
      }
  $0 = trim(out)
}

/^#define SFRAME_CORO_[A-Z0-9_]+[ \t]/ {
  if ($3 ~ /^"/)
    printf "STRING (\"%s\", %s)\n", $2, $2
  else
    constant($2)
  next
}
/^enum [a-z_]+$/ { in_enum = 1; next }
/^typedef struct [a-z_]+$/ { in_struct = 1; record = $3; next }
/^};/ { in_enum = 0; next }
in_struct && /^}/ {
  printf "RECORD (\"%s\", %s)\n", record, record
  in_struct = 0
  next
}
in_enum && /^SFRAME_CORO_[A-Z0-9_]+/ {
  name = $1
  sub(/[,=].*/, "", name)
  constant(name)
  next
}
# "TYPE NAME;", "TYPE NAME[N];"
in_struct && /^[a-z0-9_]+[ \t]+[a-z0-9_]+(\[[0-9]+\])?;$/ {
  type = $1
  name = substr($2, 1, length($2) - 1)
  if ((at = index(name, "[")))
    {
      type = type substr(name, at)
      name = substr(name, 1, at - 1)
    }
  printf "FIELD (%s, %s, \"%s\")\n", record, name, type
  printf "COMMENT (%s, %s, %s)\n", record, name, offset == "" ? -1 : offset
  next
}
# Anything else in a structure or enumeration is something not understood.
(in_struct || in_enum) && /[a-zA-Z0-9_]/ {
  printf "NOT UNDERSTOOD: %s\n", $0
}
