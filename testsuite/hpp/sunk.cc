/* Computations that a compiler may move down past the resume call.

   A call that may throw ends a basic block wherever something has to be
   destroyed, so the block behind it begins with the site.  What is computed
   before the call and used only behind it may be moved down to the beginning
   of that block, that is, between the call and the site.  Each function here
   has something of that kind.

   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <coroutine>
#include <cstddef>

#include "sframe-coro.hpp"

SFRAME_CORO_TLS_HEAD (sunk_head);
SFRAME_CORO_TLS_OFFSET_HEAD (sunk_own);
#define CHAIN SFRAME_CORO_CHAIN_OF_NODES (sunk_chain, "sunk", \
  SFRAME_CORO_TLS (sunk_head), running, 16)
#define OWN SFRAME_CORO_CHAIN_OF_NODES (sunk_own_chain, "sunk.own", \
  SFRAME_CORO_TLS_OFFSET (sunk_own), running, 16)

struct Cleanup
{
  int number;
  ~Cleanup ();
};

extern void Take (const void *) noexcept;
extern bool Flip () noexcept;
extern long table[64];

/* Addresses of variables of the module: local-dynamic with -fPIC.  */
void
ThreadLocal (std::coroutine_handle<> handle)
{
  Cleanup cleanup{ 1 };
  void *outer = sunk_own;
  sunk_own = handle.address ();
  handle.resume ();
  SFRAME_CORO_SITE (OWN);
  sunk_own = outer;
  while (Flip ())
    {
      sunk_own = handle.address ();
      handle.resume ();
      SFRAME_CORO_SITE (OWN);
      sunk_own = outer;
      Take (&sunk_own);
    }
}

/* Arithmetic with several uses.  */
long
Arithmetic (std::coroutine_handle<> handle, long a, long b)
{
  Cleanup cleanup{ 2 };
  long sum = a * 5 + b, product = a * b;
  unsigned long shifted = (unsigned long) a << (b & 31);
  handle.resume ();
  SFRAME_CORO_SITE (CHAIN);
  if (Flip ())
    return table[sum & 63] + product + (long) shifted;
  if (Flip ())
    return table[product & 63] - sum;
  return table[shifted & 63] * sum;
}

/* Addresses on the stack, of variables and of table elements.  */
long
Addresses (std::coroutine_handle<> handle, std::size_t index)
{
  Cleanup cleanup{ 3 };
  char buffer[100] = {};
  char *place = buffer + 50;
  long *element = &table[(index * 3 + 1) & 63];
  Take (buffer);
  handle.resume ();
  SFRAME_CORO_SITE (CHAIN);
  do
    {
      Take (place);
      Take (element);
      ++*element;
    }
  while (Flip ());
  Take (place);
  return *element;
}

/* Constants that take a register, and floating point.  */
double
Constants (std::coroutine_handle<> handle, double x, double y)
{
  Cleanup cleanup{ 4 };
  double quotient = x * y + 3.25, other = x - y;
  handle.resume ();
  SFRAME_CORO_SITE (CHAIN);
  unsigned long seed = 0x9e3779b97f4a7c15;
  while (Flip ())
    {
      table[seed >> 58] += 0x123456789abcdef;
      seed *= 0x9e3779b97f4a7c15;
    }
  return Flip () ? quotient : quotient * other;
}

/* In a loop: what the next round begins with.  */
long
Loop (std::coroutine_handle<> *handles, long n, long step)
{
  Cleanup cleanup{ 5 };
  long total = 0;
  for (long i = 0, scaled = step * 7; i < n; i++, scaled += step)
    {
      long twice = scaled * 2 + i;
      handles[i].resume ();
      SFRAME_CORO_SITE (CHAIN);
      total += Flip () ? twice : twice * step;
    }
  return total;
}

/* All of it, inlined into one function.  */
template<int N>
inline long
Round (std::coroutine_handle<> handle, long *values)
{
  Cleanup cleanup{ N };
  long mixed = values[N] * N + values[N + 1];
  handle.resume ();
  SFRAME_CORO_SITE (CHAIN);
  values[N] = Flip () ? mixed : -mixed;
  if constexpr (N > 0)
    mixed ^= Round<N - 1> (handle, values);
  return mixed;
}

long
Inlined (std::coroutine_handle<> handle, long *values)
{
  Cleanup cleanup{ 6 };
  return Round<7> (handle, values);
}
