/* sframe-coro: profiles, summed up.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Equal stacks are kept once, so the size goes with the number of different
   ones.  All numbers of strings, modules, places... are indices from 0.  */

#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile.h"
#include "sframe-coro-api.h"
#include "spaces.h"
#include "table.h"

#define SUMMARY_NONE UINT32_MAX

typedef enum summary_kind
{
  SUMMARY_KERNEL,
  SUMMARY_NATIVE,
  SUMMARY_RUNNING, /* A native frame of the coroutine that heads a list.  */
  SUMMARY_AWAITING
} summary_kind;

/* A file with code.  */
typedef struct summary_module
{
  uint32_t path; /* String.  */
  uint8_t build_id[PROFILE_MAX_BUILD_ID];
  uint8_t build_id_size;
} summary_module;

/* A stretch of a module where it was mapped first.  */
typedef struct summary_map
{
  uint32_t module;
  uint64_t start, end, offset;
} summary_map;

typedef struct summary_function
{
  uint32_t name;   /* String, to show.  */
  uint32_t symbol; /* String, as in the file.  */
  uint32_t file;   /* String, of the source; "" if not known.  */
} summary_function;

typedef struct summary_line
{
  uint32_t function;
  uint32_t line; /* 0: not known.  */
} summary_line;

/* Where a frame is.  As a key, all bytes count.  */
typedef struct summary_place
{
  uint64_t address; /* In the module: offset in the file.  */
  uint32_t module;  /* SUMMARY_NONE: of the process; for the kernel: as is.  */
  uint32_t map;	    /* SUMMARY_NONE: none.  */
  uint32_t chain;   /* String, of RUNNING and AWAITING; else SUMMARY_NONE.  */
  uint16_t kind;    /* summary_kind.  */
  uint16_t code;    /* 1: the address is one of code; 2: it only tells
		       places apart, whose names are known.  */
} summary_place;

/* Its names, the innermost of inlined functions first.  */
typedef struct summary_names
{
  summary_line *lines;
  size_t num; /* At least 1, once named.  */
} summary_names;

/* A stack: PLACE, and what PARENT stands for, outwards.  Node 0 is empty.  */
typedef struct summary_node
{
  uint32_t parent, place;
} summary_node;

typedef struct summary_thread
{
  uint32_t pid, tid;
  uint32_t comm; /* String.  */
} summary_thread;

/* Which samples belong together.  */
typedef struct summary_group
{
  uint32_t node, thread;
} summary_group;

typedef struct summary_count
{
  uint64_t samples, weight;
} summary_count;

/* What is known of the lists of a chain.  */
typedef struct summary_chain
{
  uint64_t lists, nodes; /* All together.  */
  uint64_t stops[SFRAME_CORO_NUM_STOPS];
  uint64_t no_site; /* Lists that came last for want of a site.  */
  summary_count total; /* Samples that have a list of it.  */
  uint64_t last; /* Number of the last sample that had.  */
} summary_chain;

/* Which samples count; zeros: all.  */
typedef struct summary_filter
{
  const char *comm;
  uint32_t pid, tid;
} summary_filter;

typedef struct summary
{
  char *event; /* perf's name; "" if not known.  */
  char *note;  /* What the samples are without; "": nothing.  */
  const char *unit; /* Of weights: "nanoseconds" or "count".  */
  uint64_t frequency;
  uint64_t period;     /* Of the first sample.  */
  uint64_t first, last; /* Times of samples; 0: not known.  */
  summary_filter filter;

  table strings;
  table modules; /* summary_module.  */
  table maps;	 /* By module and offset.  */
  summary_map *map_list; /* By number in `maps'.  */
  size_t maps_room;
  table places; /* summary_place.  */
  summary_names *names;
  size_t names_room;
  table functions; /* summary_function.  */
  table nodes;	   /* summary_node.  */
  table threads;   /* summary_thread.  */
  table groups;	   /* summary_group.  */
  summary_count *counts;
  size_t counts_room;

  summary_count total;
  uint64_t filtered; /* Samples that the filter left out.  */
  uint64_t lost, lost_events;
  uint64_t cuts[PROFILE_NUM_CUTS];
  table chain_names; /* String numbers of those with lists.  */
  summary_chain *chains;
  size_t chains_room;

  /* While events come.  */
  spaces spaces; /* Their modules are numbers of `maps'.  */
  table current;	   /* By pid and tid: number of the thread.  */
  uint32_t *current_thread;
  size_t current_room;
  struct summary_cache *cache;
  table chain_numbers;
  uint32_t *chain_strings; /* By number in `chain_numbers': string.  */
  size_t chain_strings_room;
  uint64_t num_samples;
} summary;

extern summary *summary_new (const profile_info *info);
extern void summary_free (summary *s);

/* Add event E; always true, as a sink.  */
extern bool summary_put (void *s, const profile_event *e);

/* Whether the filter lets samples of T through.  */
extern bool summary_wants (const summary *s, const summary_thread *t);

/* Find the names of all places: once, after the last event.  */
extern void summary_name (summary *s);

/* Parts, by number.  */
extern const char *summary_string (const summary *s, uint32_t n);
extern const summary_module *summary_module_at (const summary *s, uint32_t n);
extern const summary_place *summary_place_at (const summary *s, uint32_t n);
extern const summary_function *summary_function_at (const summary *s,
						    uint32_t n);
extern const summary_node *summary_node_at (const summary *s, uint32_t n);
extern const summary_thread *summary_thread_at (const summary *s, uint32_t n);
extern const summary_group *summary_group_at (const summary *s, uint32_t n);

/* For readers that have stacks, not events: the number of the place P, of the
   node, and one more count.  */
extern uint32_t summary_place_number (summary *s, const summary_place *p);
extern uint32_t summary_node_number (summary *s, uint32_t parent,
				     uint32_t place);
extern void summary_count_stack (summary *s, uint32_t node,
				 const summary_thread *t,
				 summary_count count);
/* The stack that comes next has the chain with name number STRING.  */
extern void summary_count_chain (summary *s, uint32_t string,
				 summary_count count);
extern uint32_t summary_function_number (summary *s, const char *name,
					 const char *symbol, const char *file);
extern void summary_add_line (summary_names *names, uint32_t function,
			      uint32_t line);

/* The name of the file of module N without folders; "" for SUMMARY_NONE.  */
extern const char *summary_module_name (const summary *s, uint32_t n);

#endif /* SUMMARY_H */
