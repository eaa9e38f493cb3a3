/* sframe-coro: the sampler in the kernel.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Nothing is pinned: programs, maps and events are file descriptors of this
   process, and the kernel lets go of all of them when it ends, however that
   is.  */

#include "config.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf/sampler.skel.h"
#include "proc.h"
#include "sampling.h"
#include "table.h"
#include "tool.h"

/* Pieces of an array that are in use, or were until FREED: what was read
   through an old entry may take that long.  */
#define QUARANTINE_NS UINT64_C (5000000000)

typedef struct piece
{
  uint32_t first, room;
  uint64_t freed; /* 0: in use.  */
} piece;

typedef struct pieces
{
  piece *list;
  size_t num;
  uint32_t end, max;
} pieces;

struct sampling
{
  struct sampler *skel;
  bool is_small;
  uint64_t load_ns; /* What loading took.  */
  struct ring_buffer *ring;
  sampling_fn fn;
  void *fn_arg;
  int *events; /* Perf events.  */
  size_t num_events;
  uint32_t num_pages, num_rows;
  pieces mappings, chains, sites;
  table forms; /* Of rows; those of the sampler, by number.  */
  /* What the maps of these names show.  */
  sampler_mapping *mapping_list;
  sampler_chain *chain_list;
  uint64_t *page_list;
  sampler_row *row_list;
  sampler_form *form_list;
  sampler_site *site_list;
};

/* Loading.  */

/* The first warning of libbpf, which tells more than what follows from it.  */
static char *warning;

static int
keep_warning (enum libbpf_print_level level, const char *format, va_list args)
{
  if (level == LIBBPF_WARN && warning == NULL
      && vasprintf (&warning, format, args) < 0)
    warning = NULL;
  return 0;
}

static void
forget_warning (void)
{
  free (warning);
  warning = NULL;
}

/* Which of the capabilities that loading takes are not there; NULL if none.  */
static const char *
missing_capabilities (void)
{
  static const char *const texts[]
      = { NULL, "CAP_BPF is missing", "CAP_PERFMON is missing",
	  "both are missing" };
  struct __user_cap_header_struct head = { .version
					   = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
  uint64_t has;

  if (syscall (SYS_capget, &head, sets) != 0)
    return NULL;
  has = (uint64_t) sets[1].effective << 32 | sets[0].effective;
  /* That of all system administration stands for both.  */
  if (has >> CAP_SYS_ADMIN & 1)
    return NULL;
  return texts[(has >> CAP_BPF & 1 ? 0 : 1)
	       + (has >> CAP_PERFMON & 1 ? 0 : 2)];
}

/* What the sampler needs and this kernel does not have, and since when Linux
   has it; NULL if it has all.  */
static const char *
missing_feature (void)
{
  if (libbpf_probe_bpf_map_type (BPF_MAP_TYPE_RINGBUF, NULL) == 0)
    return "BPF ring buffers (Linux 5.8)";
  if (libbpf_probe_bpf_helper (BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_loop, NULL)
      == 0)
    return "loops of BPF programs (Linux 5.17)";
  if (libbpf_probe_bpf_helper (BPF_PROG_TYPE_PERF_EVENT,
			       BPF_FUNC_dynptr_write, NULL)
      == 0)
    return "dynamic pointers of BPF programs (Linux 5.19)";
  return NULL;
}

static bool
is_locked_down (void)
{
  char text[128];

  return (proc_read (text, sizeof text, "/sys/kernel/security/lockdown") != 0
	  && strstr (text, "[none]") == NULL);
}

/* Say in one line why the sampler cannot be loaded: ERR; LOG is the file with
   what the verifier said, or NULL.  */
static void
explain_load (int err, const char *log)
{
  const char *missing = err == EPERM ? missing_capabilities () : NULL;

  if (access ("/sys/kernel/btf/vmlinux", R_OK) != 0)
    tool_error ("this kernel does not describe its types: there is no "
		"/sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)");
  else if (missing != NULL)
    tool_error ("loading the sampler takes CAP_BPF and CAP_PERFMON, %s: "
		"permission denied; run as root", missing);
  else if ((missing = missing_feature ()) != NULL)
    tool_error ("this kernel does not have %s; the sampler needs Linux 6.1",
		missing);
  else if (log != NULL)
    tool_error ("the verifier of this kernel refuses the sampler (%s); its log "
		"is in %s", strerror (err), log);
  else
    tool_error ("cannot load the sampler: %s%s%s%.*s", strerror (err),
		is_locked_down () ? "; this kernel is locked down" : "",
		warning != NULL ? "; " : "",
		warning != NULL ? (int) strcspn (warning, "\n") : 0,
		warning != NULL ? warning : "");
}

/* Write LOG, what the verifier said, to a file of its own, and return the name,
   to be freed; NULL if it said nothing.  */
static char *
write_log (const char *log)
{
  const char *dir = getenv ("TMPDIR");
  char *path;
  bool good;
  FILE *f;
  int fd;

  if (*log == 0)
    return NULL;
  path = tool_printf ("%s/sframe-coro-verifier-XXXXXX",
		      dir != NULL && *dir != 0 ? dir : "/tmp");
  fd = mkostemp (path, O_CLOEXEC);
  f = fd >= 0 ? fdopen (fd, "w") : NULL;
  good = f != NULL && fputs (log, f) >= 0;
  if (f != NULL && fclose (f) == 0 && good)
    return path;
  if (fd >= 0)
    unlink (path);
  free (path);
  return NULL;
}

/* Let SKEL have the object in file PATH.  */
static bool
replace_object (struct sampler *skel, const char *path)
{
  FILE *f = fopen (path, "re");
  size_t size = 0, room = 0, n;
  char *bytes = NULL;

  if (f == NULL)
    {
      tool_error ("%s: %s", path, strerror (errno));
      return false;
    }
  do
    {
      room = room ? room * 2 : 1 << 16;
      bytes = tool_realloc (bytes, room, 1);
      n = fread (bytes + size, 1, room - size, f);
      size += n;
    }
  while (n != 0 && size == room);
  fclose (f);
  /* It is kept, like the one that is built in.  */
  skel->skeleton->data = bytes;
  skel->skeleton->data_sz = size;
  return true;
}

/* Open the sampler, WHOLE or the small one; NULL after a message.  */
static struct sampler *
open_skeleton (const sampling_options *o, bool whole)
{
  struct sampler *skel = calloc (1, sizeof *skel);
  int cpus = libbpf_num_possible_cpus ();

  if (skel == NULL)
    tool_no_memory ();
  if (sampler__create_skeleton (skel) == 0
      && (o->object == NULL || replace_object (skel, o->object)))
    {
      if (bpf_object__open_skeleton (skel->skeleton, NULL) == 0)
	{
	  bpf_map__set_max_entries (skel->maps.scratches,
				    cpus > 0 ? (uint32_t) cpus : 1);
	  bpf_map__set_max_entries (skel->maps.samples, (uint32_t) o->ring);
	  bpf_map__set_initial_value (skel->maps.rodata_whole, &whole,
				      sizeof whole);
	  return skel;
	}
      explain_load (errno, NULL);
    }
  sampler__destroy (skel);
  return NULL;
}

/* As much of what the verifier says is kept: its beginning or, since Linux 6.4,
   its end.  With a buffer of ours it is asked once only.  */
#define LOG_SIZE (4 << 20)

/* Load the sampler, WHOLE or the small one: 0, or an error number, and in *LOG,
   unless LOG is NULL, the name of the file with the verifier's log or NULL, to be
   freed.  Where the sampler cannot even be opened, -1 after a message.  */
static int
load_skeleton (sampling *s, const sampling_options *o, bool whole, char **log)
{
  uint64_t begun = tool_now_ns ();
  char *buf = tool_calloc (1, LOG_SIZE);
  int err = -1;

  if (log != NULL)
    *log = NULL;
  s->skel = open_skeleton (o, whole);
  if (s->skel != NULL)
    {
      bpf_program__set_log_buf (s->skel->progs.take_sample, buf, LOG_SIZE);
      err = -bpf_object__load_skeleton (s->skel->skeleton);
      bpf_program__set_log_buf (s->skel->progs.take_sample, NULL, 0);
    }
  s->load_ns = tool_now_ns () - begun;
  if (err != 0)
    {
      if (log != NULL)
	*log = write_log (buf);
      sampler__destroy (s->skel);
      s->skel = NULL;
    }
  free (buf);
  return err;
}

const char sampling_small_text[]
    = "native frames by frame pointer, lists of thread-local heads only";

/* Load the sampler, the small one if the whole one is refused; false after a
   message.  */
static bool
load (sampling *s, const sampling_options *o)
{
  char *log;
  int err = load_skeleton (s, o, true, &log);

  if (err > 0 && log != NULL && missing_feature () == NULL
      && load_skeleton (s, o, false, NULL) == 0)
    {
      s->is_small = true;
      tool_error ("the verifier of this kernel refuses the whole sampler (%s; "
		  "its log is in %s); the small one is used: %s",
		  strerror (err), log, sampling_small_text);
    }
  else if (err > 0)
    explain_load (err, log);
  free (log);
  return s->skel != NULL;
}

/* The bytes of array MAP, whose values are of whole words.  */
static size_t
array_size (const struct bpf_map *map)
{
  return (size_t) bpf_map__max_entries (map) * bpf_map__value_size (map);
}

/* Map all of array MAP.  */
static void *
map_array (const struct bpf_map *map)
{
  void *p = mmap (NULL, array_size (map), PROT_READ | PROT_WRITE, MAP_SHARED,
		  bpf_map__fd (map), 0);

  if (p != MAP_FAILED)
    return p;
  tool_error ("cannot map the sampler's array `%s': %s", bpf_map__name (map),
	      strerror (errno));
  return NULL;
}

static int
take_one (void *arg, void *data, size_t size)
{
  sampling *s = arg;
  s->fn (s->fn_arg, data, size);
  return 0;
}

static bool
open_maps (sampling *s)
{
  s->mappings.max = bpf_map__max_entries (s->skel->maps.mappings);
  s->chains.max = bpf_map__max_entries (s->skel->maps.chains);
  s->sites.max = bpf_map__max_entries (s->skel->maps.sites);
  s->mapping_list = map_array (s->skel->maps.mappings);
  s->chain_list = map_array (s->skel->maps.chains);
  s->page_list = map_array (s->skel->maps.pages);
  s->row_list = map_array (s->skel->maps.rows);
  s->form_list = map_array (s->skel->maps.forms);
  s->site_list = map_array (s->skel->maps.sites);
  s->ring = ring_buffer__new (bpf_map__fd (s->skel->maps.samples), take_one, s,
			      NULL);
  if (s->ring == NULL)
    tool_error ("cannot map the sampler's ring buffer: %s", strerror (errno));
  return (s->mapping_list != NULL && s->chain_list != NULL
	  && s->page_list != NULL && s->row_list != NULL
	  && s->form_list != NULL && s->site_list != NULL && s->ring != NULL);
}

sampling *
sampling_new (const sampling_options *o)
{
  sampling *s = tool_calloc (1, sizeof *s);

  libbpf_set_print (keep_warning);
  if (load (s, o) && open_maps (s))
    return s;
  sampling_free (s);
  return NULL;
}

static void
unmap_array (void *p, const struct bpf_map *map)
{
  if (p != NULL)
    munmap (p, array_size (map));
}

void
sampling_free (sampling *s)
{
  if (s == NULL)
    return;
  sampling_stop (s);
  ring_buffer__free (s->ring);
  if (s->skel != NULL)
    {
      unmap_array (s->mapping_list, s->skel->maps.mappings);
      unmap_array (s->chain_list, s->skel->maps.chains);
      unmap_array (s->page_list, s->skel->maps.pages);
      unmap_array (s->row_list, s->skel->maps.rows);
      unmap_array (s->form_list, s->skel->maps.forms);
      unmap_array (s->site_list, s->skel->maps.sites);
      sampler__destroy (s->skel);
    }
  free (s->events);
  free (s->mappings.list);
  free (s->chains.list);
  free (s->sites.list);
  table_free (&s->forms);
  forget_warning ();
  free (s);
}

bool
sampling_is_small (const sampling *s)
{
  return s->is_small;
}

unsigned
sampling_load_ms (const sampling *s)
{
  return (unsigned) (s->load_ns / 1000000);
}

unsigned
sampling_verified (const sampling *s)
{
  struct bpf_prog_info info = { 0 };
  uint32_t size = sizeof info;

  bpf_obj_get_info_by_fd (bpf_program__fd (s->skel->progs.take_sample), &info,
			  &size);
  return info.verified_insns;
}

/* Events.  */

/* Say why EVENT of WHAT could not be had: ERR.  */
static void
explain_event (const char *what, int err)
{
  if (err == EACCES || err == EPERM)
    tool_error ("%s: sampling takes CAP_PERFMON where "
		"/proc/sys/kernel/perf_event_paranoid says so: permission "
		"denied; run as root", what);
  else if (err == EMFILE)
    tool_error ("%s: too many files are open; raise the limit (ulimit -n)",
		what);
  else if (err == EINVAL)
    tool_error ("%s: the kernel refuses this frequency; see "
		"/proc/sys/kernel/perf_event_max_sample_rate", what);
  else
    tool_error ("%s: cannot sample: %s", what, strerror (err));
}

/* Open an event like ATTR on PID and CPU, and let it run the sampler.  */
static int
add_event (sampling *s, struct perf_event_attr *attr, pid_t pid, int cpu)
{
  int fd = (int) syscall (SYS_perf_event_open, attr, pid, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
  int err;

  if (fd < 0)
    return errno;
  if (ioctl (fd, PERF_EVENT_IOC_SET_BPF,
	     bpf_program__fd (s->skel->progs.take_sample)) != 0
      || (!attr->enable_on_exec && ioctl (fd, PERF_EVENT_IOC_ENABLE, 0) != 0))
    {
      err = errno;
      close (fd);
      return err;
    }
  if ((s->num_events & (s->num_events - 1)) == 0)
    s->events = tool_realloc (s->events, s->num_events ? s->num_events * 2 : 1,
			      sizeof *s->events);
  s->events[s->num_events++] = fd;
  return 0;
}

static struct perf_event_attr
clock_attr (unsigned frequency)
{
  return (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
				   .size = sizeof (struct perf_event_attr),
				   .config = PERF_COUNT_SW_CPU_CLOCK,
				   .sample_freq = frequency,
				   .freq = 1,
				   .disabled = 1 };
}

bool
sampling_add_thread (sampling *s, pid_t tid, unsigned frequency, bool on_exec,
		     bool *gone)
{
  struct perf_event_attr attr = clock_attr (frequency);
  char what[32];
  int err;

  attr.inherit = 1;
  attr.enable_on_exec = on_exec;
  err = add_event (s, &attr, tid, -1);
  *gone = err == ESRCH;
  if (err == 0 || err == ESRCH)
    return true;
  snprintf (what, sizeof what, "thread %d", tid);
  explain_event (what, err);
  return false;
}

bool
sampling_add_cpu (sampling *s, int cpu, unsigned frequency)
{
  struct perf_event_attr attr = clock_attr (frequency);
  char what[32];
  int err = add_event (s, &attr, -1, cpu);

  /* One that is offline.  */
  if (err == 0 || err == ENODEV)
    return true;
  snprintf (what, sizeof what, "CPU %d", cpu);
  explain_event (what, err);
  return false;
}

void
sampling_stop (sampling *s)
{
  for (size_t i = 0; i < s->num_events; i++)
    close (s->events[i]);
  s->num_events = 0;
}

/* Samples.  */

int
sampling_fd (const sampling *s)
{
  return ring_buffer__epoll_fd (s->ring);
}

void
sampling_drain (sampling *s, sampling_fn fn, void *arg)
{
  s->fn = fn;
  s->fn_arg = arg;
  ring_buffer__consume (s->ring);
}

uint64_t
sampling_lost (const sampling *s)
{
  int cpus = libbpf_num_possible_cpus ();
  uint64_t *each = tool_calloc (cpus > 0 ? (size_t) cpus : 1, sizeof *each);
  uint64_t all = 0;
  uint32_t zero = 0;

  if (bpf_map_lookup_elem (bpf_map__fd (s->skel->maps.lost), &zero, each) == 0)
    for (int i = 0; i < cpus; i++)
      all += each[i];
  free (each);
  return all;
}

/* What the sampler is told.  */

/* Find the first of NUM elements in a row that are free; UINT32_MAX if there
   are none.  */
static uint32_t
take_piece (pieces *p, uint32_t num)
{
  uint64_t now = tool_now_ns ();
  piece *new;

  for (size_t i = 0; i < p->num; i++)
    if (p->list[i].freed != 0 && p->list[i].room >= num
	&& now - p->list[i].freed > QUARANTINE_NS)
      {
	p->list[i].freed = 0;
	return p->list[i].first;
      }
  if (num > p->max - p->end)
    return UINT32_MAX;
  p->list = tool_realloc (p->list, p->num + 1, sizeof *p->list);
  new = &p->list[p->num++];
  *new = (piece){ .first = p->end, .room = num };
  p->end += num;
  return new->first;
}

static void
free_piece (pieces *p, uint32_t first)
{
  for (size_t i = 0; i < p->num; i++)
    if (p->list[i].first == first && p->list[i].freed == 0)
      p->list[i].freed = tool_now_ns ();
}

/* Set the pages that row I of T, at offset END of the code, is the first of:
   those from number *NUM on.  */
static void
fill_pages (sampling *s, uint32_t first, uint32_t *num, uint64_t end,
	    uint32_t row)
{
  while ((uint64_t) *num << SAMPLER_PAGE_LOG2 <= end)
    s->page_list[first + (*num)++] = row;
}

/* The number of FORM, which the sampler knows then; UINT32_MAX if there is no
   room.  */
static uint32_t
form_number (sampling *s, const sampler_form *form)
{
  uint32_t n = table_number (&s->forms, form, sizeof *form);

  if (n >= SAMPLER_MAX_FORMS)
    return UINT32_MAX;
  s->form_list[n] = *form;
  return n;
}

/* Let the sampler have the rows of T, behind those there are.  */
static bool
add_rows (sampling *s, const cfi_rows *t)
{
  sampler_row *to = s->row_list + s->num_rows;

  for (size_t i = 0; i < t->num; i++)
    {
      const cfi_row *row = &t->list[i];
      uint32_t form = form_number (s, &row->form);

      if (form == UINT32_MAX)
	return false;
      to[i] = (sampler_row){ row->offset, row->cfa, (uint16_t) form };
    }
  return true;
}

bool
sampling_add_table (sampling *s, const cfi_rows *t, sampler_mapping *m)
{
  uint64_t span = t->end - t->base;
  uint64_t num_pages = (span >> SAMPLER_PAGE_LOG2) + 2;
  uint32_t num = 0;

  if (t->num == 0 || t->num > SAMPLER_MAX_ROWS - s->num_rows
      || num_pages > SAMPLER_MAX_PAGES - s->num_pages || !add_rows (s, t))
    return false;
  for (size_t i = 0; i < t->num; i++)
    fill_pages (s, s->num_pages, &num, t->list[i].offset,
		s->num_rows + (uint32_t) i);
  while (num < num_pages)
    s->page_list[s->num_pages + num++] = s->num_rows + (uint32_t) t->num;
  m->first_page = s->num_pages;
  m->num_pages = num - 1;
  s->num_pages += num;
  s->num_rows += (uint32_t) t->num;
  return true;
}

/* Free what the entry of process PID refers to.  */
static void
free_entry (sampling *s, const sampler_process *e)
{
  if (e->num_mappings != 0)
    free_piece (&s->mappings, e->first_mapping);
  if (e->num_chains != 0)
    free_piece (&s->chains, e->first_chain);
  if (e->num_sites != 0)
    free_piece (&s->sites, e->first_site);
}

bool
sampling_set_process (sampling *s, uint32_t pid, const sampling_process *p,
		      uint32_t *first_chain)
{
  sampler_process e = p->entry, old = { 0 };
  int fd = bpf_map__fd (s->skel->maps.processes);
  bool had = bpf_map_lookup_elem (fd, &pid, &old) == 0;

  e.first_mapping = e.first_chain = e.first_site = 0;
  if (e.num_mappings != 0)
    e.first_mapping = take_piece (&s->mappings, e.num_mappings);
  if (e.num_chains != 0)
    e.first_chain = take_piece (&s->chains, e.num_chains);
  if (e.num_sites != 0)
    e.first_site = take_piece (&s->sites, e.num_sites);
  if (e.first_mapping == UINT32_MAX || e.first_chain == UINT32_MAX
      || e.first_site == UINT32_MAX)
    {
      free_entry (s, &e);
      return false;
    }
  memcpy (s->mapping_list + e.first_mapping, p->mappings,
	  e.num_mappings * sizeof *p->mappings);
  memcpy (s->chain_list + e.first_chain, p->chains,
	  e.num_chains * sizeof *p->chains);
  if (e.num_sites != 0)
    memcpy (s->site_list + e.first_site, p->sites,
	    e.num_sites * sizeof *p->sites);
  *first_chain = e.first_chain;
  if (bpf_map_update_elem (fd, &pid, &e, BPF_ANY) != 0)
    {
      free_entry (s, &e);
      return false;
    }
  if (had)
    free_entry (s, &old);
  return true;
}

void
sampling_drop_process (sampling *s, uint32_t pid)
{
  int fd = bpf_map__fd (s->skel->maps.processes);
  sampler_process old;

  if (bpf_map_lookup_elem (fd, &pid, &old) != 0)
    return;
  bpf_map_delete_elem (fd, &pid);
  free_entry (s, &old);
}

bool
sampling_add_body (sampling *s, uint32_t pid,
		   const sframe_coro_body_rules *rules)
{
  sampler_body_key key = { .ip = rules->start, .pid = pid };
  sframe_coro_body_rules copy = *rules;

  copy.points = NULL;
  return bpf_map_update_elem (bpf_map__fd (s->skel->maps.bodies), &key, &copy,
			      BPF_ANY)
	 == 0;
}

bool
sampling_add_point (sampling *s, uint32_t pid, uint64_t start, uint32_t index,
		    uint64_t pc)
{
  sampler_body_key key = { .ip = start, .pid = pid, .index = index };

  return bpf_map_update_elem (bpf_map__fd (s->skel->maps.points), &key, &pc,
			      BPF_ANY)
	 == 0;
}

bool
sample_parse (const void *data, size_t size, sample *s)
{
  const sampler_header *h = data;

  if (size < sizeof *h)
    return false;
  size -= sizeof *h;
  if (h->num_natives > SAMPLER_MAX_NATIVES
      || h->num_kernel > SAMPLER_MAX_KERNEL
      || h->num_lists > SAMPLER_MAX_LISTS || h->num_nodes > SAMPLER_MAX_NODES
      || h->num_words > h->num_nodes
      || size < h->num_natives * sizeof *s->natives
		    + h->num_kernel * sizeof *s->kernel
		    + h->num_lists * sizeof *s->lists
		    + h->num_nodes * sizeof *s->nodes
		    + h->num_words * sizeof *s->words)
    return false;
  s->header = h;
  s->natives = (const void *) (h + 1);
  s->kernel = (const void *) (s->natives + h->num_natives);
  s->lists = (const void *) (s->kernel + h->num_kernel);
  s->nodes = (const void *) (s->lists + h->num_lists);
  s->words = (const void *) (s->nodes + h->num_nodes);
  return true;
}
