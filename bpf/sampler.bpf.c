/* sframe-coro: sampling threads, native stack and lists of nodes.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT OR GPL-2.0-only

   Runs in the kernel each time a perf event of a thread overflows.  How a list
   is followed is the library's own source; what is done here is loops, by the
   kernel's helper, and memory.  Nothing is executed that the program says: the
   offsets it gives are added, and each read may fail.

   Needs Linux 5.19 (ring buffer pointers, bpf_loop).  */

#include <linux/bpf.h>
#include <asm/ptrace.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "sampler.h"

/* A piece of the current process's memory: what is read of a node lies close
   together, and each call of the kernel's helper costs as much as the rest of a
   step.  This is what MEMORY is here; null: no piece is kept.  */
#define WINDOW_SIZE 64
typedef struct window
{
  uint64_t address; /* 0: it holds nothing.  */
  unsigned char bytes[WINDOW_SIZE];
  uint64_t more; /* A load begins inside.  */
} window;

static __always_inline bool
core_load (const sframe_coro_memory *memory, uint64_t address, void *buf,
	   size_t len)
{
  const window *w = (const window *) memory;
  uint64_t off;

  if (w != NULL && w->address != 0)
    {
      off = address - w->address;
      asm volatile ("" : "+r"(off));
      if (off <= WINDOW_SIZE - len)
	{
	  __builtin_memcpy (buf, w->bytes + off, len);
	  return true;
	}
    }
  return bpf_probe_read_user (buf, len, (const void *) address) == 0;
}

/* Bodies have no argument.  */
#define CORE_FIND_BODY(BODIES, IP) ((void) (BODIES), find_body (IP))
#define CORE_FIND_POINT(R, INDEX) find_point (R, INDEX)
#define memset __builtin_memset

static const sframe_coro_body_rules *find_body (uint64_t ip);
static uint64_t find_point (const sframe_coro_body_rules *r, uint64_t index);

#include "roots-core.h"
#include "tls-core.h"

char sampler_license[] SEC ("license") = "Dual MIT/GPL";

/* Of the kernel's structures only what is looked at; the loader finds where
   it is.  */
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

struct task_struct
{
  struct mm_struct *mm;
  struct thread_struct thread;
} KERNEL_STRUCT;

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
  sframe_coro_node nodes[SAMPLER_MAX_NODES];
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

/* I, known to be less than MAX, a power of two, in a way that the verifier
   sees: the compiler may compare one copy of a number and use another.  */
#define INDEX(I, MAX)                                                         \
  ({                                                                          \
    uint64_t i_ = (I);                                                        \
    asm volatile ("%0 &= %1" : "+r"(i_) : "i"((MAX) - 1));                    \
    i_;                                                                       \
  })

/* Bodies.  */

static const sframe_coro_body_rules *
find_body (uint64_t ip)
{
  sampler_body_key key = { .ip = ip, .pid = bpf_get_current_pid_tgid () >> 32 };
  return bpf_map_lookup_elem (&bodies, &key);
}

static uint64_t
find_point (const sframe_coro_body_rules *r, uint64_t index)
{
  sampler_body_key key = { .ip = r->start, .index = (uint32_t) index,
			   .pid = bpf_get_current_pid_tgid () >> 32 };
  const uint64_t *pc;

  if (index >> 32 != 0)
    return 0;
  pc = bpf_map_lookup_elem (&points, &key);
  return pc != NULL ? *pc : 0;
}

/* Native frames.  */

static __always_inline const sampler_mapping *
mapping_at (const sampler_process *p, uint32_t i)
{
  uint32_t key = p->first_mapping + i;
  return bpf_map_lookup_elem (&mappings, &key);
}

/* Find the mapping of S->pc: the last one that does not start behind it.  */
static __noinline const sampler_mapping *
find_mapping (const sampler_process *p, scratch *s)
{
  uint64_t pc = s->pc - s->is_return;
  uint32_t lo = 0, hi = p->num_mappings;
  const sampler_mapping *m = mapping_at (p, s->mapping);

  if (m != NULL && s->mapping < hi && pc >= m->start && pc < m->end)
    return m;
  for (int i = 0; i <= SAMPLER_MAPPINGS_LOG2; i++)
    {
      uint32_t mid = (lo + hi) / 2;

      if (lo >= hi)
	break;
      m = mapping_at (p, mid);
      if (m == NULL)
	break;
      if (pc >= m->end)
	lo = mid + 1;
      else if (pc < m->start)
	hi = mid;
      else
	{
	  s->mapping = mid;
	  return m;
	}
    }
  return NULL;
}

static __always_inline uint32_t
page_at (uint32_t i)
{
  const uint64_t *row = bpf_map_lookup_elem (&pages, &i);
  return row != NULL ? (uint32_t) *row : 0;
}

/* Set S->row to that of S->pc in mapping M; false if there is none.  */
static __noinline bool
find_row (const sampler_mapping *m, scratch *s)
{
  uint64_t offset = s->pc - s->is_return - m->base;
  uint64_t page = offset >> SAMPLER_PAGE_LOG2;
  uint32_t lo, hi;

  if (page >= m->num_pages)
    return false;
  /* The row that holds where the page begins may be of an earlier one; there
     always is one, the first row of a table has offset 0.  */
  lo = page_at (m->first_page + page);
  hi = page_at (m->first_page + page + 1);
  for (int i = 0; i <= SAMPLER_PAGE_LOG2; i++)
    {
      uint32_t mid = (lo + hi) / 2;
      const sampler_row *r;

      if (lo >= hi)
	break;
      r = bpf_map_lookup_elem (&rows, &mid);
      if (r == NULL)
	return false;
      if (r->offset <= offset)
	lo = mid + 1;
      else
	hi = mid;
    }
  s->row = lo - 1;
  return true;
}

static __always_inline bool
load_user (uint64_t address, uint64_t *word)
{
  return core_load_word (NULL, false, address, word);
}

/* Step S to the caller, whose frame begins at CFA; FP_SLOT is where the frame
   pointer is saved, or 0.  Return a cut.  */
static __noinline int
step_to (scratch *s, uint64_t cfa, uint64_t fp_slot)
{
  uint64_t pc, fp = s->fp;

  /* Frames have a size, which is that of words.  */
  if (cfa <= s->sp || cfa % 8 != 0)
    return SAMPLER_CUT_BAD_POINTER;
  if (!load_user (cfa - 8, &pc) || (fp_slot != 0 && !load_user (fp_slot, &fp)))
    return SAMPLER_CUT_UNREADABLE;
  s->sp = cfa;
  s->fp = fp;
  s->pc = pc & CODE_MASK;
  s->is_return = 1;
  return SAMPLER_CUT_UNKNOWN;
}

/* By frame pointer, as every function with one stores them; CFA is then what
   lies above the two words.  */
static __always_inline int
step_by_fp (scratch *s)
{
  s->by_row = 0;
  s->known &= ~ALL_SAVED;
  if (s->fp == 0)
    return SAMPLER_CUT_NONE;
  if (s->fp < s->sp || s->fp % 8 != 0)
    return SAMPLER_CUT_BAD_POINTER;
  return step_to (s, s->fp + 16, s->fp);
}

#if defined __TARGET_ARCH_x86

/* Load register number I of those that are saved, for the caller, from SLOT.  */
static __always_inline void
restore (scratch *s, unsigned i, uint64_t slot)
{
  if (load_user (slot, &s->saved[i]))
    s->known |= BIT (SAMPLER_REGISTER_SAVED + i);
  else
    s->known &= ~BIT (SAMPLER_REGISTER_SAVED + i);
}

/* Load what the frame at CFA has saved, as F says.  */
static __always_inline void
restore_all (scratch *s, const sampler_form *f, uint64_t cfa)
{
  for (unsigned i = 0; i < SAMPLER_NUM_SAVED; i++)
    if (f->saved[i] == SAMPLER_NOT_SAVED)
      s->known &= ~BIT (SAMPLER_REGISTER_SAVED + i);
    else if (f->saved[i] != 0)
      restore (s, i, cfa + f->saved[i] * 8);
}

/* A signal frame: `struct ucontext' is at SP, with the general registers from
   offset 40 on (Linux, arch/x86/include/uapi/asm/ucontext.h, sigcontext.h).  */
static __always_inline int
step_over_signal (scratch *s)
{
  static const uint8_t saved[] = { 11, 4, 5, 6, 7 };
  uint64_t registers = s->sp + 40, pc, sp, fp;

  if (s->keep)
    for (unsigned i = 0; i < SAMPLER_NUM_SAVED; i++)
      restore (s, i, registers + saved[i] * 8);

  if (!load_user (registers + 16 * 8, &pc)
      || !load_user (registers + 15 * 8, &sp)
      || !load_user (registers + 10 * 8, &fp))
    return SAMPLER_CUT_UNREADABLE;
  s->pc = pc;
  s->sp = sp;
  s->fp = fp;
  s->is_return = 0;
  return SAMPLER_CUT_UNKNOWN;
}

/* How far a PLT entry has pushed: the second of its instructions, 5 bytes long
   from offset 6 on, pushes a word.  */
static __always_inline uint64_t
plt_frame (const scratch *s)
{
  return s->sp + ((s->pc & 15) >= 11 ? 16 : 8);
}

static __always_inline int
step_by_row (scratch *s, const sampler_row *r, const sampler_form *f)
{
  uint64_t cfa = s->sp + r->cfa * 8, fp_slot = 0;

  s->by_row = 1;
  switch (f->rule)
    {
    case SAMPLER_RULE_SP:
      break;
    case SAMPLER_RULE_FP:
      cfa = s->fp + r->cfa * 8;
      break;
    case SAMPLER_RULE_FP_MEM:
      if (!load_user (s->fp + r->cfa * 8, &cfa))
	return SAMPLER_CUT_UNREADABLE;
      /* Where FP is saved is told from FP itself, by these.  */
      fp_slot = s->fp;
      break;
    case SAMPLER_RULE_PLT:
      cfa = plt_frame (s);
      break;
    case SAMPLER_RULE_SIGNAL:
      return step_over_signal (s);
    case SAMPLER_RULE_END:
      return SAMPLER_CUT_NONE;
    case SAMPLER_RULE_NONE:
      return step_by_fp (s);
    default:
      return SAMPLER_CUT_NO_RULE;
    }
  if (f->fp != 0)
    fp_slot = cfa + f->fp * 8;
  if (s->keep)
    restore_all (s, f, cfa);
  return step_to (s, cfa, fp_slot);
}

#else

static __always_inline int
step_by_row (scratch *s, const sampler_row *r, const sampler_form *f)
{
  (void) r;
  (void) f;
  return step_by_fp (s);
}

#endif

/* Step S to the caller; return a cut.  */
static __always_inline int
step_native (scratch *s, const sampler_process *p)
{
  const sampler_mapping *m = NULL;
  const sampler_form *f = NULL;
  const sampler_row *r;
  uint32_t form;

  if (p != NULL)
    m = find_mapping (p, s);
  if (m == NULL || !find_row (m, s))
    return step_by_fp (s);
  r = bpf_map_lookup_elem (&rows, &s->row);
  if (r != NULL)
    {
      form = r->form;
      f = bpf_map_lookup_elem (&forms, &form);
    }
  return f != NULL ? step_by_row (s, r, f) : SAMPLER_CUT_NO_RULE;
}

/* Keep the registers of frame number I, which is at hand.  */
static __always_inline void
keep_registers (scratch *s, uint32_t i)
{
  frame_registers *r = &s->registers[INDEX (i, SAMPLER_MAX_NATIVES)];

  r->value[SAMPLER_REGISTER_SP] = s->sp;
  r->value[SAMPLER_REGISTER_FP] = s->fp;
  for (unsigned k = 0; k < SAMPLER_NUM_SAVED; k++)
    r->value[SAMPLER_REGISTER_SAVED + k] = s->saved[k];
  r->known = s->known;
}

/* The frame at hand, number I, ends at CFA.  */
static __always_inline void
set_cfa (scratch *s, uint32_t i)
{
  sampler_native *n = &s->natives[INDEX (i, SAMPLER_MAX_NATIVES)];
  frame_registers *r = &s->registers[INDEX (i, SAMPLER_MAX_NATIVES)];

  /* Where the frame pointer is not at the top of a frame, this is in it, which
     does to find it by an address; but nothing can be counted from there.  */
  n->cfa = s->sp;
  n->flags |= SAMPLER_NATIVE_CFA;
  r->value[SAMPLER_REGISTER_CFA] = s->sp;
  if (FP_TELLS_CFA || s->by_row)
    r->known |= BIT (SAMPLER_REGISTER_CFA);
}

static long
native_step (uint32_t i, void *arg)
{
  const job *j = arg;
  scratch *s = j->s;
  sampler_native *n;

  if (i >= SAMPLER_MAX_NATIVES)
    {
      s->header.cut = SAMPLER_CUT_DEPTH_LIMIT;
      return 1;
    }
  if (s->pc == 0)
    {
      s->header.cut = SAMPLER_CUT_NONE;
      return 1;
    }
  n = &s->natives[INDEX (i, SAMPLER_MAX_NATIVES)];
  n->pc = s->pc;
  n->cfa = 0;
  n->flags = (s->is_return ? SAMPLER_NATIVE_RETURN : 0)
	     | (s->by_row ? SAMPLER_NATIVE_BY_ROW : 0);
  s->header.num_natives = i + 1;
  if (s->keep)
    keep_registers (s, i);
  s->header.cut = step_native (s, j->process);
  if (s->header.cut != SAMPLER_CUT_UNKNOWN)
    return 1;
  set_cfa (s, i);
  return 0;
}

/* Lists.  */

static __always_inline const sampler_chain *
chain_at (const job *j, uint32_t i)
{
  uint32_t key;

  if (j->process == NULL)
    return NULL;
  key = j->process->first_chain + i;
  return bpf_map_lookup_elem (&chains, &key);
}

static long
node_step (uint32_t i, void *arg)
{
  const job *j = arg;
  scratch *s = j->s;
  const sampler_chain *c = chain_at (j, s->chain);
  const sframe_coro_bodies *own = NULL;
  uint32_t n = s->header.num_nodes;
  uint32_t before = s->list.num;

  (void) i;
  if (c == NULL)
    return 1;
  s->stop = core_list_check (&c->rules, &s->list, SIZE_MAX);
  if (s->stop != CORE_MORE)
    return 1;
  if (n >= SAMPLER_MAX_NODES)
    {
      s->stop = SFRAME_CORO_STOP_DEPTH_LIMIT;
      return 1;
    }
  if (j->process->num_bodies != 0)
    own = (const sframe_coro_bodies *) 1; /* Not looked at.  */
  /* Where that much cannot be read, each word is by itself.  */
  s->window.address = s->list.p;
  if (bpf_probe_read_user (s->window.bytes, WINDOW_SIZE,
			   (const void *) s->list.p)
      != 0)
    s->window.address = 0;
  s->stop = core_list_step ((const sframe_coro_memory *) &s->window, &c->rules,
			    own, &s->list,
			    &s->nodes[INDEX (n, SAMPLER_MAX_NODES)]);
  s->header.num_nodes = n + (s->list.num - before);
  return s->stop != CORE_MORE;
}

/* Walk the list of the root at S's place.  */
static __always_inline void
walk_one (job *j, scratch *s, const sampler_chain *c, sampler_list *l)
{
  sframe_coro_root r = { .address = s->roots.root };
  uint64_t first;

  s->list.num = 0;
  s->list.mark_num = 0;
  l->first = s->header.num_nodes;
  s->stop = core_root_open (NULL, &c->rules, &r, &first);
  if (s->stop == SFRAME_CORO_STOP_END)
    s->stop = core_list_begin (&c->rules, first, &s->list);
  if (s->stop == CORE_MORE)
    bpf_loop (SAMPLER_MAX_NODES + 1, node_step, j, 0);
  l->root = r.address;
  l->frame = s->at_frame ? s->frame : r.frame;
  l->p = s->list.p;
  l->chain = j->process->first_chain + s->chain;
  l->num = s->list.num;
  l->mark_num = s->list.mark_num;
  l->stop = s->stop;
  l->reserved = 0;
}

/* Whether ROOT has been walked already, from list number FIRST on.  */
static __always_inline bool
is_known (const scratch *s, uint64_t root)
{
  for (uint32_t i = 0; i < SAMPLER_MAX_LISTS; i++)
    if (i >= s->first_list && i < s->header.num_lists
	&& s->lists[i].root == root)
      return true;
  return false;
}

/* Note that chain S->chain could not be walked because of STOP.  */
static __always_inline void
add_cut (const job *j, uint32_t stop)
{
  scratch *s = j->s;
  uint32_t n = s->header.num_lists;

  if (n >= SAMPLER_MAX_LISTS)
    {
      s->header.lists_cut = 1;
      return;
    }
  s->lists[INDEX (n, SAMPLER_MAX_LISTS)]
      = (sampler_list){ .chain = j->process->first_chain + s->chain,
			.stop = stop,
			.frame = s->at_frame ? s->frame : 0,
			.first = s->header.num_nodes };
  s->header.num_lists = n + 1;
}

static long
root_step (uint32_t i, void *arg)
{
  job *j = arg;
  scratch *s = j->s;
  const sampler_chain *c = chain_at (j, s->chain);
  uint32_t n = s->header.num_lists;
  bool mine = false;

  (void) i;
  if (c == NULL)
    return 1;
  s->roots_stop = core_roots_check (NULL, &c->rules, &s->thread, &s->roots,
				    &mine);
  if (s->roots_stop != CORE_MORE)
    return 1;
  if (mine && is_known (s, s->roots.root))
    {
      s->roots_stop = SFRAME_CORO_STOP_CYCLE;
      return 1;
    }
  if (mine)
    {
      if (n >= SAMPLER_MAX_LISTS)
	{
	  s->roots_stop = SFRAME_CORO_STOP_DEPTH_LIMIT;
	  return 1;
	}
      walk_one (j, s, c, &s->lists[INDEX (n, SAMPLER_MAX_LISTS)]);
      /* One that is empty gives way to the next head like none at all.  */
      if (s->list.num != 0 || s->stop != SFRAME_CORO_STOP_NO_HEAD)
	{
	  s->header.num_lists = n + 1;
	  s->found = 1;
	}
    }
  s->roots_stop = core_roots_next (NULL, &c->rules, &s->roots);
  return s->roots_stop != CORE_MORE;
}

/* Try whether the array of blocks of keys is at S->slot; if not, go on to the
   next lower place.  */
static long
key_step (uint32_t i, void *arg)
{
  const job *j = arg;
  scratch *s = j->s;
  const sampler_chain *c = chain_at (j, s->chain);
  const core_thread_layout *l = &j->process->layout;

  (void) i;
  if (c == NULL || (int64_t) (s->slot - s->thread.tp) < l->keys_end)
    return 1;
  s->stop = core_are_key_blocks (NULL, c->rules.swap, l, s->slot);
  if (s->stop != SFRAME_CORO_ERR_NOT_FOUND)
    return 1;
  s->slot -= 8;
  return 0;
}

/* The thread's value of the key of HEAD of chain C.  Where the C library has
   the values is noted: it is the same for all threads.  */
static __always_inline int
key_base (job *j, const sampler_chain *c, const sframe_coro_head *head,
	  uint64_t *base)
{
  core_thread_layout *l = &j->process->layout;
  scratch *s = j->s;
  uint32_t key;
  int err = core_read_key (NULL, c->rules.swap, head, &key);

  if (err != SFRAME_CORO_OK)
    return err;
  if (!j->process->has_layout)
    return SFRAME_CORO_ERR_NO_LIBC;
  s->slot = s->thread.tp + l->keys;
  s->stop = SFRAME_CORO_ERR_NOT_FOUND;
  bpf_loop (MAX_KEY_PLACES, key_step, j, 0);
  if (s->stop != SFRAME_CORO_OK)
    return (s->stop == SFRAME_CORO_ERR_NOT_FOUND ? SFRAME_CORO_ERR_UNSUPPORTED
						  : (int) s->stop);
  l->keys = (int32_t) (s->slot - s->thread.tp);
  return core_key_value (NULL, c->rules.swap, l, s->slot, key, base);
}

/* Where HEAD number I of C begins, in *BASE; an error code.  */
static __always_inline int
head_base (job *j, const sampler_chain *c, uint32_t i, uint64_t *base)
{
  const sampler_process *p = j->process;
  const sframe_coro_head *head = &c->rules.head[i];
  sframe_coro_tls_ref slot;
  uint64_t tp = j->s->thread.tp;
  int err;

  if (c->resolved[i] == SAMPLER_HEAD_NOWHERE)
    return SFRAME_CORO_ERR_NO_TLS;
  switch (head->kind)
    {
    case SFRAME_CORO_HEAD_FRAME:
      *base = j->s->frame_head;
      return j->s->at_frame ? SFRAME_CORO_OK : SFRAME_CORO_ERR_NO_TLS;
    case SFRAME_CORO_HEAD_GLOBAL:
      *base = head->value;
      return SFRAME_CORO_OK;
    case SFRAME_CORO_HEAD_PTHREAD_KEY:
      return key_base (j, c, head, base);
    case SFRAME_CORO_HEAD_TP_SLOT:
      err = core_read_offset (c->rules.swap, NULL, head->value, &slot);
      return (err == SFRAME_CORO_OK
		? core_tls_address (NULL, c->rules.swap, &p->layout, &slot, tp,
				    base)
		: err);
    default:
      break;
    }
  if (c->resolved[i] != SAMPLER_HEAD_RESOLVED)
    return SFRAME_CORO_ERR_UNSUPPORTED;
  if (c->ref[i].dynamic && !p->has_layout)
    return SFRAME_CORO_ERR_NO_LIBC;
  return core_tls_address (NULL, c->rules.swap, &p->layout, &c->ref[i], tp,
			   base);
}

/* Whether chain C, found at BASE, is one with an earlier one.  */
static __always_inline bool
is_merged (scratch *s, const sampler_chain *c, uint64_t base)
{
  uint32_t group = c->group;

  s->bases[INDEX (s->chain, SAMPLER_MAX_CHAINS)] = base;
  if (group >= s->chain || s->bases[INDEX (group, SAMPLER_MAX_CHAINS)] != base)
    return false;
  s->header.merged |= UINT64_C (1) << INDEX (s->chain, SAMPLER_MAX_CHAINS);
  return true;
}

static long
head_step (uint32_t number, void *arg)
{
  uint64_t i = INDEX (number, SFRAME_CORO_MAX_HEADS);
  job *j = arg;
  scratch *s = j->s;
  const sampler_chain *c = chain_at (j, s->chain);
  uint64_t base = 0, root = 0;
  int err;

  if (c == NULL || i >= c->rules.num_heads)
    return 1;
  err = head_base (j, c, i, &base);
  if (err != SFRAME_CORO_OK)
    {
      if (err != SFRAME_CORO_ERR_NO_TLS)
	s->chain_stop = err == SFRAME_CORO_ERR_UNREADABLE
			  ? SFRAME_CORO_STOP_UNREADABLE
			  : SFRAME_CORO_STOP_UNRESOLVED;
      return 0;
    }
  if (!s->at_frame && is_merged (s, c, base))
    {
      s->found = 1;
      return 1;
    }
  s->roots_stop = core_follow (NULL, &c->rules, &c->rules.head[i].path, base,
			       &root);
  if (s->roots_stop == SFRAME_CORO_STOP_END)
    s->roots_stop = core_roots_begin (
	&c->rules, core_leads_away (&c->rules.head[i].path) ? base : 0, root,
	&s->roots);
  if (s->roots_stop == CORE_MORE)
    {
      bpf_loop (SAMPLER_MAX_ROOT_STEPS, root_step, j, 0);
      if (s->roots_stop == CORE_MORE)
	s->roots_stop = SFRAME_CORO_STOP_DEPTH_LIMIT;
    }
  if (s->roots_stop != SFRAME_CORO_STOP_END
      && s->roots_stop != SFRAME_CORO_STOP_NO_HEAD)
    s->chain_stop = s->roots_stop;
  return s->found != 0;
}

/* Try the heads of the chain at hand, and walk what the first gives.  */
static __always_inline void
walk_heads (job *j)
{
  scratch *s = j->s;

  s->found = 0;
  s->first_list = s->header.num_lists;
  s->chain_stop = SFRAME_CORO_STOP_NO_HEAD;
  bpf_loop (SFRAME_CORO_MAX_HEADS, head_step, j, 0);
  /* That there are more roots, or what is in the way, is a list cut short.  */
  if (s->chain_stop != SFRAME_CORO_STOP_NO_HEAD)
    add_cut (j, s->chain_stop);
}

/* The site of chain C that returns to PC; NULL if there is none.  */
static __noinline const sampler_site *
find_site (const sampler_process *p, const sampler_chain *c, uint64_t pc)
{
  uint32_t lo = p->first_site + c->first_site, hi = lo + c->num_sites;

  for (int i = 0; i <= SAMPLER_SITES_LOG2; i++)
    {
      uint32_t mid = (lo + hi) / 2;
      const sampler_site *t;

      if (lo >= hi)
	break;
      t = bpf_map_lookup_elem (&sites, &mid);
      if (t == NULL)
	break;
      if (pc > t->last)
	lo = mid + 1;
      else if (pc < t->first)
	hi = mid;
      else
	return t;
    }
  return NULL;
}

/* Walk the lists of the chain at hand that begin in native frame number I.
   Frames that give the same head share a list, with boundaries.  */
static long
frame_step (uint32_t i, void *arg)
{
  job *j = arg;
  scratch *s = j->s;
  const sampler_chain *c = chain_at (j, s->chain);
  const sampler_native *n = &s->natives[INDEX (i, SAMPLER_MAX_NATIVES)];
  const frame_registers *r = &s->registers[INDEX (i, SAMPLER_MAX_NATIVES)];
  const sampler_site *t = NULL;
  uint64_t last = s->frame_head, base;

  if (c == NULL || i >= s->header.num_natives)
    return 1;
  if (n->flags & SAMPLER_NATIVE_RETURN)
    t = find_site (j->process, c, n->pc);
  if (t == NULL)
    return 0;
  s->frame = n->flags & SAMPLER_NATIVE_CFA ? n->cfa - 1 : 0;
  base = INDEX (t->row.base, SAMPLER_NUM_REGISTERS);
  if (t->row.base >= SAMPLER_NUM_REGISTERS || !(r->known >> base & 1)
      || !core_row_head (NULL, c->rules.swap, &t->row, r->value[base],
			 &s->frame_head))
    {
      s->frame_head = last;
      add_cut (j, SFRAME_CORO_STOP_UNREADABLE);
    }
  else if (s->frame_head != last)
    walk_heads (j);
  return 0;
}

static long
chain_step (uint32_t i, void *arg)
{
  job *j = arg;
  scratch *s = j->s;
  const sampler_chain *c;

  if (i >= SAMPLER_MAX_CHAINS || i >= j->process->num_chains)
    return 1;
  s->chain = i;
  s->at_frame = 0;
  s->bases[INDEX (i, SAMPLER_MAX_CHAINS)] = 0;
  walk_heads (j);
  c = chain_at (j, i);
  if (s->found || c == NULL || c->num_sites == 0)
    return 0;
  s->at_frame = 1;
  s->frame_head = 0;
  bpf_loop (SAMPLER_MAX_NATIVES, frame_step, j, 0);
  return 0;
}

/* The sample.  */

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
#define OF_KERNEL(NAME) BPF_CORE_READ (r, NAME)
  if (in_user)
    SET_SAVED (s, OF_EVENT, rbx);
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
      return true;
    }
  s->pc = BPF_CORE_READ (r, ip);
  s->sp = BPF_CORE_READ (r, sp);
  s->fp = BPF_CORE_READ (r, bp);
#else
  if ((ctx->regs.pstate & 15) == 0)
    {
      s->pc = ctx->regs.pc;
      s->sp = ctx->regs.sp;
      s->fp = ctx->regs.regs[29];
      return true;
    }
  s->pc = BPF_CORE_READ (r, pc);
  s->sp = BPF_CORE_READ (r, sp);
  s->fp = BPF_CORE_READ (r, regs[29]);
#endif
  return false;
}

static __always_inline uint64_t
thread_pointer (const struct task_struct *task)
{
#if defined __TARGET_ARCH_x86
  return BPF_CORE_READ (task, thread.fsbase);
#else
  return BPF_CORE_READ (task, thread.uw.tp_value);
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
		  + h->num_nodes * sizeof *s->nodes;
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

  if (j.s == NULL || BPF_CORE_READ (task, mm) == NULL)
    return 0;
  begin (j.s);
  pid = j.s->header.pid;
  j.process = bpf_map_lookup_elem (&processes, &pid);
  j.s->keep = j.process != NULL && j.process->num_sites != 0;
  if (!user_registers (ctx, task, j.s))
    {
      len = bpf_get_stack (ctx, j.s->kernel, sizeof j.s->kernel, 0);
      if (len > 0)
	j.s->header.num_kernel = len / sizeof *j.s->kernel;
    }
  bpf_loop (SAMPLER_MAX_NATIVES + 1, native_step, &j, 0);
  if (j.process != NULL)
    {
      j.s->header.generation = j.process->generation;
      j.s->thread.tp = thread_pointer (task);
      j.s->thread.tid = own_tid (j.process, j.s->header.tid);
      bpf_loop (SAMPLER_MAX_CHAINS, chain_step, &j, 0);
    }
  send (j.s);
  return 0;
}
#endif
