/* Call everything that takes bytes from elsewhere.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   For the fuzzers and for the unit tests of damaged sections.  Whatever the
   input, these return, and abort if something is promised that did not
   hold.  */

#ifndef EXERCISE_H
#define EXERCISE_H

#include "sframe-coro-api.h"

/* Decode, validate, dump to OUT (if not NULL), index and search the SIZE bytes
   at BYTES, and walk the chains found.  */
extern void exercise_section (const unsigned char *bytes, size_t size,
			      FILE *out);

/* Follow lists by the rules of CHAIN in memory that is what BYTES say,
   repeated without end; 0 bytes: nothing can be read.  */
extern void exercise_walk (const sframe_coro_chain *chain,
			   const unsigned char *bytes, size_t size);

/* Follow lists by the chain, the bodies and the thread that BYTES say, in
   hostile memory that they say, too.  */
extern void exercise_lists (const unsigned char *bytes, size_t size);

/* Splice what BYTES say.  */
extern void exercise_splice (const unsigned char *bytes, size_t size);

#endif /* EXERCISE_H */
