/* sframe-coro: core files.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Sources: core(5), and fs/binfmt_elf.c of Linux for the notes: NT_PRSTATUS
   begins what there is of a thread, NT_FILE lists what was mapped from
   files.  */

#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process-impl.h"
#include "ranges.h"
#include "tool.h"

/* More mappings than the kernel allows a process by far.  */
#define MAX_FILES (UINT64_C (1) << 20)

typedef struct segment
{
  uint64_t start, end;
  bool executable;
  uint64_t offset, size; /* What is in the core file.  */
} segment;

/* A file that was mapped, opened at need.  */
typedef struct mapped_file
{
  const char *name;
  int fd; /* -1: it cannot be opened.  */
} mapped_file;

struct core
{
  int fd;
  Elf *elf;
  const char *exe, *sysroot; /* The caller's; or NULL.  */
  segment *segments;	     /* By address.  */
  size_t num_segments;
  Elf_Data *auxv, *files;    /* Contents of notes; or NULL.  */
  size_t auxv_off, auxv_size, files_off, files_size;
  mapped_file *opened;
  size_t num_opened;
};

void
core_free (core *c)
{
  if (c == NULL)
    return;
  for (size_t i = 0; i < c->num_opened; i++)
    if (c->opened[i].fd >= 0)
      close (c->opened[i].fd);
  free (c->opened);
  free (c->segments);
  elf_end (c->elf);
  if (c->fd >= 0)
    close (c->fd);
  free (c);
}

/* What the kernel told the program.  */

uint64_t
core_auxval (const core *c, uint64_t type)
{
  Elf64_auxv_t a;

  for (size_t i = 0; c->auxv != NULL && i + sizeof a <= c->auxv_size;
       i += sizeof a)
    {
      memcpy (&a, (char *) c->auxv->d_buf + c->auxv_off + i, sizeof a);
      if (a.a_type == type)
	return a.a_un.a_val;
    }
  return 0;
}

/* Files.  */

static bool
is_program (const core *c, const mapping *map)
{
  uint64_t phdrs = core_auxval (c, AT_PHDR);

  /* The program headers are in the first page of the program.  */
  return phdrs >= map->start && phdrs < map->end;
}

char *
core_file_name (const core *c, const mapping *map)
{
  if (c->exe != NULL && is_program (c, map))
    return tool_strdup (c->exe);
  return tool_printf ("%s%s", c->sysroot != NULL ? c->sysroot : "", map->name);
}

int
core_open_file (const core *c, const mapping *map)
{
  char *path = core_file_name (c, map);
  struct stat st;
  int fd = -1;

  /* Opening a device may do something.  */
  if (stat (path, &st) == 0 && S_ISREG (st.st_mode))
    fd = open (path, O_RDONLY | O_CLOEXEC);
  free (path);
  return fd;
}

/* The file of mapping MAP of P, or -1.  */
static int
file_of (process *p, const mapping *map)
{
  core *c = p->core;
  mapped_file *f;

  for (size_t i = 0; i < c->num_opened; i++)
    if (strcmp (c->opened[i].name, map->name) == 0)
      return c->opened[i].fd;
  c->opened = tool_realloc (c->opened, c->num_opened + 1, sizeof *c->opened);
  f = &c->opened[c->num_opened++];
  /* For --exe, the program is known by its first mapping.  */
  *f = (mapped_file){ map->name, -1 };
  for (size_t i = 0; i < p->maps.num; i++)
    if (strcmp (p->maps.list[i].name, map->name) == 0)
      {
	f->fd = core_open_file (c, &p->maps.list[i]);
	break;
      }
  return f->fd;
}

/* Memory.  */

static const segment *
find_segment (const core *c, uint64_t address)
{
  return ranges_find (c->segments, c->num_segments, sizeof *c->segments,
		      address);
}

/* Read up to LEN bytes at ADDRESS from the core, else from the file that was
   mapped there; return how many, 0 if there are none.  */
static size_t
read_some (process *p, uint64_t address, void *buf, size_t len)
{
  const segment *s = find_segment (p->core, address);
  const mapping *map;
  ssize_t n;

  if (s != NULL && address - s->start < s->size)
    {
      uint64_t off = address - s->start;
      if (len > s->size - off)
	len = s->size - off;
      n = pread (p->core->fd, buf, len, (off_t) (s->offset + off));
    }
  else
    {
      map = mappings_find (&p->maps, address);
      if (map == NULL || !mapping_is_file (map))
	return 0;
      if (len > map->end - address)
	len = map->end - address;
      n = pread (file_of (p, map), buf, len,
		 (off_t) (map->offset + (address - map->start)));
    }
  return n > 0 ? (size_t) n : 0;
}

/* A memory_source_fn.  */
static size_t
read_core (void *arg, const struct iovec *local, const struct iovec *remote,
	   size_t num)
{
  size_t done = 0;

  for (size_t i = 0; i < num; i++)
    for (size_t at = 0, n; at < local[i].iov_len; at += n)
      {
	n = read_some (arg, (uintptr_t) remote[i].iov_base + at,
		       (char *) local[i].iov_base + at,
		       local[i].iov_len - at);
	if (n == 0)
	  return done;
	done += n;
      }
  return done;
}

static void
read_segments (core *c)
{
  size_t num = 0;
  GElf_Phdr h;

  elf_getphdrnum (c->elf, &num);
  c->segments = tool_calloc (num, sizeof *c->segments);
  for (size_t i = 0; i < num; i++)
    if (gelf_getphdr (c->elf, (int) i, &h) != NULL && h.p_type == PT_LOAD
	&& h.p_memsz != 0 && h.p_vaddr + h.p_memsz > h.p_vaddr)
      c->segments[c->num_segments++]
	  = (segment){ h.p_vaddr, h.p_vaddr + h.p_memsz, h.p_flags & PF_X,
		       h.p_offset,
		       h.p_filesz < h.p_memsz ? h.p_filesz : h.p_memsz };
  qsort (c->segments, c->num_segments, sizeof *c->segments, ranges_compare);
}

/* Notes.  */

/* A thread begins: the note of DESC, SIZE bytes.  */
static void
take_prstatus (process *p, const char *desc, size_t size)
{
  struct elf_prstatus status;
  process_thread *t;

  if (size < sizeof status)
    return;
  memcpy (&status, desc, sizeof status);
  t = process_add_thread (p, status.pr_pid);
  t->stopped = t->has_registers = true;
  memcpy (&t->registers, &status.pr_reg,
	  sizeof status.pr_reg < sizeof t->registers ? sizeof status.pr_reg
						      : sizeof t->registers);
#ifdef PROCESS_TP
  t->has_tp = true;
  t->tp = PROCESS_TP (&t->registers);
#endif
}

/* What else there is of the thread before.  */
static void
take_thread_note (process *p, unsigned type, const char *desc, size_t size)
{
#ifdef NT_ARM_TLS
  process_thread *t
      = p->num_threads != 0 ? &p->threads[p->num_threads - 1] : NULL;

  if (type == NT_ARM_TLS && t != NULL && size >= sizeof t->tp
      && !t->has_tp)
    {
      memcpy (&t->tp, desc, sizeof t->tp);
      t->has_tp = true;
    }
#else
  (void) p;
  (void) type;
  (void) desc;
  (void) size;
#endif
}

/* The process's number and name.  */
static void
take_prpsinfo (process *p, const char *desc, size_t size, char *name)
{
  struct elf_prpsinfo info;

  if (size < sizeof info)
    return;
  memcpy (&info, desc, sizeof info);
  p->pid = info.pr_pid;
  memcpy (name, info.pr_fname, sizeof info.pr_fname);
  name[sizeof info.pr_fname] = 0;
}

/* Take the notes in DATA; NAME gets that of the process, with room for 17
   bytes.  */
static void
read_notes (process *p, Elf_Data *data, char *name)
{
  core *c = p->core;
  size_t off = 0, next, name_off, desc_off;
  GElf_Nhdr h;

  for (; (next = gelf_getnote (data, off, &h, &name_off, &desc_off)) != 0;
       off = next)
    {
      const char *desc = (char *) data->d_buf + desc_off;
      if (h.n_namesz != 5 || strcmp ((char *) data->d_buf + name_off, "CORE"))
	take_thread_note (p, h.n_type, desc, h.n_descsz);
      else if (h.n_type == NT_PRSTATUS)
	take_prstatus (p, desc, h.n_descsz);
      else if (h.n_type == NT_PRPSINFO)
	take_prpsinfo (p, desc, h.n_descsz, name);
      else if (h.n_type == NT_AUXV)
	{
	  c->auxv = data;
	  c->auxv_off = desc_off;
	  c->auxv_size = h.n_descsz;
	}
      else if (h.n_type == NT_FILE)
	{
	  c->files = data;
	  c->files_off = desc_off;
	  c->files_size = h.n_descsz;
	}
    }
}

static void
read_all_notes (process *p)
{
  char name[sizeof ((struct elf_prpsinfo *) 0)->pr_fname + 1] = "";
  Elf *elf = p->core->elf;
  size_t num = 0;
  GElf_Phdr h;

  elf_getphdrnum (elf, &num);
  for (size_t i = 0; i < num; i++)
    {
      Elf_Data *data;
      if (gelf_getphdr (elf, (int) i, &h) == NULL || h.p_type != PT_NOTE)
	continue;
      data = elf_getdata_rawchunk (elf, (int64_t) h.p_offset, h.p_filesz,
				   ELF_T_NHDR);
      if (data != NULL)
	read_notes (p, data, name);
    }
  /* Names of other threads are not in cores.  */
  for (size_t i = 0; i < p->num_threads; i++)
    process_set_comm (&p->threads[i], name);
  process_sort_threads (p);
}

static void
add_file (process *p, const uint64_t *words, uint64_t page_size,
	  const char *name)
{
  const segment *s = find_segment (p->core, words[0]);

  p->maps.list[p->maps.num++] = (mapping){ .start = words[0],
					   .end = words[1],
					   .offset = words[2] * page_size,
					   .readable = true,
					   .executable
					   = s != NULL && s->executable,
					   .name = name };
}

/* Code that nobody wrote to need not be in a core at all; so a file that begins
   as ELF files do counts as mapped code, and one that is gone as well.  */
static void
note_code (process *p)
{
  unsigned char magic[SELFMAG];

  for (size_t i = 0; i < p->maps.num; i++)
    {
      mapping *m = &p->maps.list[i];
      if (m->offset == 0 && mapping_is_file (m)
	  && (process_read (p, m->start, magic, sizeof magic) != 0
	      || memcmp (magic, ELFMAG, sizeof magic) == 0))
	m->executable = true;
    }
}

/* The vDSO is in no file.  */
static void
add_vdso (process *p)
{
  uint64_t start = core_auxval (p->core, AT_SYSINFO_EHDR);
  const segment *s = find_segment (p->core, start);

  if (start != 0 && s != NULL && s->start == start)
    p->maps.list[p->maps.num++] = (mapping){ .start = start,
					     .end = s->end,
					     .readable = true,
					     .executable = true,
					     .name = "[vdso]" };
}

/* The table in NT_FILE: number of mappings, size of the unit of offsets; start,
   end and offset of each; then names.  */
static bool
read_files (process *p)
{
  const core *c = p->core;
  uint64_t counts[2], words[3];
  size_t names;
  const char *name, *end;

  if (c->files == NULL || c->files_size < sizeof counts)
    return false;
  p->maps.text = tool_calloc (1, c->files_size + 1);
  memcpy (p->maps.text, (char *) c->files->d_buf + c->files_off,
	  c->files_size);
  memcpy (counts, p->maps.text, sizeof counts);
  if (counts[0] > MAX_FILES
      || c->files_size - sizeof counts < counts[0] * sizeof words)
    return false;
  names = sizeof counts + counts[0] * sizeof words;
  name = p->maps.text + names;
  end = p->maps.text + c->files_size;
  p->maps.list = tool_calloc (counts[0] + 1, sizeof *p->maps.list);
  for (uint64_t i = 0; i < counts[0] && name < end; i++)
    {
      memcpy (words, p->maps.text + sizeof counts + i * sizeof words,
	      sizeof words);
      if (words[0] < words[1])
	add_file (p, words, counts[1], name);
      name += strlen (name) + 1;
    }
  add_vdso (p);
  qsort (p->maps.list, p->maps.num, sizeof *p->maps.list, ranges_compare);
  note_code (p);
  return p->maps.num != 0;
}

/* Opening.  */

/* Why ELF is no core that can be looked at; NULL if it can.  */
static const char *
is_unsuitable (Elf *elf)
{
#if defined __x86_64__
  const unsigned machine = EM_X86_64;
#elif defined __aarch64__
  const unsigned machine = EM_AARCH64;
#else
  const unsigned machine = EM_S390;
#endif
  GElf_Ehdr h;

  if (elf == NULL || gelf_getehdr (elf, &h) == NULL)
    return "not an ELF file";
  if (h.e_type != ET_CORE)
    return "not a core file";
  if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != machine)
    return "of a program for another machine than this one";
  return NULL;
}

static const char *
open_core (process *p, const char *path)
{
  core *c = p->core;
  const char *wrong;
  struct stat st;

  if (stat (path, &st) != 0)
    return strerror (errno);
  if (!S_ISREG (st.st_mode))
    return "not a regular file";
  c->fd = open (path, O_RDONLY | O_CLOEXEC);
  if (c->fd < 0)
    return strerror (errno);
  elf_version (EV_CURRENT);
  c->elf = elf_begin (c->fd, ELF_C_READ_MMAP, NULL);
  wrong = is_unsuitable (c->elf);
  if (wrong != NULL)
    return wrong;
  read_segments (c);
  for (size_t i = 0; i < c->num_segments; i++)
    if (c->segments[i].offset + c->segments[i].size > (uint64_t) st.st_size)
      {
	tool_error ("%s: note: the file is cut short", path);
	break;
      }
  read_all_notes (p);
  if (p->num_threads == 0)
    return "no thread is in this core";
  if (!read_files (p))
    return "no list of mapped files is in this core";
  return NULL;
}

/* Whether PATH is a file of the kind KIND, else say that it is WRONG.  */
static bool
is_kind (const char *path, mode_t kind, const char *wrong)
{
  struct stat st;

  if (stat (path, &st) != 0)
    wrong = strerror (errno);
  else if ((st.st_mode & S_IFMT) == kind)
    return true;
  tool_error ("%s: %s", path, wrong);
  return false;
}

process *
process_open_core (const char *path, const char *exe, const char *sysroot)
{
  process *p;
  const char *wrong;

  if ((exe != NULL && !is_kind (exe, S_IFREG, "not a regular file"))
      || (sysroot != NULL && !is_kind (sysroot, S_IFDIR, "not a directory")))
    return NULL;
  p = process_new (0, path, read_core);
  p->core = tool_calloc (1, sizeof *p->core);
  *p->core = (core){ .fd = -1, .exe = exe, .sysroot = sysroot };
  p->root = tool_strdup (sysroot != NULL ? sysroot : "");
  wrong = open_core (p, path);
  if (wrong == NULL)
    return p;
  tool_error ("%s: %s", path, wrong);
  process_free (p);
  return NULL;
}
