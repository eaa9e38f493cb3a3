/* sframe-coro-dir.c - read the .sframe_coro_* directives.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "as.h"
#include "subsegs.h"
#include "gen-sframe-coro.h"
#include "sframe-coro-parse.h"
#include <limits.h>

/* All directives: name, function, where it may be.  */
#define SFRAME_CORO_DIRECTIVES(X)		\
  X (chain, CTX_ANY)				\
  X (head, CTX_CHAIN)				\
  X (path, CTX_CHAIN | CTX_BODY)		\
  X (ip, CTX_CHAIN)				\
  X (end, CTX_CHAIN)				\
  X (test, CTX_CHAIN)				\
  X (roots, CTX_CHAIN)				\
  X (flags, CTX_CHAIN)				\
  X (ptr_align, CTX_CHAIN)			\
  X (depth, CTX_CHAIN)				\
  X (endchain, CTX_CHAIN)			\
  X (startsite, CTX_ANY)			\
  X (head_at, CTX_SITE)				\
  X (endsite, CTX_SITE)				\
  X (startbody, CTX_ANY)			\
  X (index, CTX_BODY)				\
  X (point, CTX_BODY)				\
  X (endbody, CTX_BODY)

enum
{
#define DIRECTIVE_ENUM(NAME, CTX) DIR_##NAME,
  SFRAME_CORO_DIRECTIVES (DIRECTIVE_ENUM)
  NUM_DIRS
};

static void s_sframe_coro (int);

const pseudo_typeS sframe_coro_pseudo_table[] =
{
#define DIRECTIVE_POP(NAME, CTX) \
  { "sframe_coro_" #NAME, s_sframe_coro, DIR_##NAME },
  SFRAME_CORO_DIRECTIVES (DIRECTIVE_POP)
  { NULL, NULL, 0 }
};

#ifdef SFRAME_CORO_ELF

struct sframe_coro_records sframe_coro_records;
#define records sframe_coro_records

void
sframe_coro_begin (void)
{
  local_symbol_make (".sframe_coro_version.", absolute_section,
		     &predefined_address_frag, SFRAME_CORO_VERSION);
}

/* Where a directive may be; these are bits.  */
enum context
{
  CTX_ANY = 0,
  CTX_CHAIN = 1,
  CTX_SITE = 2,
  CTX_BODY = 4
};

/* An opening directive inside an open chain, site or body was reported; its
   own end is then no second mistake.  */
static unsigned int stray_chains;
static unsigned int stray_funcs[SFRAME_CORO_FUNC_BODY + 1];

/* Refuse a directive that may be given once if *GIVEN, which is set.  */

static bool
only_once (bool *given)
{
  if (*given)
    {
      as_bad (_("%s given twice for one chain"), coro_dir);
      return false;
    }
  *given = true;
  return true;
}

/* Chains.  */

/* Each section gets an identity of its own, as from `unique' with a number
   nobody writes, so that no `.section' ever continues it.  */

segT
sframe_coro_make_section (const char *name, flagword flags, bfd_vma attr,
			  const char *group, bool comdat)
{
  static unsigned int last_id = UINT_MAX;
  segT old_seg = now_seg;
  subsegT old_subseg = now_subseg;
  segT seg = subseg_force_new (name, 0);

  if (comdat)
    flags |= SEC_LINK_ONCE | SEC_LINK_DUPLICATES_DISCARD;
  if ((attr & SHF_GNU_RETAIN) != 0)
    elf_tdata (stdoutput)->has_gnu_osabi |= elf_gnu_osabi_retain;
  seg->section_id = --last_id;
  bfd_set_section_flags (seg, flags | SEC_RELOC | SEC_ALLOC | SEC_LOAD
			      | SEC_READONLY | SEC_ASSEMBLER_SECTION_ID);
  elf_section_type (seg) = SHT_PROGBITS;
  elf_section_flags (seg) = attr | SHF_ALLOC;
  if (group != NULL)
    elf_set_group_name (seg, group);
  symbol_table_insert (section_symbol (seg));
  subseg_set (old_seg, old_subseg);
  return seg;
}

/* Give the chain its section and its symbol their place.  The symbol must be
   defined from here on, for `.ifndef NAME'; the block is written later.  */

static void
define_chain (struct sframe_coro_chain *chain)
{
  const char *name = S_GET_NAME (chain->sym);

  chain->seg = sframe_coro_make_section (SFRAME_CORO_SECTION_NAME, 0,
					 SHF_GNU_RETAIN,
					 chain->comdat ? name : NULL,
					 chain->comdat);
  record_alignment (chain->seg, 3);
  S_SET_SEGMENT (chain->sym, chain->seg);
  symbol_set_frag (chain->sym, seg_info (chain->seg)->frchainP->frch_root);
  S_SET_VALUE (chain->sym, sizeof (sframe_coro_header));
  S_SET_SIZE (chain->sym, sizeof (sframe_coro_chain_entry));
  symbol_get_bfdsym (chain->sym)->flags |= BSF_OBJECT;
  if (chain->comdat)
    {
      S_SET_WEAK (chain->sym);
      S_SET_OTHER (chain->sym, STV_HIDDEN);
    }
}

static bool
parse_chain_options (struct sframe_coro_chain *chain)
{
  static const char *const options[] = { "comdat", NULL };
  int len;

  if (!coro_comma ())
    return true;
  if (*input_line_pointer == '"')
    {
      /* Reports what is wrong itself.  */
      chain->text = demand_copy_C_string (&len);
      if (chain->text == NULL)
	return false;
      if (!coro_comma ())
	return true;
    }
  chain->comdat = coro_word (options, _("chain option")) >= 0;
  return chain->comdat;
}

static bool
open_chain (void)
{
  const char *name;
  struct sframe_coro_chain *chain;

  if (records.open_chain != NULL)
    {
      if (!records.open_chain->bad)
	as_bad (_("%s inside the chain opened at %s:%u"), coro_dir,
		records.open_chain->place.file,
		records.open_chain->place.line);
      records.open_chain->bad = true;
      stray_chains++;
    }

  chain = notes_calloc (1, sizeof *chain);
  coro_place (&chain->place);
  chain->bad = true;
  records.open_chain = chain;
  if (records.last_chain == NULL)
    records.last_chain = &records.chains;
  *records.last_chain = chain;
  records.last_chain = &chain->next;

  name = coro_name (_("the name of a chain"));
  if (name == NULL)
    return false;
  chain->text = name;
  chain->sym = symbol_find_or_make (name);
  if (S_IS_DEFINED (chain->sym) || symbol_equated_p (chain->sym))
    {
      as_bad (_("%s: symbol `%s' is already defined"), coro_dir, name);
      return false;
    }
  chain->bad = !parse_chain_options (chain);
  define_chain (chain);
  return !chain->bad;
}

/* Heads.  */

static bool
parse_head_symbol (struct sframe_coro_head *head)
{
  expressionS exp;

  if (!coro_need_comma (_("a symbol"))
      || !coro_symbol (&head->sym, &head->sym_off))
    return false;
  if (head->kind != SFRAME_CORO_HEAD_PTHREAD_KEY || !coro_comma ())
    return true;
  if (!coro_number (&exp, _("value of an invalid key")))
    return false;
  head->has_invalid = true;
  head->invalid = exp.X_add_number;
  return true;
}

static bool
take_head (struct sframe_coro_chain *chain)
{
  static const char *const kinds[]
    = { "tls", "tls_offset", "tp_slot", "global", "pthread_key", "frame",
	NULL };
  struct sframe_coro_head *head;
  int kind = coro_word (kinds, _("kind of head"));

  if (kind < 0)
    return false;
  kind += SFRAME_CORO_HEAD_TLS_STUB;
  if (kind == SFRAME_CORO_HEAD_TLS_OFFSET
      && !sframe_coro_target.has_tls_offset)
    {
      /* No linker there takes the relocation it needs.  */
      as_bad (_("%s: `tls_offset' is not possible on this target"), coro_dir);
      return false;
    }
  if (chain->num_heads == SFRAME_CORO_MAX_HEADS)
    {
      as_bad (_("%s: more than %d heads"), coro_dir, SFRAME_CORO_MAX_HEADS);
      return false;
    }
  head = &chain->head[chain->num_heads++];
  head->kind = kind;
  coro_place (&head->place);
  return kind == SFRAME_CORO_HEAD_FRAME || parse_head_symbol (head);
}

/* Paths.  */

static bool
take_path (struct sframe_coro_chain *chain)
{
  /* In the order of enum sframe_coro_path_id, and the head's.  */
  static const char *const names[]
    = { "top", "next", "ip", "ip_alt", "aux", "root_next", "root_key",
	"blocked", "head", NULL };
  int id = coro_word (names, _("path"));
  struct sframe_coro_path *path;

  if (id < 0)
    return false;
  if (id < SFRAME_CORO_NUM_PATHS)
    path = &chain->path[id];
  else if (chain->num_heads > 0)
    path = &chain->head[chain->num_heads - 1].path;
  else
    {
      as_bad (_("%s: path `head' before the head it belongs to"), coro_dir);
      return false;
    }
  if (path->given)
    {
      as_bad (_("%s: path `%s' given twice"), coro_dir, names[id]);
      return false;
    }
  return coro_path (path);
}

/* The rest of a chain.  */

static bool
parse_language (struct sframe_coro_chain *chain)
{
  static const char *const languages[]
    = { "none", "python", "lua", "ruby", "php", NULL };
  offsetT number = 0;

  if (!coro_comma ())
    return true;
  if (chain->ip_kind != SFRAME_CORO_IP_COOKIE)
    {
      as_bad (_("%s: only a cookie has a language"), coro_dir);
      return false;
    }
  if (is_name_beginner (*input_line_pointer))
    number = coro_word (languages, _("language"));
  else if (!coro_number_in (&number, 0, UINT16_MAX, _("language")))
    return false;
  chain->language = number;
  return number >= 0;
}

static bool
take_ip (struct sframe_coro_chain *chain)
{
  static const char *const kinds[]
    = { "entry", "return", "pc", "cookie", NULL };
  int kind;

  if (!only_once (&chain->has_ip))
    return false;
  kind = coro_word (kinds, _("kind of IP"));
  if (kind < 0)
    return false;
  chain->ip_kind = SFRAME_CORO_IP_FUNCTION_ENTRY + kind;
  return parse_language (chain);
}

static bool
take_end (struct sframe_coro_chain *chain)
{
  static const char *const kinds[]
    = { "null", "self", "value", "address", NULL };
  expressionS exp;
  int kind;

  if (!only_once (&chain->has_end))
    return false;
  kind = coro_word (kinds, _("kind of end"));
  if (kind < 0)
    return false;
  chain->end_kind = kind;
  if (kind == SFRAME_CORO_END_ADDRESS)
    return (coro_need_comma (_("a symbol"))
	    && coro_symbol (&chain->end_sym, &chain->end_sym_off));
  if (kind == SFRAME_CORO_END_VALUE)
    {
      if (!coro_need_comma (_("a value")) || !coro_number (&exp, _("value")))
	return false;
      chain->end_value = exp.X_add_number;
    }
  return true;
}

static bool
parse_actions (struct sframe_coro_test *test)
{
  static const char *const actions[] = { "hide", "boundary", "stop", NULL };

  if (!coro_need_comma (_("an action")))
    return false;
  do
    {
      int action = coro_word (actions, _("action"));

      if (action < 0)
	return false;
      if ((test->actions & 1u << action) != 0)
	{
	  as_bad (_("%s: action `%s' given twice"), coro_dir,
		  actions[action]);
	  return false;
	}
      test->actions |= 1u << action;
    }
  while (coro_comma ());
  return true;
}

static bool
parse_test_equal (struct sframe_coro_test *test)
{
  int32_t off2;

  test->kind = SFRAME_CORO_TEST_EQUAL;
  test->width = 8;
  test->mask = UINT64_MAX;
  if (!coro_need_comma (_("an offset"))
      || !coro_int32 (&test->off, _("offset"))
      || !coro_need_comma (_("an offset"))
      || !coro_int32 (&off2, _("offset")))
    return false;
  test->value = (int64_t) off2;
  return true;
}

static bool
parse_test_value (struct sframe_coro_test *test)
{
  offsetT width;

  test->kind = SFRAME_CORO_TEST_VALUE;
  if (!coro_number_in (&width, INT32_MIN, INT32_MAX, _("width")))
    return false;
  if (width != 1 && width != 2 && width != 4 && width != 8)
    {
      as_bad (_("%s: width is not 1, 2, 4 or 8"), coro_dir);
      return false;
    }
  test->width = width;
  return (coro_need_comma (_("an offset"))
	  && coro_int32 (&test->off, _("offset"))
	  && coro_need_comma (_("a mask"))
	  && coro_sized (&test->mask, width, _("mask"))
	  && coro_need_comma (_("a value"))
	  && coro_sized (&test->value, width, _("value")));
}

static bool
take_test (struct sframe_coro_chain *chain)
{
  static const char *const kinds[] = { "equal", NULL };
  struct sframe_coro_test *test;

  if (chain->num_tests == SFRAME_CORO_MAX_TESTS)
    {
      as_bad (_("%s: more than %d tests"), coro_dir, SFRAME_CORO_MAX_TESTS);
      return false;
    }
  test = &chain->test[chain->num_tests++];
  SKIP_WHITESPACE ();
  if (is_name_beginner (*input_line_pointer))
    return (coro_word (kinds, _("kind of test")) >= 0
	    && parse_test_equal (test) && parse_actions (test));
  return parse_test_value (test) && parse_actions (test);
}

static bool
take_roots (struct sframe_coro_chain *chain)
{
  static const char *const kinds[] = { "all", "tid", "tp", NULL };
  int kind;

  if (!only_once (&chain->has_roots))
    return false;
  kind = coro_word (kinds, _("selection of roots"));
  if (kind < 0)
    return false;
  chain->roots = SFRAME_CORO_ROOTS_ALL + kind;
  if (!coro_comma ())
    return true;
  chain->flags |= SFRAME_CORO_CHAIN_ROOT_FRAME;
  return coro_int32 (&chain->root_frame_off, _("offset"));
}

static bool
take_flags (struct sframe_coro_chain *chain)
{
  static const char *const names[]
    = { "running_head", "process_scope", "ptrauth", NULL };
  static const uint32_t flags[]
    = { SFRAME_CORO_CHAIN_HEAD_IS_RUNNING, SFRAME_CORO_CHAIN_PROCESS_SCOPE,
	SFRAME_CORO_CHAIN_IP_PTRAUTH };

  do
    {
      int flag = coro_word (names, _("flag"));

      if (flag < 0)
	return false;
      if ((chain->flags & flags[flag]) != 0)
	{
	  as_bad (_("%s: flag `%s' given twice"), coro_dir, names[flag]);
	  return false;
	}
      chain->flags |= flags[flag];
    }
  while (coro_comma ());
  return true;
}

/* The alignment, in bytes, of the pointers to nodes; lower bits are tags.  */

static bool
take_ptr_align (struct sframe_coro_chain *chain)
{
  offsetT align;

  if (!only_once (&chain->has_align)
      || !coro_number_in (&align, 1, 4096, _("alignment")))
    return false;
  if ((align & (align - 1)) != 0)
    {
      as_bad (_("%s: alignment is not a power of two"), coro_dir);
      return false;
    }
  while (align >> chain->ptr_align_log2 > 1)
    chain->ptr_align_log2++;
  return true;
}

static bool
take_depth (struct sframe_coro_chain *chain)
{
  offsetT depth = 0;
  bool ok = (only_once (&chain->has_depth)
	     && coro_number_in (&depth, 1, UINT32_MAX, _("depth")));

  chain->max_depth = depth;
  return ok;
}

/* What is wrong with the chain as a whole, or NULL.  */

static const char *
chain_fault (const struct sframe_coro_chain *chain)
{
  const struct sframe_coro_path *path = chain->path;
  bool ip = path[SFRAME_CORO_PATH_IP].given;

  if (chain->num_heads == 0)
    return _("no head");
  if (!path[SFRAME_CORO_PATH_NEXT].given)
    return _("no path `next'");
  if (chain->has_ip && !ip)
    return _(".sframe_coro_ip, but no path `ip'");
  if (!chain->has_ip && ip)
    return _("path `ip', but no .sframe_coro_ip");
  if (path[SFRAME_CORO_PATH_IP_ALT].given && !ip)
    return _("path `ip_alt', but no path `ip'");
  if (path[SFRAME_CORO_PATH_AUX].given
      && chain->ip_kind != SFRAME_CORO_IP_COOKIE)
    return _("path `aux', but the IPs are no cookies");
  if (chain->roots == SFRAME_CORO_ROOTS_NONE
      && (path[SFRAME_CORO_PATH_ROOT_NEXT].given
	  || path[SFRAME_CORO_PATH_ROOT_KEY].given))
    return _("path from root to root, but no .sframe_coro_roots");
  if (chain->roots > SFRAME_CORO_ROOTS_ALL
      && !path[SFRAME_CORO_PATH_ROOT_KEY].given)
    return _("roots are selected, but there is no path `root_key'");
  return NULL;
}

static bool
close_chain (struct sframe_coro_chain *chain)
{
  const char *fault = chain->bad ? NULL : chain_fault (chain);

  records.open_chain = NULL;
  if (fault == NULL)
    return true;
  as_bad (_("chain `%s': %s"), S_GET_NAME (chain->sym), fault);
  chain->bad = true;
  return false;
}

/* Dispatch.  */

static bool
in_chain (int dir)
{
  struct sframe_coro_chain *chain = records.open_chain;

  switch (dir)
    {
    case DIR_head: return take_head (chain);
    case DIR_path: return take_path (chain);
    case DIR_ip: return take_ip (chain);
    case DIR_end: return take_end (chain);
    case DIR_test: return take_test (chain);
    case DIR_roots: return take_roots (chain);
    case DIR_flags: return take_flags (chain);
    case DIR_ptr_align: return take_ptr_align (chain);
    case DIR_depth: return take_depth (chain);
    case DIR_endchain: return close_chain (chain);
    default: abort ();
    }
}

static bool
in_func (int dir, struct sframe_coro_func *func)
{
  switch (dir)
    {
    case DIR_head_at: return coro_take_head_at (func);
    case DIR_path: return coro_take_body_path (func);
    case DIR_index: return coro_take_index (func);
    case DIR_point: return coro_take_point (func);
    default: return coro_close_func (func->kind);
    }
}

static bool
open_func (unsigned int kind)
{
  const struct sframe_coro_func *open = records.open_func[kind];

  if (open == NULL)
    return coro_open_func (kind);
  as_bad (_("%s inside the %s opened at %s:%u"), coro_dir,
	  sframe_coro_func_names[kind], open->place.file, open->place.line);
  stray_funcs[kind]++;
  return false;
}

/* The record that a directive in CTX belongs to, as the innermost of these
   contexts: a chain, else a site or a body.  What is wrong with a directive
   makes that record bad.  */

static bool
take_directive (int dir, enum context ctx)
{
  struct sframe_coro_chain *chain = records.open_chain;
  struct sframe_coro_func *func
    = records.open_func[(ctx & CTX_SITE) != 0 ? SFRAME_CORO_FUNC_SITE
			: SFRAME_CORO_FUNC_BODY];
  bool ok;

  switch (dir)
    {
    case DIR_chain: return open_chain ();
    case DIR_startsite: return open_func (SFRAME_CORO_FUNC_SITE);
    case DIR_startbody: return open_func (SFRAME_CORO_FUNC_BODY);
    }
  if ((ctx & CTX_CHAIN) != 0 && chain != NULL)
    {
      ok = in_chain (dir);
      chain->bad |= !ok;
    }
  else
    {
      ok = in_func (dir, func);
      func->bad |= !ok;
    }
  return ok;
}

/* Whether a directive that belongs in CTX may be here.  */

static bool
context_ok (enum context ctx)
{
  return (ctx == CTX_ANY
	  || ((ctx & CTX_CHAIN) != 0 && records.open_chain != NULL)
	  || ((ctx & CTX_SITE) != 0
	      && records.open_func[SFRAME_CORO_FUNC_SITE] != NULL)
	  || ((ctx & CTX_BODY) != 0
	      && records.open_func[SFRAME_CORO_FUNC_BODY] != NULL));
}

/* Whether DIR ends what was reported when it was opened.  */

static bool
is_stray_end (int dir)
{
  unsigned int *strays;

  switch (dir)
    {
    case DIR_endchain: strays = &stray_chains; break;
    case DIR_endsite: strays = &stray_funcs[SFRAME_CORO_FUNC_SITE]; break;
    case DIR_endbody: strays = &stray_funcs[SFRAME_CORO_FUNC_BODY]; break;
    default: return false;
    }
  if (*strays == 0)
    return false;
  --*strays;
  return true;
}

/* Say once that the target will not do.  */

static bool
target_ok (void)
{
  static bool reported;

  if (sframe_coro_target_abi () != 0)
    return true;
  if (!reported)
    as_bad (_("%s is not supported for this target"), coro_dir);
  reported = true;
  return false;
}

static void
s_sframe_coro (int dir)
{
  static const char *const names[] =
    {
#define DIRECTIVE_NAME(NAME, CTX) ".sframe_coro_" #NAME,
      SFRAME_CORO_DIRECTIVES (DIRECTIVE_NAME)
    };
  static const unsigned char contexts[] =
    {
#define DIRECTIVE_CTX(NAME, CTX) CTX,
      SFRAME_CORO_DIRECTIVES (DIRECTIVE_CTX)
    };
  static const char *const outside[] =
    {
      [CTX_CHAIN] = N_("a chain"),
      [CTX_SITE] = N_("a site"),
      [CTX_BODY] = N_("a body"),
      [CTX_CHAIN | CTX_BODY] = N_("a chain or a body")
    };
  enum context ctx = contexts[dir];

  coro_dir = names[dir];
  if (!target_ok ())
    ignore_rest_of_line ();
  else if (!context_ok (ctx))
    {
      if (!is_stray_end (dir))
	as_bad (_("%s outside of %s"), coro_dir, _(outside[ctx]));
      ignore_rest_of_line ();
    }
  else if (take_directive (dir, ctx))
    demand_empty_rest_of_line ();
  else
    ignore_rest_of_line ();
}

#else /* ! SFRAME_CORO_ELF */

void
sframe_coro_begin (void)
{
}

static void
s_sframe_coro (int dir)
{
  static bool reported;

  if (!reported)
    as_bad (_(".%s is not supported for this target"),
	    sframe_coro_pseudo_table[dir].poc_name);
  reported = true;
  ignore_rest_of_line ();
}

#endif
