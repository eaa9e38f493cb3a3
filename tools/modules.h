/* sframe-coro: the modules of a process.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Modules are the program, its libraries and the vDSO, as they are mapped;
   chains are in the index, by number, and each belongs to a module.  To list
   the chains of a running process, with where their lists begin:

     process *p = process_open (pid);
     modules m;
     if (p != NULL && modules_read (&m, p, NULL))
       for (size_t i = 0; i < sframe_coro_index_num_chains (m.index); i++)
	 {
	   const sframe_coro_index_chain *c
	       = sframe_coro_index_chain_at (m.index, i);
	   const module *of = c->module;
	   for (unsigned h = 0; h < c->chain.num_heads; h++)
	     modules_find_head (&m, p, i, h, &head);
	 }
     modules_free (&m);
     process_free (p);  */

#ifndef MODULES_H
#define MODULES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process.h"
#include "resolve.h"
#include "sframe-coro-api.h"

/* What is wrong with a module, if anything.  */
typedef enum module_state
{
  MODULE_GOOD,
  MODULE_NO_SECTION,
  MODULE_NO_FILE,    /* The file is gone, or another one now.  */
  MODULE_NO_ELF,     /* It is no ELF file that can be read.  */
  MODULE_MALFORMED,  /* Something in the section is wrong, and left out.  */
  MODULE_TOO_LARGE   /* The section has more than is taken; left out.  */
} module_state;

/* All belongs to the modules it is one of.  */
typedef struct module
{
  uint64_t start, end;
  Dwfl_Module *dwfl;
  const char *path; /* As the process knows it.  */
  bool deleted;	    /* The path leads nowhere any more.  */
  uint64_t bias; /* Run-time address minus address in the file.  */
  Elf *elf;	 /* NULL if there is none.  */
  const unsigned char *build_id; /* Bytes; NULL if it has none.  */
  size_t build_id_size;
  module_state state;
  size_t num_sections;	  /* Of .sframe_coro.  */
  size_t num_functions;	  /* Described there.  */
  bool loading; /* Part of the file is not mapped yet, but what was in its place
		   before: nothing in memory can be relied on.  As of
		   modules_read or modules_refresh.  */
  bool has_tls;		  /* There is a PT_TLS.  */
  resolve_tls tls_source; /* Where the next is from.  */
  sframe_coro_tls_block tls; /* As of modules_read or modules_refresh.  */
} module;

typedef struct modules
{
  Dwfl *dwfl;
  module *list; /* By address.  */
  size_t num;
  size_t num_sections; /* .sframe_coro sections in all of them.  */
  bool incomplete;     /* Something was reported as missing or malformed.  */
  bool loading;	       /* One that has a section is.  */
  sframe_coro_libc libc;
  sframe_coro_index *index; /* Its modules are `module's.  */

  /* Not for users.  */
  process *process; /* NULL: files.  */
  Dwfl_Callbacks callbacks;
  char *debuginfo_path;
  unsigned char **contents; /* What was read from memory.  */
  size_t num_contents;
  size_t num_functions;
} modules;

/* Find the modules of P, which may run or be stopped, and what they describe.
   DEBUGINFO_PATH is where to look for separate debug information, as in other
   programs that use libdwfl; NULL for the default.  False after a message.
   Free with modules_free in either case, before P.  */
extern bool modules_read (modules *m, process *p, const char *debuginfo_path);
extern void modules_free (modules *m);

/* The same for the one file PATH, an executable or a shared library that is
   mapped nowhere; its addresses are those of libdwfl, see `bias'.  */
extern bool modules_read_file (modules *m, const char *path);

/* Read again what the dynamic linker may change while the code of modules stays
   where it is: TLS blocks, and whether the data are there.  If the process runs, let it process_forget first.  */
extern void modules_refresh (modules *m, process *p);

/* The module at ADDRESS, or NULL.  */
extern module *modules_find (const modules *m, uint64_t address);

/* Where a head is, as far as that is the same for all threads.  */
typedef enum modules_head_kind
{
  MODULES_HEAD_TP,	/* At `offset' from the thread pointer.  */
  MODULES_HEAD_DTV,	/* At byte `offset' of the TLS block of `module_id', by
			   the thread's DTV; glibc: if `generation' is not
			   newer than the DTV's.  */
  MODULES_HEAD_TP_SLOT, /* The word at `address' is the offset from the thread
			   pointer; it may change.  */
  MODULES_HEAD_ADDRESS, /* At `address'.  */
  MODULES_HEAD_KEY,	/* The thread-specific data whose key, 32 bits, is at
			   `address', unless that is `invalid'.  */
  MODULES_HEAD_FRAME	/* Rows of sites tell.  */
} modules_head_kind;

typedef struct modules_head
{
  modules_head_kind kind;
  int64_t offset;
  uint64_t module_id, generation;
  uint64_t address;
  bool has_invalid;
  uint64_t invalid;
} modules_head;

/* Find out where head number I of chain number CHAIN of the index is, in all
   threads of P.  SFRAME_CORO_OK, or why that is not known:
   SFRAME_CORO_ERR_NO_TLS (the dynamic linker has not told), NO_LIBC, BAD_STUB,
   UNREADABLE and others.  */
extern int modules_find_head (const modules *m, process *p, size_t chain,
			      unsigned i, modules_head *head);

#endif /* MODULES_H */
