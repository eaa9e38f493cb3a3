/* libsframe-coro: walking lists of nodes.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#include "impl.h"

#include "load.h"
#include "roots-core.h"

/* What the chains of most C++ runtimes are: a node is some loads away from the
   one before, all other paths are one load, and the one test, if there is one,
   compares words.  */
static bool
is_plain (const sframe_coro_chain *c)
{
  const sframe_coro_path *next = &c->path[SFRAME_CORO_PATH_NEXT];
  const sframe_coro_path *alt = &c->path[SFRAME_CORO_PATH_IP_ALT];
  const sframe_coro_test *t = &c->test[0];

#define ONE_LOAD(P) ((P)->given && (P)->num_offs == 1 && (P)->adjust == 0)
  return (next->given && next->num_offs != 0 && next->adjust == 0
	  && ONE_LOAD (&c->path[SFRAME_CORO_PATH_IP])
	  && (!alt->given || ONE_LOAD (alt))
	  && !c->path[SFRAME_CORO_PATH_AUX].given
	  && (c->num_tests == 0
	      || (c->num_tests == 1 && t->width == 8
		  && t->kind == SFRAME_CORO_TEST_EQUAL))
	  && c->ip_kind != SFRAME_CORO_IP_NONE
	  && c->end_kind == SFRAME_CORO_END_NULL && c->ptr_align_log2 == 0
	  && !(c->flags & SFRAME_CORO_CHAIN_IP_PTRAUTH) && !c->swap);
#undef ONE_LOAD
}

/* Walk a list by the rules of C, which is plain, with STEPS loads from a node
   to the next.  The copy is for the compiler: it sees which rules there are,
   and that no store changes them.  */
CORE sframe_coro_stop
walk_plain (const sframe_coro_memory *memory, const sframe_coro_chain *c,
	    unsigned steps, uint64_t first, sframe_coro_node *nodes,
	    size_t max, size_t *num)
{
  sframe_coro_chain plain = { .abi_arch = c->abi_arch,
			      .num_tests = 1,
			      .ip_kind = SFRAME_CORO_IP_EXACT_PC,
			      .end_kind = SFRAME_CORO_END_NULL };

  plain.path[SFRAME_CORO_PATH_NEXT] = c->path[SFRAME_CORO_PATH_NEXT];
  plain.path[SFRAME_CORO_PATH_NEXT].given = 1;
  plain.path[SFRAME_CORO_PATH_NEXT].num_offs = steps;
  plain.path[SFRAME_CORO_PATH_NEXT].adjust = 0;
#define ONE_LOAD(ID)                                                          \
  ((sframe_coro_path){ .given = 1, .num_offs = 1,                             \
		       .off = { c->path[SFRAME_CORO_PATH_##ID].off[0] } })
  plain.path[SFRAME_CORO_PATH_IP] = ONE_LOAD (IP);
  plain.path[SFRAME_CORO_PATH_IP_ALT] = ONE_LOAD (IP_ALT);
  plain.path[SFRAME_CORO_PATH_IP_ALT].given
      = c->path[SFRAME_CORO_PATH_IP_ALT].given;
#undef ONE_LOAD
  /* In our own memory no test is one that has no actions, of a field that is
     read anyway.  */
  plain.test[0] = (sframe_coro_test){
    .kind = SFRAME_CORO_TEST_EQUAL, .width = 8,
    .off = c->path[SFRAME_CORO_PATH_IP].off[0],
    .value = (uint64_t) (int64_t) c->path[SFRAME_CORO_PATH_IP].off[0]
  };
  if (c->num_tests != 0)
    {
      plain.test[0].actions = c->test[0].actions;
      plain.test[0].off = c->test[0].off;
      plain.test[0].mask = c->test[0].mask;
      plain.test[0].value = c->test[0].value;
    }
  return core_walk_list (memory, &plain, NULL, first, nodes, max, num);
}

/* One source, compiled several times: without a call for each word where the
   lists are ours, and without what a plain chain does not need.  Each of these
   is a function of its own, which has all registers for itself.  */
#define WALK(NAME, CALL)                                                      \
  static __attribute__ ((noinline)) sframe_coro_stop NAME (                   \
      const sframe_coro_chain *c, const sframe_coro_memory *memory,           \
      const sframe_coro_bodies *bodies, uint64_t first,                       \
      sframe_coro_node *nodes, size_t max, size_t *num)                       \
  {                                                                           \
    sframe_coro_memory m = memory ? *memory : (sframe_coro_memory){ 0 };      \
    (void) m;                                                                 \
    (void) bodies;                                                            \
    return CALL;                                                              \
  }

WALK (walk_foreign, core_walk_list (&m, c, bodies, first, nodes, max, num))
WALK (walk_foreign_plain,
      walk_plain (&m, c, c->path[SFRAME_CORO_PATH_NEXT].num_offs, first, nodes,
		  max, num))
WALK (walk_bodies, core_walk_list (NULL, c, bodies, first, nodes, max, num))
WALK (walk_own, core_walk_list (NULL, c, NULL, first, nodes, max, num))
WALK (walk_1, walk_plain (NULL, c, 1, first, nodes, max, num))
WALK (walk_2, walk_plain (NULL, c, 2, first, nodes, max, num))
WALK (walk_3, walk_plain (NULL, c, 3, first, nodes, max, num))
WALK (walk_4, walk_plain (NULL, c, 4, first, nodes, max, num))

sframe_coro_stop
impl_walk_list (const sframe_coro_chain *c, const sframe_coro_memory *memory,
		const sframe_coro_bodies *bodies, uint64_t first,
		sframe_coro_node *nodes, size_t max, size_t *num)
{
  static __typeof__ (walk_own) *const own[]
      = { walk_1, walk_2, walk_3, walk_4 };
  bool foreign = impl_foreign (memory) != NULL;
  bool plain = bodies == NULL && is_plain (c)
	       && (!foreign || c->num_tests != 0);
  __typeof__ (walk_own) *walk;

  if (foreign)
    walk = plain ? walk_foreign_plain : walk_foreign;
  else if (plain)
    walk = own[c->path[SFRAME_CORO_PATH_NEXT].num_offs - 1];
  else
    walk = bodies != NULL ? walk_bodies : walk_own;
  return walk (c, memory, bodies, first, nodes, max, num);
}

sframe_coro_stop
sframe_coro_walk_list (const sframe_coro_chain *c,
		       const sframe_coro_memory *memory, uint64_t first,
		       sframe_coro_node *nodes, size_t max, size_t *num)
{
  return impl_walk_list (c, memory, NULL, first, nodes, max, num);
}

/* Evaluate PATH from BASE to a root or node.  */
static sframe_coro_stop
start_path (const sframe_coro_chain *c, const sframe_coro_memory *memory,
	    const sframe_coro_path *path, uint64_t base, uint64_t *value)
{
  sframe_coro_stop stop
      = core_follow (impl_foreign (memory), c, path, base, value);

  if (stop != SFRAME_CORO_STOP_END)
    return stop;
  if (core_is_end (c, *value))
    return SFRAME_CORO_STOP_NO_HEAD;
  if (!core_is_pointer (c, *value))
    return SFRAME_CORO_STOP_BAD_POINTER;
  return SFRAME_CORO_STOP_END;
}

sframe_coro_stop
sframe_coro_walk_start (const sframe_coro_chain *c,
			const sframe_coro_head *head,
			const sframe_coro_memory *memory, uint64_t base,
			uint64_t *root, uint64_t *first)
{
  const sframe_coro_path *top = &c->path[SFRAME_CORO_PATH_TOP];
  uint64_t r = 0;
  sframe_coro_stop stop = start_path (c, memory, &head->path, base, &r);

  *first = r;
  if (root != NULL)
    *root = r;
  if (stop == SFRAME_CORO_STOP_END && top->given)
    stop = start_path (c, memory, top, r, first);
  return stop;
}

sframe_coro_stop
impl_stop_of_error (int err)
{
  if (err == SFRAME_CORO_ERR_NO_TLS)
    return SFRAME_CORO_STOP_NO_HEAD;
  return (err == SFRAME_CORO_ERR_UNREADABLE ? SFRAME_CORO_STOP_UNREADABLE
					    : SFRAME_CORO_STOP_UNRESOLVED);
}

sframe_coro_stop
sframe_coro_walk (const sframe_coro_chain *c, const sframe_coro_memory *memory,
		  const sframe_coro_thread *thread,
		  const sframe_coro_tls_block *block, sframe_coro_node *nodes,
		  size_t max, size_t *num, uint64_t *base)
{
  sframe_coro_walker walker
      = { .memory = memory, .thread = thread, .block = block };
  sframe_coro_root root;
  size_t num_roots;
  sframe_coro_stop stop = sframe_coro_walk_roots (c, &walker, nodes, max,
						  &root, 1, &num_roots, base);

  *num = num_roots != 0 ? root.num : 0;
  return num_roots != 0 ? root.stop : stop;
}

static bool
path_equal (const sframe_coro_path *a, const sframe_coro_path *b)
{
  if (a->given != b->given || a->num_offs != b->num_offs
      || a->adjust != b->adjust)
    return false;
  for (unsigned i = 0; i < a->num_offs; i++)
    if (a->off[i] != b->off[i])
      return false;
  return true;
}

static bool
test_equal (const sframe_coro_test *a, const sframe_coro_test *b)
{
  return (a->kind == b->kind && a->width == b->width
	  && a->actions == b->actions && a->off == b->off && a->mask == b->mask
	  && a->value == b->value);
}

bool
sframe_coro_chain_equal (const sframe_coro_chain *a,
			 const sframe_coro_chain *b)
{
  if (a->flags != b->flags || a->abi_arch != b->abi_arch
      || a->num_tests != b->num_tests || a->ip_kind != b->ip_kind
      || a->end_kind != b->end_kind || a->roots != b->roots
      || a->ptr_align_log2 != b->ptr_align_log2 || a->language != b->language
      || a->root_frame_off != b->root_frame_off
      || (a->end_kind >= SFRAME_CORO_END_VALUE
	  && a->end_value != b->end_value))
    return false;
  for (unsigned i = 0; i < a->num_tests; i++)
    if (!test_equal (&a->test[i], &b->test[i]))
      return false;
  for (unsigned i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    if (!path_equal (&a->path[i], &b->path[i]))
      return false;
  return true;
}
