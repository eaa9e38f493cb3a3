/* sframe-coro: what the sampler is told, and a sample in the making.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT OR GPL-2.0-only  */

#ifndef SCRATCH_BPF_H
#define SCRATCH_BPF_H

#include "memory.bpf.h"
#include "sampler.h"

/* Maps.  */

struct
{
  __uint (type, BPF_MAP_TYPE_RINGBUF);
  __uint (max_entries, 1 << 23);
} samples SEC (".maps");

struct
{
  __uint (type, BPF_MAP_TYPE_HASH);
  __uint (max_entries, 4096);
  __type (key, uint32_t);
  __type (value, sampler_process);
} processes SEC (".maps");

struct
{
  __uint (type, BPF_MAP_TYPE_ARRAY);
  __uint (map_flags, BPF_F_MMAPABLE);
  __uint (max_entries, 4096);
  __type (key, uint32_t);
  __type (value, sampler_chain);
} chains SEC (".maps");

struct
{
  __uint (type, BPF_MAP_TYPE_ARRAY);
  __uint (map_flags, BPF_F_MMAPABLE);
  __uint (max_entries, 1 << 18);
  __type (key, uint32_t);
  __type (value, sampler_mapping);
} mappings SEC (".maps");

struct
{
  __uint (type, BPF_MAP_TYPE_ARRAY);
  __uint (map_flags, BPF_F_MMAPABLE);
  __uint (max_entries, SAMPLER_MAX_PAGES);
  __type (key, uint32_t);
  __type (value, uint64_t);
} pages SEC (".maps");

struct
{
  __uint (type, BPF_MAP_TYPE_ARRAY);
  __uint (map_flags, BPF_F_MMAPABLE);
  __uint (max_entries, SAMPLER_MAX_ROWS);
  __type (key, uint32_t);
  __type (value, sampler_row);
} rows SEC (".maps");

struct
{
  __uint (type, BPF_MAP_TYPE_ARRAY);
  __uint (map_flags, BPF_F_MMAPABLE);
  __uint (max_entries, SAMPLER_MAX_FORMS);
  __type (key, uint32_t);
  __type (value, sampler_form);
} forms SEC (".maps");

struct
{
  __uint (type, BPF_MAP_TYPE_ARRAY);
  __uint (map_flags, BPF_F_MMAPABLE);
  __uint (max_entries, SAMPLER_MAX_SITES);
  __type (key, uint32_t);
  __type (value, sampler_site);
} sites SEC (".maps");

struct
{
  __uint (type, BPF_MAP_TYPE_HASH);
  __uint (map_flags, BPF_F_NO_PREALLOC);
  __uint (max_entries, 1 << 16);
  __type (key, sampler_body_key);
  __type (value, sframe_coro_body_rules);
} bodies SEC (".maps");

struct
{
  __uint (type, BPF_MAP_TYPE_HASH);
  __uint (map_flags, BPF_F_NO_PREALLOC);
  __uint (max_entries, 1 << 18);
  __type (key, sampler_body_key);
  __type (value, uint64_t);
} points SEC (".maps");

/* Samples there was no room for, of each CPU.  */
struct
{
  __uint (type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint (max_entries, 1);
  __type (key, uint32_t);
  __type (value, uint64_t);
} lost SEC (".maps");

/* The registers of a native frame; which are known, by bits.  */
typedef struct frame_registers
{
  uint64_t value[SAMPLER_NUM_REGISTERS];
  uint32_t known;
} frame_registers;

#define BIT(N) (UINT32_C (1) << (N))
#define ALL_SAVED ((BIT (SAMPLER_NUM_SAVED) - 1) << SAMPLER_REGISTER_SAVED)

/* A sample being taken.  A program of this type is not interrupted by another
   one, so each CPU needs one only.  */
typedef struct scratch
{
  sampler_header header;
  /* Unwinding: registers of the frame at hand.  */
  uint64_t pc, sp, fp;
  uint64_t saved[SAMPLER_NUM_SAVED];
  uint32_t known;     /* Which of them, by bits of enum sampler_register.  */
  uint32_t keep;      /* The process has sites: registers are kept.  */
  uint32_t is_return; /* `pc' is a return address.  */
  uint32_t by_row;
  uint32_t mapping; /* Number of the one used last.  */
  uint32_t row;	    /* Number of the row for `pc'.  */
  /* Walking.  */
  sframe_coro_thread thread;
  core_roots roots;
  core_list list;
  window window;
  uint32_t has_bodies; /* The process has some.  */
  uint32_t chain;      /* Number of the one at hand.  */
  uint32_t found;      /* One of its heads gave a list.  */
  uint32_t first_list; /* Its lists begin there.  */
  uint32_t chain_stop; /* Why not all of them could be walked.  */
  uint32_t roots_stop, stop; /* Of the roots, and of the list at hand.  */
  uint32_t at_frame;	/* A native frame says where lists begin: */
  uint64_t frame_head;	/* there; */
  uint64_t frame;	/* and an address in that frame, or 0.  */
  uint64_t slot;	/* Where the array of blocks of keys is tried to be.  */
  uint64_t bases[SAMPLER_MAX_CHAINS];

  sampler_native natives[SAMPLER_MAX_NATIVES];
  frame_registers registers[SAMPLER_MAX_NATIVES];
  uint64_t kernel[SAMPLER_MAX_KERNEL];
  sampler_list lists[SAMPLER_MAX_LISTS];
  sampler_node nodes[SAMPLER_MAX_NODES];
  sampler_words words[SAMPLER_MAX_NODES];
} scratch;

struct
{
  __uint (type, BPF_MAP_TYPE_ARRAY);
  __uint (max_entries, 1); /* As many as there are CPUs.  */
  __type (key, uint32_t);
  __type (value, scratch);
} scratches SEC (".maps");

/* What the steps of all loops get.  */
typedef struct job
{
  scratch *s;
  sampler_process *process; /* NULL: not known.  */
} job;

/* A stage: a function that the verifier looks at once, by itself, for any
   arguments, however often and from wherever it is called.  Of an argument it
   knows only the size of what a pointer leads to, so null is told apart first;
   of the result nothing.  What stages say to each other is in memory, of which
   the verifier assumes nothing.  So the work of the verifier is the sum of that
   for each stage, and grows neither with the depth of loops nor with what is
   done before.  Steps of loops, which the kernel wants to be static, call stages
   and do nothing else.  */
#define STAGE __attribute__ ((noinline)) int

/* Whether RESULT of a stage is not 0.  The compiler may know that it is 0 or 1,
   the verifier must be shown.  */
#define IS_SET(RESULT)                                                        \
  ({                                                                          \
    int r_ = (RESULT);                                                        \
    asm volatile ("" : "+r"(r_));                                             \
    r_ != 0;                                                                  \
  })

/* What is known of the stack by frame pointers: which registers each frame has,
   whether it tells where it ends, which bits of a return address are those of
   the address; and how many places the C library may have a thread's keys in.  */
#if defined __TARGET_ARCH_x86
#define KNOWN_REGISTERS (BIT (SAMPLER_REGISTER_SP) | BIT (SAMPLER_REGISTER_FP))
#define FP_TELLS_CFA 1
#define CODE_MASK UINT64_MAX
#define MAX_KEY_PLACES 1
#else
#define KNOWN_REGISTERS BIT (SAMPLER_REGISTER_FP)
#define FP_TELLS_CFA 0
#define CODE_MASK CORE_PTRAUTH_MASK
#define MAX_KEY_PLACES 512
#endif

/* False in the program that is loaded where the verifier refuses the whole one:
   native frames are unwound by frame pointers alone, lists begin only where
   thread-local variables and TP slots say, and nodes have no bodies.  A constant
   to the verifier; by itself in a section, whose name the loader knows.  */
const volatile bool is_whole SEC (".rodata.whole") = true;

/* I, known to be less than MAX, a power of two, in a way that the verifier
   sees: the compiler may compare one copy of a number and use another.  */
#define INDEX(I, MAX)                                                         \
  ({                                                                          \
    uint64_t i_ = (I);                                                        \
    asm volatile ("%0 &= %1" : "+r"(i_) : "i"((MAX) - 1));                    \
    i_;                                                                       \
  })

#endif /* SCRATCH_BPF_H */
