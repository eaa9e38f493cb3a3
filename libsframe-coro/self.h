/* libsframe-coro: what the files of the in-process part share.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   Who waits for whom: nobody.  Stacks are taken from a snapshot that does not
   change.  A refresh makes a new one and publishes it; the old one is freed by
   a later refresh that finds nobody using it.

     self-modules.c   from the loaded modules to their sections
     self.c	      snapshots and their publication
     self-stack.c     what runs in signal handlers  */

#ifndef SFRAME_CORO_SELF_H
#define SFRAME_CORO_SELF_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "impl.h"

/* Memory of this process, read so that it may fail.  */
typedef struct self_memory
{
  int fd;    /* Of /proc/self/mem; -1: process_vm_readv does it.  */
  pid_t pid; /* The process that FD is of, after a fork the parent.  */
} self_memory;

/* A section, copied.  */
typedef struct self_section
{
  unsigned char *bytes;
  size_t size;
  uint64_t address;
} self_section;

/* A module.  Several snapshots may have it.  */
typedef struct self_module
{
  char *name;
  uint64_t bias;
  uint64_t identity;   /* Hash of its program headers.  */
  uint64_t start, end; /* Its segments.  */
  uint64_t function_table; /* .eh_frame_hdr; 0 if it has none.  */
  uint64_t function_table_size;
  sframe_coro_tls_block tls;
  self_section *sections;
  size_t num_sections;
  bool told; /* What is wrong with its records has been reported.  */
  unsigned references;
} self_module;

/* What a chain of the index means here.  */
typedef struct self_chain
{
  size_t group; /* The first chain that is one with it: a header-only runtime
		   has a copy in each module.  */
  const char *name;
  bool in_frames; /* It has a FRAME head.  */
} self_chain;

typedef struct self_snapshot
{
  self_module **modules;
  size_t num_modules, room_modules;
  sframe_coro_index *index;
  self_chain *chains;
} self_snapshot;

/* Where a snapshot is published.  Slots are not freed before the whole, so that
   a reader may count itself in one that turns out to be another's.  */
typedef struct self_slot
{
  struct self_slot *next;
  atomic_size_t readers;
  self_snapshot *snapshot; /* Not changed while it is current or is read.  */
} self_slot;

/* A name, kept for those who have a stack with it.  */
typedef struct self_name
{
  struct self_name *next;
  char text[];
} self_name;

struct sframe_coro_self
{
  _Atomic (self_slot *) current;
  self_memory memory;

  /* The rest is for init and refresh, under the lock.  */
  pthread_mutex_t lock;
  self_slot *slots;
  self_name *names;
  sframe_coro_self_problem_fn problem;
  void *problem_arg;
  int first_error; /* Of the refresh in progress.  */
  unsigned long long adds, subs; /* The dynamic linker's counts.  */
};

/* Whose C library and which architecture this is compiled for.  */
#if defined __GLIBC__ && !defined __UCLIBC__
#define SELF_LIBC SFRAME_CORO_LIBC_GLIBC
#elif defined __linux__ && !defined __BIONIC__ && !defined __UCLIBC__
/* musl does not tell; no other is left.  */
#define SELF_LIBC SFRAME_CORO_LIBC_MUSL
#else
#define SELF_LIBC SFRAME_CORO_LIBC_UNKNOWN
#endif

/* Report ERR of MODULE and keep it as the result; return it.  */
extern int impl_self_problem (sframe_coro_self *self, const char *module,
			      int err, const sframe_coro_where *where);

/* Read LEN bytes at ADDRESS of this process; 0 on success.  Signal-safe, but
   changes errno.  */
extern int impl_self_read (const self_memory *memory, uint64_t address,
			   void *buf, size_t len);

/* Find out how memory can be read.  */
extern int impl_self_memory_open (self_memory *memory);

/* The calling thread.  Signal-safe.  */
extern sframe_coro_thread impl_self_thread (void);

/* Begin and end to use the current snapshot.  Signal-safe.  */
extern self_slot *impl_self_enter (sframe_coro_self *self);
extern void impl_self_leave (self_slot *slot);

/* Add all modules to S.  Those that OLD, which may be NULL, has already and
   that are unchanged are shared.  SFRAME_CORO_ERR_NOMEM, or OK.  */
extern int impl_self_modules_read (sframe_coro_self *self, self_snapshot *s,
				   const self_snapshot *old);

/* Whether modules were loaded or unloaded since the last call of the former.  */
extern bool impl_self_modules_changed (const sframe_coro_self *self);

/* Drop a reference.  */
extern void impl_self_module_release (self_module *module);

#endif /* SFRAME_CORO_SELF_H */
