/* What the two halves of the matrix program share.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MATRIX_H
#define MATRIX_H

/* Run coroutines that await each other, DEPTH deep; the innermost calls LEAF.
   The coroutines to be seen then are, leaf first: `matrix::even(int)' and
   `matrix::odd(int)' in turns, for 0 up to DEPTH.  */
extern "C" long matrix_run (int depth, void (*leaf) (void));

#endif
