# Each function of the header, and whether its comment calls it signal-safe;
# and what has no comment.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Prints "NAME yes" or "NAME no", or "UNDOCUMENTED LINE".  A comment is for all
# functions up to the next empty line.

/^\/\*/ { comment = ""; in_comment = 1 }
in_comment {
  comment = comment " " $0
  if (/\*\//)
    in_comment = 0
  next
}
/^$/ && !open { comment = "" }

/^(extern|typedef|#define SFRAME_CORO_[A-Z_]+ )/ && !/^extern "C"/ && !open {
  # Macros may have their comment behind them.
  if (comment == "" && !/^#define [^ ]* [^ \t]*[ \t]+\/\*/ &&
      !/^#define SFRAME_CORO_OK /)
    print "UNDOCUMENTED", $0
  open = 1
  text = ""
}
open {
  text = text " " $0
  # A structure ends where its brace is closed, a macro at its last line.
  if (text ~ /^ #define/ ? !/\\$/ : text ~ /\{/ ? /^ *\} *[a-z_]*;/ : /;/)
    {
      if (text ~ /^ extern/ && match(text, /sframe_coro_[a-z_]+ \(/))
	print substr(text, RSTART, RLENGTH - 2), \
	      (comment ~ /[Ss]ignal-safe/ ? "yes" : "no")
      open = 0
    }
}
