/* Model: interpreters whose frames are lists of activations.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Code that is interpreted calls other such code without a native frame, and
   native functions, which may call the interpreter again.  Each native frame of
   `eval' runs the activations up to and including one boundary.  What an
   activation executes is told in two words: code and instruction.

   PY311  CPython 3.11: the boundary is the first activation of `eval', a flag
	  says so; the state of a thread is the value of a pthread key, which is
	  part of a larger object.
   PY312  CPython 3.12: a boundary is an activation of its own, which is not
	  shown; the state is in a thread_local variable, but not while the
	  thread has released the lock, when only the key has it.
   RUBY   Frames are in an array, which grows down; one for each native function
	  too.  The flag is in the frame here; Ruby has it where `ep' points.
   LUA    No variable at all: the state is an argument of `eval'.  The flag is
	  one bit of two bytes; native functions have activations, too.  */

/* expect inner
     leaf
     stop_inner
     {PY311} helper@0 [interp:0] running
     {PY311} callback@1 [interp:1]
     {PY312} helper@0 [interp:0] running
     {PY312} callback@1 [interp:1]
     {RUBY} helper@0 [interp:1]
     {RUBY} callback@1 [interp:2]
     {LUA} helper@0 [interp:1]
     {LUA} callback@1 [interp:2]
     eval
     run
     sort
     {PY311} outer@1 [interp:2]
     {PY311} module@0 [interp:3]
     {PY312} outer@1 [interp:3]
     {PY312} module@0 [interp:4]
     {RUBY} outer@1 [interp:4]
     {RUBY} module@0 [interp:5]
     {LUA} outer@1 [interp:4]
     {LUA} module@0 [interp:5]
     eval
     run
     main
*/

/* In a native function that has released the lock.
   expect released
     leaf
     sleep_released
     {PY311} outer@0 [interp:0] running
     {PY311} module@0 [interp:1]
     {PY312} outer@0 [interp:0] running
     {PY312} module@0 [interp:1]
     {RUBY} outer@0 [interp:1]
     {RUBY} module@0 [interp:2]
     {LUA} outer@0 [interp:1]
     {LUA} module@0 [interp:2]
     eval
     run
     main
*/

/* expect idle
     leaf
     main
*/

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "inside.h"

typedef struct code code;
typedef struct state state;

typedef struct instruction
{
  enum { CALL, NATIVE, RETURN } op;
  const code *callee;
  void (*native) (state *s, const code *argument);
} instruction;

struct code
{
  const char *name;
  const instruction *instructions;
};

/* What the variants have in common: push an activation of CODE; a native
   function has none or one without code.  ENTRY: by a new native frame.  */
typedef struct frame frame;
static void push (state *s, const code *code, int entry);
static void pop (state *s);
static frame *top (state *s);

#if defined PY311 || defined PY312

#ifdef PY311
struct frame
{
  void *locals[4];
  const code *code;
  void *more;
  frame *previous;
  const instruction *instruction;
  int stacktop;
  char is_entry;
  char owner;
};
_Static_assert (offsetof (frame, code) == 32
		&& offsetof (frame, is_entry) == 68, "3.11");

typedef struct cframe
{
  void *tracing;
  frame *current;
} cframe;
#define CHAIN                                                                 \
  ".sframe_coro_head pthread_key, interp_runtime + 4, 0xffffffff\n\t"         \
  ".sframe_coro_path head, 56, 8\n\t"                                         \
  ".sframe_coro_path next, 48\n\t"                                            \
  ".sframe_coro_path ip, 56\n\t"                                              \
  ".sframe_coro_path aux, 32\n\t"                                             \
  ".sframe_coro_test 1, 68, -1, 1, boundary\n\t"                              \
  ".sframe_coro_flags running_head\n\t"
#else
struct frame
{
  const code *code;
  frame *previous;
  void *locals[5];
  const instruction *instruction;
  int stacktop;
  uint16_t return_offset;
  char owner;
};
_Static_assert (offsetof (frame, instruction) == 56
		&& offsetof (frame, owner) == 70, "3.12");
#define OWNED_BY_NATIVE 3

typedef struct cframe
{
  frame *current;
} cframe;
#define CHAIN                                                                 \
  ".sframe_coro_head tls, interp_current\n\t"                                 \
  ".sframe_coro_path head, 0, 56, 0\n\t"                                      \
  ".sframe_coro_head pthread_key, interp_runtime + 4, 0xffffffff\n\t"         \
  ".sframe_coro_path head, 56, 0\n\t"                                         \
  ".sframe_coro_path next, 8\n\t"                                             \
  ".sframe_coro_path ip, 56\n\t"                                              \
  ".sframe_coro_path aux, 0\n\t"                                              \
  ".sframe_coro_test 1, 70, 0xff, 3, hide, boundary\n\t"                      \
  ".sframe_coro_flags running_head\n\t"
#endif

struct state
{
  void *others[7];
  cframe *cframe;
};
_Static_assert (offsetof (state, cframe) == 56, "thread state");

__attribute__ ((used, visibility ("hidden"))) struct
{
  int initialized;
  pthread_key_t key;
} interp_runtime = { 0, 0xffffffff };
#ifdef PY312
__attribute__ ((used, visibility ("hidden"))) _Thread_local state
    *interp_current;
#endif

static frame *
add (state *s, const code *code)
{
  frame *f = calloc (1, sizeof *f);
  f->code = code;
  f->instruction = code->instructions;
  f->previous = s->cframe->current;
  return f;
}

static void
push (state *s, const code *code, int entry)
{
  frame *f;
#ifdef PY312
  if (entry)
    {
      f = add (s, code);
      f->owner = OWNED_BY_NATIVE;
      s->cframe->current = f;
    }
  f = add (s, code);
#else
  f = add (s, code);
  f->is_entry = (char) entry;
#endif
  s->cframe->current = f;
}

static void
pop (state *s)
{
  frame *f = s->cframe->current;
  s->cframe->current = f->previous;
  free (f);
#ifdef PY312
  f = s->cframe->current;
  if (f != NULL && f->owner == OWNED_BY_NATIVE)
    {
      s->cframe->current = f->previous;
      free (f);
    }
#endif
}

static frame *
top (state *s)
{
  return s->cframe->current;
}

static state *
start (void)
{
  static cframe base;
  static state s = { .cframe = &base };
  pthread_key_create (&interp_runtime.key, NULL);
  pthread_setspecific (interp_runtime.key, &s);
#ifdef PY312
  interp_current = &s;
#endif
  return &s;
}

static void
release_lock (state *s)
{
#ifdef PY312
  interp_current = interp_current != NULL ? NULL : s;
#endif
  (void) s;
}

static void enter_native (state *s) { (void) s; }
static void leave_native (state *s) { (void) s; }

#elif defined RUBY

struct frame
{
  const instruction *instruction;
  void *sp;
  const code *code; /* NULL: a native function.  */
  void *self, *ep, *block;
  uint64_t flags;
};
_Static_assert (offsetof (frame, code) == 16 && sizeof (frame) == 56, "Ruby");
#define FINISH 0x20

/* The last two are never used, and what is in them is no activation.  */
__attribute__ ((used, visibility ("hidden"))) frame interp_stack[64];

struct state
{
  void *stack;
  uint64_t size;
  frame *top;
};

__attribute__ ((used, visibility ("hidden"))) _Thread_local state
    *interp_current;

#define CHAIN                                                                 \
  ".sframe_coro_head tls, interp_current\n\t"                                 \
  ".sframe_coro_path head, 0, 16\n\t"                                         \
  ".sframe_coro_path next, adjust=56\n\t"                                     \
  ".sframe_coro_path ip, 0\n\t"                                               \
  ".sframe_coro_path aux, 16\n\t"                                             \
  ".sframe_coro_end address, interp_stack + 62 * 56\n\t"                      \
  ".sframe_coro_test 8, 48, 0x20, 0x20, boundary\n\t"                         \
  ".sframe_coro_test 8, 16, -1, 0, hide\n\t"

static void
push (state *s, const code *code, int entry)
{
  frame *f = s->top - 1;
  *f = (frame){ .code = code, .flags = entry ? FINISH | 1 : 1 };
  f->instruction = code != NULL ? code->instructions : NULL;
  s->top = f;
}

static void
pop (state *s)
{
  s->top++;
}

static frame *
top (state *s)
{
  return s->top != interp_stack + 62 ? s->top : NULL;
}

static state *
start (void)
{
  static state s = { interp_stack, 64, interp_stack + 62 };
  static const code no_code = { "none", NULL };
  interp_stack[62].code = interp_stack[63].code = &no_code;
  interp_current = &s;
  return &s;
}

static void release_lock (state *s) { (void) s; }
static void enter_native (state *s) { push (s, NULL, 0); }
static void leave_native (state *s) { pop (s); }

#elif defined LUA

typedef struct closure
{
  void *header[3];
  const code *code;
} closure;

typedef struct value
{
  closure *closure;
} value;

struct frame
{
  value *function;
  void *top;
  frame *previous, *next;
  const instruction *instruction;
  char more[22];
  uint16_t status;
};
_Static_assert (offsetof (frame, previous) == 16
		&& offsetof (frame, instruction) == 32
		&& offsetof (frame, status) == 62, "Lua 5.4");
#define STATUS_C 2
#define STATUS_FRESH 4

struct state
{
  void *others[4];
  frame *frame;
  frame base;
};
_Static_assert (offsetof (state, frame) == 32, "Lua 5.4");

#define CHAIN                                                                 \
  ".sframe_coro_head frame\n\t"                                               \
  ".sframe_coro_path head, 32\n\t"                                            \
  ".sframe_coro_path next, 16\n\t"                                            \
  ".sframe_coro_path ip, 32\n\t"                                              \
  ".sframe_coro_path aux, 0, 0, 24\n\t"                                       \
  ".sframe_coro_test 2, 62, 2, 2, hide\n\t"                                   \
  ".sframe_coro_test 2, 62, 4, 4, boundary\n\t"

static void
push (state *s, const code *code, int entry)
{
  frame *f = calloc (1, sizeof *f);
  if (code != NULL)
    {
      f->function = calloc (1, sizeof *f->function);
      f->function->closure = calloc (1, sizeof *f->function->closure);
      f->function->closure->code = code;
      f->instruction = code->instructions;
      f->status = entry ? STATUS_FRESH : 0;
    }
  else
    f->status = STATUS_C;
  f->previous = s->frame;
  s->frame = f;
}

static void
pop (state *s)
{
  frame *f = s->frame;
  s->frame = f->previous;
  if (f->function != NULL)
    free (f->function->closure);
  free (f->function);
  free (f);
}

static frame *
top (state *s)
{
  return s->frame != &s->base ? s->frame : NULL;
}

static state *
start (void)
{
  static state s;
  s.base.status = STATUS_C;
  s.frame = &s.base;
  return &s;
}

static void release_lock (state *s) { (void) s; }
static void enter_native (state *s) { push (s, NULL, 0); }
static void leave_native (state *s) { pop (s); }

#endif

__asm__ (".sframe_coro_chain interp_chain, \"interp\"\n\t"
	 CHAIN
	 ".sframe_coro_ip cookie, 0x8001\n\t"
	 ".sframe_coro_endchain");

static FRAME void
leaf (const char *stop)
{
  INSIDE_STOP (stop);
}

/* Run what is on top until it returns.  */
static FRAME void
eval (state *s)
{
  state *volatile at_hand = s;
  int depth = 1;

  while (depth > 0)
    {
      frame *f = top (s);
      const instruction *i = f->instruction;

      switch (i->op)
	{
	case CALL:
	  push (s, i->callee, 0);
	  depth++;
	  continue;
	case NATIVE:
	  enter_native (s);
#ifdef LUA
	  __asm__ volatile (".sframe_coro_startsite interp_chain\n\t"
			    ".sframe_coro_head_at %0" : "+m"(at_hand)
			    : : "memory");
	  i->native (s, i->callee);
	  __asm__ volatile (".sframe_coro_endsite" : "+m"(at_hand)
			    : : "memory");
#else
	  __asm__ volatile (".sframe_coro_startsite interp_chain" ::: "memory");
	  i->native (s, i->callee);
	  __asm__ volatile (".sframe_coro_endsite" ::: "memory");
#endif
	  leave_native (s);
	  f->instruction++;
	  break;
	case RETURN:
	  pop (s);
	  depth--;
	  if (depth > 0)
	    top (s)->instruction++;
	  break;
	}
    }
  (void) at_hand;
}

static FRAME void
run (state *s, const code *code)
{
  push (s, code, 1);
  eval (s);
  NOT_LAST ();
}

/* Native functions.  */

static FRAME void
sort (state *s, const code *callback)
{
  run (s, callback);
  NOT_LAST ();
}

static FRAME void
stop_inner (state *s, const code *argument)
{
  (void) s;
  (void) argument;
  leaf ("inner");
  NOT_LAST ();
}

static FRAME void
sleep_released (state *s, const code *argument)
{
  (void) argument;
  release_lock (s);
  leaf ("released");
  release_lock (s);
  NOT_LAST ();
}

#define CODE(NAME, ...)                                                       \
  static const instruction NAME##_instructions[]                              \
      = { __VA_ARGS__, { RETURN, NULL, NULL } };                              \
  static const code NAME = { #NAME, NAME##_instructions }

CODE (helper, { NATIVE, NULL, stop_inner });
CODE (nothing, { RETURN, NULL, NULL });
CODE (callback, { CALL, &nothing, NULL }, { CALL, &helper, NULL });
CODE (outer, { NATIVE, NULL, sleep_released }, { NATIVE, &callback, sort });
CODE (module, { CALL, &outer, NULL });

static void
tell (const code *c)
{
  inside_word (c, c->name);
  inside_word (c->instructions, "0");
  inside_word (c->instructions + 1, "1");
}

int
main (void)
{
  state *s;

  tell (&helper);
  tell (&callback);
  tell (&outer);
  tell (&module);
  s = start ();
  run (s, &module);
  leaf ("idle");
}
