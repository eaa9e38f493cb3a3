/* What examples have in common that print their own stack.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   The coroutines that wait for each other, and one line for each entry of a
   stack.  An example has ShowStack, which is called where only one of the
   coroutines is on the native stack.  */

#ifndef STACKS_HPP
#define STACKS_HPP

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>

#include "sframe-coro-api.h"
#include "task.hpp"

constexpr size_t max_natives = 100, max_nodes = 1000;

inline sframe_coro_self *self;
inline sframe_coro_self_space *space;

/* Of the example.  */
static void ShowStack ();

/* At the start of the program: look at all modules.  Who loads more of them
   later calls sframe_coro_self_refresh.  */
inline void
PrepareStacks ()
{
  auto tell = [] (void *, const char *module, int err,
		  const sframe_coro_where *where) {
    std::fprintf (stderr, "%s: %s+%#zx: %s\n", module,
		  SFRAME_CORO_SECTION_NAME, where ? where->offset : 0,
		  sframe_coro_errmsg (err));
  };

  sframe_coro_self_init (&self, tell, nullptr);
  space = sframe_coro_self_space_new (max_natives, max_nodes);
  if (self == nullptr || space == nullptr)
    std::exit (1);
}

/* A native frame of which the unwinder gives the PC.  */
inline sframe_coro_native
NativeFrame (uint64_t pc, bool return_address)
{
  sframe_coro_native frame = {};

  frame.pc = pc;
  frame.flags = return_address ? SFRAME_CORO_NATIVE_RETURN_ADDRESS : 0;
  return frame;
}

/* Splice the lists of this thread into NUM native frames, or end.  */
inline sframe_coro_self_result
Splice (const sframe_coro_native *natives, size_t num)
{
  sframe_coro_self_result result;
  int err = sframe_coro_self_stack (self, space, natives, num, nullptr,
				    &result);

  if (err != SFRAME_CORO_OK)
    std::fprintf (stderr, "no stack: %s\n", sframe_coro_errmsg (err));
  if (result.num_cut != 0)
    std::fprintf (stderr, "%s: %s\n", result.cut_chain,
		  sframe_coro_stop_text (result.cut));
  return result;
}

/* Where to look for the function of FRAME: a call may be the last thing that
   its function does.  */
inline uint64_t
PlaceOf (const sframe_coro_self_frame &frame, const sframe_coro_native *natives)
{
  bool after_call
    = (frame.native != SFRAME_CORO_NO_INDEX
	 ? (natives[frame.native].flags & SFRAME_CORO_NATIVE_RETURN_ADDRESS) != 0
	 : frame.ip_kind == SFRAME_CORO_IP_RETURN_ADDRESS);
  return frame.pc - after_call;
}

/* Print FRAME, whose function has the mangled or plain NAME (may be null), as
   one line: "factorial, awaiting, demo.task:1".  */
inline void
PrintFrame (const sframe_coro_self_frame &frame, const char *name)
{
  char *demangled = name ? abi::__cxa_demangle (name, nullptr, nullptr, nullptr)
			 : nullptr;
  const char *shown = demangled ? demangled : name ? name : "?";

  /* Without arguments; the parts of a coroutine differ in them only.  */
  std::printf ("%.*s", static_cast<int> (std::strcspn (shown, "(")), shown);
  if (frame.node != nullptr)
    std::printf (", %s, %s:%u",
		 frame.flags & SFRAME_CORO_SPLICED_RUNNING ? "running"
							   : "awaiting",
		 frame.chain, static_cast<unsigned> (frame.node->index));
  std::printf ("\n");
  std::free (demangled);
}

[[gnu::noinline]] inline int
Leaf ()
{
  ShowStack ();
  return 1;
}

inline Task<int>
Factorial (int n)
{
  if (n == 0)
    co_return Leaf ();
  co_return n * co_await Factorial (n - 1);
}

/* 3! with three coroutines that wait and one that runs.  */
inline int
RunCoroutines ()
{
  Task<int> task = Factorial (3);
  task.Resume ();
  return task.Result () == 6 ? 0 : 1;
}

#endif /* STACKS_HPP */
