/* Awaiting coroutines in a boost::stacktrace.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   std::stacktrace of C++23 has return addresses as well (`native_handle'), but
   no way to get an entry, and so a name, for an address of ours.  */

#define BOOST_STACKTRACE_USE_BACKTRACE /* Finds local functions too.  */
#include <boost/stacktrace.hpp>
#include <string>
#include <vector>

#include "stacks.hpp"

static uint64_t
AddressOf (const boost::stacktrace::frame &frame)
{
  return reinterpret_cast<uintptr_t> (frame.address ());
}

static void
ShowStack ()
{
  boost::stacktrace::stacktrace trace (0, max_natives);
  std::vector<sframe_coro_native> natives;

  for (const boost::stacktrace::frame &frame : trace)
    natives.push_back (NativeFrame (AddressOf (frame), true));
  sframe_coro_self_result stack = Splice (natives.data (), natives.size ());
  for (size_t i = 0; i < stack.num; i++)
    {
      const sframe_coro_self_frame &frame = stack.frames[i];
      uintptr_t place = PlaceOf (frame, natives.data ());
      std::string name
	= boost::stacktrace::frame (reinterpret_cast<void *> (place)).name ();

      PrintFrame (frame, name.c_str ());
    }
}

int
main ()
{
  PrepareStacks ();
  return RunCoroutines ();
}
