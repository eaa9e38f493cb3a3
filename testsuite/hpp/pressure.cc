/* Resume calls with much around them that wants registers.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Not run: adjacent.py looks at what stands between each call and its site.
   Compilers like to reload or to clear a register in between.  */

#include "task.hpp"

struct Values
{
  void (*function) (Values *);
  Values *next;
  double a, b;
  float c[4];
};

extern Values *current;
extern void *escaped;
long global;

void
interpret (Values *v, int n)
{
  double sum = 0;
  Values local[4] = {};

  while (n-- > 0)
    {
      Values frame{};
      frame.next = current;
      escaped = &frame;
      std::coroutine_handle<>::from_address (v).resume ();
      SFRAME_CORO_SITE (TASK_CHAIN);
      Values other{};
      local[n & 3] = other;
      sum += frame.a;
      if (sum < 0)
	{
	  sum = 0;
	  global = 0;
	}
      current->next = &local[n & 3];
      v->function (local);
      SFRAME_CORO_SITE (TASK_CHAIN);
    }
  global = static_cast<long> (sum);
}

double
scale (std::coroutine_handle<> *handles, Values *values, int n)
{
  double d = 0;

  for (int i = 0; i < n; i++)
    {
      handles[i].resume ();
      SFRAME_CORO_SITE (TASK_CHAIN);
      values[i] = Values{};
      d = d * 1.5 + values[n - i].b;
      if (d > 3)
	d = 0;
    }
  return d;
}

bool
either (std::coroutine_handle<> one, std::coroutine_handle<> other)
{
  bool done = false;

  one.resume ();
  SFRAME_CORO_SITE (TASK_CHAIN);
  if (one.done ())
    {
      other.resume ();
      SFRAME_CORO_SITE (TASK_CHAIN);
      done = true;
    }
  return done;
}
