/* Awaiting coroutines in a stack from dwfl_getthread_frames of elfutils.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Of the program itself, on x86-64; of other processes tasks.c has the lists,
   and dwfl_linux_proc_attach gives libdwfl their registers.  */

#include <elfutils/libdwfl.h>
#include <iterator>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "stacks.hpp"

static Dwfl *dwfl;
static sframe_coro_native natives[max_natives];
static size_t num_natives;

/* What libdwfl asks about the process.  */

static pid_t
NextThread (Dwfl *, void *context, void **thread)
{
  bool first = *thread == nullptr;
  *thread = context;
  return first ? getpid () : 0;
}

static bool
ReadMemory (Dwfl *, Dwarf_Addr address, Dwarf_Word *result, void *)
{
  struct iovec local = { result, sizeof *result };
  struct iovec remote = { reinterpret_cast<void *> (address), sizeof *result };
  return process_vm_readv (getpid (), &local, 1, &remote, 1, 0)
	 == sizeof *result;
}

/* The registers of THREAD, in DWARF's order; CONTEXT is where to begin.  */
static bool
SetRegisters (Dwfl_Thread *thread, void *context)
{
  static const int order[]
    = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
	REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
	REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };
  Dwarf_Word registers[std::size (order)];

  for (size_t i = 0; i < std::size (order); i++)
    registers[i] = static_cast<Dwarf_Word> (
      static_cast<ucontext_t *> (context)->uc_mcontext.gregs[order[i]]);
  return dwfl_thread_state_registers (thread, 0, std::size (order), registers);
}

static int
AddFrame (Dwfl_Frame *frame, void *)
{
  Dwarf_Addr pc;
  bool activation;

  if (num_natives == max_natives || !dwfl_frame_pc (frame, &pc, &activation))
    return DWARF_CB_ABORT;
  natives[num_natives++] = NativeFrame (pc, !activation);
  return DWARF_CB_OK;
}

static void
ShowStack ()
{
  static const Dwfl_Thread_Callbacks callbacks
    = { NextThread, nullptr, ReadMemory, SetRegisters, nullptr, nullptr };
  ucontext_t context;

  getcontext (&context);
  dwfl_attach_state (dwfl, nullptr, getpid (), &callbacks, &context);
  dwfl_getthread_frames (dwfl, getpid (), AddFrame, nullptr);
  sframe_coro_self_result stack = Splice (natives, num_natives);
  for (size_t i = 0; i < stack.num; i++)
    {
      uint64_t place = PlaceOf (stack.frames[i], natives);
      Dwfl_Module *module = dwfl_addrmodule (dwfl, place);

      PrintFrame (stack.frames[i],
		  module ? dwfl_module_addrname (module, place) : nullptr);
    }
}

int
main ()
{
  static const Dwfl_Callbacks callbacks
    = { dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, {}, {} };

  PrepareStacks ();
  dwfl = dwfl_begin (&callbacks);
  dwfl_linux_proc_report (dwfl, getpid ());
  dwfl_report_end (dwfl, nullptr, nullptr);
  return RunCoroutines ();
}
