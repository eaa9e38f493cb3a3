/* Model: folly's AsyncStack, which libunifex has too; with KPHP, kphp's.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A frame is a member of the promise.  It holds a return address that was
   taken where the coroutine was awaited, so the frame of a coroutine stands for
   its awaiter, and the running coroutine is on the native stack only.  A root
   is on the native stack of what resumes, and names that by its frame pointer.
   The last frame of a list is not a coroutine's, but of the function that waits
   for it, and has the root of that: the list goes on there.

   By default the roots of a thread are found by a pthread key, as from outside
   of folly; with TLS by a variable; with KPHP by a global instance.  The plain
   names of what clang wraps `await_suspend' in are not known.  */

/* Before there is a key.
   expect early
     leaf
     main
*/

/* expect nested
     leaf
     inner_2
     {g++ -O0} inner_1
     {-O2} inner_1 [async:0]
     {g++ -O0} inner_1 [async:0]
     {clang++-19 -O0} ? [async:0]
     middle [async:2]
     resume_with_root
     block_on
     middle
     {g++ -O0} outer
     {-O2} outer [async:0]
     {g++ -O0} outer [async:0]
     {clang++-19 -O0} ? [async:0]
     main [async:2]
     resume_with_root
     block_on
     main
     blocked async: block_on
     blocked async: block_on
*/

/* One list, of which the first coroutine has ended.
   expect outer
     leaf
     middle
     {g++ -O0} outer
     {-O2} outer [async:0]
     {g++ -O0} outer [async:0]
     {clang++-19 -O0} ? [async:0]
     main [async:2]
     resume_with_root
     block_on
     main
     blocked async: block_on
*/

/* A coroutine that main waits for goes on in a thread.
   expect thread
     leaf
     visitor
     main [async:1]
     resume_with_root
     thread
     blocked async: root of main
*/

#include <pthread.h>
#include <semaphore.h>

#include <coroutine>

#include "coroutine.h"
#include "inside.h"

struct async_root;

struct async_frame
{
  async_frame *parent;
#ifdef KPHP
  async_root *root;
  void *ip;
#define IP "16"
#define BLOCKED "8"
#else
  void *ip;
  async_root *root;
#define IP "8"
#define BLOCKED "16"
#endif
};

struct async_root
{
  async_frame *top;
#ifdef KPHP
  void *stack_frame;
  async_root *next;
#define STACK_FRAME "8"
#define NEXT_ROOT "16"
#else
  async_root *next;
  void *stack_frame;
#define STACK_FRAME "16"
#define NEXT_ROOT "8"
#endif
  void *return_address;
};

/* Where a thread's roots are.  */

#if defined KPHP
struct instance
{
  void *others[3];
  async_root *root;
};
[[gnu::used, gnu::visibility ("hidden")]] instance *current
    asm ("folly_instance");
#define HEAD ".sframe_coro_head global, folly_instance\n\t"                   \
	     ".sframe_coro_path head, 0, 24\n\t"
static instance the_instance;
static async_root *&
current_root ()
{
  current = &the_instance;
  return current->root;
}
#elif defined TLS
struct holder
{
  async_root *value = nullptr;
};
[[gnu::used]] constinit thread_local holder current asm ("folly_holder");
#define HEAD ".sframe_coro_head tls, folly_holder\n\t"
static async_root *&
current_root ()
{
  return current.value;
}
#else
struct holder
{
  async_root *value = nullptr;
};
extern "C" [[gnu::used, gnu::visibility ("hidden")]] pthread_key_t
    folly_async_stack_root_tls_key = 0xffffffff;
#define HEAD                                                                  \
  ".sframe_coro_head pthread_key, folly_async_stack_root_tls_key, "           \
  "0xffffffff\n\t"                                                            \
  ".sframe_coro_path head, 0\n\t"
static constinit thread_local holder current;
static async_root *&
current_root ()
{
  if (folly_async_stack_root_tls_key == 0xffffffff)
    {
      pthread_key_t key;
      pthread_key_create (&key, nullptr);
      folly_async_stack_root_tls_key = key;
    }
  pthread_setspecific (folly_async_stack_root_tls_key, &current);
  return current.value;
}
#endif

__asm__ (".sframe_coro_chain folly_chain, \"async\"\n\t"
	 HEAD
	 ".sframe_coro_roots all, " STACK_FRAME "\n\t"
	 ".sframe_coro_path root_next, " NEXT_ROOT "\n\t"
	 ".sframe_coro_path top, 0\n\t"
	 ".sframe_coro_path next, 0\n\t"
	 ".sframe_coro_path ip, " IP "\n\t"
	 ".sframe_coro_path blocked, " BLOCKED "\n\t"
	 ".sframe_coro_ip return\n\t"
	 ".sframe_coro_test 8, " IP ", -1, 0, hide\n\t"
	 ".sframe_coro_endchain");

/* Coroutines.  */

struct task
{
  struct promise_type;
  using handle = std::coroutine_handle<promise_type>;

  struct final_awaiter
  {
    bool await_ready () const noexcept { return false; }
    std::coroutine_handle<> await_suspend (handle self) const noexcept;
    void await_resume () const noexcept {}
  };

  struct promise_type
  {
    std::coroutine_handle<> continuation;
    async_frame frame = {};

    task get_return_object () { return { handle::from_promise (*this) }; }
    std::suspend_always initial_suspend () const noexcept { return {}; }
    final_awaiter final_suspend () const noexcept { return {}; }
    void unhandled_exception () { std::terminate (); }
    void return_void () {}
  };

  handle coroutine;

  ~task () { coroutine.destroy (); }
  bool await_ready () const noexcept { return false; }
  FRAME std::coroutine_handle<> await_suspend (handle caller);
  void await_resume () const noexcept {}
};

/* The root is the leaf's as long as it runs.  */
std::coroutine_handle<>
task::await_suspend (handle caller)
{
  async_frame *callee = &coroutine.promise ().frame;
  async_frame *parent = &caller.promise ().frame;

  coroutine.promise ().continuation = caller;
  callee->ip = __builtin_return_address (0);
  callee->parent = parent;
  callee->root = parent->root;
  publish (callee->root->top, callee);
  parent->root = nullptr;
  return coroutine;
}

std::coroutine_handle<>
task::final_awaiter::await_suspend (handle self) const noexcept
{
  std::coroutine_handle<> awaiter = self.promise ().continuation;
  async_frame *frame = &self.promise ().frame;

  if (!awaiter)
    {
      publish (frame->root->top, nullptr);
      return std::noop_coroutine ();
    }
  frame->parent->root = frame->root;
  publish (frame->root->top, frame->parent);
  return awaiter;
}

static FRAME void
leaf (const char *stop)
{
  INSIDE_STOP (stop);
}

static FRAME void
resume_with_root (task::handle coroutine)
{
  async_root root = {};
  async_root *&current = current_root ();

  root.stack_frame = __builtin_frame_address (0);
  root.return_address = __builtin_return_address (0);
  root.next = current;
  root.top = &coroutine.promise ().frame;
  root.top->root = &root;
  publish (current, &root);
  coroutine.resume ();
  NOT_LAST ();
  publish (current, root.next);
}

/* What goes on in another thread, if anything does.  */
static task::handle waited_for;
static sem_t is_done;

static void *
thread (void *)
{
  resume_with_root (waited_for);
  sem_post (&is_done);
  return nullptr;
}

static FRAME void
block_on (const task &t, bool in_thread = false)
{
  async_frame frame = {};
  async_root root = {};

  frame.ip = __builtin_return_address (0);
  frame.root = &root;
  root.stack_frame = __builtin_frame_address (0);
  root.top = &frame;
  root.next = current_root ();
  t.coroutine.promise ().frame.parent = &frame;
  if (!in_thread)
    {
      resume_with_root (t.coroutine);
      NOT_LAST ();
      return;
    }
  inside_word (&root, "root of main");
  waited_for = t.coroutine;
  sem_init (&is_done, 0, 0);
  pthread_t other;
  pthread_create (&other, nullptr, thread, nullptr);
  sem_wait (&is_done);
  pthread_join (other, nullptr);
}

static FRAME task
inner_2 ()
{
  leaf ("nested");
  co_return;
}

static FRAME task
inner_1 ()
{
  co_await inner_2 ();
}

static FRAME task
middle ()
{
  block_on (inner_1 ());
  leaf ("outer");
  co_return;
}

static FRAME task
outer ()
{
  co_await middle ();
}

static FRAME task
visitor ()
{
  leaf ("thread");
  co_return;
}

int
main ()
{
  leaf ("early");
  block_on (outer ());
  block_on (visitor (), true);
}
