/* sframe-coro: what the kernel tells of processes while they are sampled.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   An event that never counts anything, on each CPU, whose only use are the
   records beside samples.  Source of the layouts: perf_event_open(2) and
   linux/perf_event.h.  */

#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sideband.h"
#include "tool.h"

#define RING_PAGES 64 /* A power of 2.  */

typedef struct channel
{
  int fd;
  struct perf_event_mmap_page *control; /* And behind it, the ring.  */
} channel;

struct sideband
{
  channel *list;
  size_t num;
  unsigned char *record; /* One that goes round the end of a ring.  */
};

static size_t
ring_size (void)
{
  return RING_PAGES * (size_t) sysconf (_SC_PAGESIZE);
}

static size_t
map_size (void)
{
  return ring_size () + (size_t) sysconf (_SC_PAGESIZE);
}

static struct perf_event_attr
dummy_attr (void)
{
  return (struct perf_event_attr){
    .type = PERF_TYPE_SOFTWARE,
    .size = sizeof (struct perf_event_attr),
    .config = PERF_COUNT_SW_DUMMY,
    .sample_period = 1,
    .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
    .sample_id_all = 1,
    .mmap = 1,
    .mmap2 = 1,
    .build_id = 1,
    .comm = 1,
    .comm_exec = 1,
    .task = 1,
    .use_clockid = 1,
    .clockid = CLOCK_MONOTONIC,
    .watermark = 1,
    .wakeup_watermark = 1,
  };
}

/* Listen on CPU; an error number, 0 if all is well.  */
static int
open_channel (channel *c, int cpu)
{
  struct perf_event_attr attr = dummy_attr ();
  int fd = (int) syscall (SYS_perf_event_open, &attr, -1, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
  void *p;

  if (fd < 0)
    return errno;
  p = mmap (NULL, map_size (), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED)
    {
      int err = errno;
      close (fd);
      return err;
    }
  *c = (channel){ fd, p };
  return 0;
}

sideband *
sideband_new (void)
{
  sideband *s = tool_calloc (1, sizeof *s);
  long num_cpus = sysconf (_SC_NPROCESSORS_CONF);

  s->list = tool_calloc ((size_t) num_cpus, sizeof *s->list);
  s->record = tool_calloc (1 << 16, 1);
  for (int cpu = 0; cpu < num_cpus; cpu++)
    {
      int err = open_channel (&s->list[s->num], cpu);

      if (err == 0)
	s->num++;
      else if (err != ENODEV) /* Else it is offline.  */
	{
	  if (err == EACCES || err == EPERM)
	    tool_error ("following processes takes CAP_PERFMON: permission "
			"denied; run as root");
	  else
	    tool_error ("cannot follow processes: %s", strerror (err));
	  sideband_free (s);
	  return NULL;
	}
    }
  return s;
}

void
sideband_free (sideband *s)
{
  if (s == NULL)
    return;
  for (size_t i = 0; i < s->num; i++)
    {
      munmap (s->list[i].control, map_size ());
      close (s->list[i].fd);
    }
  free (s->list);
  free (s->record);
  free (s);
}

size_t
sideband_num_files (const sideband *s)
{
  return s->num;
}

void
sideband_files (const sideband *s, struct pollfd *files)
{
  for (size_t i = 0; i < s->num; i++)
    files[i] = (struct pollfd){ .fd = s->list[i].fd, .events = POLLIN };
}

/* Records.  */

/* What every record ends with, by the sample_type above.  */
typedef struct trailer
{
  uint32_t pid, tid;
  uint64_t time;
  uint32_t cpu, reserved;
} trailer;

typedef struct task_record
{
  uint32_t pid, ppid, tid, ptid;
  uint64_t time;
} task_record;

typedef struct comm_record
{
  uint32_t pid, tid;
  char name[];
} comm_record;

typedef struct mmap_record
{
  uint32_t pid, tid;
  uint64_t address, length, offset;
  union
  {
    struct
    {
      uint32_t major, minor;
      uint64_t inode, generation;
    };
    struct
    {
      uint8_t build_id_size, reserved[3];
      uint8_t build_id[PROFILE_MAX_BUILD_ID];
    };
  };
  uint32_t prot, flags;
  char path[];
} mmap_record;

typedef struct lost_record
{
  uint64_t id, num;
} lost_record;

static bool
parse_task (const struct perf_event_header *h, const task_record *r,
	    profile_event *e)
{
  e->pid = r->pid;
  e->tid = r->tid;
  e->kind = PROFILE_EXIT;
  if (h->type == PERF_RECORD_FORK)
    {
      e->kind = PROFILE_FORK;
      e->fork = (profile_fork){ r->ppid, r->ptid };
    }
  return true;
}

static bool
parse_comm (const struct perf_event_header *h, const comm_record *r,
	    profile_event *e)
{
  e->kind = PROFILE_COMM;
  e->pid = r->pid;
  e->tid = r->tid;
  e->comm = (profile_comm){ r->name,
			    (h->misc & PERF_RECORD_MISC_COMM_EXEC) != 0 };
  return true;
}

static bool
parse_mmap (const struct perf_event_header *h, const mmap_record *r,
	    profile_event *e)
{
  e->kind = PROFILE_MMAP;
  e->pid = r->pid;
  e->tid = r->tid;
  e->mmap = (profile_mmap){ .address = r->address,
			    .length = r->length,
			    .offset = r->offset,
			    .prot = r->prot,
			    .flags = r->flags,
			    .path = r->path };
  if ((h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) == 0)
    {
      e->mmap.major = r->major;
      e->mmap.minor = r->minor;
      e->mmap.inode = r->inode;
      e->mmap.generation = r->generation;
    }
  else if (r->build_id_size <= PROFILE_MAX_BUILD_ID)
    {
      e->mmap.build_id_size = r->build_id_size;
      memcpy (e->mmap.build_id, r->build_id, r->build_id_size);
    }
  return true;
}

/* Make E of record H; false if it is of no interest.  */
static bool
parse (const struct perf_event_header *h, profile_event *e)
{
  const void *body = h + 1;
  trailer t;

  if (h->size < sizeof *h + sizeof t)
    return false;
  memcpy (&t, (const char *) h + h->size - sizeof t, sizeof t);
  *e = (profile_event){ .time = t.time, .cpu = t.cpu };
  switch (h->type)
    {
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
      return parse_task (h, body, e);
    case PERF_RECORD_COMM:
      return parse_comm (h, body, e);
    case PERF_RECORD_MMAP2:
      return parse_mmap (h, body, e);
    case PERF_RECORD_LOST:
      e->kind = PROFILE_LOST;
      e->lost.num = ((const lost_record *) body)->num;
      return true;
    default:
      return false;
    }
}

/* The record at byte TAIL of C, in one piece.  */
static const struct perf_event_header *
record_at (sideband *s, const channel *c, uint64_t tail)
{
  const unsigned char *ring
      = (const unsigned char *) c->control + sysconf (_SC_PAGESIZE);
  size_t size = ring_size (), at = tail & (size - 1), part = size - at;
  const struct perf_event_header *h = (const void *) (ring + at);

  if (h->size <= part)
    return h;
  memcpy (s->record, ring + at, part);
  memcpy (s->record + part, ring, h->size - part);
  return (const void *) s->record;
}

static void
drain_channel (sideband *s, channel *c, sideband_fn fn, void *arg)
{
  uint64_t head = __atomic_load_n (&c->control->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = c->control->data_tail;
  profile_event e;

  while (tail != head)
    {
      const struct perf_event_header *h = record_at (s, c, tail);
      if (parse (h, &e))
	fn (arg, &e);
      tail += h->size;
    }
  __atomic_store_n (&c->control->data_tail, tail, __ATOMIC_RELEASE);
}

void
sideband_drain (sideband *s, sideband_fn fn, void *arg)
{
  for (size_t i = 0; i < s->num; i++)
    drain_channel (s, &s->list[i], fn, arg);
}
