/* What a test program ends without.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef REQUIRE_H
#define REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

/* Unlike an assertion, this is never compiled away.  */
#define REQUIRE(X)                                                            \
  do                                                                          \
    if (!(X))                                                                 \
      {                                                                       \
	fprintf (stderr, "%s:%d: %s\n", __FILE__, __LINE__, #X);              \
	abort ();                                                             \
      }                                                                       \
  while (0)

#endif /* REQUIRE_H */
