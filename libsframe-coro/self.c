/* libsframe-coro: a process that looks at itself, the part that prepares.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "self.h"

/* Memory and threads.  */

int
impl_self_read (const self_memory *memory, uint64_t address, void *buf,
		size_t len)
{
  struct iovec local = { buf, len };
  struct iovec remote = { (void *) (uintptr_t) address, len };
  ssize_t n;

  if (memory->fd >= 0)
    n = (address <= INT64_MAX && memory->pid == getpid ()
	   ? pread (memory->fd, buf, len, (off_t) address)
	   : -1);
  else
    n = process_vm_readv (getpid (), &local, 1, &remote, 1, 0);
  return n == (ssize_t) len ? 0 : -1;
}

/* Whether MEMORY can be read.  */
static bool
can_read (const self_memory *memory)
{
  uint64_t probe = UINT64_C (0x0123456789abcdef), copy = 0;

  return (impl_self_read (memory, (uint64_t) (uintptr_t) &probe, &copy,
			  sizeof copy) == 0
	  && copy == probe);
}

int
impl_self_memory_open (self_memory *memory)
{
  *memory = (self_memory){ .fd = -1, .pid = getpid () };
  /* A sandbox may not allow the call.  */
  if (can_read (memory))
    return SFRAME_CORO_OK;
  memory->fd = open ("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (memory->fd >= 0 && can_read (memory))
    return SFRAME_CORO_OK;
  if (memory->fd >= 0)
    close (memory->fd);
  memory->fd = -1;
  return SFRAME_CORO_ERR_UNREADABLE;
}

/* After a fork the descriptor is still of the parent.  */
static int
memory_reopen (self_memory *memory)
{
  if (memory->fd < 0 || memory->pid == getpid ())
    return SFRAME_CORO_OK;
  close (memory->fd);
  return impl_self_memory_open (memory);
}

sframe_coro_thread
impl_self_thread (void)
{
  sframe_coro_thread t = { .libc = SELF_LIBC,
			   .tid = (uint64_t) syscall (SYS_gettid) };

#if defined __x86_64__
  __asm__ ("movq %%fs:0, %0" : "=r"(t.tp));
#elif defined __aarch64__
  __asm__ ("mrs %0, tpidr_el0" : "=r"(t.tp));
#elif defined __s390x__
  uint32_t high, low;
  __asm__ ("ear %0, %%a0" : "=d"(high));
  __asm__ ("ear %0, %%a1" : "=d"(low));
  t.tp = (uint64_t) high << 32 | low;
#endif
  return t;
}

/* Problems and names.  */

int
impl_self_problem (sframe_coro_self *self, const char *module, int err,
		   const sframe_coro_where *where)
{
  if (self->first_error == SFRAME_CORO_OK)
    self->first_error = err;
  if (self->problem != NULL)
    self->problem (self->problem_arg, module, err, where);
  return err;
}

/* A copy of TEXT that lives as long as SELF; NULL if there is no memory.  */
static const char *
keep_name (sframe_coro_self *self, const char *text)
{
  self_name *n;
  size_t len;

  for (n = self->names; n != NULL; n = n->next)
    if (strcmp (n->text, text) == 0)
      return n->text;
  len = strlen (text);
  n = malloc (sizeof *n + len + 1);
  if (n == NULL)
    return NULL;
  memcpy (n->text, text, len + 1);
  n->next = self->names;
  self->names = n;
  return n->text;
}

/* Snapshots.  */

static void
snapshot_free (self_snapshot *s)
{
  if (s == NULL)
    return;
  sframe_coro_index_free (s->index);
  for (size_t i = 0; i < s->num_modules; i++)
    impl_self_module_release (s->modules[i]);
  free (s->modules);
  free (s->chains);
  free (s);
}

/* Add the sections of M to the index of S; report what is wrong unless that
   has been done.  */
static int
index_module (sframe_coro_self *self, self_snapshot *s, self_module *m)
{
  for (size_t i = 0; i < m->num_sections; i++)
    {
      const self_section *from = &m->sections[i];
      sframe_coro_section section;
      sframe_coro_where where = { 0 };
      int err = sframe_coro_section_open (&section, from->bytes, from->size,
					  from->address, &where);

      if (err == SFRAME_CORO_OK)
	err = sframe_coro_index_add (s->index, &section, m, &where);
      if (err == SFRAME_CORO_ERR_NOMEM)
	return err;
      if (err != SFRAME_CORO_OK && !m->told)
	impl_self_problem (self, m->name, err, &where);
    }
  m->told = true;
  return SFRAME_CORO_OK;
}

static int
make_index (sframe_coro_self *self, self_snapshot *s)
{
  int err = SFRAME_CORO_OK;

  s->index = sframe_coro_index_new ();
  if (s->index == NULL)
    return SFRAME_CORO_ERR_NOMEM;
  for (size_t i = 0; i < s->num_modules && err == SFRAME_CORO_OK; i++)
    err = index_module (self, s, s->modules[i]);
  return err == SFRAME_CORO_OK ? sframe_coro_index_finish (s->index) : err;
}

/* Chains.  */

/* What the head of a chain refers to in every thread.  */
typedef struct target
{
  uint8_t kind; /* enum sframe_coro_head_kind, TLS_STUB for all of TLS.  */
  sframe_coro_tls_ref ref;
  uint64_t value;
} target;

static int
read_self (void *memory, uint64_t address, void *buf, size_t len)
{
  return impl_self_read (memory, address, buf, len);
}

/* What HEAD of C refers to; false if that cannot be told now, or depends on
   the thread's frames.  */
static bool
find_target (sframe_coro_self *self, const sframe_coro_index_chain *c,
	     const sframe_coro_head *head, target *t)
{
  const self_module *m = c->module;
  sframe_coro_memory memory = { read_self, &self->memory };

  *t = (target){ .kind = head->kind };
  switch (head->kind)
    {
    case SFRAME_CORO_HEAD_TLS_STUB:
      return (sframe_coro_tls_stub_read (c->chain.abi_arch, c->chain.swap,
					 SELF_LIBC, &memory, head->value,
					 &t->ref)
	      == SFRAME_CORO_OK);
    case SFRAME_CORO_HEAD_TLS_OFFSET:
      t->kind = SFRAME_CORO_HEAD_TLS_STUB;
      t->ref.dynamic = (int64_t) head->value >= 0;
      t->ref.module_id = t->ref.dynamic ? m->tls.module_id : 0;
      *(t->ref.dynamic ? &t->ref.offset : (uint64_t *) &t->ref.tp_offset)
	  = head->value;
      return true;
    case SFRAME_CORO_HEAD_FRAME:
    case SFRAME_CORO_HEAD_TP_SLOT:
      return false;
    default:
      t->value = head->value;
      return true;
    }
}

static bool
path_equal (const sframe_coro_path *a, const sframe_coro_path *b)
{
  /* A decoded path has zeros where it has nothing.  */
  return memcmp (a, b, sizeof *a) == 0;
}

static bool
same_target (const target *a, const target *b)
{
  return (a->kind == b->kind && a->value == b->value
	  && a->ref.dynamic == b->ref.dynamic
	  && a->ref.tp_offset == b->ref.tp_offset
	  && a->ref.module_id == b->ref.module_id
	  && a->ref.offset == b->ref.offset);
}

/* Whether A and B give the same lists in every thread.  */
static bool
same_lists (sframe_coro_self *self, const sframe_coro_index_chain *a,
	    const sframe_coro_index_chain *b)
{
  if (a->chain.num_heads != b->chain.num_heads
      || !sframe_coro_chain_equal (&a->chain, &b->chain))
    return false;
  for (unsigned i = 0; i < a->chain.num_heads; i++)
    {
      const sframe_coro_head *ha = &a->chain.head[i], *hb = &b->chain.head[i];
      target ta, tb;

      if (!path_equal (&ha->path, &hb->path) || ha->flags != hb->flags
	  || ha->invalid != hb->invalid || !find_target (self, a, ha, &ta)
	  || !find_target (self, b, hb, &tb) || !same_target (&ta, &tb))
	return false;
    }
  return true;
}

static bool
has_frame_head (const sframe_coro_chain *c)
{
  for (unsigned i = 0; i < c->num_heads; i++)
    if (c->head[i].kind == SFRAME_CORO_HEAD_FRAME)
      return true;
  return false;
}

/* Name and group the chains of S.  */
static int
make_chains (sframe_coro_self *self, self_snapshot *s)
{
  size_t num = sframe_coro_index_num_chains (s->index);

  s->chains = calloc (num + 1, sizeof *s->chains);
  if (s->chains == NULL)
    return SFRAME_CORO_ERR_NOMEM;
  for (size_t i = 0; i < num; i++)
    {
      const sframe_coro_index_chain *c
	  = sframe_coro_index_chain_at (s->index, i);
      self_chain *sc = &s->chains[i];

      sc->name = keep_name (self, c->chain.name);
      if (sc->name == NULL)
	return SFRAME_CORO_ERR_NOMEM;
      sc->in_frames = has_frame_head (&c->chain);
      sc->group = i;
      for (size_t k = 0; k < i && sc->group == i; k++)
	if (s->chains[k].group == k
	    && same_lists (self, c, sframe_coro_index_chain_at (s->index, k)))
	  sc->group = k;
    }
  return SFRAME_CORO_OK;
}

static self_snapshot *
snapshot_new (sframe_coro_self *self, const self_snapshot *old)
{
  self_snapshot *s = calloc (1, sizeof *s);

  if (s == NULL)
    return NULL;
  if (impl_self_modules_read (self, s, old) == SFRAME_CORO_OK
      && make_index (self, s) == SFRAME_CORO_OK
      && make_chains (self, s) == SFRAME_CORO_OK)
    return s;
  snapshot_free (s);
  return NULL;
}

/* Publication.  All that is atomic here is sequentially consistent: a reader
   counts itself in and then looks whether the slot is still current, a writer
   makes another one current and then looks at the count, so one of the two sees
   the other.  */

self_slot *
impl_self_enter (sframe_coro_self *self)
{
  for (;;)
    {
      self_slot *slot = atomic_load (&self->current);
      atomic_fetch_add (&slot->readers, 1);
      if (slot == atomic_load (&self->current))
	return slot;
      atomic_fetch_sub (&slot->readers, 1);
    }
}

void
impl_self_leave (self_slot *slot)
{
  atomic_fetch_sub (&slot->readers, 1);
}

/* A slot that is neither current nor read, free of what it had; a new one if
   all are.  NULL if there is no memory.  */
static self_slot *
free_slot (sframe_coro_self *self)
{
  self_slot *current = atomic_load (&self->current), *found = NULL;

  for (self_slot *s = self->slots; s != NULL; s = s->next)
    if (s != current && atomic_load (&s->readers) == 0)
      {
	snapshot_free (s->snapshot);
	s->snapshot = NULL;
	found = s;
      }
  if (found == NULL && (found = calloc (1, sizeof *found)) != NULL)
    {
      found->next = self->slots;
      self->slots = found;
    }
  return found;
}

/* Make a snapshot and publish it.  */
static int
publish (sframe_coro_self *self)
{
  self_slot *current = atomic_load (&self->current), *slot;
  self_snapshot *s;

  self->first_error = SFRAME_CORO_OK;
  if (memory_reopen (&self->memory) != SFRAME_CORO_OK)
    return SFRAME_CORO_ERR_UNREADABLE;
  if (current != NULL && !impl_self_modules_changed (self))
    return SFRAME_CORO_OK;
  s = snapshot_new (self, current != NULL ? current->snapshot : NULL);
  slot = s != NULL ? free_slot (self) : NULL;
  if (slot == NULL)
    {
      snapshot_free (s);
      /* Whatever changed, the next call has to look again.  */
      self->adds = self->subs = UINT64_MAX;
      return SFRAME_CORO_ERR_NOMEM;
    }
  slot->snapshot = s;
  atomic_store (&self->current, slot);
  /* What was current is free now, unless it is being read.  */
  if (current != NULL && atomic_load (&current->readers) == 0)
    {
      snapshot_free (current->snapshot);
      current->snapshot = NULL;
    }
  return self->first_error;
}

int
sframe_coro_self_init (sframe_coro_self **result,
		       sframe_coro_self_problem_fn problem, void *arg)
{
  sframe_coro_self *self = calloc (1, sizeof *self);
  int err;

  *result = NULL;
  if (self == NULL)
    return SFRAME_CORO_ERR_NOMEM;
  pthread_mutex_init (&self->lock, NULL);
  self->problem = problem;
  self->problem_arg = arg;
  err = impl_self_memory_open (&self->memory);
  if (err == SFRAME_CORO_OK)
    err = publish (self);
  if (atomic_load (&self->current) == NULL)
    sframe_coro_self_free (self);
  else
    *result = self;
  return err;
}

int
sframe_coro_self_refresh (sframe_coro_self *self)
{
  int err;

  pthread_mutex_lock (&self->lock);
  err = publish (self);
  pthread_mutex_unlock (&self->lock);
  return err;
}

void
sframe_coro_self_free (sframe_coro_self *self)
{
  if (self == NULL)
    return;
  for (self_slot *s = self->slots, *next; s != NULL; s = next)
    {
      next = s->next;
      snapshot_free (s->snapshot);
      free (s);
    }
  for (self_name *n = self->names, *next; n != NULL; n = next)
    {
      next = n->next;
      free (n);
    }
  if (self->memory.fd >= 0)
    close (self->memory.fd);
  pthread_mutex_destroy (&self->lock);
  free (self);
}
