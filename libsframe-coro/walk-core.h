/* libsframe-coro: following a list, for every reader alike.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   Freestanding: the includer provides

     static bool core_load (const sframe_coro_memory *memory,
			    uint64_t address, void *buf, size_t len);

   and gets functions that neither call nor allocate anything else.  All loops
   have constant or caller-given bounds.  Readers in the kernel include this,
   too, so it must stay so: no C library, no headers but those of the types, no
   recursion, no object whose size is not constant.  */

#ifndef SFRAME_CORO_WALK_CORE_H
#define SFRAME_CORO_WALK_CORE_H

#define CORE static inline __attribute__ ((always_inline, unused))
#define CORE_LIKELY(X) __builtin_expect (!!(X), 1)

/* Addresses below are never those of a node on any system served here.  */
#define CORE_LOWEST_ADDRESS 4096

/* User code has addresses of at most 48 bits unless a process asks the kernel
   for more (Linux, Documentation/arch/arm64/memory.rst); above them is the
   authentication code.  */
#define CORE_PTRAUTH_MASK ((UINT64_C (1) << 48) - 1)

CORE bool
core_load_word (const sframe_coro_memory *memory, bool swap, uint64_t address,
		uint64_t *value)
{
  if (!core_load (memory, address, value, sizeof *value))
    return false;
  if (swap)
    *value = __builtin_bswap64 (*value);
  return true;
}

/* Evaluate PATH from *VALUE on.  A null word on the way makes it null.  */
CORE bool
core_path (const sframe_coro_memory *memory, bool swap,
	   const sframe_coro_path *path, uint64_t *value)
{
  uint64_t v = *value;

#pragma GCC unroll 4
  for (unsigned i = 0; i < SFRAME_CORO_MAX_PATH_OFFS; i++)
    {
      if (i >= path->num_offs)
	break;
      if (!core_load_word (memory, swap, v + (int64_t) path->off[i], &v))
	return false;
      if (v == 0)
	{
	  *value = 0;
	  return true;
	}
    }
  *value = v + (int64_t) path->adjust;
  return true;
}

/* Whether P may be the address of a node or a root: they hold words, so they
   are aligned to words.  */
CORE bool
core_is_pointer (const sframe_coro_chain *c, uint64_t p)
{
  /* On x86-64 the upper half belongs to the kernel, with five levels too.  */
  uint64_t never
      = 7
	| (c->abi_arch == SFRAME_CORO_ABI_AMD64_LE ? UINT64_C (0xff) << 56 : 0);
  return (p & never) == 0 && p >= CORE_LOWEST_ADDRESS;
}

CORE uint64_t
core_clear_tags (const sframe_coro_chain *c, uint64_t p)
{
  return p & -(UINT64_C (1) << c->ptr_align_log2);
}

/* Load the field of WIDTH bytes at ADDRESS, zero-extended.  */
CORE bool
core_load_field (const sframe_coro_memory *memory, bool swap, unsigned width,
		 uint64_t address, uint64_t *value)
{
  uint32_t v32;
  uint16_t v16;
  uint8_t v8;

  switch (width)
    {
    case 8:
      return core_load_word (memory, swap, address, value);
    case 4:
      if (!core_load (memory, address, &v32, sizeof v32))
	return false;
      *value = swap ? __builtin_bswap32 (v32) : v32;
      return true;
    case 2:
      if (!core_load (memory, address, &v16, sizeof v16))
	return false;
      *value = swap ? __builtin_bswap16 (v16) : v16;
      return true;
    default:
      if (!core_load (memory, address, &v8, sizeof v8))
	return false;
      *value = v8;
      return true;
    }
}

/* Which actions the tests of C ask for on NODE, in *ACTIONS.  */
CORE bool
core_tests (const sframe_coro_memory *memory, const sframe_coro_chain *c,
	    uint64_t node, unsigned *actions)
{
  *actions = 0;
  for (unsigned i = 0; i < SFRAME_CORO_MAX_TESTS; i++)
    {
      const sframe_coro_test *t = &c->test[i];
      uint64_t a, b;

      if (i >= c->num_tests)
	break;
      b = t->value;
      if (!core_load_field (memory, c->swap, t->width,
			    node + (int64_t) t->off, &a))
	return false;
      if (t->kind == SFRAME_CORO_TEST_EQUAL
	  && !core_load_field (memory, c->swap, t->width, node + t->value, &b))
	return false;
      if (!CORE_LIKELY (((a ^ b) & t->mask) != 0))
	*actions |= t->actions;
    }
  return true;
}

/* Whether the list is over at P, which is no node then.  */
CORE bool
core_is_end (const sframe_coro_chain *c, uint64_t p)
{
  return p == 0
	 || (c->end_kind >= SFRAME_CORO_END_VALUE && p == c->end_value);
}

/* IP without an authentication code.  */
CORE uint64_t
core_strip (const sframe_coro_chain *c, uint64_t ip)
{
  return c->flags & SFRAME_CORO_CHAIN_IP_PTRAUTH ? ip & CORE_PTRAUTH_MASK : ip;
}

/* Fill in of NODE, whose IP is set, what few chains have: the fall-back for an IP
   that is null, and the second word.  */
CORE void
core_more_ip (const sframe_coro_memory *memory, const sframe_coro_chain *c,
	      sframe_coro_node *node)
{
  uint64_t ip = node->address, aux = node->address;

  if (node->ip == 0 && !(node->flags & SFRAME_CORO_NODE_NO_IP)
      && c->path[SFRAME_CORO_PATH_IP_ALT].given)
    {
      node->flags = SFRAME_CORO_NODE_ALT_IP;
      if (!core_path (memory, c->swap, &c->path[SFRAME_CORO_PATH_IP_ALT],
		      &ip))
	{
	  ip = 0;
	  node->flags = SFRAME_CORO_NODE_NO_IP;
	}
      node->ip = ip;
    }
  if (c->path[SFRAME_CORO_PATH_AUX].given
      && core_path (memory, c->swap, &c->path[SFRAME_CORO_PATH_AUX], &aux))
    node->aux = aux;
}

/* The includer may have its own calls of what most nodes do not need.  */
#ifndef CORE_TESTS
#define CORE_TESTS core_tests
#define CORE_MORE_IP core_more_ip
#define CORE_BODY core_body
#endif

/* Fill in the IP and the second word of NODE, as far as they can be read.  */
CORE void
core_ip (const sframe_coro_memory *memory, const sframe_coro_chain *c,
	 sframe_coro_node *node)
{
  uint64_t ip = node->address;

  if (c->ip_kind == SFRAME_CORO_IP_NONE || !c->path[SFRAME_CORO_PATH_IP].given
      || !core_path (memory, c->swap, &c->path[SFRAME_CORO_PATH_IP], &ip))
    {
      ip = 0;
      node->flags = SFRAME_CORO_NODE_NO_IP;
    }
  node->ip = ip;
  if (!CORE_LIKELY (ip != 0) || c->path[SFRAME_CORO_PATH_AUX].given)
    CORE_MORE_IP (memory, c, node);
  node->ip = core_strip (c, node->ip);
}

/* How the BODY of the node with the resume pointer IP is found, NULL if there
   is none, and, by its rules R, the PC of the suspend point number INDEX, 0 if
   there is none.  The includer may have other ways.  */
#ifndef CORE_FIND_BODY
#define CORE_FIND_BODY(BODIES, IP) (BODIES)->find ((BODIES)->arg, IP)
#define CORE_FIND_POINT(R, INDEX) core_find_point (R, INDEX)

CORE uint64_t
core_find_point (const sframe_coro_body_rules *r, uint64_t index)
{
  sframe_coro_point_entry point;

  for (unsigned i = 0; i < r->num_points; i++)
    {
      __builtin_memcpy (&point, r->points + i * sizeof point, sizeof point);
      if ((r->swap ? __builtin_bswap32 (point.index) : point.index) == index)
	return r->start
	       + (r->swap ? __builtin_bswap32 (point.pc_off) : point.pc_off);
    }
  return 0;
}
#endif

/* What a BODY says of the word that leads to the next node.  */
enum core_next
{
  CORE_NEXT_BY_CHAIN, /* Nothing.  */
  CORE_NEXT_READ,
  CORE_NEXT_UNREADABLE
};

/* Let the BODY of NODE, if it has one, say where it goes on, what its IP is,
   and *NEXT, if it has that at a place of its own.  What is found by the
   fall-back IP, the destroy pointer of a coroutine at its final suspend point,
   goes on nowhere: its suspend index is that of the point before.  */
CORE enum core_next
core_body (const sframe_coro_memory *memory, const sframe_coro_chain *c,
	   const sframe_coro_bodies *bodies, sframe_coro_node *node,
	   uint64_t *next)
{
  const sframe_coro_body_rules *r = CORE_FIND_BODY (bodies, node->ip);
  uint64_t index, ip = node->address;

  if (r == NULL)
    return CORE_NEXT_BY_CHAIN;
  if (r->body.index_size != 0 && !(node->flags & SFRAME_CORO_NODE_ALT_IP)
      && core_load_field (memory, c->swap, r->body.index_size,
			  node->address + (int64_t) r->body.index_off, &index))
    node->resume_pc = CORE_FIND_POINT (r, index);
  if (r->body.ip.given && core_path (memory, c->swap, &r->body.ip, &ip)
      && ip != 0)
    node->ip = core_strip (c, ip);
  if (!r->body.next.given)
    return CORE_NEXT_BY_CHAIN;
  *next = node->address;
  return (core_path (memory, c->swap, &r->body.next, next)
	    ? CORE_NEXT_READ
	    : CORE_NEXT_UNREADABLE);
}


/* The first NUM of NODES go round a cycle of LENGTH: how many are distinct.  */
CORE size_t
core_cycle_end (const sframe_coro_node *nodes, size_t num, size_t length)
{
  size_t i = 0;
  while (i + length < num && nodes[i].address != nodes[i + length].address)
    i++;
  return i + length;
}

/* There is no room for P after *NUM nodes.  If P is one of them the list goes
   round a cycle that is too long for the marks to have shown it.  */
CORE sframe_coro_stop
core_limit (const sframe_coro_node *nodes, uint64_t p, size_t *num)
{
  for (size_t i = *num; i-- > 0;)
    if (nodes[i].address == p)
      {
	*num = core_cycle_end (nodes, *num, *num - i);
	return SFRAME_CORO_STOP_CYCLE;
      }
  return SFRAME_CORO_STOP_DEPTH_LIMIT;
}

/* A list that is being followed.  A step needs no more than this and the node
   it fills in, so a reader that may not loop by itself (a program in the
   kernel, whose steps are calls) can keep it between steps.  */
typedef struct core_list
{
  uint64_t p;	    /* What comes next; not looked at yet.  */
  uint64_t mark;    /* Brent: compare with a node seen 2^k steps ago.  */
  size_t num;	    /* Nodes so far.  */
  size_t again;	    /* When the mark moves next, or room has to end.  */
  size_t mark_num;  /* Which node it is.  */
} core_list;

/* Not over: there is another step to do.  */
#define CORE_MORE ((sframe_coro_stop) SFRAME_CORO_NUM_STOPS)

/* Begin L at node FIRST: CORE_MORE, or why there is no list.  */
CORE sframe_coro_stop
core_list_begin (const sframe_coro_chain *c, uint64_t first, core_list *l)
{
  *l = (core_list){ .p = core_clear_tags (c, first) };
  return core_is_end (c, l->p) ? SFRAME_CORO_STOP_NO_HEAD : CORE_MORE;
}

/* Whether the list can have a node at L's place: CORE_MORE if so.  There is
   room for MAX.  */
CORE sframe_coro_stop
core_list_check (const sframe_coro_chain *c, core_list *l, size_t max)
{
  if (!core_is_pointer (c, l->p))
    return SFRAME_CORO_STOP_BAD_POINTER;
  if (l->p == l->mark)
    return SFRAME_CORO_STOP_CYCLE;
  /* One comparison for both.  */
  if (!CORE_LIKELY (l->num != l->again))
    {
      if (l->num == max)
	return SFRAME_CORO_STOP_DEPTH_LIMIT;
      l->mark = l->p;
      l->mark_num = l->num;
      l->again = l->num < max - l->num ? 2 * l->num + 1 : max;
    }
  return CORE_MORE;
}

/* Read the node at L's place, which has passed the check, into NODE, and go
   on to the next: CORE_MORE, or why there is none.  */
CORE sframe_coro_stop
core_list_step (const sframe_coro_memory *memory, const sframe_coro_chain *c,
		const sframe_coro_bodies *bodies, core_list *l,
		sframe_coro_node *node)
{
  const sframe_coro_path *path = &c->path[SFRAME_CORO_PATH_NEXT];
  /* Stored once, when all has been read: nothing that is read can change it,
     so it need not be in memory before.  */
  sframe_coro_node n = { .address = l->p, .index = (uint32_t) l->num };
  enum core_next how = CORE_NEXT_BY_CHAIN;
  uint64_t next = l->p;
  unsigned actions = 0;

  if (c->num_tests != 0 && !CORE_TESTS (memory, c, l->p, &actions))
    return SFRAME_CORO_STOP_UNREADABLE;
  if (actions & SFRAME_CORO_ACT_STOP)
    return SFRAME_CORO_STOP_TEST;
  core_ip (memory, c, &n);
  if (bodies != NULL && n.ip != 0)
    how = CORE_BODY (memory, c, bodies, &n, &next);
  if (!CORE_LIKELY (actions == 0))
    n.flags |= (actions & SFRAME_CORO_ACT_HIDE ? SFRAME_CORO_NODE_HIDDEN : 0)
	       | (actions & SFRAME_CORO_ACT_BOUNDARY
		      ? SFRAME_CORO_NODE_BOUNDARY
		      : 0);
  if (how == CORE_NEXT_BY_CHAIN && !core_path (memory, c->swap, path, &next))
    how = CORE_NEXT_UNREADABLE;
  *node = n;
  /* A node of which nothing can be read is none.  */
  if (how != CORE_NEXT_UNREADABLE || !(n.flags & SFRAME_CORO_NODE_NO_IP))
    l->num++;
  if (how == CORE_NEXT_UNREADABLE)
    return SFRAME_CORO_STOP_UNREADABLE;
  next = core_clear_tags (c, next);
  if (core_is_end (c, next)
      || (how == CORE_NEXT_BY_CHAIN && !path->given)
      || (c->end_kind == SFRAME_CORO_END_SELF && next == l->p))
    return SFRAME_CORO_STOP_END;
  l->p = next;
  return CORE_MORE;
}

/* L, whose nodes are NODES, has stopped by STOP: how many of them count, in
   *NUM, and why it is over.  */
CORE sframe_coro_stop
core_list_end (const core_list *l, sframe_coro_stop stop,
	       const sframe_coro_node *nodes, size_t *num)
{
  *num = l->num;
  if (stop == SFRAME_CORO_STOP_CYCLE)
    *num = core_cycle_end (nodes, l->num, l->num - l->mark_num);
  else if (stop == SFRAME_CORO_STOP_DEPTH_LIMIT)
    stop = core_limit (nodes, l->p, num);
  return stop;
}

/* See sframe_coro_walk_list.  */
CORE sframe_coro_stop
core_walk_list (const sframe_coro_memory *memory, const sframe_coro_chain *c,
		const sframe_coro_bodies *bodies, uint64_t first,
		sframe_coro_node *nodes, size_t max, size_t *num)
{
  core_list l;
  sframe_coro_stop stop = core_list_begin (c, first, &l);

  while (stop == CORE_MORE
	 && (stop = core_list_check (c, &l, max)) == CORE_MORE)
    stop = core_list_step (memory, c, bodies, &l, &nodes[l.num]);
  return core_list_end (&l, stop, nodes, num);
}

#endif /* SFRAME_CORO_WALK_CORE_H */
