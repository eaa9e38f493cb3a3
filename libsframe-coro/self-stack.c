/* libsframe-coro: a process that looks at itself, the part that runs in signal
   handlers.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   Nothing here allocates, locks, or touches memory of the program but through
   the kernel.  System calls: process_vm_readv or pread, gettid, getpid.  */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdlib.h>
#include <ucontext.h>

#include "self.h"

/* Lists of a stack, and chains that have some.  */
#define MAX_LISTS 64

/* What is read is kept for the time of a call: the words of a node are close
   together, and a system call costs more than to copy a line.  Lines do not
   cross pages, so a line can be read if any byte of it can.  */
#define LINE_SIZE 128
#define NUM_LINES 32

typedef struct line
{
  uint64_t address; /* 1: nothing is in it.  */
  unsigned char bytes[LINE_SIZE];
} line;

typedef struct reader
{
  const self_memory *memory;
  line lines[NUM_LINES];
} reader;

/* A chain that has lists in this thread.  */
typedef struct live_chain
{
  size_t chain; /* As all chains here, the first of a group.  */
  size_t same;	/* The first such chain that begins at the same place.  */
  uint64_t base;
} live_chain;

struct sframe_coro_self_space
{
  reader reader;
  size_t max_natives, max_nodes;
  sframe_coro_node *nodes;
  size_t num_nodes;
  sframe_coro_list lists[MAX_LISTS];
  sframe_coro_stop stops[MAX_LISTS]; /* Of the lists.  */
  size_t num_lists;
  live_chain live[MAX_LISTS];
  size_t num_live;
  uint64_t *starts; /* For each native frame, of its function; 0: not known,
		       1: not looked for.  */
  sframe_coro_spliced *spliced;
  sframe_coro_self_frame *frames;
};

/* A call in progress.  */
typedef struct stack
{
  const self_snapshot *snapshot;
  sframe_coro_self_space *space;
  const sframe_coro_native *natives;
  size_t num_natives;
  const sframe_coro_self_ops *ops;
  sframe_coro_self_result *result;
  sframe_coro_memory memory;
  sframe_coro_thread thread;
  sframe_coro_bodies bodies;
} stack;

/* Room.  */

sframe_coro_self_space *
sframe_coro_self_space_new (size_t max_natives, size_t max_nodes)
{
  sframe_coro_self_space *s = calloc (1, sizeof *s);
  size_t max = max_natives + max_nodes;

  if (s == NULL || max < max_natives)
    {
      free (s);
      return NULL;
    }
  s->max_natives = max_natives;
  s->max_nodes = max_nodes;
  /* One more, lest there be none.  */
  s->nodes = calloc (max_nodes + 1, sizeof *s->nodes);
  s->starts = calloc (max_natives + 1, sizeof *s->starts);
  s->spliced = calloc (max + 1, sizeof *s->spliced);
  s->frames = calloc (max + 1, sizeof *s->frames);
  if (s->nodes != NULL && s->starts != NULL && s->spliced != NULL
      && s->frames != NULL)
    return s;
  sframe_coro_self_space_free (s);
  return NULL;
}

void
sframe_coro_self_space_free (sframe_coro_self_space *s)
{
  if (s == NULL)
    return;
  free (s->nodes);
  free (s->starts);
  free (s->spliced);
  free (s->frames);
  free (s);
}

/* Memory.  */

static void
reader_start (reader *r, const self_memory *memory)
{
  r->memory = memory;
  for (size_t i = 0; i < NUM_LINES; i++)
    r->lines[i].address = 1;
}

static int
read_cached (void *arg, uint64_t address, void *buf, size_t len)
{
  reader *r = arg;
  unsigned char *to = buf;

  while (len != 0)
    {
      uint64_t start = address & -(uint64_t) LINE_SIZE;
      line *l = &r->lines[start / LINE_SIZE % NUM_LINES];
      size_t off = (size_t) (address - start);
      size_t part = len < LINE_SIZE - off ? len : LINE_SIZE - off;

      if (l->address != start)
	{
	  l->address = 1;
	  if (impl_self_read (r->memory, start, l->bytes, LINE_SIZE) != 0)
	    return -1;
	  l->address = start;
	}
      memcpy (to, l->bytes + off, part);
      to += part;
      address += part;
      len -= part;
    }
  return 0;
}

/* Native frames.  */

/* Where the frame pointer was and what comes first, by architecture.  */
typedef struct start
{
  uint64_t pc, fp;
  bool returned; /* PC is a return address.  */
} start;

#if defined __x86_64__ || defined __aarch64__
#define HAVE_FRAME_POINTERS 1
#else
#define HAVE_FRAME_POINTERS 0
#endif

#if HAVE_FRAME_POINTERS

static start
start_of_context (const void *context)
{
  const ucontext_t *u = context;
#if defined __x86_64__
  return (start){ .pc = (uint64_t) u->uc_mcontext.gregs[REG_RIP],
		  .fp = (uint64_t) u->uc_mcontext.gregs[REG_RBP] };
#else
  return (start){ .pc = u->uc_mcontext.pc, .fp = u->uc_mcontext.regs[29] };
#endif
}

/* Follow the frame records from S on: two words, the caller's frame pointer
   and the return address.  Those of x86-64 are right below the CFA.  */
static size_t
unwind (reader *r, start s, sframe_coro_native *natives, size_t max)
{
  size_t n = 0;
  uint64_t record[2];

  while (n < max && s.pc != 0)
    {
      natives[n] = (sframe_coro_native){
	.pc = s.pc, .flags = s.returned ? SFRAME_CORO_NATIVE_RETURN_ADDRESS : 0
      };
      n++;
      if (s.fp == 0 || s.fp % sizeof *record != 0
	  || read_cached (r, s.fp, record, sizeof record) != 0)
	break;
#if defined __x86_64__
      natives[n - 1].cfa = s.fp + sizeof record;
      natives[n - 1].flags |= SFRAME_CORO_NATIVE_CFA;
#endif
      s = (start){ record[1], record[0] > s.fp ? record[0] : 0, true };
    }
  return n;
}

#endif

__attribute__ ((noinline)) int
sframe_coro_self_unwind (sframe_coro_self *self, sframe_coro_self_space *space,
			 const void *ucontext, sframe_coro_native *natives,
			 size_t max, size_t *num)
{
  *num = 0;
#if HAVE_FRAME_POINTERS
  int saved = errno;
  start s;

  reader_start (&space->reader, &self->memory);
  if (ucontext != NULL)
    s = start_of_context (ucontext);
  else
    {
      uint64_t *fp = __builtin_frame_address (0);
      s = (start){ fp[1], fp[0], true };
    }
  *num = unwind (&space->reader, s, natives, max);
  errno = saved;
  return SFRAME_CORO_OK;
#else
  (void) self, (void) space, (void) ucontext, (void) natives, (void) max;
  return SFRAME_CORO_ERR_UNSUPPORTED;
#endif
}

/* Functions.  */

/* .eh_frame_hdr, from the Linux Standard Base, "Exception Frame Header": four
   bytes, version and encodings; where .eh_frame is; how many entries; entries
   of two words, the first of which is a function.  All linkers write the
   encodings below.  */
typedef struct table_header
{
  uint8_t version, frame_encoding, count_encoding, table_encoding;
  int32_t frame;
  uint32_t count;
} table_header;

#define DW_EH_PE_UDATA4 0x03
#define DW_EH_PE_DATAREL_SDATA4 0x3b

typedef struct table_entry
{
  int32_t function, description; /* From the start of the table.  */
} table_entry;

static const self_module *
find_module (const self_snapshot *s, uint64_t pc)
{
  for (size_t i = 0; i < s->num_modules; i++)
    if (pc >= s->modules[i]->start && pc < s->modules[i]->end)
      return s->modules[i];
  return NULL;
}

/* The start of the function that PC is in, or 0: the greatest in its module
   that is not beyond PC.  */
static uint64_t
function_start (const stack *k, uint64_t pc)
{
  const self_module *m = find_module (k->snapshot, pc);
  uint64_t base = m != NULL ? m->function_table : 0, result = 0;
  size_t lo = 0, hi;
  table_header h;
  table_entry e;

  if (base == 0 || read_cached (&k->space->reader, base, &h, sizeof h) != 0
      || h.version != 1 || h.count_encoding != DW_EH_PE_UDATA4
      || h.table_encoding != DW_EH_PE_DATAREL_SDATA4
      || m->function_table_size < sizeof h
      || h.count > (m->function_table_size - sizeof h) / sizeof e)
    return 0;
  hi = h.count;
  while (lo < hi)
    {
      size_t mid = lo + (hi - lo) / 2;
      if (read_cached (&k->space->reader, base + sizeof h + mid * sizeof e, &e,
		       sizeof e) != 0)
	return 0;
      if (base + (int64_t) e.function > pc)
	hi = mid;
      else
	{
	  lo = mid + 1;
	  result = base + (int64_t) e.function;
	}
    }
  return result;
}

static bool
is_function (void *arg, uint64_t ip, const sframe_coro_native *native)
{
  const stack *k = arg;
  uint64_t *known = &k->space->starts[native - k->natives];

  if (k->ops->is_function != NULL)
    return k->ops->is_function (k->ops->arg, ip, native);
  if (native->flags & SFRAME_CORO_NATIVE_FUNC)
    return ip >= native->func_start && ip < native->func_end;
  if (*known == 1)
    *known = function_start (
	k, native->pc
	       - ((native->flags & SFRAME_CORO_NATIVE_RETURN_ADDRESS) != 0));
  return *known != 0 && *known == function_start (k, ip);
}

/* Lists.  */

/* Add a list of CHAIN with NODES, which stopped because of STOP; FRAME is as in
   a list.  What finds no room is told as well.  */
static void
add_list (stack *k, size_t chain, const sframe_coro_node *nodes, size_t num,
	  uint64_t frame, sframe_coro_stop stop)
{
  sframe_coro_self_space *s = k->space;
  const sframe_coro_chain *c
      = &sframe_coro_index_chain_at (k->snapshot->index, chain)->chain;
  bool fits = s->num_lists < MAX_LISTS;

  if (!fits)
    stop = SFRAME_CORO_STOP_DEPTH_LIMIT;
  if (sframe_coro_stop_is_cut (stop) && k->result->num_cut++ == 0)
    {
      k->result->cut_chain = k->snapshot->chains[chain].name;
      k->result->cut = stop;
    }
  if (!fits)
    return;
  s->stops[s->num_lists] = stop;
  s->lists[s->num_lists++] = (sframe_coro_list){
    .chain = chain,
    .nodes = nodes,
    .num = num,
    .head_is_running = (c->flags & SFRAME_CORO_CHAIN_HEAD_IS_RUNNING) != 0,
    .frame = frame
  };
}

/* The live chain that CHAIN is one with.  */
static size_t
same_live (const sframe_coro_self_space *s, size_t chain)
{
  for (size_t i = 0; i < s->num_live; i++)
    if (s->live[i].chain == chain)
      return s->live[i].same;
  return chain;
}

/* Note that CHAIN begins at BASE; return whether an equal one does, which then
   stands for it: a runtime that has a slot in each module.  */
static bool
is_known (stack *k, size_t chain, uint64_t base)
{
  sframe_coro_self_space *s = k->space;
  const sframe_coro_index *x = k->snapshot->index;
  live_chain l = { chain, chain, base };

  if (base == 0)
    return false;
  for (size_t i = 0; i < s->num_live && l.same == chain; i++)
    if (s->live[i].base == base
	&& sframe_coro_chain_equal (
	    &sframe_coro_index_chain_at (x, chain)->chain,
	    &sframe_coro_index_chain_at (x, s->live[i].chain)->chain))
      l.same = s->live[i].same;
  if (s->num_live < MAX_LISTS)
    s->live[s->num_live++] = l;
  return l.same != chain;
}

/* Where a list begins that a native frame tells of.  */
typedef struct at_frame
{
  uint64_t head;
  uint64_t frame; /* An address in the frame; 0: not known.  */
} at_frame;

/* Walk CHAIN, at the frame AT if that is not NULL; return whether it has
   roots.  */
static bool
walk (stack *k, size_t chain, const at_frame *at)
{
  sframe_coro_self_space *s = k->space;
  const sframe_coro_index_chain *c
      = sframe_coro_index_chain_at (k->snapshot->index, chain);
  const self_module *m = c->module;
  sframe_coro_walker walker = { .memory = &k->memory,
				.thread = &k->thread,
				.block = &m->tls,
				.bodies = &k->bodies,
				.frame_head = at != NULL ? &at->head : NULL };
  sframe_coro_root roots[SFRAME_CORO_DEFAULT_MAX_ROOTS];
  sframe_coro_node *nodes = s->nodes + s->num_nodes;
  size_t num;
  uint64_t base;
  sframe_coro_stop stop = sframe_coro_walk_roots (
      &c->chain, &walker, nodes, s->max_nodes - s->num_nodes, roots,
      SFRAME_CORO_DEFAULT_MAX_ROOTS, &num, &base);

  if (at == NULL && is_known (k, chain, base))
    return true;
  for (size_t i = 0; i < num; i++)
    {
      add_list (k, chain, nodes + roots[i].first, roots[i].num,
		at != NULL ? at->frame : roots[i].frame, roots[i].stop);
      s->num_nodes += roots[i].num;
    }
  /* There are more roots, or something is in the way to them.  */
  if (sframe_coro_stop_is_cut (stop))
    add_list (k, chain, NULL, 0, 0, stop);
  return num != 0;
}

typedef struct frame_registers
{
  const stack *stack;
  size_t native;
} frame_registers;

static int
read_register (void *arg, unsigned regno, uint64_t *value)
{
  const frame_registers *f = arg;
  const sframe_coro_self_ops *ops = f->stack->ops;

  return ops->reg == NULL ? -1 : ops->reg (ops->arg, f->native, regno, value);
}

/* The row of a site of CHAIN that native frame N is at; false if there is
   none.  */
static bool
find_row (const stack *k, size_t chain, size_t n, sframe_coro_row *row)
{
  const sframe_coro_index *x = k->snapshot->index;
  const sframe_coro_func *f;
  size_t cursor = 0, of;

  if (!(k->natives[n].flags & SFRAME_CORO_NATIVE_RETURN_ADDRESS))
    return false;
  while ((f = sframe_coro_index_find (x, k->natives[n].pc,
				      SFRAME_CORO_FUNC_SITE, &cursor, &of))
	 != NULL)
    if (of == chain
	&& sframe_coro_index_row (x, f, k->natives[n].pc, row)
	       == SFRAME_CORO_OK)
      return true;
  return false;
}

/* Walk the lists of CHAIN that native frames begin.  Frames that give the same
   head share a list, with boundaries.  */
static void
walk_frames (stack *k, size_t chain)
{
  bool swap = sframe_coro_index_chain_at (k->snapshot->index, chain)->chain.swap;
  uint64_t last = 0;

  for (size_t n = 0; n < k->num_natives; n++)
    {
      const sframe_coro_native *native = &k->natives[n];
      bool has_cfa = (native->flags & SFRAME_CORO_NATIVE_CFA) != 0;
      frame_registers registers = { k, n };
      at_frame at = { 0, has_cfa ? native->cfa - 1 : 0 };
      sframe_coro_row row;

      if (!find_row (k, chain, n, &row))
	continue;
      if ((row.base == SFRAME_CORO_BASE_CFA && !has_cfa)
	  || sframe_coro_row_head (&row, swap, &k->memory, native->cfa,
				   read_register, &registers, &at.head)
		 != SFRAME_CORO_OK)
	{
	  add_list (k, chain, NULL, 0, at.frame, SFRAME_CORO_STOP_UNREADABLE);
	  continue;
	}
      if (at.head != last)
	walk (k, chain, &at);
      last = at.head;
    }
}

static void
walk_chains (stack *k)
{
  size_t num = sframe_coro_index_num_chains (k->snapshot->index);

  for (size_t i = 0; i < num; i++)
    {
      const self_chain *c = &k->snapshot->chains[i];

      /* Those with FRAME heads are never grouped.  */
      if (c->group != i
	  || (sframe_coro_index_chain_at (k->snapshot->index, i)->chain.flags
	      & SFRAME_CORO_CHAIN_PROCESS_SCOPE))
	continue;
      if (!walk (k, i, NULL) && c->in_frames)
	walk_frames (k, i);
    }
}

/* Splicing.  */

static bool
is_site (void *arg, size_t chain, const sframe_coro_native *native)
{
  const stack *k = arg;
  size_t cursor = 0, of;

  if (!(native->flags & SFRAME_CORO_NATIVE_RETURN_ADDRESS))
    return false;
  while (sframe_coro_index_find (k->snapshot->index, native->pc,
				 SFRAME_CORO_FUNC_SITE, &cursor, &of)
	 != NULL)
    if (of != SIZE_MAX
	&& same_live (k->space, k->snapshot->chains[of].group)
	       == same_live (k->space, chain))
      return true;
  return false;
}

/* What the caller gets of entry E.  */
static sframe_coro_self_frame
make_frame (const stack *k, const sframe_coro_spliced *e)
{
  const sframe_coro_self_space *s = k->space;
  sframe_coro_self_frame f = { .native = e->native, .flags = e->flags };

  if (e->list != SFRAME_CORO_NO_INDEX)
    {
      const sframe_coro_list *l = &s->lists[e->list];
      f.node = &l->nodes[e->node];
      f.pc = f.node->resume_pc != 0 ? f.node->resume_pc : f.node->ip;
      f.chain = k->snapshot->chains[l->chain].name;
      f.ip_kind = sframe_coro_index_chain_at (k->snapshot->index, l->chain)
		      ->chain.ip_kind;
      if (e->node + 1 == l->num && sframe_coro_stop_is_cut (s->stops[e->list]))
	f.stop = (uint8_t) s->stops[e->list];
    }
  if (e->native != SFRAME_CORO_NO_INDEX)
    f.pc = k->natives[e->native].pc;
  return f;
}

static int
splice (stack *k)
{
  sframe_coro_self_space *s = k->space;
  sframe_coro_splice_ops ops = { is_site, is_function, k };
  size_t num;
  int err = sframe_coro_splice (k->natives, k->num_natives, s->lists,
				s->num_lists, &ops, s->spliced,
				s->max_natives + s->max_nodes, &num);

  if (err != SFRAME_CORO_OK)
    return err;
  for (size_t i = 0; i < num; i++)
    s->frames[i] = make_frame (k, &s->spliced[i]);
  k->result->frames = s->frames;
  k->result->num = num;
  return SFRAME_CORO_OK;
}

int
sframe_coro_self_stack (sframe_coro_self *self, sframe_coro_self_space *space,
			const sframe_coro_native *natives, size_t num,
			const sframe_coro_self_ops *ops,
			sframe_coro_self_result *result)
{
  static const sframe_coro_self_ops no_ops = { .reg = NULL };
  int saved = errno, err;
  self_slot *slot;
  stack k = { .space = space,
	      .natives = natives,
	      .num_natives = num,
	      .ops = ops != NULL ? ops : &no_ops,
	      .result = result,
	      .memory = { read_cached, &space->reader },
	      .thread = impl_self_thread () };

  *result = (sframe_coro_self_result){ .num = 0 };
  if (num > space->max_natives)
    return SFRAME_CORO_ERR_INVAL;
  space->num_nodes = space->num_lists = space->num_live = 0;
  for (size_t i = 0; i < num; i++)
    space->starts[i] = 1;
  reader_start (&space->reader, &self->memory);
  slot = impl_self_enter (self);
  k.snapshot = slot->snapshot;
  k.bodies = sframe_coro_index_bodies (k.snapshot->index);
  walk_chains (&k);
  err = splice (&k);
  impl_self_leave (slot);
  errno = saved;
  return err;
}
