/* libsframe-coro: error values and their messages.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include "impl.h"

static const char *const messages[] = {
#define MESSAGE(NAME, TEXT) TEXT,
  SFRAME_CORO_ERRORS (MESSAGE)
#undef MESSAGE
};

static const char *const stops[] = {
#define STOP(NAME, TEXT) TEXT,
  SFRAME_CORO_STOPS (STOP)
#undef STOP
};

const char *
sframe_coro_errmsg (int err)
{
  if (err < 0 || err >= SFRAME_CORO_NUM_ERRORS)
    return "unknown error";
  return messages[err];
}

const char *
sframe_coro_stop_text (int stop)
{
  if (stop < 0 || stop >= SFRAME_CORO_NUM_STOPS)
    return "unknown reason";
  return stops[stop];
}

bool
sframe_coro_stop_is_cut (int stop)
{
  return (stop != SFRAME_CORO_STOP_END && stop != SFRAME_CORO_STOP_TEST
	  && stop != SFRAME_CORO_STOP_NO_HEAD);
}
