/* sframe-coro-dir.c - read the .sframe_coro_* directives.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "as.h"
#include "subsegs.h"
#include "gen-sframe-coro.h"
#include <limits.h>

/* All directives: name, function, where it may be.  */
#define SFRAME_CORO_DIRECTIVES(X)		\
  X (chain, CTX_ANY)				\
  X (head, CTX_CHAIN)				\
  X (path, CTX_CHAIN)				\
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

/* The name of the directive being read.  */
static const char *dir_name;

/* A directive that should have been outside an open chain, site or body was
   reported; its own end is then no second mistake.  */
static unsigned int stray_ends[3];

/* A body was reported as unsupported, and what is in it is to be skipped.  */
static bool skip_body;

/* Small parsers.  Each reports what is wrong and returns false.  */

static bool
comma (void)
{
  SKIP_WHITESPACE ();
  if (*input_line_pointer != ',')
    return false;
  ++input_line_pointer;
  SKIP_WHITESPACE ();
  return true;
}

static bool
need_comma (const char *what)
{
  if (comma ())
    return true;
  as_bad (_("%s: expected `,' and %s"), dir_name, what);
  return false;
}

/* A name, as a copy that lasts.  */

static const char *
parse_name (const char *what)
{
  char *name, c;
  const char *copy;

  SKIP_WHITESPACE ();
  c = get_symbol_name (&name);
  copy = *name != '\0' ? notes_strdup (name) : NULL;
  restore_line_pointer (c);
  if (copy == NULL)
    as_bad (_("%s: expected %s"), dir_name, what);
  return copy;
}

/* One of the words in the NULL-terminated list WORDS: its index, or -1.  */

static int
parse_word (const char *const *words, const char *what)
{
  const char *name = parse_name (what);

  if (name == NULL)
    return -1;
  for (int i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], name) == 0)
      return i;
  as_bad (_("%s: unknown %s `%s'"), dir_name, what, name);
  return -1;
}

/* An expression; false if it was reported as none.  */

static bool
parse_expression (expressionS *exp, enum expr_mode mode, const char *what)
{
  int errors = had_errors ();

  SKIP_WHITESPACE ();
  expr (0, exp, mode);
  if (had_errors () != errors)
    return false;
  if (exp->X_op != O_absent && exp->X_op != O_illegal)
    return true;
  as_bad (_("%s: expected %s"), dir_name, what);
  return false;
}

/* A number that is known now, of up to 64 bits, signed or not.  */

static bool
parse_number (expressionS *exp, const char *what)
{
  if (!parse_expression (exp, expr_evaluate, what))
    return false;
  if (exp->X_op == O_constant)
    return true;
  if (exp->X_op == O_big)
    as_bad (_("%s: %s out of range"), dir_name, what);
  else
    as_bad (_("%s: %s is not an absolute expression"), dir_name, what);
  return false;
}

static bool
parse_number_in (offsetT *value, offsetT min, offsetT max, const char *what)
{
  expressionS exp;

  if (!parse_number (&exp, what))
    return false;
  *value = exp.X_add_number;
  if ((exp.X_unsigned && exp.X_add_number < 0) /* From 2**63 on.  */
      || *value < min || *value > max)
    {
      as_bad (_("%s: %s out of range"), dir_name, what);
      return false;
    }
  return true;
}

static bool
parse_int32 (int32_t *value, const char *what)
{
  offsetT wide = 0;
  bool ok = parse_number_in (&wide, INT32_MIN, INT32_MAX, what);

  *value = wide;
  return ok;
}

/* A number of WIDTH bytes, signed or not, cut to that width.  */

static bool
parse_sized (uint64_t *value, unsigned int width, const char *what)
{
  expressionS exp;

  if (!parse_number (&exp, what))
    return false;
  *value = exp.X_add_number;
  if (width < 8)
    {
      uint64_t mask = ((uint64_t) 1 << width * 8) - 1;
      bool negative = !exp.X_unsigned && exp.X_add_number < 0;

      if (negative ? ~*value > mask >> 1 : *value > mask)
	{
	  as_bad (_("%s: %s does not fit the width"), dir_name, what);
	  return false;
	}
      *value &= mask;
    }
  return true;
}

/* SYM [+ OFF].  */

static bool
parse_symbol (symbolS **sym, offsetT *off)
{
  expressionS exp;

  if (!parse_expression (&exp, expr_normal, _("a symbol")))
    return false;
  if (exp.X_op != O_symbol)
    {
      as_bad (_("%s: expected a symbol"), dir_name);
      return false;
    }
  *sym = exp.X_add_symbol;
  *off = exp.X_add_number;
  return true;
}

/* Refuse a directive that may be given once if *GIVEN, which is set.  */

static bool
only_once (bool *given)
{
  if (*given)
    {
      as_bad (_("%s given twice for one chain"), dir_name);
      return false;
    }
  *given = true;
  return true;
}

static void
place_here (struct sframe_coro_place *place)
{
  place->file = as_where (&place->line);
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

  if (!comma ())
    return true;
  if (*input_line_pointer == '"')
    {
      /* Reports what is wrong itself.  */
      chain->text = demand_copy_C_string (&len);
      if (chain->text == NULL)
	return false;
      if (!comma ())
	return true;
    }
  chain->comdat = parse_word (options, _("chain option")) >= 0;
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
	as_bad (_("%s inside the chain opened at %s:%u"), dir_name,
		records.open_chain->place.file,
		records.open_chain->place.line);
      records.open_chain->bad = true;
      stray_ends[0]++;
    }

  chain = notes_calloc (1, sizeof *chain);
  place_here (&chain->place);
  chain->bad = true;
  records.open_chain = chain;
  if (records.last_chain == NULL)
    records.last_chain = &records.chains;
  *records.last_chain = chain;
  records.last_chain = &chain->next;

  name = parse_name (_("the name of a chain"));
  if (name == NULL)
    return false;
  chain->text = name;
  chain->sym = symbol_find_or_make (name);
  if (S_IS_DEFINED (chain->sym) || symbol_equated_p (chain->sym))
    {
      as_bad (_("%s: symbol `%s' is already defined"), dir_name, name);
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

  if (!need_comma (_("a symbol"))
      || !parse_symbol (&head->sym, &head->sym_off))
    return false;
  if (head->kind != SFRAME_CORO_HEAD_PTHREAD_KEY || !comma ())
    return true;
  if (!parse_number (&exp, _("value of an invalid key")))
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
  int kind = parse_word (kinds, _("kind of head"));

  if (kind < 0)
    return false;
  kind += SFRAME_CORO_HEAD_TLS_STUB;
  if (kind == SFRAME_CORO_HEAD_FRAME)
    {
      as_bad (_("%s: `frame' heads are not supported yet"), dir_name);
      return false;
    }
  if (chain->num_heads == SFRAME_CORO_MAX_HEADS)
    {
      as_bad (_("%s: more than %d heads"), dir_name, SFRAME_CORO_MAX_HEADS);
      return false;
    }
  head = &chain->head[chain->num_heads++];
  head->kind = kind;
  place_here (&head->place);
  return parse_head_symbol (head);
}

/* Paths.  */

/* `adjust=' at the input, which is then skipped.  */

static bool
at_adjust (void)
{
  static const char word[] = "adjust";
  char *p = input_line_pointer;

  if (strncmp (p, word, sizeof word - 1) != 0)
    return false;
  p += sizeof word - 1;
  while (*p == ' ' || *p == '\t')
    p++;
  if (*p != '=')
    return false;
  input_line_pointer = p + 1;
  return true;
}

static bool
parse_path (struct sframe_coro_path *path)
{
  path->given = true;
  if (!need_comma (_("an offset")))
    return false;
  do
    {
      if (at_adjust ())
	{
	  path->has_adjust = true;
	  return parse_int32 (&path->adjust, _("adjustment"));
	}
      if (path->num_offs == SFRAME_CORO_MAX_PATH_OFFS)
	{
	  as_bad (_("%s: more than %d offsets"), dir_name,
		  SFRAME_CORO_MAX_PATH_OFFS);
	  return false;
	}
      if (!parse_int32 (&path->off[path->num_offs++], _("offset")))
	return false;
    }
  while (comma ());
  return true;
}

static bool
take_path (struct sframe_coro_chain *chain)
{
  /* In the order of enum sframe_coro_path_id, and the head's.  */
  static const char *const names[]
    = { "top", "next", "ip", "ip_alt", "aux", "root_next", "root_key",
	"blocked", "head", NULL };
  int id = parse_word (names, _("path"));
  struct sframe_coro_path *path;

  if (id < 0)
    return false;
  if (id < SFRAME_CORO_NUM_PATHS)
    path = &chain->path[id];
  else if (chain->num_heads > 0)
    path = &chain->head[chain->num_heads - 1].path;
  else
    {
      as_bad (_("%s: path `head' before the head it belongs to"), dir_name);
      return false;
    }
  if (path->given)
    {
      as_bad (_("%s: path `%s' given twice"), dir_name, names[id]);
      return false;
    }
  return parse_path (path);
}

/* The rest of a chain.  */

static bool
parse_language (struct sframe_coro_chain *chain)
{
  static const char *const languages[]
    = { "none", "python", "lua", "ruby", "php", NULL };
  offsetT number = 0;

  if (!comma ())
    return true;
  if (chain->ip_kind != SFRAME_CORO_IP_COOKIE)
    {
      as_bad (_("%s: only a cookie has a language"), dir_name);
      return false;
    }
  if (is_name_beginner (*input_line_pointer))
    number = parse_word (languages, _("language"));
  else if (!parse_number_in (&number, 0, UINT16_MAX, _("language")))
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
  kind = parse_word (kinds, _("kind of IP"));
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
  kind = parse_word (kinds, _("kind of end"));
  if (kind < 0)
    return false;
  chain->end_kind = kind;
  if (kind == SFRAME_CORO_END_ADDRESS)
    return (need_comma (_("a symbol"))
	    && parse_symbol (&chain->end_sym, &chain->end_sym_off));
  if (kind == SFRAME_CORO_END_VALUE)
    {
      if (!need_comma (_("a value")) || !parse_number (&exp, _("value")))
	return false;
      chain->end_value = exp.X_add_number;
    }
  return true;
}

static bool
parse_actions (struct sframe_coro_test *test)
{
  static const char *const actions[] = { "hide", "boundary", "stop", NULL };

  if (!need_comma (_("an action")))
    return false;
  do
    {
      int action = parse_word (actions, _("action"));

      if (action < 0)
	return false;
      if ((test->actions & 1u << action) != 0)
	{
	  as_bad (_("%s: action `%s' given twice"), dir_name,
		  actions[action]);
	  return false;
	}
      test->actions |= 1u << action;
    }
  while (comma ());
  return true;
}

static bool
parse_test_equal (struct sframe_coro_test *test)
{
  int32_t off2;

  test->kind = SFRAME_CORO_TEST_EQUAL;
  test->width = 8;
  test->mask = UINT64_MAX;
  if (!need_comma (_("an offset")) || !parse_int32 (&test->off, _("offset"))
      || !need_comma (_("an offset")) || !parse_int32 (&off2, _("offset")))
    return false;
  test->value = (int64_t) off2;
  return true;
}

static bool
parse_test_value (struct sframe_coro_test *test)
{
  offsetT width;

  test->kind = SFRAME_CORO_TEST_VALUE;
  if (!parse_number_in (&width, INT32_MIN, INT32_MAX, _("width")))
    return false;
  if (width != 1 && width != 2 && width != 4 && width != 8)
    {
      as_bad (_("%s: width is not 1, 2, 4 or 8"), dir_name);
      return false;
    }
  test->width = width;
  return (need_comma (_("an offset")) && parse_int32 (&test->off, _("offset"))
	  && need_comma (_("a mask"))
	  && parse_sized (&test->mask, width, _("mask"))
	  && need_comma (_("a value"))
	  && parse_sized (&test->value, width, _("value")));
}

static bool
take_test (struct sframe_coro_chain *chain)
{
  static const char *const kinds[] = { "equal", NULL };
  struct sframe_coro_test *test;

  if (chain->num_tests == SFRAME_CORO_MAX_TESTS)
    {
      as_bad (_("%s: more than %d tests"), dir_name, SFRAME_CORO_MAX_TESTS);
      return false;
    }
  test = &chain->test[chain->num_tests++];
  SKIP_WHITESPACE ();
  if (is_name_beginner (*input_line_pointer))
    return (parse_word (kinds, _("kind of test")) >= 0
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
  kind = parse_word (kinds, _("selection of roots"));
  if (kind < 0)
    return false;
  chain->roots = SFRAME_CORO_ROOTS_ALL + kind;
  if (!comma ())
    return true;
  chain->flags |= SFRAME_CORO_CHAIN_ROOT_FRAME;
  return parse_int32 (&chain->root_frame_off, _("offset"));
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
      int flag = parse_word (names, _("flag"));

      if (flag < 0)
	return false;
      if ((chain->flags & flags[flag]) != 0)
	{
	  as_bad (_("%s: flag `%s' given twice"), dir_name, names[flag]);
	  return false;
	}
      chain->flags |= flags[flag];
    }
  while (comma ());
  return true;
}

/* The alignment, in bytes, of the pointers to nodes; lower bits are tags.  */

static bool
take_ptr_align (struct sframe_coro_chain *chain)
{
  offsetT align;

  if (!only_once (&chain->has_align)
      || !parse_number_in (&align, 1, 4096, _("alignment")))
    return false;
  if ((align & (align - 1)) != 0)
    {
      as_bad (_("%s: alignment is not a power of two"), dir_name);
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
	     && parse_number_in (&depth, 1, UINT32_MAX, _("depth")));

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

/* Sites.  */

/* Records of text sections in a hash table, by section.  */

static hashval_t
hash_text (const void *entry)
{
  const struct sframe_coro_text *text = entry;

  return htab_hash_pointer (text->seg);
}

static int
eq_text (const void *entry, const void *seg)
{
  const struct sframe_coro_text *text = entry;

  return text->seg == seg;
}

/* The record of the text section we are in.  The first one gets the anchor:
   a relocation of no bytes that keeps the block alive as long as the code,
   and keeps linkers from folding functions with different blocks.  */

static struct sframe_coro_text *
text_here (void)
{
  struct sframe_coro_text *text;
  struct reloc_list *anchor;
  void **slot;

  if (records.text_of_seg == NULL)
    records.text_of_seg = htab_create (16, hash_text, eq_text, NULL);
  slot = htab_find_slot_with_hash (records.text_of_seg, now_seg,
				   htab_hash_pointer (now_seg), INSERT);
  if (*slot != NULL)
    return *slot;

  text = notes_calloc (1, sizeof *text);
  *slot = text;
  text->seg = now_seg;
  text->block = symbol_temp_make ();
  text->last = &text->sites;
  if (records.last_text == NULL)
    records.last_text = &records.texts;
  *records.last_text = text;
  records.last_text = &text->next;

  anchor = notes_calloc (1, sizeof *anchor);
  anchor->u.a.offset_sym = symbol_temp_new_now ();
  anchor->u.a.howto = bfd_reloc_type_lookup (stdoutput, BFD_RELOC_NONE);
  anchor->u.a.sym = text->block;
  anchor->file = as_where (&anchor->line);
  anchor->next = reloc_list;
  reloc_list = anchor;
  return text;
}

static bool
open_site (void)
{
  const char *name;
  struct sframe_coro_site *site;
  struct sframe_coro_text *text;

  if (records.open_site != NULL)
    {
      as_bad (_("%s inside the site opened at %s:%u"), dir_name,
	      records.open_site->place.file, records.open_site->place.line);
      stray_ends[1]++;
      return false;
    }
  site = notes_calloc (1, sizeof *site);
  place_here (&site->place);
  records.open_site = site;
  records.open_site_seg = now_seg;
  site->subseg = now_subseg;

  name = parse_name (_("the name of a chain"));
  if (name == NULL)
    return false;
  if (now_seg == absolute_section
      || (bfd_section_flags (now_seg) & SEC_CODE) == 0)
    {
      as_bad (_("%s outside of a code section"), dir_name);
      return false;
    }
#ifdef md_flush_pending_output
  md_flush_pending_output ();
#endif
  text = text_here ();
  site->chain = symbol_find_or_make (name);
  site->start = symbol_temp_new_now ();
  *text->last = site;
  text->last = &site->next;
  return true;
}

static bool
close_site (void)
{
  struct sframe_coro_site *site = records.open_site;

  records.open_site = NULL;
  if (site->start == NULL)	/* It was reported when it was opened.  */
    return true;
  if (now_seg != records.open_site_seg || now_subseg != site->subseg)
    {
      as_bad (_("%s in another section than the start of the site"),
	      dir_name);
      return false;
    }
#ifdef md_flush_pending_output
  md_flush_pending_output ();
#endif
  site->end = symbol_temp_new_now ();
  return true;
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
take_directive (int dir)
{
  switch (dir)
    {
    case DIR_chain:
      return open_chain ();
    case DIR_startsite:
      return open_site ();
    case DIR_endsite:
      return close_site ();
    case DIR_head_at:
    case DIR_startbody:
      as_bad (_("%s is not supported yet"), dir_name);
      skip_body |= dir == DIR_startbody;
      return false;
    default:
      return in_chain (dir);
    }
}

enum context { CTX_ANY, CTX_CHAIN, CTX_SITE, CTX_BODY };

/* Whether directive DIR may be here.  If not, *QUIET says that the reason was
   reported before.  */

static bool
context_ok (int dir, enum context ctx, bool *quiet)
{
  static const int ends[] = { DIR_endchain, DIR_endsite, DIR_endbody };

  *quiet = false;
  if (skip_body && (ctx == CTX_BODY || dir == DIR_path))
    {
      *quiet = true;
      skip_body = dir != DIR_endbody;
      return false;
    }
  if (ctx == CTX_ANY
      || (ctx == CTX_CHAIN && records.open_chain != NULL)
      || (ctx == CTX_SITE && records.open_site != NULL))
    return true;
  if (dir == ends[ctx - CTX_CHAIN] && stray_ends[ctx - CTX_CHAIN] > 0)
    {
      *quiet = true;
      stray_ends[ctx - CTX_CHAIN]--;
    }
  return false;
}

/* Say once that the target will not do.  */

static bool
target_ok (void)
{
  static bool reported;

  if (sframe_coro_target_abi () != 0)
    return true;
  if (!reported)
    as_bad (_("%s is not supported for this target"), dir_name);
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
  static const enum context contexts[] =
    {
#define DIRECTIVE_CTX(NAME, CTX) CTX,
      SFRAME_CORO_DIRECTIVES (DIRECTIVE_CTX)
    };
  static const char *const outside[]
    = { "", N_("a chain"), N_("a site"), N_("a body") };
  bool quiet;

  dir_name = names[dir];
  if (!target_ok ())
    ignore_rest_of_line ();
  else if (!context_ok (dir, contexts[dir], &quiet))
    {
      if (!quiet)
	as_bad (_("%s outside of %s"), dir_name, _(outside[contexts[dir]]));
      ignore_rest_of_line ();
    }
  else if (take_directive (dir))
    demand_empty_rest_of_line ();
  else
    {
      if (records.open_chain != NULL && contexts[dir] == CTX_CHAIN)
	records.open_chain->bad = true;
      ignore_rest_of_line ();
    }
}

#else /* ! SFRAME_CORO_ELF */

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
