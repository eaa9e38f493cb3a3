/* sframe-coro: a snapshot of another program's memory.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "memory.h"
#include "ranges.h"
#include "tool.h"

#define PAGE_SIZE 4096

/* Pages that are read together, those around the one that is wanted: nodes of
   a list are often near each other.  */
#define WINDOW 4

/* With more pages than this, 16 MiB, those before are given up.  */
#define MAX_PAGES 4096
#define NUM_SLOTS (2 * MAX_PAGES)

typedef struct page
{
  uint64_t address;
  bool readable;
  unsigned char bytes[PAGE_SIZE];
} page;

/* A range that was asked for; its bytes are in the pool, or have memory of
   their own if that was full.  */
typedef struct piece
{
  uint64_t start, end;
  unsigned char *bytes;
  bool own;
} piece;

/* What is taken beforehand: bytes for pieces, and pages.  */
#define POOL_SIZE ((size_t) 8 << 20)
#define READY_PAGES 512

struct memory
{
  memory_source_fn source;
  void *arg;
  bool frozen;
  uint64_t missed;
  page **pages;	 /* A hash table, NUM_SLOTS of them.  */
  page **spare;	 /* Those that are free: allocated once, used again.  */
  size_t num_pages, num_spare;
  piece *pieces; /* Sorted.  */
  size_t num_pieces;
  unsigned char *pool; /* NULL: none.  */
  size_t pool_used;
};

memory *
memory_new (memory_source_fn source, void *arg)
{
  memory *m = tool_calloc (1, sizeof *m);

  *m = (memory){ .source = source, .arg = arg };
  m->pages = tool_calloc (NUM_SLOTS, sizeof *m->pages);
  m->spare = tool_calloc (MAX_PAGES, sizeof *m->spare);
  return m;
}

void
memory_free (memory *m)
{
  if (m == NULL)
    return;
  memory_forget (m);
  for (size_t i = 0; i < m->num_spare; i++)
    free (m->spare[i]);
  free (m->spare);
  free (m->pages);
  if (m->pool != NULL)
    munmap (m->pool, POOL_SIZE);
  free (m);
}

void
memory_prepare (memory *m)
{
  if (m->pool != NULL)
    return;
  m->pool = mmap (NULL, POOL_SIZE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (m->pool == MAP_FAILED)
    m->pool = NULL;
  while (m->num_pages + m->num_spare < READY_PAGES)
    {
      page *p = tool_calloc (1, sizeof *p);
      /* Every page of ours that it is in shall be there.  */
      p->bytes[0] = p->bytes[PAGE_SIZE - 1] = 1;
      m->spare[m->num_spare++] = p;
    }
}

/* Pages.  */

static void
drop_pages (memory *m)
{
  for (size_t i = 0; m->num_pages != 0 && i < NUM_SLOTS; i++)
    if (m->pages[i] != NULL)
      {
	m->spare[m->num_spare++] = m->pages[i];
	m->pages[i] = NULL;
	m->num_pages--;
      }
}

/* Where the page at ADDRESS is, or is to be.  */
static page **
page_slot (const memory *m, uint64_t address)
{
  uint64_t hash = address / PAGE_SIZE * UINT64_C (0x9e3779b97f4a7c15);
  size_t i = (size_t) (hash >> 32) % NUM_SLOTS;

  while (m->pages[i] != NULL && m->pages[i]->address != address)
    i = (i + 1) % NUM_SLOTS;
  return &m->pages[i];
}

static page *
add_page (memory *m, uint64_t address)
{
  page *p = (m->num_spare != 0 ? m->spare[--m->num_spare]
			       : tool_calloc (1, sizeof *p));
  p->address = address;
  p->readable = false;
  *page_slot (m, address) = p;
  m->num_pages++;
  return p;
}

static void
remove_page (memory *m, page *p)
{
  page **slot = page_slot (m, p->address);
  size_t hole = (size_t) (slot - m->pages), i = hole;

  m->spare[m->num_spare++] = p;
  m->num_pages--;
  m->pages[hole] = NULL;
  /* Those behind it may be there because it was in their way.  */
  while (m->pages[i = (i + 1) % NUM_SLOTS] != NULL)
    {
      page *other = m->pages[i];
      m->pages[i] = NULL;
      *page_slot (m, other->address) = other;
    }
}

/* Read the page at ADDRESS, and those around it.  */
static page *
fetch_page (memory *m, uint64_t address)
{
  uint64_t window = address - address % (WINDOW * PAGE_SIZE);
  struct iovec local[WINDOW], remote[WINDOW];
  page *pages[WINDOW];
  size_t num = 0, done;

  if (m->num_pages + WINDOW > MAX_PAGES)
    drop_pages (m);
  for (int i = -1; i < WINDOW; i++)
    {
      uint64_t a = i < 0 ? address : window + (uint64_t) i * PAGE_SIZE;
      if (*page_slot (m, a) != NULL)
	continue;
      pages[num] = add_page (m, a);
      local[num] = (struct iovec){ pages[num]->bytes, PAGE_SIZE };
      remote[num] = (struct iovec){ (void *) (uintptr_t) a, PAGE_SIZE };
      num++;
    }
  done = m->source (m->arg, local, remote, num) / PAGE_SIZE;
  for (size_t i = 0; i < num; i++)
    if (i < done)
      pages[i]->readable = true;
    /* Whether those behind one that cannot be read can be is not known.  */
    else if (i != 0)
      remove_page (m, pages[i]);
  return pages[0];
}

static const page *
find_page (memory *m, uint64_t address)
{
  page *p = *page_slot (m, address);

  if (p == NULL && m->frozen)
    {
      if (m->missed == 0)
	m->missed = address;
      return NULL;
    }
  if (p == NULL)
    p = fetch_page (m, address);
  return p->readable ? p : NULL;
}

/* Pieces.  */

/* The piece that ADDRESS is in, or NULL.  */
static const piece *
find_piece (const memory *m, uint64_t address)
{
  return ranges_find (m->pieces, m->num_pieces, sizeof *m->pieces, address);
}

static void
allocate_piece (memory *m, piece *p)
{
  size_t len = (size_t) (p->end - p->start);

  p->own = m->pool == NULL || len > POOL_SIZE - m->pool_used;
  if (p->own)
    p->bytes = tool_realloc (NULL, len, 1);
  else
    {
      p->bytes = m->pool + m->pool_used;
      m->pool_used += len;
    }
}

static void
free_piece (piece *p)
{
  if (p->own)
    free (p->bytes);
}

/* Read the NUM pieces at P; those that cannot be read become empty.  */
static void
fetch_pieces (memory *m, piece *p, size_t num)
{
  struct iovec local[IOV_MAX], remote[IOV_MAX];
  size_t done, i;

  for (i = 0; i < num; i++)
    {
      size_t len = (size_t) (p[i].end - p[i].start);
      allocate_piece (m, &p[i]);
      local[i] = (struct iovec){ p[i].bytes, len };
      remote[i] = (struct iovec){ (void *) (uintptr_t) p[i].start, len };
    }
  for (size_t first = 0; first < num; first = i + 1)
    {
      done = m->source (m->arg, local + first, remote + first, num - first);
      for (i = first; i < num && local[i].iov_len <= done; i++)
	done -= local[i].iov_len;
      if (i < num)
	p[i].end = p[i].start;
    }
}

void
memory_keep (memory *m, const memory_range *ranges, size_t num)
{
  size_t had = m->num_pieces, kept = 0;

  m->pieces = tool_realloc (m->pieces, had + num, sizeof *m->pieces);
  for (size_t i = 0; i < num; i++)
    m->pieces[had + i]
	= (piece){ .start = ranges[i].start, .end = ranges[i].end };
  for (size_t i = 0; i < num; i += IOV_MAX)
    fetch_pieces (m, m->pieces + had + i,
		  num - i < IOV_MAX ? num - i : IOV_MAX);
  for (size_t i = 0; i < had + num; i++)
    if (m->pieces[i].end != m->pieces[i].start)
      m->pieces[kept++] = m->pieces[i];
    else
      free_piece (&m->pieces[i]);
  m->num_pieces = kept;
  if (kept != 0)
    qsort (m->pieces, kept, sizeof *m->pieces, ranges_compare);
}

int
memory_read (void *arg, uint64_t address, void *buf, size_t len)
{
  memory *m = arg;
  unsigned char *out = buf;

  while (len != 0)
    {
      const piece *k = find_piece (m, address);
      const unsigned char *bytes;
      const page *p;
      uint64_t left;
      size_t n;

      if (k != NULL)
	{
	  bytes = k->bytes + (address - k->start);
	  left = k->end - address;
	}
      else
	{
	  p = find_page (m, address - address % PAGE_SIZE);
	  if (p == NULL)
	    return -1;
	  bytes = p->bytes + address % PAGE_SIZE;
	  left = PAGE_SIZE - address % PAGE_SIZE;
	}
      n = left < len ? (size_t) left : len;
      memcpy (out, bytes, n);
      out += n;
      address += n;
      len -= n;
    }
  return 0;
}

void
memory_freeze (memory *m)
{
  m->frozen = true;
  m->missed = 0;
}

void
memory_forget (memory *m)
{
  drop_pages (m);
  for (size_t i = 0; i < m->num_pieces; i++)
    free_piece (&m->pieces[i]);
  free (m->pieces);
  m->pool_used = 0;
  m->pieces = NULL;
  m->num_pieces = 0;
  m->frozen = false;
  m->missed = 0;
}

uint64_t
memory_missed (memory *m)
{
  uint64_t address = m->missed;
  m->missed = 0;
  return address;
}
