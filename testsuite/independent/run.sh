#!/bin/sh
# Compare an independent decoder with the specification, the library, the
# command and binutils.
#
# Copyright (C) 2026 The libsframe-coro authors
#
# SPDX-License-Identifier: GPL-3.0-or-later

# Usage: run.sh [CORPUS]
#
# The corpus is written to the folder CORPUS, and kept, or to one that is
# removed again.  The command is $SFRAME_CORO or that of the build tree, whose
# library is used; objdump and readelf are those in $BINUTILS/bin.

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 2
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
corpus=${1:-$work/corpus}

command=${SFRAME_CORO-}
for file in ${top_builddir:+"$top_builddir/tools/sframe-coro"} \
    "$here/../../build/stage/bin/sframe-coro"; do
  if test -z "$command" && test -x "$file"; then
    command=$file
  fi
done

findings=
library=${top_builddir:-$here/../../build/obj}/libsframe-coro/.libs/libsframe-coro.a
if test -e "$library"; then
  findings=$work/findings
  ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -O1 -I"$here/../../include" \
    -o "$findings" "$here/findings.c" "$library" || exit 2
fi

"${PYTHON:-python3}" "$here/generate.py" "$corpus" || exit 2
"${PYTHON:-python3}" "$here/check.py" "$corpus" >"$work/check"
"${PYTHON:-python3}" "$here/compare.py" "$corpus" "$command" "$findings" \
  "${BINUTILS:+$BINUTILS/bin}" >"$work/compare"

# The counts of both, in one last line.
cat "$work/check" "$work/compare" | awk '
  /^[0-9]+ passed, [0-9]+ failed/ {
    passed += $1; failed += $3; skipped += $5; parts++; next
  }
  { print }
  END {
    if (parts != 2) {
      print "FAIL: a part of the test did not end"
      failed++
    }
    printf "%d passed, %d failed", passed, failed
    if (skipped)
      printf ", %d skipped", skipped
    print ""
    exit failed != 0
  }'
