/* sframe-coro: sampling threads, native stack and lists of nodes.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT OR GPL-2.0-only

   Runs in the kernel each time a perf event of a thread overflows.  How a list
   is followed is the library's own source; what is done here is loops, by the
   kernel's helper, and memory.  Nothing is executed that the program says: the
   offsets it gives are added, and each read may fail.

   Needs Linux 6.1.  */

#include <linux/bpf.h>
#include <asm/ptrace.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

#include "natives.bpf.h"
#include "lists.bpf.h"

char sampler_license[] SEC ("license") = "Dual MIT/GPL";

/* Of the kernel's structures only what is looked at; the loader finds where
   it is.  They are read directly, without a helper, which a kernel that is
   locked down does not have.  */
#define KERNEL_STRUCT __attribute__ ((preserve_access_index))

struct mm_struct;

#if defined __TARGET_ARCH_x86

struct thread_struct
{
  unsigned long fsbase;
} KERNEL_STRUCT;

struct pt_regs___kernel
{
  unsigned long r15, r14, r13, r12, bp, bx, ip, sp, cs;
} KERNEL_STRUCT;

#elif defined __TARGET_ARCH_arm64

struct thread_struct
{
  struct
  {
    unsigned long tp_value;
  } uw;
} KERNEL_STRUCT;

struct pt_regs___kernel
{
  unsigned long long regs[31], sp, pc, pstate;
} KERNEL_STRUCT;

#else
#error "where is the thread pointer on this machine?"
#endif

struct task_struct
{
  struct mm_struct *mm;
  struct thread_struct thread;
} KERNEL_STRUCT;

/* The compiler would make one load of two through different pointers, which the
   verifier does not take.  */
#define KEEP_APART asm volatile ("" : : : "memory")

#if defined __TARGET_ARCH_x86

/* Set those of S's registers that are kept for sites, by the names that the
   registers have in one structure and in the other.  */
#define SET_SAVED(S, GET, BX)                                                 \
  ((S)->saved[0] = GET (BX), (S)->saved[1] = GET (r12),                       \
   (S)->saved[2] = GET (r13), (S)->saved[3] = GET (r14),                      \
   (S)->saved[4] = GET (r15), (S)->known |= ALL_SAVED)

static __always_inline void
saved_registers (const struct bpf_perf_event_data *ctx,
		 const struct pt_regs___kernel *r, bool in_user, scratch *s)
{
#define OF_EVENT(NAME) ctx->regs.NAME
#define OF_KERNEL(NAME) r->NAME
  if (in_user)
    {
      SET_SAVED (s, OF_EVENT, rbx);
      KEEP_APART;
    }
  else
    SET_SAVED (s, OF_KERNEL, bx);
}

#endif

/* Set the registers of S to those of user space: interrupted itself, or left
   for the kernel.  Return whether it was interrupted itself.  */
static __always_inline bool
user_registers (const struct bpf_perf_event_data *ctx,
		struct task_struct *task, scratch *s)
{
  const struct pt_regs___kernel *r = (const void *) bpf_task_pt_regs (task);

  s->is_return = 0;
  s->known = KNOWN_REGISTERS;
#if defined __TARGET_ARCH_x86
  if (s->keep)
    saved_registers (ctx, r, (ctx->regs.cs & 3) != 0, s);
  if (ctx->regs.cs & 3)
    {
      s->pc = ctx->regs.rip;
      s->sp = ctx->regs.rsp;
      s->fp = ctx->regs.rbp;
      KEEP_APART;
      return true;
    }
  s->pc = r->ip;
  s->sp = r->sp;
  s->fp = r->bp;
#else
  if ((ctx->regs.pstate & 15) == 0)
    {
      s->pc = ctx->regs.pc;
      s->sp = ctx->regs.sp;
      s->fp = ctx->regs.regs[29];
      KEEP_APART;
      return true;
    }
  s->pc = r->pc;
  s->sp = r->sp;
  s->fp = r->regs[29];
#endif
  return false;
}

static __always_inline uint64_t
thread_pointer (const struct task_struct *task)
{
#if defined __TARGET_ARCH_x86
  return task->thread.fsbase;
#else
  return task->thread.uw.tp_value;
#endif
}

/* The ID of the thread, as it knows it itself.  */
static __always_inline uint32_t
own_tid (const sampler_process *p, uint32_t tid)
{
  struct bpf_pidns_info info;

  if (p->ns_ino == 0
      || bpf_get_ns_current_pid_tgid (p->ns_dev, p->ns_ino, &info, sizeof info)
	   != 0)
    return tid;
  return info.pid;
}

static __always_inline void
count_lost (void)
{
  uint32_t zero = 0;
  uint64_t *n = bpf_map_lookup_elem (&lost, &zero);

  if (n != NULL)
    ++*n;
}

/* Write NUM elements of SIZE bytes, at most MAX of them, at *OFF.  */
#define PUT(PTR, OFF, FROM, NUM, MAX)                                         \
  do                                                                          \
    {                                                                         \
      uint32_t len_ = (NUM) * sizeof *(FROM);                                 \
      barrier_var (len_);                                                     \
      if (len_ > (MAX) * sizeof *(FROM))                                      \
	len_ = (MAX) * sizeof *(FROM);                                        \
      bpf_dynptr_write (PTR, OFF, FROM, len_, 0);                             \
      OFF += len_;                                                            \
    }                                                                         \
  while (0)

static __always_inline void
send (scratch *s)
{
  const sampler_header *h = &s->header;
  uint32_t size = sizeof *h + h->num_natives * sizeof *s->natives
		  + h->num_kernel * sizeof *s->kernel
		  + h->num_lists * sizeof *s->lists
		  + h->num_nodes * sizeof *s->nodes
		  + h->num_words * sizeof *s->words;
  uint32_t off = sizeof *h;
  struct bpf_dynptr ptr;

  if (bpf_ringbuf_reserve_dynptr (&samples, size, 0, &ptr) != 0)
    {
      bpf_ringbuf_discard_dynptr (&ptr, 0);
      count_lost ();
      return;
    }
  bpf_dynptr_write (&ptr, 0, &s->header, sizeof s->header, 0);
  PUT (&ptr, off, s->natives, h->num_natives, SAMPLER_MAX_NATIVES);
  PUT (&ptr, off, s->kernel, h->num_kernel, SAMPLER_MAX_KERNEL);
  PUT (&ptr, off, s->lists, h->num_lists, SAMPLER_MAX_LISTS);
  PUT (&ptr, off, s->nodes, h->num_nodes, SAMPLER_MAX_NODES);
  PUT (&ptr, off, s->words, h->num_words, SAMPLER_MAX_NODES);
  bpf_ringbuf_submit_dynptr (&ptr, 0);
}

static __always_inline void
begin (scratch *s)
{
  uint64_t id = bpf_get_current_pid_tgid ();

  __builtin_memset (&s->header, 0, sizeof s->header);
  s->header.time = bpf_ktime_get_ns ();
  s->header.pid = id >> 32;
  s->header.tid = (uint32_t) id;
  s->header.cpu = bpf_get_smp_processor_id ();
  bpf_get_current_comm (s->header.comm, sizeof s->header.comm);
  s->by_row = 0;
  s->mapping = 0;
}

/* What this is compared with brings its own.  */
#ifndef SAMPLER_PEER
SEC ("perf_event")
int
take_sample (struct bpf_perf_event_data *ctx)
{
  struct task_struct *task = bpf_get_current_task_btf ();
  uint32_t cpu = bpf_get_smp_processor_id (), pid;
  job j = { .s = bpf_map_lookup_elem (&scratches, &cpu) };
  long len;

  if (j.s == NULL || task->mm == NULL)
    return 0;
  begin (j.s);
  pid = j.s->header.pid;
  j.process = bpf_map_lookup_elem (&processes, &pid);
  j.s->keep = is_whole && j.process != NULL && j.process->num_sites != 0;
  if (!user_registers (ctx, task, j.s))
    {
      len = bpf_get_stack (ctx, j.s->kernel, sizeof j.s->kernel, 0);
      if (len > 0)
	j.s->header.num_kernel = len / sizeof *j.s->kernel;
    }
  unwind (&j);
  if (j.process != NULL)
    {
      j.s->header.generation = j.process->generation;
      j.s->thread.tp = thread_pointer (task);
      j.s->thread.tid = own_tid (j.process, j.s->header.tid);
      walk (&j);
    }
  send (j.s);
  return 0;
}
#endif

