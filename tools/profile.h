/* sframe-coro: profiles, as streams of events.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Who samples (`record'), or reads a file (`report'), puts events into a
   profile_sink: a writer of some format, or what sums them up.  Everything an
   event points to belongs to who puts it, and need not outlive the call.

   Order: by time, as far as it matters: what a sample refers to (maps, names,
   chains) comes before it.  Who cannot tell puts a profile_order between.  */

#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Events.  */

typedef enum profile_kind
{
  PROFILE_COMM,	  /* A thread has a name.  */
  PROFILE_FORK,	  /* A thread or process begins.  */
  PROFILE_EXIT,	  /* A thread ends; with tid == pid, the first one.  */
  PROFILE_MMAP,	  /* Code is mapped.  */
  PROFILE_CHAIN,  /* A chain has a number.  */
  PROFILE_SAMPLE,
  PROFILE_LOST	  /* Samples or other events were lost.  */
} profile_kind;

typedef struct profile_comm
{
  const char *name; /* Any bytes, 15 of them at most for the kernel.  */
  bool exec;	    /* By execve: all maps of the process are gone.  */
} profile_comm;

/* The event's pid and tid are of the new thread.  */
typedef struct profile_fork
{
  uint32_t parent_pid, parent_tid; /* Equal pids: a thread, not a process.  */
} profile_fork;

#define PROFILE_MAX_BUILD_ID 20

/* Pid PROFILE_KERNEL_PID: the kernel (path "[kernel.kallsyms]_text") or one of
   its modules.  */
#define PROFILE_KERNEL_PID 0xffffffffu
typedef struct profile_mmap
{
  uint64_t address, length, offset; /* Offset in the file, bytes.  */
  uint32_t major, minor;	    /* Of the file's device.  */
  uint64_t inode, generation;
  uint32_t prot, flags; /* PROT_*, MAP_*.  */
  const char *path;	/* As in /proc/PID/maps; "//anon" if there is none.  */
  uint8_t build_id[PROFILE_MAX_BUILD_ID];
  uint8_t build_id_size; /* 0: not known.  */
} profile_mmap;

/* Numbers are given from 0 up, one for each chain of each module.  */
typedef struct profile_chain
{
  uint32_t number;
  uint16_t language; /* As in the section.  */
  const char *name;  /* "" if it has none.  */
} profile_chain;

typedef enum profile_frame_kind
{
  PROFILE_KERNEL,  /* Of the kernel.  */
  PROFILE_NATIVE,  /* On the thread's stack.  */
  PROFILE_AWAITING /* A node of a list only.  */
} profile_frame_kind;

/* The address is one behind a call: the call is before it.  Never set for the
   innermost frame of kernel and user, nor where a signal came in between.  */
#define PROFILE_FRAME_RETURN 0x1
/* No resume site was found for the list, which comes last.  */
#define PROFILE_FRAME_NO_SITE 0x2
/* The address is no code of a module: the IP kind of the chain is a cookie or
   an object of an interpreter.  */
#define PROFILE_FRAME_NOT_CODE 0x4
/* How the frame was got from the one before it: by unwind information; if not,
   by frame pointer.  */
#define PROFILE_FRAME_BY_TABLE 0x8

#define PROFILE_NO_LIST UINT16_MAX

typedef struct profile_frame
{
  uint64_t address; /* 0: it has none.  */
  uint8_t kind;	    /* profile_frame_kind.  */
  uint8_t flags;    /* PROFILE_FRAME_*.  */
  uint16_t list;    /* Index in the sample's lists: of AWAITING frames the
		       list they are in, of NATIVE ones that of which they
		       execute the head; else PROFILE_NO_LIST.  */
} profile_frame;

/* A list as walked: also one without nodes, if it was cut.  */
typedef struct profile_list
{
  uint32_t chain; /* Number of its chain.  */
  uint32_t num;	  /* Nodes.  */
  uint32_t stop;  /* sframe_coro_stop.  */
} profile_list;

/* Why there are no more native frames than there are.  */
#define PROFILE_CUTS(X)                                                       \
  X (NONE, "complete")                                                        \
  X (UNKNOWN, "not known whether complete")                                   \
  X (DEPTH_LIMIT, "more frames than the limit")                               \
  X (NO_RULE, "no unwind information and no frame pointer")                   \
  X (UNREADABLE, "memory that cannot be read")                                \
  X (BAD_POINTER, "a frame pointer that cannot be one")                       \
  X (NO_ROOM, "no room left in the sample")

typedef enum profile_cut
{
#define PROFILE_CUT_ENUM(NAME, TEXT) PROFILE_CUT_##NAME,
  PROFILE_CUTS (PROFILE_CUT_ENUM)
#undef PROFILE_CUT_ENUM
    PROFILE_NUM_CUTS
} profile_cut;

#define PROFILE_MAX_FRAMES 4096
#define PROFILE_MAX_LISTS 64

typedef struct profile_sample
{
  uint64_t period;		/* What it stands for: ns, for cpu-clock.  */
  const profile_frame *frames;	/* Innermost first, the kernel's before the
				   user's, awaiting coroutines spliced in.  */
  size_t num_frames;		/* At most PROFILE_MAX_FRAMES.  */
  const profile_list *lists;
  size_t num_lists;		/* At most PROFILE_MAX_LISTS.  */
  uint32_t cut;			/* profile_cut, of the native frames.  */
} profile_sample;

typedef struct profile_lost
{
  uint64_t num; /* Since the last such event.  */
  bool samples; /* Samples; else other events.  */
} profile_lost;

typedef struct profile_event
{
  profile_kind kind;
  uint64_t time;      /* Nanoseconds, CLOCK_MONOTONIC; 0: not known.  */
  uint32_t pid, tid;  /* In the initial PID namespace.  */
  uint32_t cpu;
  union
  {
    profile_comm comm;
    profile_fork fork;
    profile_mmap mmap;
    profile_chain chain;
    profile_sample sample;
    profile_lost lost;
  };
} profile_event;

/* What is known from the start.  Where a reader does not know it, strings are
   NULL and numbers 0.  */
typedef struct profile_info
{
  const char *event;	/* perf's name: "cpu-clock", "cycles".  */
  uint32_t type;	/* PERF_TYPE_*, and what goes with it.  */
  uint64_t config;
  uint64_t frequency;	/* Hz, of each CPU or thread.  */
  char *const *command; /* How sframe-coro was called, NULL-terminated; or
			   NULL.  */
  uint64_t start;	/* Seconds since the epoch; 0: not known.  */
  const char *note;	/* What the samples are without.  */
} profile_info;

/* Where events go.  */
typedef struct profile_sink
{
  /* Take an event; false after a message if nothing more can be taken.  */
  bool (*put) (void *arg, const profile_event *e);
  void *arg;
} profile_sink;

/* Names of the values above; never NULL.  */
extern const char *profile_cut_text (uint32_t cut);

/* Sorting by time.  */

typedef struct profile_order profile_order;

/* A queue into SINK; free it with profile_order_free.  */
extern profile_order *profile_order_new (profile_sink sink);
/* Keep a copy of E.  Events without a time come as if right behind the one put
   before.  */
extern void profile_order_put (profile_order *o, const profile_event *e);
/* Hand on what was there up to TIME, in order of time, and of coming where
   that is equal.  UINT64_MAX for all.  False if the sink said so.  */
extern bool profile_order_flush (profile_order *o, uint64_t time);
extern void profile_order_free (profile_order *o);

/* Writers.  */

typedef struct profile_format
{
  const char *name;	/* As for --format.  */
  const char *missing;	/* Why it is not built in; NULL: it is.  */
  const char *filename; /* Where to write unless told, as "perf.data"; NULL for
			   stdout.  */
} profile_format;

/* The format called NAME, NULL if there is none; and the list of all, ended by
   one without a name.  */
extern const profile_format *profile_format_find (const char *name);
extern const profile_format *profile_formats (void);
/* Whether nothing is written before the end: what `report' can write too.  */
extern bool profile_format_is_summary (const profile_format *format);

typedef struct profile_writer profile_writer;

/* Write a file at PATH ("-": stdout) in FORMAT, whose `missing' is NULL.
   Return NULL after a message.  INFO need not outlive the call.  */
extern profile_writer *profile_writer_open (const profile_format *format,
					    const char *path,
					    const profile_info *info);
extern bool profile_writer_put (profile_writer *w, const profile_event *e);
/* The writer as a sink.  */
extern profile_sink profile_writer_sink (profile_writer *w);
/* Write what is left and free W; false after a message if the file is not
   whole.  Nothing is left of a file that is of no use.  */
extern bool profile_writer_close (profile_writer *w);

#endif /* PROFILE_H */
