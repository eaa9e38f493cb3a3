/* The half of the matrix program that has the coroutines.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "sframe-coro.hpp"

#ifdef MATRIX_HEAD_TLS_OFFSET
#undef SFRAME_CORO_TLS
#define SFRAME_CORO_TLS SFRAME_CORO_TLS_OFFSET
#endif

#include "matrix.h"
#include "task.hpp"

namespace matrix
{
static thread_local void (*leaf_function) (void);

/* Done before anyone looks: nothing of it may be seen, though without
   optimisation its frame stays on the native stack.  */
static Task<int>
tick (int n)
{
  co_return n & 1;
}

static Task<long> odd (int n);

static Task<long>
even (int n)
{
  long sum = co_await tick (n);
  if (n == 0)
    leaf_function ();
  else
    sum += co_await odd (n - 1);
  co_return sum;
}

static Task<long>
odd (int n)
{
  long sum = co_await tick (n);
  if (n == 0)
    leaf_function ();
  else
    sum += co_await even (n - 1);
  co_return sum;
}
} /* namespace matrix */

extern "C" long
matrix_run (int depth, void (*leaf) (void))
{
  matrix::leaf_function = leaf;
  Task<long> task = depth % 2 ? matrix::odd (depth) : matrix::even (depth);
  task.Resume ();
  return task.Result ();
}
