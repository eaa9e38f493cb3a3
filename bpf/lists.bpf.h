/* sframe-coro: lists of nodes, in the kernel.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT OR GPL-2.0-only

   For each chain of a process its heads, for each head its roots, for each root
   its nodes: loops inside loops, each step of which is a stage.  */

#ifndef LISTS_BPF_H
#define LISTS_BPF_H

#include "scratch.bpf.h"

/* What the steps of loops about one chain get.  */
typedef struct chain_job
{
  scratch *s;
  sampler_process *process;
  const sampler_chain *c;
} chain_job;

/* Bodies.  */

static __always_inline const sframe_coro_body_rules *
find_body (uint64_t ip)
{
  sampler_body_key key = { .ip = ip, .pid = bpf_get_current_pid_tgid () >> 32 };
  return bpf_map_lookup_elem (&bodies, &key);
}

static __always_inline uint64_t
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

/* See core_body.  */
STAGE
ask_body (window *w, const sframe_coro_chain *c, sframe_coro_node *node,
	  uint64_t *next)
{
  if (!is_whole || w == NULL || c == NULL || node == NULL || next == NULL)
    return CORE_NEXT_UNREADABLE;
  return core_body ((const sframe_coro_memory *) w, c, NULL, node, next);
}

/* Nodes.  */

/* See core_tests.  */
STAGE
test_node (window *w, const sframe_coro_chain *c, uint64_t node,
	   unsigned *actions)
{
  if (w == NULL || c == NULL || actions == NULL)
    return 0;
  return core_tests ((const sframe_coro_memory *) w, c, node, actions);
}

/* See core_more_ip.  */
STAGE
add_ip (window *w, const sframe_coro_chain *c, sframe_coro_node *node)
{
  if (w != NULL && c != NULL && node != NULL)
    core_more_ip ((const sframe_coro_memory *) w, c, node);
  return 0;
}

/* Where a window with the node at P begins.  Nodes that await each other often
   lie side by side, the next one lower if the last one was, DOWN.  No page is
   touched but those that the node itself may be on.  */
static __always_inline uint64_t
window_at (uint64_t p, bool down)
{
  uint64_t page = p & -PAGE_SIZE, lowest = p + NODE_SIZE - WINDOW_SIZE, highest;

  if (down)
    return lowest > page ? lowest : page;
  highest = page + PAGE_SIZE - WINDOW_SIZE;
  if (highest < lowest)
    highest = lowest;
  return p < highest ? p : highest;
}

/* Let W show the node at P.  Where that much cannot be read, each word is by
   itself.  */
static __always_inline void
move_window (window *w, uint64_t p)
{
  if (w->address != 0 && p - w->address <= WINDOW_SIZE - NODE_SIZE)
    return;
  w->address = window_at (p, p < w->last);
  if (bpf_probe_read_user (w->bytes, WINDOW_SIZE, (const void *) w->address)
      != 0)
    w->address = 0;
}

/* Keep node N, which is number I of the sample.  */
static __always_inline void
keep_node (scratch *s, uint32_t i, const sframe_coro_node *n)
{
  sampler_node *to = &s->nodes[INDEX (i, SAMPLER_MAX_NODES)];

  to->address = n->address;
  to->ip = n->ip;
  to->flags = n->flags;
  if (n->aux == 0 && n->resume_pc == 0)
    return;
  to->flags |= SAMPLER_NODE_WORDS;
  s->words[INDEX (i, SAMPLER_MAX_NODES)]
      = (sampler_words){ n->aux, n->resume_pc };
  s->header.num_words = i + 1;
}

/* Read the next node of the list at hand, of chain C; true if it is over.  */
static __always_inline bool
take_node (scratch *s, const sampler_chain *c)
{
  const sframe_coro_bodies *own = NULL;
  sframe_coro_node node = { 0 };
  uint32_t n = s->header.num_nodes, before = s->list.num;

  s->stop = core_list_check (&c->rules, &s->list, SIZE_MAX);
  if (s->stop != CORE_MORE)
    return true;
  if (n >= SAMPLER_MAX_NODES)
    {
      s->stop = SFRAME_CORO_STOP_DEPTH_LIMIT;
      return true;
    }
  if (is_whole && s->has_bodies)
    own = (const sframe_coro_bodies *) 1; /* Not looked at.  */
  move_window (&s->window, s->list.p);
  s->window.last = s->list.p;
  s->stop = core_list_step ((const sframe_coro_memory *) &s->window, &c->rules,
			    own, &s->list, &node);
  if (s->list.num != before)
    {
      keep_node (s, n, &node);
      s->header.num_nodes = n + 1;
    }
  return s->stop != CORE_MORE;
}

/* Two at a time: a call takes as long as half a node.  */
#define NODES_OF_STEP 2

/* Read the next nodes of the list at hand, of chain C; 1 if it is over.  */
STAGE
take_nodes (scratch *s, const sampler_chain *c)
{
  if (s == NULL || c == NULL)
    return 1;
  for (int i = 0; i < NODES_OF_STEP; i++)
    if (take_node (s, c))
      return 1;
  return 0;
}

static long
node_step (uint32_t i, void *arg)
{
  const chain_job *j = arg;

  (void) i;
  return IS_SET (take_nodes (j->s, j->c));
}

/* Roots.  */

/* Whether the root at S's place has been walked already, for the chain at
   hand.  */
STAGE
is_known (const scratch *s)
{
  if (s == NULL)
    return 0;
  for (uint32_t i = 0; i < SAMPLER_MAX_LISTS; i++)
    if (i >= s->first_list && i < s->header.num_lists
	&& s->lists[i].root == s->roots.root)
      return 1;
  return 0;
}

/* The place of the list at hand; null if there is none left.  */
static __always_inline sampler_list *
list_at_hand (scratch *s)
{
  uint32_t n = s->header.num_lists;

  return (n < SAMPLER_MAX_LISTS ? &s->lists[INDEX (n, SAMPLER_MAX_LISTS)]
				: NULL);
}

/* What is to be done about a head or a root.  */
enum verdict
{
  VERDICT_END,	/* Nothing, nor about later ones.  */
  VERDICT_NEXT, /* Nothing; there may be others.  */
  VERDICT_WALK
};

/* Begin the list of the root at S's place, of chain C: an enum verdict.  */
STAGE
begin_root (scratch *s, const sampler_chain *c)
{
  sframe_coro_root r = { 0 };
  sampler_list *l;
  uint64_t first;
  bool mine = false, known;

  if (s == NULL || c == NULL)
    return VERDICT_END;
  s->roots_stop = core_roots_check (NULL, &c->rules, &s->thread, &s->roots,
				    &mine);
  if (s->roots_stop != CORE_MORE)
    return VERDICT_END;
  if (!mine)
    return VERDICT_NEXT;
  l = list_at_hand (s);
  known = is_known (s) != 0;
  if (l == NULL || known)
    {
      s->roots_stop = (known ? SFRAME_CORO_STOP_CYCLE
			     : SFRAME_CORO_STOP_DEPTH_LIMIT);
      return VERDICT_END;
    }
  r.address = s->roots.root;
  s->stop = core_root_open (NULL, &c->rules, &r, &first);
  l->root = r.address;
  l->frame = s->at_frame ? s->frame : r.frame;
  l->first = s->header.num_nodes;
  s->list = (core_list){ 0 };
  s->window.address = 0;
  s->window.last = UINT64_MAX;
  if (s->stop == SFRAME_CORO_STOP_END)
    s->stop = core_list_begin (&c->rules, first, &s->list);
  return VERDICT_WALK;
}

/* Keep the list of the root at S's place, of chain C of P.  One that is empty
   gives way to the next head like none at all.  */
STAGE
end_root (scratch *s, const sampler_process *p)
{
  sampler_list *l;

  if (s == NULL || p == NULL)
    return 0;
  l = list_at_hand (s);
  if (l == NULL || (s->list.num == 0 && s->stop == SFRAME_CORO_STOP_NO_HEAD))
    return 0;
  l->p = s->list.p;
  l->chain = p->first_chain + s->chain;
  l->num = s->list.num;
  l->mark_num = s->list.mark_num;
  l->stop = s->stop;
  l->reserved = 0;
  s->header.num_lists++;
  s->found = 1;
  return 0;
}

/* Go on to the next root; 1 if there is none.  */
STAGE
next_root (scratch *s, const sampler_chain *c)
{
  if (s == NULL || c == NULL)
    return 1;
  s->roots_stop = core_roots_next (NULL, &c->rules, &s->roots);
  return s->roots_stop != CORE_MORE;
}

static long
root_step (uint32_t i, void *arg)
{
  chain_job *j = arg;
  int verdict = begin_root (j->s, j->c);

  (void) i;
  if (verdict == VERDICT_END)
    return 1;
  if (verdict == VERDICT_WALK)
    {
      if (j->s->stop == CORE_MORE)
	bpf_loop (SAMPLER_MAX_NODES / NODES_OF_STEP + 1, node_step, j, 0);
      end_root (j->s, j->process);
    }
  return IS_SET (next_root (j->s, j->c));
}

/* Heads.  */

/* Note that chain S->chain of P could not be walked because of STOP.  */
static __always_inline void
add_cut (scratch *s, const sampler_process *p, uint32_t stop)
{
  sampler_list *l = list_at_hand (s);

  if (l == NULL)
    {
      s->header.lists_cut = 1;
      return;
    }
  *l = (sampler_list){ .chain = p->first_chain + s->chain,
		       .stop = stop,
		       .frame = s->at_frame ? s->frame : 0,
		       .first = s->header.num_nodes };
  s->header.num_lists++;
}

/* Try whether the array of blocks of keys is at S->slot: 1 if that is told; if
   it is not, go on to the next lower place.  */
STAGE
try_keys (scratch *s, const sampler_process *p, const sampler_chain *c)
{
  if (!is_whole || s == NULL || p == NULL || c == NULL
      || (int64_t) (s->slot - s->thread.tp) < p->layout.keys_end)
    return 1;
  s->stop = core_are_key_blocks (NULL, c->rules.swap, &p->layout, s->slot);
  if (s->stop != SFRAME_CORO_ERR_NOT_FOUND)
    return 1;
  s->slot -= 8;
  return 0;
}

static long
key_step (uint32_t i, void *arg)
{
  const chain_job *j = arg;

  (void) i;
  return IS_SET (try_keys (j->s, j->process, j->c));
}

/* The thread's value of the key of HEAD of chain C, in *BASE.  Where the C
   library has the values is noted: it is the same for all threads.  */
static __always_inline int
key_base (scratch *s, sampler_process *p, const sampler_chain *c,
	  const sframe_coro_head *head, uint64_t *base)
{
  chain_job j = { s, p, c };
  core_thread_layout *l = &p->layout;
  uint32_t key;
  int err = core_read_key (NULL, c->rules.swap, head, &key);

  if (err != SFRAME_CORO_OK)
    return err;
  if (!p->has_layout)
    return SFRAME_CORO_ERR_NO_LIBC;
  s->slot = s->thread.tp + l->keys;
  s->stop = SFRAME_CORO_ERR_NOT_FOUND;
  bpf_loop (MAX_KEY_PLACES, key_step, &j, 0);
  if (s->stop != SFRAME_CORO_OK)
    return (s->stop == SFRAME_CORO_ERR_NOT_FOUND ? SFRAME_CORO_ERR_UNSUPPORTED
						  : (int) s->stop);
  l->keys = (int32_t) (s->slot - s->thread.tp);
  return core_key_value (NULL, c->rules.swap, l, s->slot, key, base);
}

/* Where the thread-local variable of head number I of C is, in *BASE.  */
static __always_inline int
tls_base (const scratch *s, const sampler_process *p, const sampler_chain *c,
	  uint32_t i, uint64_t *base)
{
  sframe_coro_tls_ref slot;
  const sframe_coro_tls_ref *ref = &c->ref[i];
  int err;

  if (c->rules.head[i].kind == SFRAME_CORO_HEAD_TP_SLOT)
    {
      err = core_read_offset (c->rules.swap, NULL, c->rules.head[i].value,
			      &slot);
      if (err != SFRAME_CORO_OK)
	return err;
      ref = &slot;
    }
  else if (c->resolved[i] != SAMPLER_HEAD_RESOLVED)
    return SFRAME_CORO_ERR_UNSUPPORTED;
  if (ref->dynamic && !p->has_layout)
    return SFRAME_CORO_ERR_NO_LIBC;
  return core_tls_address (NULL, c->rules.swap, &p->layout, ref, s->thread.tp,
			   base);
}

/* Where head number I of C begins, in *BASE; an error code.  */
static __always_inline int
head_base (scratch *s, sampler_process *p, const sampler_chain *c, uint32_t i,
	   uint64_t *base)
{
  const sframe_coro_head *head = &c->rules.head[i];

  if (c->resolved[i] == SAMPLER_HEAD_NOWHERE)
    return SFRAME_CORO_ERR_NO_TLS;
  switch (is_whole ? head->kind : SFRAME_CORO_HEAD_TP_SLOT)
    {
    case SFRAME_CORO_HEAD_FRAME:
      *base = s->frame_head;
      return s->at_frame ? SFRAME_CORO_OK : SFRAME_CORO_ERR_NO_TLS;
    case SFRAME_CORO_HEAD_GLOBAL:
      *base = head->value;
      return SFRAME_CORO_OK;
    case SFRAME_CORO_HEAD_PTHREAD_KEY:
      return key_base (s, p, c, head, base);
    default:
      return tls_base (s, p, c, i, base);
    }
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

/* Begin the roots that head number NUMBER of chain C of P gives: an enum
   verdict.  */
STAGE
begin_head (scratch *s, sampler_process *p, const sampler_chain *c,
	    uint32_t number)
{
  uint64_t i = INDEX (number, SFRAME_CORO_MAX_HEADS);
  uint64_t base = 0, root = 0;
  int err;

  if (s == NULL || p == NULL || c == NULL || i >= c->rules.num_heads)
    return VERDICT_END;
  err = head_base (s, p, c, i, &base);
  if (err != SFRAME_CORO_OK)
    {
      if (err != SFRAME_CORO_ERR_NO_TLS)
	s->chain_stop = err == SFRAME_CORO_ERR_UNREADABLE
			  ? SFRAME_CORO_STOP_UNREADABLE
			  : SFRAME_CORO_STOP_UNRESOLVED;
      return VERDICT_NEXT;
    }
  if (!s->at_frame && is_merged (s, c, base))
    {
      s->found = 1;
      return VERDICT_END;
    }
  s->roots_stop = core_follow (NULL, &c->rules, &c->rules.head[i].path, base,
			       &root);
  if (s->roots_stop == SFRAME_CORO_STOP_END)
    s->roots_stop = core_roots_begin (
	&c->rules, core_leads_away (&c->rules.head[i].path) ? base : 0, root,
	&s->roots);
  return VERDICT_WALK;
}

/* Note how it went with the roots of a head; 1 if it gave a list.  */
static __always_inline int
end_head (scratch *s)
{
  if (s->roots_stop == CORE_MORE)
    s->roots_stop = SFRAME_CORO_STOP_DEPTH_LIMIT;
  if (s->roots_stop != SFRAME_CORO_STOP_END
      && s->roots_stop != SFRAME_CORO_STOP_NO_HEAD)
    s->chain_stop = s->roots_stop;
  return s->found != 0;
}

static long
head_step (uint32_t i, void *arg)
{
  chain_job *j = arg;
  int verdict = begin_head (j->s, j->process, j->c, i);

  if (verdict != VERDICT_WALK)
    return verdict == VERDICT_END;
  if (j->s->roots_stop == CORE_MORE)
    bpf_loop (SAMPLER_MAX_ROOT_STEPS, root_step, j, 0);
  return end_head (j->s);
}

/* Begin with the heads of the chain at hand, and with what they give.  */
static __always_inline void
begin_heads (scratch *s)
{
  s->found = 0;
  s->first_list = s->header.num_lists;
  s->chain_stop = SFRAME_CORO_STOP_NO_HEAD;
}

/* That there are more roots, or what is in the way, is a list cut short.  */
STAGE
end_heads (scratch *s, const sampler_process *p)
{
  if (s != NULL && p != NULL && s->chain_stop != SFRAME_CORO_STOP_NO_HEAD)
    add_cut (s, p, s->chain_stop);
  return 0;
}

/* Try the heads of the chain at hand, and walk what the first gives.  */
static __always_inline void
walk_heads (chain_job *j)
{
  begin_heads (j->s);
  bpf_loop (SFRAME_CORO_MAX_HEADS, head_step, j, 0);
  end_heads (j->s, j->process);
}

/* Heads in native frames.  */

/* The site of chain C that returns to PC; NULL if there is none.  */
static __always_inline const sampler_site *
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

/* Find where lists of chain C of P begin in native frame number I: an enum
   verdict.  Frames that give the same head share a list, with boundaries.  */
STAGE
begin_frame (scratch *s, const sampler_process *p, const sampler_chain *c,
	     uint32_t i)
{
  const sampler_native *n;
  const frame_registers *r;
  const sampler_site *t = NULL;
  uint64_t last, base;

  if (!is_whole || s == NULL || p == NULL || c == NULL
      || i >= s->header.num_natives)
    return VERDICT_END;
  n = &s->natives[INDEX (i, SAMPLER_MAX_NATIVES)];
  r = &s->registers[INDEX (i, SAMPLER_MAX_NATIVES)];
  last = s->frame_head;
  if (n->flags & SAMPLER_NATIVE_RETURN)
    t = find_site (p, c, n->pc);
  if (t == NULL)
    return VERDICT_NEXT;
  s->frame = n->flags & SAMPLER_NATIVE_CFA ? n->cfa - 1 : 0;
  base = INDEX (t->row.base, SAMPLER_NUM_REGISTERS);
  if (t->row.base >= SAMPLER_NUM_REGISTERS || !(r->known >> base & 1)
      || !core_row_head (NULL, c->rules.swap, &t->row, r->value[base],
			 &s->frame_head))
    {
      s->frame_head = last;
      add_cut (s, p, SFRAME_CORO_STOP_UNREADABLE);
      return VERDICT_NEXT;
    }
  return s->frame_head != last ? VERDICT_WALK : VERDICT_NEXT;
}

static long
frame_step (uint32_t i, void *arg)
{
  chain_job *j = arg;
  int verdict = begin_frame (j->s, j->process, j->c, i);

  if (verdict == VERDICT_WALK)
    walk_heads (j);
  return verdict == VERDICT_END;
}

/* Chains.  */

static __always_inline const sampler_chain *
chain_at (const sampler_process *p, uint32_t i)
{
  uint32_t key = p->first_chain + i;

  return (i < SAMPLER_MAX_CHAINS && i < p->num_chains
	    ? bpf_map_lookup_elem (&chains, &key)
	    : NULL);
}

static long
chain_step (uint32_t i, void *arg)
{
  const job *j = arg;
  chain_job of = { .s = j->s, .process = j->process };

  if (of.process == NULL)
    return 1;
  of.c = chain_at (of.process, i);
  if (of.c == NULL)
    return 1;
  of.s->chain = i;
  of.s->at_frame = 0;
  of.s->bases[INDEX (i, SAMPLER_MAX_CHAINS)] = 0;
  walk_heads (&of);
  if (!is_whole || of.s->found || of.c->num_sites == 0)
    return 0;
  of.s->at_frame = 1;
  of.s->frame_head = 0;
  bpf_loop (SAMPLER_MAX_NATIVES, frame_step, &of, 0);
  return 0;
}

/* Walk the lists of the thread.  */
static __always_inline void
walk (job *j)
{
  j->s->has_bodies = j->process->num_bodies != 0;
  bpf_loop (SAMPLER_MAX_CHAINS, chain_step, j, 0);
}

#endif /* LISTS_BPF_H */
