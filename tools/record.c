/* sframe-coro: `record', sampling running programs.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"
#include "proc.h"
#include "profile.h"
#include "sampling.h"
#include "sideband.h"
#include "targets.h"
#include "tool.h"

#define DEFAULT_FREQUENCY 999
#define DEFAULT_RING_KB 8192
#define MAX_RING_KB (1 << 20)

#define NS_PER_SECOND UINT64_C (1000000000)
#define NS_PER_MS UINT64_C (1000000)

/* A sample is stamped when it begins to be taken, and there some time later.
   Events wait for that.  */
#define PATIENCE_NS NS_PER_MS

typedef struct options
{
  pid_t pid;
  bool all;
  char **command; /* NULL-terminated; or NULL.  */
  unsigned frequency, seconds;
  const char *output;
  const profile_format *format;
  sampling_options sampling;
  bool verbose;
} options;

enum
{
  OPTION_FORMAT = 256,
  OPTION_RING,
  OPTION_SAMPLER
};

static const struct argp_option argp_options[]
    = { { "pid", 'p', "PID", 0, "sample process PID, and what it creates", 0 },
	{ "all", 'a', NULL, 0, "sample all processes", 0 },
	{ "frequency", 'F', "HZ", 0,
	  "samples for each second a thread runs (999)", 0 },
	{ "duration", 'd', "SECONDS", 0, "end after SECONDS", 0 },
	{ "output", 'o', "FILE", 0,
	  "write to FILE, `-' for standard output (as the format has it)", 0 },
	{ "format", OPTION_FORMAT, "NAME", 0,
	  "write a file of this kind (perf.data)", 0 },
	{ "ring", OPTION_RING, "KB", 0,
	  "room in the kernel for samples that wait, a power of 2 (8192)", 0 },
	{ "sampler", OPTION_SAMPLER, "FILE", OPTION_HIDDEN,
	  "load the BPF object FILE", 0 },
	{ "verbose", 'v', NULL, 0, "tell more of how it went", 0 },
	{ 0 } };

/* Command line.  */

static void
parse_format (options *o, const char *arg, struct argp_state *state)
{
  o->format = profile_format_find (arg);
  if (o->format == NULL)
    argp_error (state, "there is no format `%s'", arg);
  else if (o->format->missing != NULL)
    argp_failure (state, TOOL_FAILED, 0, "format `%s' is not built in: %s",
		  arg, o->format->missing);
}

static void
parse_ring (options *o, const char *arg, struct argp_state *state)
{
  unsigned kb = (unsigned) tool_number (arg, state, "size");

  if ((kb & (kb - 1)) != 0 || kb < 4 || kb > MAX_RING_KB)
    argp_error (state, "`%s' is not a power of 2 from 4 to %d", arg,
		MAX_RING_KB);
  o->sampling.ring = (size_t) kb << 10;
}

static error_t
finish_options (options *o, struct argp_state *state)
{
  int num = (o->pid != 0) + o->all + (o->command != NULL);

  if (num == 0)
    argp_error (state, "sample what? give --pid=PID, --all or a command");
  if (num > 1)
    argp_error (state, "only one of --pid, --all and a command can be given");
  if (o->output == NULL)
    o->output = o->format->filename != NULL ? o->format->filename : "-";
  return 0;
}

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  options *o = state->input;

  switch (key)
    {
    case 'p':
      o->pid = tool_number (arg, state, "process ID");
      return 0;
    case 'a':
      o->all = true;
      return 0;
    case 'F':
      o->frequency = (unsigned) tool_number (arg, state, "frequency");
      return 0;
    case 'd':
      o->seconds = (unsigned) tool_number (arg, state, "number of seconds");
      return 0;
    case 'o':
      o->output = arg;
      return 0;
    case 'v':
      o->verbose = true;
      return 0;
    case OPTION_FORMAT:
      parse_format (o, arg, state);
      return 0;
    case OPTION_RING:
      parse_ring (o, arg, state);
      return 0;
    case OPTION_SAMPLER:
      o->sampling.object = arg;
      return 0;
    case ARGP_KEY_ARG:
      o->command = state->argv + state->next - 1;
      state->next = state->argc;
      return 0;
    case ARGP_KEY_END:
      return finish_options (o, state);
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp record_argp
    = { .options = argp_options,
	.parser = parse_option,
	.args_doc = "-p PID\n-a\n[--] COMMAND [ARGUMENT...]",
	.doc = "Sample running threads: kernel and native stack, with the "
	       "coroutines that await spliced in." };

/* What waits to be taken in order of time.  */

typedef struct waiting
{
  uint64_t time;
  void *sample; /* Its bytes; or NULL: */
  size_t size;
  profile_event event;
  char *text; /* What the event points to; or NULL.  */
} waiting;

typedef struct recording
{
  const options *options;
  sampling *sampling;
  sideband *sideband;
  targets *targets;
  profile_writer *writer;
  profile_sink sink;
  waiting *queue;
  size_t num, room;
  int signals;		/* A signalfd.  */
  struct pollfd *files; /* By the FILE_ numbers below.  */
  size_t num_files;
  uint64_t start, end, lost;
  uint64_t bad; /* Samples that could not be understood.  */
  int priority; /* As it was.  */
  pid_t child;	/* The command; 0: there is none, or it was waited for.  */
  bool interactive;
} recording;

static waiting *
add_waiting (recording *r)
{
  if (r->num == r->room)
    {
      r->room = r->room ? r->room * 2 : 1024;
      r->queue = tool_realloc (r->queue, r->room, sizeof *r->queue);
    }
  r->queue[r->num] = (waiting){ 0 };
  return &r->queue[r->num++];
}

static void
queue_sample (void *arg, const void *data, size_t size)
{
  recording *r = arg;
  sample s;
  waiting *w;

  if (!sample_parse (data, size, &s))
    {
      r->bad++;
      return;
    }
  w = add_waiting (r);
  w->time = s.header->time;
  w->size = size;
  w->sample = tool_calloc (1, size);
  memcpy (w->sample, data, size);
}

static void
queue_event (void *arg, const profile_event *e)
{
  waiting *w = add_waiting (arg);

  w->time = e->time;
  w->event = *e;
  if (e->kind == PROFILE_COMM)
    w->event.comm.name = w->text = tool_strdup (e->comm.name);
  else if (e->kind == PROFILE_MMAP)
    w->event.mmap.path = w->text = tool_strdup (e->mmap.path);
}

static int
compare_waiting (const void *a, const void *b)
{
  const waiting *x = a, *y = b;

  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  /* What a sample refers to comes before it.  */
  return (x->sample != NULL) - (y->sample != NULL);
}

static bool
hand_on (recording *r, waiting *w)
{
  bool good;
  sample s;

  if (w->sample == NULL)
    good = targets_event (r->targets, &w->event);
  else
    good = (!sample_parse (w->sample, w->size, &s)
	    || targets_sample (r->targets, &s));
  free (w->sample);
  free (w->text);
  return good;
}

/* Hand on all that is there up to TIME; nothing that is behind the end.  */
static bool
take_all (recording *r, uint64_t time)
{
  size_t num = 0;
  bool good = true;

  if (time > r->end)
    time = r->end;
  sampling_drain (r->sampling, queue_sample, r);
  sideband_drain (r->sideband, queue_event, r);
  if (r->num == 0)
    return true;
  qsort (r->queue, r->num, sizeof *r->queue, compare_waiting);
  while (num < r->num && r->queue[num].time <= time)
    good &= hand_on (r, &r->queue[num++]);
  r->num -= num;
  memmove (r->queue, r->queue + num, r->num * sizeof *r->queue);
  return good;
}

/* Tell of samples that were lost.  */
static bool
put_lost (recording *r)
{
  uint64_t lost = sampling_lost (r->sampling);
  profile_event e = { .kind = PROFILE_LOST, .time = tool_now_ns () };

  if (lost == r->lost)
    return true;
  e.lost = (profile_lost){ .num = lost - r->lost, .samples = true };
  r->lost = lost;
  return r->sink.put (r->sink.arg, &e);
}

/* The command.  */

/* Start the command; it waits in front of its execve for a byte in *GO, and
   writes to *FAILED why that failed.  */
static bool
start_command (recording *r, int *go, int *failed)
{
  char **command = r->options->command;
  int begin[2], end[2], err;
  char byte;
  sigset_t none;

  if (pipe2 (begin, O_CLOEXEC) != 0 || pipe2 (end, O_CLOEXEC) != 0
      || (r->child = fork ()) < 0)
    {
      tool_error ("%s: %s", command[0], strerror (errno));
      r->child = 0;
      return false;
    }
  if (r->child == 0)
    {
      sigemptyset (&none);
      sigprocmask (SIG_SETMASK, &none, NULL);
      setpriority (PRIO_PROCESS, 0, r->priority);
      close (begin[1]);
      if (read (begin[0], &byte, 1) == 1)
	execvp (command[0], command);
      err = errno;
      if (write (end[1], &err, sizeof err) < 0)
	_exit (126);
      _exit (127);
    }
  close (begin[0]);
  close (end[1]);
  *go = begin[1];
  *failed = end[0];
  return true;
}

/* Let the command go.  */
static bool
run_command (const recording *r, int go, int failed)
{
  int err;
  bool good = write (go, "", 1) == 1;

  close (go);
  if (read (failed, &err, sizeof err) == sizeof err)
    {
      tool_error ("%s: %s", r->options->command[0], strerror (err));
      good = false;
    }
  close (failed);
  return good;
}

/* End the command, if it runs.  */
static void
end_command (recording *r)
{
  static const struct timespec slice = { 0, 10 * NS_PER_MS };

  if (r->child == 0)
    return;
  kill (r->child, SIGTERM);
  for (int i = 0; i < 200 && r->child != 0; i++)
    if (waitpid (r->child, NULL, WNOHANG) != 0)
      r->child = 0;
    else
      nanosleep (&slice, NULL);
  if (r->child != 0)
    {
      kill (r->child, SIGKILL);
      waitpid (r->child, NULL, 0);
    }
  r->child = 0;
}

/* Beginning.  */

typedef struct attaching
{
  recording *r;
  pid_t *tids; /* Sampled already.  */
  size_t num;
  size_t num_new;
  bool good;
} attaching;

static bool
attach_thread (void *arg, pid_t tid)
{
  attaching *a = arg;
  bool gone;

  for (size_t i = 0; i < a->num; i++)
    if (a->tids[i] == tid)
      return true;
  a->good = sampling_add_thread (a->r->sampling, tid,
				 a->r->options->frequency, false, &gone);
  a->tids = tool_realloc (a->tids, a->num + 1, sizeof *a->tids);
  a->tids[a->num++] = tid;
  a->num_new++;
  return a->good;
}

/* Sample all threads of PID.  Those that a thread creates once it is sampled
   are so too; others may come while they are looked for.  */
static bool
attach_process (recording *r, pid_t pid)
{
  attaching a = { .r = r, .good = true };

  do
    {
      a.num_new = 0;
      proc_each_thread (pid, attach_thread, &a);
    }
  while (a.good && a.num_new != 0);
  free (a.tids);
  return a.good;
}

static bool
attach_cpus (recording *r)
{
  long num = sysconf (_SC_NPROCESSORS_CONF);

  for (int cpu = 0; cpu < num; cpu++)
    if (!sampling_add_cpu (r->sampling, cpu, r->options->frequency))
      return false;
  return true;
}

static bool
attach_command (recording *r)
{
  int go, failed;
  bool gone = false;

  if (!start_command (r, &go, &failed))
    return false;
  if (targets_add (r->targets, r->child)
      && sampling_add_thread (r->sampling, r->child, r->options->frequency,
			      true, &gone)
      && !gone)
    return run_command (r, go, failed);
  close (go);
  close (failed);
  return false;
}

/* Begin to sample; what runs already is described first.  */
static bool
attach (recording *r)
{
  const options *o = r->options;

  if (o->command != NULL)
    return attach_command (r);
  if (o->all)
    return targets_add_all (r->targets) && attach_cpus (r);
  if (!targets_add (r->targets, o->pid))
    return false;
  /* Tables too.  */
  while (targets_refresh (r->targets) == 0)
    continue;
  return attach_process (r, o->pid);
}

/* Files to wait for.  */
enum
{
  FILE_SIGNALS,
  FILE_PROCESS,
  FILE_SAMPLER,
  FILE_SIDEBAND
};

/* What ends a recording.  Blocked signals are delivered even if they are
   ignored, which shells do with SIGINT for commands in the background, and
   nohup with SIGHUP; only that is meant to last.  */
static int
open_signals (void)
{
  struct sigaction hangup;
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGINT);
  sigaddset (&set, SIGTERM);
  sigaction (SIGHUP, NULL, &hangup);
  if (hangup.sa_handler != SIG_IGN)
    sigaddset (&set, SIGHUP);
  sigaddset (&set, SIGQUIT);
  sigprocmask (SIG_BLOCK, &set, NULL);
  return signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void
open_files (recording *r)
{
  pid_t pid = r->child != 0 ? r->child : r->options->pid;

  r->num_files = FILE_SIDEBAND + sideband_num_files (r->sideband);
  r->files = tool_calloc (r->num_files, sizeof *r->files);
  r->files[FILE_SIGNALS] = (struct pollfd){ r->signals, POLLIN, 0 };
  r->files[FILE_PROCESS] = (struct pollfd){ -1, POLLIN, 0 };
  if (pid != 0)
    r->files[FILE_PROCESS].fd = (int) syscall (SYS_pidfd_open, pid, 0);
  r->files[FILE_SAMPLER]
      = (struct pollfd){ sampling_fd (r->sampling), POLLIN, 0 };
  sideband_files (r->sideband, r->files + FILE_SIDEBAND);
}

static void
close_files (recording *r)
{
  close (r->signals);
  if (r->files == NULL)
    return;
  if (r->files[FILE_PROCESS].fd >= 0)
    close (r->files[FILE_PROCESS].fd);
  free (r->files);
}

/* While it goes on.  */

static void
show_progress (const recording *r, uint64_t now)
{
  const targets_counts *c = targets_count (r->targets);

  if (r->interactive)
    fprintf (stderr, "\r%" PRIu64 " s, %" PRIu64 " samples, %" PRIu64 " lost ",
	     (now - r->start) / NS_PER_SECOND, c->samples, r->lost);
}

/* How long to wait, in ms, if targets are to be looked at in DUE ms.  */
static int
patience (const recording *r, int due, uint64_t now, uint64_t end)
{
  uint64_t ms = 200;

  if (due >= 0 && (uint64_t) due < ms)
    ms = (uint64_t) due;
  if (r->num != 0)
    ms = ms < 2 ? ms : 2;
  if (end - now < ms * NS_PER_MS)
    ms = (end - now) / NS_PER_MS + 1;
  return (int) ms;
}

/* Record until there is a reason to end; false if the writer takes no more.  */
static bool
record_on (recording *r)
{
  uint64_t next = r->start, now;
  int due = 0;

  while ((now = tool_now_ns ()) < r->end)
    {
      if (now >= next)
	{
	  show_progress (r, now);
	  next = now + NS_PER_SECOND;
	  if (!put_lost (r))
	    return false;
	}
      if (poll (r->files, r->num_files, patience (r, due, now, r->end)) < 0
	  && errno != EINTR)
	return true;
      if (!take_all (r, tool_now_ns () - PATIENCE_NS))
	return false;
      due = targets_refresh (r->targets);
      if ((r->files[FILE_SIGNALS].revents | r->files[FILE_PROCESS].revents)
	  != 0)
	return true;
    }
  return true;
}

/* Say how it went; the exit status.  */
static int
summarize (const recording *r)
{
  const targets_counts *c = targets_count (r->targets);

  if (r->interactive)
    fputc ('\n', stderr);
  fprintf (stderr,
	   "sframe-coro: %" PRIu64 " samples, %" PRIu64 " lost; %" PRIu64
	   " with lists, %" PRIu64 " of them cut; native frames cut in %"
	   PRIu64 "\n",
	   c->samples, r->lost, c->with_lists, c->cut_lists, c->cut_natives);
  if (c->no_site != 0)
    fprintf (stderr, "sframe-coro: %" PRIu64 " samples have a list that no "
	     "site was found for\n", c->no_site);
  if (c->no_room != 0)
    tool_error ("there was no room in the kernel for %u modules or processes: "
		"their stacks may be cut", c->no_room);
  if (r->options->verbose)
    fprintf (stderr,
	     "sframe-coro: the verifier processed %u instructions\n"
	     "sframe-coro: the sampler was loaded in %u ms\n",
	     sampling_verified (r->sampling), sampling_load_ms (r->sampling));
  if (c->samples == 0 && r->lost == 0)
    tool_error ("no samples: nothing ran");
  return (r->lost != 0 || r->bad != 0 || c->no_room != 0 || c->samples == 0
	    ? TOOL_INCOMPLETE
	    : TOOL_OK);
}

/* Record what was set up; the exit status.  */
static int
record_all (recording *r)
{
  bool good = kernel_put_maps (r->sink) && attach (r);

  if (good)
    {
      if (r->options->verbose)
	fputs ("sframe-coro: recording\n", stderr);
      r->start = tool_now_ns ();
      if (r->options->seconds != 0)
	r->end = r->start + r->options->seconds * NS_PER_SECOND;
      targets_set_end (r->targets, r->end);
      open_files (r);
      good = record_on (r);
    }
  sampling_stop (r->sampling);
  /* A command that has ended is a zombie until now; what is left of it can
     still be read.  */
  if (good)
    good = take_all (r, r->end) && put_lost (r);
  end_command (r);
  if (!profile_writer_close (r->writer) || !good)
    return TOOL_FAILED;
  return summarize (r);
}

static void
free_recording (recording *r)
{
  for (size_t i = 0; i < r->num; i++)
    {
      free (r->queue[i].sample);
      free (r->queue[i].text);
    }
  free (r->queue);
  close_files (r);
  targets_free (r->targets);
  sideband_free (r->sideband);
  sampling_free (r->sampling);
}

/* Many threads take many files.  */
static void
raise_limits (void)
{
  struct rlimit l;

  if (getrlimit (RLIMIT_NOFILE, &l) != 0)
    return;
  l.rlim_cur = l.rlim_max;
  setrlimit (RLIMIT_NOFILE, &l);
}

/* What is mapped has to be known soon, and what is in the ring be taken before
   it is full, also where the programs that are sampled take all CPUs.  Without
   the right to it, it goes without.  */
static void
raise_priority (recording *r)
{
  r->priority = getpriority (PRIO_PROCESS, 0);
  setpriority (PRIO_PROCESS, 0, -20);
}

/* Numbers of processes are those of the first PID name space everywhere.  */
static bool
sees_all_processes (void)
{
  struct stat st;

  /* Its number is fixed (PROC_PID_INIT_INO in linux/proc_ns.h).  */
  if (stat ("/proc/self/ns/pid", &st) != 0 || st.st_ino == 0xeffffffc)
    return true;
  tool_error ("this is a PID name space of its own (a container); record from "
	      "outside of it");
  return false;
}

int
record_main (int argc, char **argv)
{
  options o = { .frequency = DEFAULT_FREQUENCY,
		.format = profile_formats (),
		.sampling = { .ring = DEFAULT_RING_KB << 10 } };
  recording r = { .options = &o, .end = UINT64_MAX,
		  .interactive = isatty (STDERR_FILENO) };
  profile_info info = { .event = "cpu-clock",
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK,
			.command = argv,
			.start = (uint64_t) time (NULL) };
  int status = TOOL_FAILED;

  argp_parse (&record_argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
  info.frequency = o.frequency;
  if (!sees_all_processes () || (o.pid != 0 && !proc_is_suitable (o.pid)))
    return TOOL_FAILED;
  if (o.pid != 0)
    o.pid = (pid_t) proc_status (o.pid, "Tgid:");
  raise_limits ();
  raise_priority (&r);
  r.signals = open_signals ();
  r.sampling = sampling_new (&o.sampling);
  if (r.sampling != NULL)
    r.sideband = sideband_new ();
  if (r.sampling != NULL && sampling_is_small (r.sampling))
    info.note = sampling_small_text;
  if (r.sideband != NULL)
    r.writer = profile_writer_open (o.format, o.output, &info);
  if (r.writer != NULL)
    {
      r.sink = profile_writer_sink (r.writer);
      r.targets = targets_new (r.sampling, r.sink, o.all,
			       NS_PER_SECOND / o.frequency);
      status = record_all (&r);
    }
  free_recording (&r);
  return status;
}
