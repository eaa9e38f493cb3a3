/* libsframe-coro: names of enumerators, as the directives spell them.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include "impl.h"

#define LOOKUP(TABLE, I)                                                      \
  ((I) >= 0 && (size_t) (I) < sizeof (TABLE) / sizeof *(TABLE)                \
	   && (TABLE)[I] != NULL                                              \
       ? (TABLE)[I]                                                           \
       : "?")

const char *
sframe_coro_abi_name (int abi)
{
  static const char *const names[]
      = { NULL, "AArch64 (big-endian)", "AArch64 (little-endian)",
	  "AMD64 (little-endian)", "s390x (big-endian)" };
  return LOOKUP (names, abi);
}

const char *
sframe_coro_head_kind_name (int kind)
{
  static const char *const names[]
      = { NULL, "tls", "tls_offset", "tp_slot", "global", "pthread_key",
	  "frame" };
  return LOOKUP (names, kind);
}

const char *
sframe_coro_ip_kind_name (int kind)
{
  static const char *const names[]
      = { "none", "entry", "return", "pc", "cookie" };
  return LOOKUP (names, kind);
}

const char *
sframe_coro_end_kind_name (int kind)
{
  static const char *const names[] = { "null", "self", "value", "address" };
  return LOOKUP (names, kind);
}

const char *
sframe_coro_roots_name (int roots)
{
  static const char *const names[] = { "none", "all", "tid", "tp" };
  return LOOKUP (names, roots);
}

const char *
sframe_coro_path_name (int path)
{
  static const char *const names[]
      = { "top", "next", "ip", "ip_alt", "aux", "root_next", "root_key",
	  "blocked" };
  return LOOKUP (names, path);
}

const char *
sframe_coro_func_kind_name (int kind)
{
  static const char *const names[] = { NULL, "site", "body" };
  return LOOKUP (names, kind);
}
