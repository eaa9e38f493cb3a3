# What suites in shell count and print; sourced.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
#
# $suite is the name of the suite, $tmp a directory; what the case that is being
# tried printed is in $tmp/log.

passed=0 failed=0 skipped=0

pass ()
{
  echo "PASS: $suite/$1"
  passed=$((passed + 1))
}

# fail NAME [REASON]
fail ()
{
  echo "FAIL: $suite/$1${2:+: $2}"
  [ ! -s "$tmp/log" ] || head -n 40 "$tmp/log" | sed 's/^/    /'
  failed=$((failed + 1))
}

# skip NAME [REASON]
skip ()
{
  echo "SKIP: $suite/$1${2:+: $2}"
  skipped=$((skipped + 1))
}

# check NAME COMMAND...: one case; what the command prints matters if it fails.
check ()
{
  case_name=$1
  shift
  if "$@" >"$tmp/log" 2>&1; then pass "$case_name"; else fail "$case_name"; fi
}

# The last line of a suite, and its status.
totals ()
{
  if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
  else
    echo "$passed passed, $failed failed"
  fi
  [ $failed -eq 0 ] && [ $passed -gt 0 ]
}
