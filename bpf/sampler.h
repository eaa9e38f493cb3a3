/* sframe-coro: what the sampler in the kernel and its user share.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT OR GPL-2.0-only

   Both are compiled for the same machine: structures have its byte order.  */

#ifndef SAMPLER_H
#define SAMPLER_H

#include "layout.h"
#include "sframe-coro-api.h"

/* Limits of one sample.  */
#define SAMPLER_MAX_NODES SFRAME_CORO_DEFAULT_MAX_NODES
#define SAMPLER_MAX_LISTS SFRAME_CORO_DEFAULT_MAX_ROOTS
#define SAMPLER_MAX_NATIVES 256
#define SAMPLER_MAX_KERNEL 127
/* Roots that are looked at, those of other threads counted.  */
#define SAMPLER_MAX_ROOT_STEPS 1024

/* Limits of one process.  */
#define SAMPLER_MAX_CHAINS 64
#define SAMPLER_MAPPINGS_LOG2 12
#define SAMPLER_MAX_MAPPINGS (1 << SAMPLER_MAPPINGS_LOG2)

/* Sites of all processes.  */
#define SAMPLER_SITES_LOG2 16
#define SAMPLER_MAX_SITES (1 << SAMPLER_SITES_LOG2)

/* What user space tells of a process.  Its entry is replaced as a whole; the
   mappings, chains and sites it refers to, in arrays for all, do not change as long
   as it is there.  */
typedef struct sampler_process
{
  uint32_t generation; /* Comes back in every sample.  */
  uint32_t first_mapping, num_mappings;
  uint32_t first_chain, num_chains;
  uint32_t num_bodies; /* In their map; 0: none is looked for.  */
  uint32_t first_site, num_sites; /* Of all chains; 0: registers of native
				     frames are not kept.  */
  uint32_t has_layout;
  core_thread_layout layout;
  uint64_t ns_dev, ns_ino; /* Its PID name space, in which it sees itself; 0: as
			      the sampler sees it.  */
} sampler_process;

/* What is known of a head.  */
enum sampler_head
{
  SAMPLER_HEAD_UNRESOLVED,
  SAMPLER_HEAD_RESOLVED, /* By `ref', or at the address in the head.  */
  SAMPLER_HEAD_NOWHERE	 /* No thread can have it yet.  */
};

/* A chain, with its heads resolved as far as they do not depend on the
   thread.  */
typedef struct sampler_chain
{
  sframe_coro_chain rules; /* `name' is null.  */
  uint32_t group; /* Number, in the process, of the first chain with the same
		     rules.  */
  uint32_t first_site, num_sites; /* Counted from the process's first; those of
				     chains with a FRAME head.  */
  uint8_t resolved[SFRAME_CORO_MAX_HEADS]; /* enum sampler_head.  */
  sframe_coro_tls_ref ref[SFRAME_CORO_MAX_HEADS];
} sampler_chain;

/* What is kept of the registers of a native frame.  */
enum sampler_register
{
  SAMPLER_REGISTER_SP,
  SAMPLER_REGISTER_FP,
  SAMPLER_REGISTER_SAVED, /* And the next ones: what else calls preserve.  */
  SAMPLER_REGISTER_CFA = SAMPLER_REGISTER_SAVED + 5,
  SAMPLER_NUM_REGISTERS, /* A power of 2.  */
  SAMPLER_REGISTER_NONE = SAMPLER_NUM_REGISTERS /* Not kept.  */
};

#define SAMPLER_NUM_SAVED (SAMPLER_REGISTER_CFA - SAMPLER_REGISTER_SAVED)

/* Where lists begin in native frames: return addresses [first, last] of a site
   of a chain.  Those of a chain ascend and do not overlap.  */
typedef struct sampler_site
{
  uint64_t first, last;
  sframe_coro_row row; /* `base' is an enum sampler_register.  */
  uint32_t reserved;
} sampler_site;

/* Executable code, by address, and its table of rows.  */
typedef struct sampler_mapping
{
  uint64_t start, end;
  uint64_t base;       /* Address of what has offset 0 in the table.  */
  uint32_t first_page; /* Of the table, in the array of pages.  */
  uint32_t num_pages;  /* 0: there is no table.  */
} sampler_mapping;

/* How to get from a frame to its caller.  */
enum sampler_rule
{
  SAMPLER_RULE_NONE,	/* Not by a row: by frame pointer.  */
  SAMPLER_RULE_SP,	/* CFA = SP + cfa.  */
  SAMPLER_RULE_FP,	/* CFA = FP + cfa.  */
  SAMPLER_RULE_FP_MEM,	/* CFA = the word at FP + cfa.  */
  SAMPLER_RULE_PLT,	/* CFA = SP + 8, and 8 more late in an entry.  */
  SAMPLER_RULE_SIGNAL,	/* A signal frame is at SP.  */
  SAMPLER_RULE_END,	/* The outermost frame.  */
  SAMPLER_RULE_OTHER	/* What no row can say.  */
};

/* Where a register is saved: in words from the CFA; 0: it is as it was.  */
#define SAMPLER_NOT_SAVED INT8_MIN /* Its value is lost.  */

/* What many rows have in common.  */
typedef struct sampler_form
{
  uint8_t rule; /* enum sampler_rule.  */
  int8_t fp;
  int8_t saved[SAMPLER_NUM_SAVED];
  int8_t reserved;
} sampler_form;

/* Rows of a table ascend; each holds up to the next.  */
typedef struct sampler_row
{
  uint32_t offset; /* Of the code, from the base.  */
  int16_t cfa;	   /* In words.  */
  uint16_t form;   /* Its number.  */
} sampler_row;

/* Pages of a table are for this many bytes of code each, and say which row is
   the first that begins in them; a page more than there are ends the last.  */
#define SAMPLER_PAGE_LOG2 10

/* Rows of all tables, and pages.  */
#define SAMPLER_MAX_ROWS (4 << 20)
#define SAMPLER_MAX_PAGES (1 << 20)
#define SAMPLER_MAX_FORMS (1 << 16)

/* BODY functions, for all processes.  */
typedef struct sampler_body_key
{
  uint64_t ip;
  uint32_t pid;
  uint32_t index; /* Of a suspend point; for bodies themselves 0.  */
} sampler_body_key;

/* What comes back: a header, then as many natives, kernel addresses (64 bits),
   lists, nodes and words of nodes as it says.  */

/* Why there are no more native frames; the order is that of profile_cut.  */
enum sampler_cut
{
  SAMPLER_CUT_NONE,
  SAMPLER_CUT_UNKNOWN,
  SAMPLER_CUT_DEPTH_LIMIT,
  SAMPLER_CUT_NO_RULE,
  SAMPLER_CUT_UNREADABLE,
  SAMPLER_CUT_BAD_POINTER
};

typedef struct sampler_header
{
  uint64_t time; /* CLOCK_MONOTONIC, ns.  */
  uint64_t merged; /* Chains that are one with that of their group.  */
  uint32_t pid, tid, cpu;
  uint32_t generation; /* 0: the process is not known.  */
  uint32_t num_natives, num_kernel, num_lists, num_nodes;
  uint32_t num_words; /* Of nodes, up to the last that has some.  */
  uint32_t cut; /* enum sampler_cut.  */
  uint32_t lists_cut; /* There were more lists than there is room for.  */
  uint32_t reserved;
  char comm[16];
} sampler_header;

#define SAMPLER_NATIVE_RETURN 0x1 /* `pc' is a return address.  */
#define SAMPLER_NATIVE_CFA 0x2	  /* `cfa' is known.  */
#define SAMPLER_NATIVE_BY_ROW 0x4 /* The frame before it had a row.  */

typedef struct sampler_native
{
  uint64_t pc;
  uint64_t cfa;
  uint64_t flags;
} sampler_native;

typedef struct sampler_list
{
  uint64_t root;
  uint64_t frame; /* An address in the native frame it belongs to; or 0.  */
  uint64_t p;	  /* Where it stopped.  */
  uint32_t chain; /* Its place in the array of chains.  */
  uint32_t first, num; /* Its nodes.  */
  uint32_t mark_num;   /* Of a cycle; see core_list.  */
  uint32_t stop; /* sframe_coro_stop, before core_list_end.  */
  uint32_t reserved;
} sampler_list;

/* A node, without what few have: see sframe_coro_node.  */
typedef struct sampler_node
{
  uint64_t address, ip;
  uint32_t flags; /* Of the node, and: */
#define SAMPLER_NODE_WORDS 0x80000000 /* It has words.  */
  uint32_t reserved;
} sampler_node;

/* What few nodes have.  */
typedef struct sampler_words
{
  uint64_t aux, resume_pc;
} sampler_words;

#endif /* SAMPLER_H */
