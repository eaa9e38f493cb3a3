# What the tables of the specification say, as lines of the same C program.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# With -v layout=1: "RECORD NAME SIZE" and "FIELD RECORD NAME OFFSET TYPE"
# lines instead, for annotate.awk.

function cells(line)
{
  sub(/^@item +/, "", line)
  gsub(/@code\{/, "", line)
  gsub(/\}/, "", line)
  return split(line, cell, / +@tab +/)
}

/^@c record / {
  record = $3
  if (layout)
    print "RECORD", $3, $4
  else
    printf "VALUE (\"record %s\", %s)\n", $3, $4
  next
}
/^@c constants / { constants = 1; next }
/^@end multitable/ { record = ""; constants = 0; next }
record != "" && /^@item / {
  cells($0)
  sub(/ *@tab$/, "", cell[3])
  if (layout)
    print "FIELD", record, cell[1], cell[2], cell[3]
  else
    printf "SAID (\"%s\", \"%s\", %s, %s)\n", record, cell[1], cell[2], cell[3]
  next
}
constants && !layout && /^@item / {
  cells($0)
  if (cell[2] ~ /^"/)
    printf "STRING (\"%s\", %s)\n", cell[1], cell[2]
  else
    printf "VALUE (\"constant %s\", %s)\n", cell[1], cell[2]
}
