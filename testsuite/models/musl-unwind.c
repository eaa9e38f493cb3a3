/* Models of runtimes: what libgcc's unwinder asks of the C library.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A compiler that is made for glibc has an unwinder that asks it, not musl,
   where unwind information is.  */

#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* It refers to these weakly, so they would not come from an archive.  */
int (*const musl_once) (pthread_once_t *, void (*) (void)) = pthread_once;

/* As glibc's <dlfcn.h> has it for x86-64.  */
struct dl_find_object
{
  unsigned long long flags;
  void *map_start, *map_end;
  struct link_map *link_map;
  void *eh_frame;
  unsigned long long reserved[7];
};

typedef struct search
{
  uintptr_t pc;
  struct dl_find_object *result;
} search;

static int
look_at (struct dl_phdr_info *info, size_t size, void *arg)
{
  search *s = arg;
  uintptr_t start = 0, end = 0, eh_frame = 0;

  (void) size;
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *p = &info->dlpi_phdr[i];
      uintptr_t address = info->dlpi_addr + p->p_vaddr;

      if (p->p_type == PT_GNU_EH_FRAME)
	eh_frame = address;
      if (p->p_type == PT_LOAD && s->pc - address < p->p_memsz)
	{
	  start = address;
	  end = address + p->p_memsz;
	}
    }
  if (end == 0 || eh_frame == 0)
    return 0;
  *s->result = (struct dl_find_object){ .map_start = (void *) start,
					.map_end = (void *) end,
					.eh_frame = (void *) eh_frame };
  return 1;
}

extern int _dl_find_object (void *address, struct dl_find_object *result);

int
_dl_find_object (void *address, struct dl_find_object *result)
{
  search s = { (uintptr_t) address, result };
  return dl_iterate_phdr (look_at, &s) == 1 ? 0 : -1;
}
