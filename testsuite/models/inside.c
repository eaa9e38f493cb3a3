/* Models of runtimes: the program looks at its own stack.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   The way of a profiler that runs in the process: sections of all modules into
   an index, native frames by the compiler's unwinder, all lists of all chains,
   and one stack out of these.  Prints lines of fields separated by tabs:

     word    VALUE TEXT
     stop    NAME TID
     entry   FUNCTION NODE-FUNCTION CHAIN INDEX FLAGS IP AUX RESUME MODULE
     blocked CHAIN ROOT-NUMBER FUNCTION
     task    CHAIN ROOT-NUMBER
     end     CHAIN STOP, for a chain that was not followed to its end
     done

   Empty fields are "-".  FLAGS: r the head, running; n without a site; f at its
   final suspend point.  */

#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "inside.h"
#include "sframe-coro-api.h"

#define MAX_MODULES 32
#define MAX_FRAMES 200
#define MAX_NODES 500
#define MAX_ROOTS 32
#define NUM_REGISTERS 17

#define REQUIRE(X)                                                            \
  do                                                                          \
    if (!(X))                                                                 \
      {                                                                       \
	printf ("failed\t%s:%d: %s\n", __FILE__, __LINE__, #X);               \
	fflush (stdout);                                                      \
	abort ();                                                             \
      }                                                                       \
  while (0)

typedef struct module
{
  char path[512];
  uint64_t bias;
  const unsigned char *file; /* NULL: not a file.  */
  const Elf64_Shdr *sections;
  size_t num_sections;
  sframe_coro_tls_block tls;
} module;

typedef struct frame
{
  uint64_t registers[NUM_REGISTERS];
  const char *name;
} frame;

typedef struct snapshot
{
  module modules[MAX_MODULES];
  size_t num_modules;
  sframe_coro_index *index;
  sframe_coro_memory memory;
  sframe_coro_thread thread;
  sframe_coro_bodies bodies;

  sframe_coro_native natives[MAX_FRAMES];
  frame frames[MAX_FRAMES];
  size_t num_natives;

  sframe_coro_node nodes[MAX_NODES];
  size_t num_nodes;
  sframe_coro_root roots[MAX_ROOTS];
  sframe_coro_list lists[MAX_ROOTS];
  size_t num_roots;
} snapshot;

/* Modules and symbols.  */

static uint64_t
thread_pointer (void)
{
  uint64_t tp;
  __asm__ ("mov %%fs:0, %0" : "=r"(tp));
  return tp;
}

static void
map_file (module *m)
{
  int fd = open (m->path, O_RDONLY);
  struct stat st;
  void *map = MAP_FAILED;
  const Elf64_Ehdr *header;

  if (fd < 0)
    return;
  if (fstat (fd, &st) == 0)
    map = mmap (NULL, (size_t) st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close (fd);
  if (map == MAP_FAILED)
    return;
  m->file = map;
  header = map;
  m->sections = (const void *) (m->file + header->e_shoff);
  m->num_sections = header->e_shnum;
}

static int
add_module (struct dl_phdr_info *info, size_t size, void *arg)
{
  snapshot *s = arg;
  module *m = &s->modules[s->num_modules++];

  (void) size;
  REQUIRE (s->num_modules < MAX_MODULES);
  m->bias = info->dlpi_addr;
  snprintf (m->path, sizeof m->path, "%s",
	    info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
  if (info->dlpi_name[0] == 0 || s->num_modules == 1)
    REQUIRE (realpath ("/proc/self/exe", m->path) != NULL);
  if (info->dlpi_tls_data != NULL)
    {
      m->tls.kind = SFRAME_CORO_TLS_STATIC;
      m->tls.tp_offset
	  = (int64_t) ((uint64_t) (uintptr_t) info->dlpi_tls_data
		       - s->thread.tp);
    }
  map_file (m);
  return 0;
}

static const char *
section_name (const module *m, const Elf64_Shdr *section)
{
  const Elf64_Ehdr *header = (const void *) m->file;
  return (const char *) m->file + m->sections[header->e_shstrndx].sh_offset
	 + section->sh_name;
}

static void
index_module (snapshot *s, module *m)
{
  for (size_t i = 0; i < m->num_sections; i++)
    {
      const Elf64_Shdr *h = &m->sections[i];
      sframe_coro_section section;
      uint64_t address = m->bias + h->sh_addr;

      if (strcmp (section_name (m, h), SFRAME_CORO_SECTION_NAME) != 0)
	continue;
      REQUIRE (sframe_coro_section_open (&section,
					 (const void *) (uintptr_t) address,
					 h->sh_size, address, NULL)
	       == SFRAME_CORO_OK);
      REQUIRE (sframe_coro_index_add (s->index, &section, m, NULL)
	       == SFRAME_CORO_OK);
    }
}

static bool
covers (const module *m, uint64_t pc)
{
  const Elf64_Ehdr *header = (const void *) m->file;
  const Elf64_Phdr *p;

  if (m->file == NULL)
    return false;
  p = (const void *) (m->file + header->e_phoff);
  for (unsigned i = 0; i < header->e_phnum; i++)
    if (p[i].p_type == PT_LOAD && pc - m->bias - p[i].p_vaddr < p[i].p_memsz)
      return true;
  return false;
}

static module *
find_module (snapshot *s, uint64_t pc)
{
  for (size_t i = 0; i < s->num_modules; i++)
    if (covers (&s->modules[i], pc))
      return &s->modules[i];
  return NULL;
}

/* The name of the function at PC, and where it is; NULL if not known.  */
static const char *
find_function (snapshot *s, uint64_t pc, uint64_t *start, uint64_t *end)
{
  const module *m = find_module (s, pc);

  for (size_t i = 0; m != NULL && i < m->num_sections; i++)
    {
      const Elf64_Shdr *h = &m->sections[i];
      const Elf64_Sym *sym = (const void *) (m->file + h->sh_offset);

      if (h->sh_type != SHT_SYMTAB && h->sh_type != SHT_DYNSYM)
	continue;
      for (size_t k = 0; k < h->sh_size / sizeof *sym; k++)
	if (ELF64_ST_TYPE (sym[k].st_info) == STT_FUNC
	    && pc - m->bias - sym[k].st_value < sym[k].st_size)
	  {
	    *start = m->bias + sym[k].st_value;
	    *end = *start + sym[k].st_size;
	    return (const char *) m->file + m->sections[h->sh_link].sh_offset
		   + sym[k].st_name;
	  }
    }
  return NULL;
}

/* Native frames.  */

static _Unwind_Reason_Code
add_frame (struct _Unwind_Context *context, void *arg)
{
  /* Those a callee preserves; of others the unwinder knows nothing.  */
  static const unsigned char saved[] = { 3, 6, 12, 13, 14, 15 };
  snapshot *s = arg;
  sframe_coro_native *n = &s->natives[s->num_natives];
  frame *f = &s->frames[s->num_natives];
  int before = 0;

  if (s->num_natives == MAX_FRAMES)
    return _URC_END_OF_STACK;
  n->pc = _Unwind_GetIPInfo (context, &before);
  if (n->pc == 0)
    return _URC_NO_REASON;
  n->flags = before ? 0 : SFRAME_CORO_NATIVE_RETURN_ADDRESS;
  /* What this gives is the CFA of the frame before.  */
  if (s->num_natives != 0)
    {
      n[-1].cfa = _Unwind_GetCFA (context);
      n[-1].flags |= SFRAME_CORO_NATIVE_CFA;
    }
  for (size_t i = 0; i < sizeof saved; i++)
    f->registers[saved[i]] = _Unwind_GetGR (context, saved[i]);
  f->name = find_function (s, n->pc - !before, &n->func_start, &n->func_end);
  if (f->name != NULL)
    n->flags |= SFRAME_CORO_NATIVE_FUNC;
  s->num_natives++;
  return _URC_NO_REASON;
}

static int
read_register (void *arg, unsigned regno, uint64_t *value)
{
  const frame *f = arg;

  if (regno >= NUM_REGISTERS || f->registers[regno] == 0)
    return -1;
  *value = f->registers[regno];
  return 0;
}

/* Lists.  */

static const sframe_coro_chain *
chain_at (const snapshot *s, size_t i)
{
  return &sframe_coro_index_chain_at (s->index, i)->chain;
}

static bool
is_site (void *arg, size_t chain, const sframe_coro_native *native)
{
  snapshot *s = arg;
  size_t cursor = 0, of;

  if (!(native->flags & SFRAME_CORO_NATIVE_RETURN_ADDRESS))
    return false;
  while (sframe_coro_index_find (s->index, native->pc, SFRAME_CORO_FUNC_SITE,
				 &cursor, &of)
	 != NULL)
    if (of == chain)
      return true;
  return false;
}

/* Walk chain I with the head that a native frame gives, or others; FRAME is
   an address in that native frame.  */
static void
walk (snapshot *s, size_t i, const uint64_t *frame_head, uint64_t frame)
{
  const sframe_coro_index_chain *ic = sframe_coro_index_chain_at (s->index, i);
  const module *m = ic->module;
  sframe_coro_walker walker = { .memory = &s->memory,
				.thread = &s->thread,
				.block = &m->tls,
				.bodies = &s->bodies,
				.frame_head = frame_head };
  size_t num = 0;
  uint64_t base;
  sframe_coro_stop stop = sframe_coro_walk_roots (
      &ic->chain, &walker, s->nodes + s->num_nodes, MAX_NODES - s->num_nodes,
      s->roots + s->num_roots, MAX_ROOTS - s->num_roots, &num, &base);

  if (sframe_coro_stop_is_cut (stop))
    printf ("end\t%s\t%s\n", ic->chain.name, sframe_coro_stop_text (stop));
  for (size_t k = s->num_roots; k < s->num_roots + num; k++)
    {
      sframe_coro_root *r = &s->roots[k];

      if (sframe_coro_stop_is_cut (r->stop))
	printf ("end\t%s\t%s\n", ic->chain.name,
		sframe_coro_stop_text (r->stop));
      r->first += s->num_nodes;
      s->lists[k] = (sframe_coro_list){
	.chain = i,
	.nodes = s->nodes + r->first,
	.num = r->num,
	.head_is_running
	= (ic->chain.flags & SFRAME_CORO_CHAIN_HEAD_IS_RUNNING) != 0,
	.frame = frame_head != NULL ? frame : r->frame
      };
    }
  for (size_t k = 0; k < num; k++)
    s->num_nodes += s->roots[s->num_roots + k].num;
  s->num_roots += num;
}

static bool
has_frame_head (const sframe_coro_chain *c)
{
  for (unsigned i = 0; i < c->num_heads; i++)
    if (c->head[i].kind == SFRAME_CORO_HEAD_FRAME)
      return true;
  return false;
}

/* Walk chain I once for each native frame that gives a head.  Frames that give
   the same one have one list, with boundaries between them.  */
static void
walk_frames (snapshot *s, size_t i)
{
  uint64_t last = 0;

  for (size_t k = 0; k < s->num_natives; k++)
    {
      const sframe_coro_native *n = &s->natives[k];
      const sframe_coro_func *f;
      size_t cursor = 0, of;

      if (!(n->flags & SFRAME_CORO_NATIVE_RETURN_ADDRESS))
	continue;
      while ((f = sframe_coro_index_find (s->index, n->pc,
					  SFRAME_CORO_FUNC_SITE, &cursor,
					  &of))
	     != NULL)
	{
	  sframe_coro_row row;
	  uint64_t head;

	  if (of != i
	      || sframe_coro_index_row (s->index, f, n->pc, &row)
		     != SFRAME_CORO_OK)
	    continue;
	  REQUIRE (sframe_coro_row_head (&row, false, &s->memory, n->cfa,
					 read_register, &s->frames[k], &head)
		   == SFRAME_CORO_OK);
	  if (head != last)
	    walk (s, i, &head, n->cfa - 1);
	  last = head;
	}
    }
}

/* Printing.  */

static const char *
or_none (const char *text)
{
  return text != NULL ? text : "-";
}

/* The function NODE of chain C executes.  */
static const char *
node_function (snapshot *s, const sframe_coro_chain *c,
	       const sframe_coro_node *node)
{
  uint64_t start, end;

  if (c->ip_kind == SFRAME_CORO_IP_NONE || c->ip_kind == SFRAME_CORO_IP_COOKIE
      || node->ip == 0)
    return NULL;
  return find_function (
      s, node->ip - (c->ip_kind == SFRAME_CORO_IP_RETURN_ADDRESS), &start,
      &end);
}

/* How long the name of the coroutine is that NAME is a part of: both compilers
   name the parts after the coroutine, with a suffix.  */
static size_t
coroutine_len (const char *name)
{
  static const char *const parts[]
      = { ".actor", ".destroy", ".resume", ".cleanup" };
  const char *dot = strrchr (name, '.');

  for (size_t i = 0; dot != NULL && i < sizeof parts / sizeof *parts; i++)
    if (strcmp (dot, parts[i]) == 0)
      return (size_t) (dot - name);
  return strlen (name);
}

/* Whether IP and NATIVE are in parts of one coroutine.  */
static bool
is_function (void *arg, uint64_t ip, const sframe_coro_native *native)
{
  snapshot *s = arg;
  uint64_t start, end;
  const char *a = find_function (s, ip, &start, &end);
  const char *b = s->frames[native - s->natives].name;

  return (a != NULL && b != NULL && coroutine_len (a) == coroutine_len (b)
	  && strncmp (a, b, coroutine_len (a)) == 0);
}

static void
print_entry (snapshot *s, const char *native, const sframe_coro_list *list,
	     const sframe_coro_node *node, uint32_t flags)
{
  const sframe_coro_chain *c;
  const module *m;

  printf ("entry\t%s\t", or_none (native));
  if (node == NULL)
    {
      puts ("-\t-\t-\t-\t-\t-\t-\t-");
      return;
    }
  c = chain_at (s, list->chain);
  m = find_module (s, node->resume_pc);
  printf ("%s\t%s\t%u\t%s%s%s-\t%#" PRIx64 "\t%#" PRIx64 "\t%#" PRIx64 "\t%s\n",
	  or_none (node_function (s, c, node)), c->name, node->index,
	  flags & SFRAME_CORO_SPLICED_RUNNING ? "r" : "",
	  flags & SFRAME_CORO_SPLICED_NO_SITE ? "n" : "",
	  node->flags & SFRAME_CORO_NODE_ALT_IP ? "f" : "", node->ip, node->aux,
	  m != NULL ? node->resume_pc - m->bias : 0,
	  m != NULL ? m->path : "-");
}

static void
print_stack (snapshot *s)
{
  static const sframe_coro_splice_ops ops
      = { .is_site = is_site, .is_function = is_function };
  static sframe_coro_spliced out[MAX_FRAMES + MAX_NODES];
  sframe_coro_splice_ops with_arg = ops;
  size_t num;

  with_arg.arg = s;
  REQUIRE (sframe_coro_splice (s->natives, s->num_natives, s->lists,
			       s->num_roots, &with_arg, out,
			       sizeof out / sizeof *out, &num)
	   == SFRAME_CORO_OK);
  for (size_t i = 0; i < num; i++)
    {
      const sframe_coro_spliced *e = &out[i];
      const sframe_coro_list *l = NULL;
      const char *native = NULL;

      if (e->native != SFRAME_CORO_NO_INDEX)
	native = s->frames[e->native].name ? s->frames[e->native].name : "?";
      if (e->list != SFRAME_CORO_NO_INDEX)
	l = &s->lists[e->list];
      print_entry (s, native, l, l != NULL ? &l->nodes[e->node] : NULL,
		   e->flags);
    }
}

/* Which native frame the root at ADDRESS is on.  */
static const char *
frame_around (const snapshot *s, uint64_t address)
{
  for (size_t i = 0; i < s->num_natives; i++)
    if ((s->natives[i].flags & SFRAME_CORO_NATIVE_CFA)
	&& address < s->natives[i].cfa)
      return s->frames[i].name;
  return NULL;
}

static void
print_blocked (const snapshot *s)
{
  for (size_t i = 0; i < s->num_roots; i++)
    if (s->roots[i].blocked != 0)
      printf ("blocked\t%s\t%zu\t%#" PRIx64 "\t%s\n",
	      chain_at (s, s->lists[i].chain)->name, i, s->roots[i].blocked,
	      or_none (frame_around (s, s->roots[i].blocked)));
}

/* The lists that belong to the process, one after the other.  */
static void
print_tasks (snapshot *s, size_t i)
{
  size_t first = s->num_roots;

  walk (s, i, NULL, 0);
  for (size_t k = first; k < s->num_roots; k++)
    {
      printf ("task\t%s\t%zu\n", chain_at (s, i)->name, k - first);
      for (size_t n = 0; n < s->lists[k].num; n++)
	if (!(s->lists[k].nodes[n].flags & SFRAME_CORO_NODE_HIDDEN))
	  print_entry (s, NULL, &s->lists[k], &s->lists[k].nodes[n],
		       n == 0 && s->lists[k].head_is_running
			   ? SFRAME_CORO_SPLICED_RUNNING
			   : 0);
    }
  s->num_roots = first;
}

/* Putting it together.  */

static void
take (snapshot *s)
{
  s->thread.tp = thread_pointer ();
  s->thread.tid = (uint64_t) syscall (SYS_gettid);
#ifdef __GLIBC__
  s->thread.libc = SFRAME_CORO_LIBC_GLIBC;
#else
  s->thread.libc = SFRAME_CORO_LIBC_MUSL;
#endif
  s->index = sframe_coro_index_new ();
  REQUIRE (s->index != NULL);
  dl_iterate_phdr (add_module, s);
  for (size_t i = 0; i < s->num_modules; i++)
    index_module (s, &s->modules[i]);
  REQUIRE (sframe_coro_index_finish (s->index) == SFRAME_CORO_OK);
  s->bodies = sframe_coro_index_bodies (s->index);
  _Unwind_Backtrace (add_frame, s);
}

static bool
is_of_process (const sframe_coro_chain *c)
{
  return (c->flags & SFRAME_CORO_CHAIN_PROCESS_SCOPE) != 0;
}

static void
look (snapshot *s)
{
  size_t num_chains = sframe_coro_index_num_chains (s->index);

  REQUIRE (num_chains != 0);
  for (size_t i = 0; i < num_chains; i++)
    if (is_of_process (chain_at (s, i)))
      continue;
    else if (has_frame_head (chain_at (s, i)))
      walk_frames (s, i);
    else
      walk (s, i, NULL, 0);
  print_stack (s);
  print_blocked (s);
  for (size_t i = 0; i < num_chains; i++)
    if (is_of_process (chain_at (s, i)))
      print_tasks (s, i);
}

static void
release (snapshot *s)
{
  sframe_coro_index_free (s->index);
  for (size_t i = 0; i < s->num_modules; i++)
    if (s->modules[i].file != NULL)
      {
	struct stat st;
	if (stat (s->modules[i].path, &st) == 0)
	  munmap ((void *) (uintptr_t) s->modules[i].file,
		  (size_t) st.st_size);
      }
  free (s);
}

void
inside_word (const void *value, const char *text)
{
  printf ("word\t%#" PRIx64 "\t%s\n", (uint64_t) (uintptr_t) value, text);
}

/* Wait for a line.  The system call is made right here: musl's functions have
   no unwind information, so who looks could not get beyond them.  */
static inline __attribute__ ((always_inline)) void
wait_for_line (void)
{
  char c = 0;

  for (long n = 1; n == 1 && c != '\n';)
    __asm__ volatile ("syscall" : "=a"(n)
		      : "0"((long) SYS_read), "D"(0L), "S"(&c), "d"(1L)
		      : "rcx", "r11", "memory");
}

void
inside_stop (const char *name)
{
  snapshot *s = calloc (1, sizeof *s);

  REQUIRE (s != NULL);
  printf ("stop\t%s\t%ld\n", name, (long) syscall (SYS_gettid));
  take (s);
  look (s);
  release (s);
  puts ("done");
  fflush (stdout);
  wait_for_line ();
}
