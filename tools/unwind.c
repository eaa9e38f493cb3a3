/* sframe-coro: the native frames of a thread.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   libdwfl can attach to a process by itself, but that gives up on an
   assertion when a thread ends although it is held.  */

#include "config.h"

#include <string.h>

#include "tool.h"
#include "unwind.h"

/* More native frames than this are a runaway recursion.  */
#define MAX_NATIVES 65536

/* SP_REGISTER is the DWARF number of the stack pointer, SP_TO_CFA what the CFA
   is above it in the caller; PRESERVED has a bit for each register that calls
   preserve; set_registers gives libdwfl what REGS holds.  */

#if defined __x86_64__

#define SP_REGISTER 7
#define SP_TO_CFA 0
#define PRESERVED UINT32_C (0xf048) /* rbx, rbp, r12 to r15.  */

static bool
set_registers (Dwfl_Thread *thread, const process_registers *r)
{
  Dwarf_Word words[] = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi,
			 r->rbp, r->rsp, r->r8,	 r->r9,	 r->r10, r->r11,
			 r->r12, r->r13, r->r14, r->r15, r->rip };
  return dwfl_thread_state_registers (thread, 0,
				      sizeof words / sizeof *words, words);
}

#elif defined __aarch64__

#define SP_REGISTER 31
#define SP_TO_CFA 0
#define PRESERVED UINT32_C (0x3ff80000) /* x19 to x29.  */

static bool
set_registers (Dwfl_Thread *thread, const process_registers *r)
{
  Dwarf_Word words[32];

  for (int i = 0; i < 31; i++)
    words[i] = r->regs[i];
  words[31] = r->sp;
  dwfl_thread_state_register_pc (thread, r->pc);
  return dwfl_thread_state_registers (thread, 0, 32, words);
}

#elif defined __s390x__

#define SP_REGISTER 15
#define SP_TO_CFA 160
#define PRESERVED UINT32_C (0x3fc0) /* r6 to r13.  */

static bool
set_registers (Dwfl_Thread *thread, const process_registers *r)
{
  Dwarf_Word words[16];

  for (int i = 0; i < 16; i++)
    words[i] = r->gprs[i];
  dwfl_thread_state_register_pc (thread, r->psw.addr);
  return dwfl_thread_state_registers (thread, 0, 16, words);
}

#else
#error "which registers does unwinding begin with?"
#endif

/* Callbacks of libdwfl.  */

static pid_t
next_thread (Dwfl *dwfl, void *arg, void **thread_arg)
{
  process *p = arg;
  size_t i = (size_t) (uintptr_t) *thread_arg;

  (void) dwfl;
  if (i == process_num_threads (p))
    return 0;
  *thread_arg = (void *) (uintptr_t) (i + 1);
  return process_thread_at (p, i)->tid;
}

static bool
get_thread (Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
  (void) dwfl;
  (void) tid;
  *thread_arg = arg;
  return true;
}

static bool
read_memory (Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *arg)
{
  (void) dwfl;
  return process_read (arg, address, word, sizeof *word) == 0;
}

static bool
set_initial_registers (Dwfl_Thread *thread, void *arg)
{
  const process_thread *t
      = process_find_thread (arg, dwfl_thread_tid (thread));

  return (t != NULL && t->has_registers
	  && set_registers (thread, &t->registers));
}

bool
unwind_attach (Dwfl *dwfl, process *p)
{
  static const Dwfl_Thread_Callbacks callbacks
      = { .next_thread = next_thread,
	  .get_thread = get_thread,
	  .memory_read = read_memory,
	  .set_initial_registers = set_initial_registers };

  return dwfl_attach_state (dwfl, NULL, process_pid (p), &callbacks, p);
}

/* Frames.  */

/* A walk over the frames of a thread.  */
typedef struct unwinding
{
  unwind_result *result;
  bool registers;
} unwinding;

/* Keep what can be known of the registers of frame I, which is FRAME.  Libdwfl
   knows nothing of a register where the callee has no rule for it; but it has
   the same value there if calls preserve it.  */
static void
keep_registers (unwind_result *r, size_t i, Dwfl_Frame *frame)
{
  unwind_registers *regs = &r->registers[i];
  uint32_t same = i != 0 ? regs[-1].known & PRESERVED : 0;
  Dwarf_Word value;

  regs->known = 0;
  for (unsigned n = 0; n < UNWIND_NUM_REGISTERS; n++)
    if (dwfl_frame_reg (frame, n, &value) == 0)
      {
	regs->known |= UINT32_C (1) << n;
	regs->value[n] = value;
      }
    else if (same >> n & 1)
      {
	regs->known |= UINT32_C (1) << n;
	regs->value[n] = regs[-1].value[n];
      }
}

int
unwind_register (void *arg, unsigned regno, uint64_t *value)
{
  const unwind_registers *regs = arg;

  if (regno >= UNWIND_NUM_REGISTERS || !(regs->known >> regno & 1))
    return -1;
  *value = regs->value[regno];
  return 0;
}

static int
add_frame (Dwfl_Frame *frame, void *arg)
{
  const unwinding *u = arg;
  unwind_result *r = u->result;
  Dwarf_Addr pc;
  Dwarf_Word sp;
  bool is_activation;

  if (!dwfl_frame_pc (frame, &pc, &is_activation))
    return DWARF_CB_ABORT;
  if (r->num == MAX_NATIVES)
    {
      r->cut = true;
      return DWARF_CB_ABORT;
    }
  /* Room grows by powers of two.  */
  if ((r->num & (r->num - 1)) == 0)
    {
      size_t room = r->num ? r->num * 2 : 1;
      r->natives = tool_realloc (r->natives, room, sizeof *r->natives);
      if (u->registers)
	r->registers = tool_realloc (r->registers, room, sizeof *r->registers);
    }
  if (u->registers)
    keep_registers (r, r->num, frame);
  /* The stack pointer of the caller is the CFA of its callee.  */
  if (r->num != 0 && dwfl_frame_reg (frame, SP_REGISTER, &sp) == 0)
    {
      r->natives[r->num - 1].cfa = sp + SP_TO_CFA;
      r->natives[r->num - 1].flags |= SFRAME_CORO_NATIVE_CFA;
    }
  r->natives[r->num++] = (sframe_coro_native){
    .pc = pc, .flags = is_activation ? 0 : SFRAME_CORO_NATIVE_RETURN_ADDRESS
  };
  return DWARF_CB_OK;
}

unwind_result
unwind_thread (Dwfl *dwfl, pid_t tid, bool registers)
{
  unwind_result r = { 0 };
  unwinding u = { &r, registers };

  if (dwfl_getthread_frames (dwfl, tid, add_frame, &u) == -1)
    r.error = tool_strdup (dwfl_errmsg (-1));
  return r;
}
