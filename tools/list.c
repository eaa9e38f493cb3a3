/* sframe-coro: `list', what processes and files describe.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "config.h"

#include <argp.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "json.h"
#include "modules.h"
#include "process.h"
#include "symbol.h"
#include "tool.h"

typedef struct options
{
  char **targets; /* Process IDs and files.  */
  int num;
  bool json;
} options;

enum
{
  OPTION_JSON = 256
};

static const struct argp_option argp_options[]
    = { { "json", OPTION_JSON, NULL, 0, "print JSON", 0 }, { 0 } };

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  options *o = state->input;

  switch (key)
    {
    case OPTION_JSON:
      o->json = true;
      return 0;
    case ARGP_KEY_ARG:
      o->targets = tool_realloc (o->targets, (size_t) o->num + 1,
				 sizeof *o->targets);
      o->targets[o->num++] = arg;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error (state, "no process and no file given");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp list_argp
    = { .options = argp_options,
	.parser = parse_option,
	.args_doc = "PID|FILE...",
	.doc = "List the modules of processes, or files, with the chains, the "
	       "resume sites and the coroutine functions that they describe, "
	       "and whether lists can be found." };

/* What is being listed.  */
typedef struct listing
{
  modules modules;
  functions *functions;
  process *process; /* NULL: a file.  */
  json_object *json; /* NULL: text.  */
  bool incomplete;
} listing;

/* In how many threads a head can be found.  */
typedef struct reach
{
  size_t num_threads, found, no_block, failed;
  int error; /* Of the first that failed.  */
} reach;

/* Try head H of chain C in all threads of the process, which is stopped.  */
static reach
reach_of (const listing *l, const sframe_coro_index_chain *c,
	  const sframe_coro_head *h)
{
  sframe_coro_memory memory = { process_read, l->process };
  const module *mod = c->module;
  reach r = { 0 };

  for (size_t i = 0; i < process_num_threads (l->process); i++)
    {
      const process_thread *t = process_thread_at (l->process, i);
      sframe_coro_thread thread = { .tp = t->tp,
				    .tid = (uint64_t) t->tid,
				    .libc = l->modules.libc };
      uint64_t base;
      int err;

      if (!t->has_tp)
	continue;
      r.num_threads++;
      err = sframe_coro_head_base (&c->chain, h, &memory, &thread, &mod->tls,
				   &base);
      if (err == SFRAME_CORO_OK)
	r.found++;
      else if (err == SFRAME_CORO_ERR_NO_TLS)
	r.no_block++;
      else if (r.failed++ == 0)
	r.error = err;
    }
  return r;
}

/* Where a head is, in words.  */
static char *
describe_head (const modules_head *h, int err)
{
  switch (err == SFRAME_CORO_OK ? (int) h->kind : -1)
    {
    case MODULES_HEAD_TP:
      return tool_printf ("thread pointer %c %" PRIu64,
			  h->offset < 0 ? '-' : '+',
			  h->offset < 0 ? -(uint64_t) h->offset
					: (uint64_t) h->offset);
    case MODULES_HEAD_DTV:
      return tool_printf ("byte %" PRId64 " of the TLS block of module %" PRIu64,
			  h->offset, h->module_id);
    case MODULES_HEAD_TP_SLOT:
      return tool_printf ("thread pointer + the word at 0x%" PRIx64,
			  h->address);
    case MODULES_HEAD_ADDRESS:
      return tool_printf ("0x%" PRIx64, h->address);
    case MODULES_HEAD_KEY:
      return tool_printf ("thread-specific data, key at 0x%" PRIx64,
			  h->address);
    case MODULES_HEAD_FRAME:
      return tool_strdup ("in the frames of resume sites");
    default:
      return tool_strdup (sframe_coro_errmsg (err));
    }
}

/* What can be said of head number I of chain number CHAIN.  */
typedef struct head_facts
{
  char *where; /* To be freed; NULL: not known for files.  */
  bool located;
  bool has_reach;
  reach reach;
} head_facts;

static head_facts
find_head_facts (const listing *l, size_t chain, unsigned i)
{
  const sframe_coro_index_chain *c
      = sframe_coro_index_chain_at (l->modules.index, chain);
  const sframe_coro_head *h = &c->chain.head[i];
  const module *mod = c->module;
  head_facts f = { 0 };
  modules_head head;
  int err;

  if (l->process == NULL || mod->loading)
    return f;
  err = modules_find_head (&l->modules, l->process, chain, i, &head);
  f.where = describe_head (&head, err);
  f.located = err == SFRAME_CORO_OK;
  f.has_reach = h->kind != SFRAME_CORO_HEAD_FRAME;
  if (f.has_reach)
    f.reach = reach_of (l, c, h);
  return f;
}

/* Text.  */

static void
print_head (listing *l, size_t chain, unsigned i)
{
  const sframe_coro_chain *c
      = &sframe_coro_index_chain_at (l->modules.index, chain)->chain;
  head_facts f = find_head_facts (l, chain, i);

  printf ("    head %s", sframe_coro_head_kind_name (c->head[i].kind));
  if (f.where != NULL)
    printf (": %s", f.where);
  if (f.has_reach)
    {
      printf ("; found in %zu of %zu threads", f.reach.found,
	      f.reach.num_threads);
      if (f.reach.no_block != 0)
	printf (", %zu without a TLS block", f.reach.no_block);
      if (f.reach.failed != 0)
	printf (", %zu fail: %s", f.reach.failed,
		sframe_coro_errmsg (f.reach.error));
    }
  putchar ('\n');
  free (f.where);
}

/* The name and the line of the code at ADDRESS; to be freed.  */
static char *
describe_code (listing *l, uint64_t address)
{
  function f = functions_find (l->functions, address);
  size_t num;
  const level *levels = functions_levels (l->functions, &f, address, &num);
  char *name, *text;

  name = (levels->symbol != NULL ? symbol_display (levels->symbol)
				 : tool_strdup ("?"));
  text = (levels->file != NULL ? tool_printf ("%s at %s:%d", name,
					      tool_basename (levels->file),
					      levels->line)
			       : tool_strdup (name));
  free (name);
  return text;
}

/* The name of chain number CHAIN, to be freed.  */
static char *
chain_name (const listing *l, size_t chain)
{
  const sframe_coro_chain *c;

  if (chain == SIZE_MAX)
    return tool_strdup ("no chain");
  c = &sframe_coro_index_chain_at (l->modules.index, chain)->chain;
  return (c->name[0] != 0 ? tool_strdup (c->name)
			  : tool_printf ("chain@0x%" PRIx64, c->address));
}

static void
print_function (listing *l, const module *mod, const sframe_coro_func *f,
		size_t chain)
{
  bool is_site = f->kind == SFRAME_CORO_FUNC_SITE;
  char *code = describe_code (l, f->start - is_site);
  char *name = chain_name (l, chain);

  tool_make_printable (code);
  printf ("    %s 0x%" PRIx64 " %s [%s]", is_site ? "site" : "body",
	  f->start - mod->bias, code, name);
  if (!is_site)
    printf (", %u suspend point%s", f->num, f->num == 1 ? "" : "s");
  putchar ('\n');
  free (code);
  free (name);
}

/* What there is to say of MOD as a whole; NULL if it is good.  */
static const char *
state_text (const module *mod)
{
  switch (mod->state)
    {
    case MODULE_GOOD:
      return mod->loading ? "it is being loaded" : NULL;
    case MODULE_NO_SECTION:
      return "no section .sframe_coro";
    case MODULE_NO_FILE:
      return "the file is gone, or another one now";
    case MODULE_NO_ELF:
      return "not an ELF file that can be read";
    case MODULE_MALFORMED:
      return "part of the section is malformed";
    default:
      return "the section has more than is taken";
    }
}

typedef void (*function_fn) (listing *l, const module *mod,
			     const sframe_coro_func *f, size_t chain);

/* Call FN for each function of MOD.  */
static void
each_function (listing *l, const module *mod, function_fn fn)
{
  size_t num = sframe_coro_index_num_funcs (l->modules.index), chain;

  for (size_t i = 0; i < num; i++)
    {
      const sframe_coro_func *f
	  = sframe_coro_index_func_at (l->modules.index, i, &chain);
      if (f->start >= mod->start && f->start <= mod->end)
	fn (l, mod, f, chain);
    }
}

static void
print_module (listing *l, const module *mod)
{
  const char *state = state_text (mod);

  tool_put_printable (mod->path, stdout);
  printf ("%s:%s%s\n", mod->deleted ? " (deleted)" : "",
	  state != NULL ? " " : "", state != NULL ? state : "");
  for (size_t i = 0; i < sframe_coro_index_num_chains (l->modules.index); i++)
    {
      const sframe_coro_index_chain *c
	  = sframe_coro_index_chain_at (l->modules.index, i);
      char *name;

      if (c->module != mod)
	continue;
      name = chain_name (l, i);
      printf ("  chain %s%s\n", name,
	      c->chain.flags & SFRAME_CORO_CHAIN_PROCESS_SCOPE
		  ? ", of the whole process"
		  : "");
      free (name);
      for (unsigned h = 0; h < c->chain.num_heads; h++)
	print_head (l, i, h);
    }
  if (mod->num_functions != 0)
    printf ("  functions\n");
  each_function (l, mod, print_function);
}

/* JSON.  */

static json_object *
head_json (listing *l, size_t chain, unsigned i)
{
  const sframe_coro_chain *c
      = &sframe_coro_index_chain_at (l->modules.index, chain)->chain;
  head_facts f = find_head_facts (l, chain, i);
  json_object *o = json_object_new_object ();

  json_add_string (o, "kind", sframe_coro_head_kind_name (c->head[i].kind));
  if (f.where != NULL)
    {
      json_add_bool (o, "located", f.located);
      json_add_string (o, "where", f.where);
    }
  if (f.has_reach)
    {
      json_add_number (o, "threads", (int64_t) f.reach.num_threads);
      json_add_number (o, "found", (int64_t) f.reach.found);
      json_add_number (o, "no_block", (int64_t) f.reach.no_block);
      json_add_number (o, "failed", (int64_t) f.reach.failed);
      if (f.reach.failed != 0)
	json_add_string (o, "error", sframe_coro_errmsg (f.reach.error));
    }
  free (f.where);
  return o;
}

static void
add_chains_json (listing *l, const module *mod, json_object *o)
{
  json_object *chains = json_add_array (o, "chains");

  for (size_t i = 0; i < sframe_coro_index_num_chains (l->modules.index); i++)
    {
      const sframe_coro_index_chain *c
	  = sframe_coro_index_chain_at (l->modules.index, i);
      json_object *chain, *heads;
      char *name;

      if (c->module != mod)
	continue;
      name = chain_name (l, i);
      chain = json_object_new_object ();
      json_add_string (chain, "name", name);
      json_add_bool (chain, "process_scope",
		     c->chain.flags & SFRAME_CORO_CHAIN_PROCESS_SCOPE);
      heads = json_add_array (chain, "heads");
      for (unsigned h = 0; h < c->chain.num_heads; h++)
	json_object_array_add (heads, head_json (l, i, h));
      json_object_array_add (chains, chain);
      free (name);
    }
}

/* A function_fn: add to the array that is L->json for now.  */
static void
add_function_json (listing *l, const module *mod, const sframe_coro_func *f,
		   size_t chain)
{
  bool is_site = f->kind == SFRAME_CORO_FUNC_SITE;
  json_object *o = json_object_new_object ();
  function code = functions_find (l->functions, f->start - is_site);
  char *name = chain_name (l, chain), *shown;

  json_add_string (o, "kind", is_site ? "site" : "body");
  json_add_address (o, "address", f->start - mod->bias);
  json_add_string (o, "chain", chain != SIZE_MAX ? name : NULL);
  if (code.symbol != NULL)
    {
      shown = symbol_display (code.symbol);
      json_add_string (o, "function", shown);
      free (shown);
    }
  if (!is_site)
    json_add_number (o, "points", f->num);
  json_object_array_add (l->json, o);
  free (name);
}

static json_object *
module_json (listing *l, const module *mod)
{
  json_object *o = json_object_new_object (), *target = l->json;
  const char *state = state_text (mod);
  char *text = tool_hex (mod->build_id, mod->build_id_size);

  json_add_string (o, "path", mod->path);
  json_add_bool (o, "deleted", mod->deleted);
  json_add_bool (o, "good", state == NULL);
  json_add_string (o, "problem", state);
  if (l->process != NULL)
    json_add_address (o, "bias", mod->bias);
  json_add_string (o, "build_id", text[0] != 0 ? text : NULL);
  free (text);
  add_chains_json (l, mod, o);
  l->json = json_add_array (o, "functions");
  each_function (l, mod, add_function_json);
  l->json = target;
  return o;
}

/* Both.  */

static void
list_modules (listing *l)
{
  json_object *all = l->json != NULL ? json_add_array (l->json, "modules")
				     : NULL;

  l->functions = functions_new (&l->modules);
  for (size_t i = 0; i < l->modules.num; i++)
    if (all != NULL)
      json_object_array_add (all, module_json (l, &l->modules.list[i]));
    else
      print_module (l, &l->modules.list[i]);
  functions_free (l->functions);
}

static int
list_process (listing *l, pid_t pid)
{
  bool good;

  l->process = process_open (pid);
  if (l->process == NULL)
    return TOOL_FAILED;
  if (l->json != NULL)
    json_add_number (l->json, "pid", process_pid (l->process));
  else
    {
      tool_put_printable (process_name (l->process), stdout);
      putchar ('\n');
    }
  good = modules_read (&l->modules, l->process, NULL);
  /* For the thread pointers; heads are read while it runs on.  */
  if (good && process_stop (l->process))
    {
      process_release (l->process);
      process_forget (l->process);
      list_modules (l);
    }
  else
    good = false;
  process_release (l->process);
  return good ? TOOL_OK : TOOL_FAILED;
}

static int
list_file (listing *l, const char *path)
{
  if (l->json != NULL)
    json_add_string (l->json, "file", path);
  if (!modules_read_file (&l->modules, path))
    return TOOL_FAILED;
  list_modules (l);
  return TOOL_OK;
}

/* The number of a process that TARGET is; 0 if it is a file.  */
static pid_t
target_pid (const char *target)
{
  char *end;
  long n = strtol (target, &end, 10);

  return *end == 0 && n > 0 && n <= INT_MAX ? (pid_t) n : 0;
}

/* List TARGET; add it to TARGETS, unless that is NULL.  */
static int
list_target (const char *target, json_object *targets)
{
  pid_t pid = target_pid (target);
  listing l = { 0 };
  int status;

  if (targets != NULL)
    {
      l.json = json_object_new_object ();
      json_object_array_add (targets, l.json);
    }
  status = pid != 0 ? list_process (&l, pid) : list_file (&l, target);
  if (status == TOOL_OK && l.modules.incomplete)
    status = TOOL_INCOMPLETE;
  if (targets != NULL)
    json_add_bool (l.json, "readable", status != TOOL_FAILED);
  modules_free (&l.modules);
  process_free (l.process);
  return status;
}

int
list_main (int argc, char **argv)
{
  json_object *all = NULL, *targets = NULL;
  int worst = TOOL_OK;
  options o = { 0 };

  argp_parse (&list_argp, argc, argv, 0, NULL, &o);
  if (o.json)
    {
      all = json_object_new_object ();
      json_add_number (all, "version", 1);
      targets = json_add_array (all, "targets");
    }
  for (int i = 0; i < o.num; i++)
    {
      int status = list_target (o.targets[i], targets);
      worst = status > worst ? status : worst;
    }
  if (all != NULL)
    json_print (all);
  free (o.targets);
  return worst;
}
