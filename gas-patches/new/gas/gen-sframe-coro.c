/* gen-sframe-coro.c - write .sframe_coro at the end of assembly.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "as.h"
#include "subsegs.h"
#include "gen-sframe-coro.h"

#ifdef SFRAME_CORO_ELF

#define records sframe_coro_records

/* Checks that need the whole file.  */

/* Step from *SYM to the symbol that it is in the end, through `.set', and add
   to *OFF what that adds.  */

static void
follow_equates (symbolS **sym, offsetT *off)
{
  while (symbol_equated_p (*sym))
    {
      const expressionS *exp = symbol_get_value_expression (*sym);

      if (exp->X_op != O_symbol || exp->X_add_symbol == *sym)
	break;
      *off += exp->X_add_number;
      *sym = exp->X_add_symbol;
    }
}

/* Check that the variable of a TLS head is one, as far as that is known.  */

static void
check_tls_head (struct sframe_coro_head *head)
{
  const struct sframe_coro_place *place = &head->place;
  symbolS *sym = head->sym;
  offsetT off = head->sym_off;

  follow_equates (&sym, &off);
  if (S_IS_DEFINED (sym) || S_IS_COMMON (sym))
    {
      if ((S_GET_SEGMENT (sym)->flags & SEC_THREAD_LOCAL) == 0
	  && (symbol_get_bfdsym (sym)->flags & BSF_THREAD_LOCAL) == 0)
	as_bad_where (place->file, place->line,
		      _("`%s' is not a thread-local symbol"),
		      S_GET_NAME (sym));
    }
  else if (head->kind == SFRAME_CORO_HEAD_TLS_OFFSET)
    /* Linkers silently write nonsense for a symbol of another module.  */
    as_bad_where (place->file, place->line,
		  _("tls_offset of `%s', which is not defined in this file"),
		  S_GET_NAME (sym));
  else
    {
      head->sym = sym;
      head->sym_off = off;
    }
}

/* Fold what was added to the variable into the path: a TLS relocation with an
   addend is not what all linkers expect.  */

static void
fold_offset (struct sframe_coro_head *head)
{
  struct sframe_coro_path *path = &head->path;
  int32_t *field = path->num_offs > 0 ? &path->off[0] : &path->adjust;
  offsetT sum = *field + head->sym_off;

  if (head->sym_off < INT32_MIN || head->sym_off > INT32_MAX
      || sum < INT32_MIN || sum > INT32_MAX)
    {
      as_bad_where (head->place.file, head->place.line,
		    _("offset of the head out of range"));
      return;
    }
  if (sum != *field)
    path->has_adjust |= path->num_offs == 0;
  *field = sum;
  head->sym_off = 0;
}

/* Without a path the variable holds the address of the root; a thread's value
   of a key is that address.  */

static void
default_path (struct sframe_coro_head *head)
{
  if (head->path.given || head->kind == SFRAME_CORO_HEAD_PTHREAD_KEY)
    return;
  head->path.given = true;
  head->path.num_offs = 1;
}

static void
check_chain (struct sframe_coro_chain *chain)
{
  for (unsigned int i = 0; i < chain->num_heads; i++)
    {
      struct sframe_coro_head *head = &chain->head[i];

      default_path (head);
      if (head->kind == SFRAME_CORO_HEAD_TLS_STUB
	  || head->kind == SFRAME_CORO_HEAD_TLS_OFFSET)
	{
	  check_tls_head (head);
	  fold_offset (head);
	}
    }
  /* No reference may leave the module: that would need a dynamic
     relocation.  */
  if (S_IS_EXTERNAL (chain->sym)
      && ELF_ST_VISIBILITY (S_GET_OTHER (chain->sym)) == STV_DEFAULT)
    S_SET_OTHER (chain->sym, STV_HIDDEN);
}

/* What is wrong with SYM as the chain of a site, or NULL.  */

static const char *
site_fault (symbolS *sym)
{
  if (!S_IS_DEFINED (sym))
    return (ELF_ST_VISIBILITY (S_GET_OTHER (sym)) == STV_DEFAULT
	    ? _("site of unknown chain `%s'") : NULL);
  return (strcmp (segment_name (S_GET_SEGMENT (sym)),
		  SFRAME_CORO_SECTION_NAME) != 0
	  ? _("site of `%s', which is not a chain") : NULL);
}

/* Report a wrong chain at the first site that names it.  */

static void
check_sites (void)
{
  struct sframe_coro_text *text;
  struct sframe_coro_site *site;
  htab_t seen = NULL;

  for (text = records.texts; text != NULL; text = text->next)
    for (site = text->sites; site != NULL; site = site->next)
      {
	const char *fault = site_fault (site->chain);

	if (fault == NULL)
	  continue;
	if (seen == NULL)
	  seen = str_htab_create ();
	if (str_hash_insert (seen, S_GET_NAME (site->chain), site, 0) != NULL)
	  continue;
	as_bad_where (site->place.file, site->place.line, fault,
		      S_GET_NAME (site->chain));
      }
  if (seen != NULL)
    htab_delete (seen);
}

static void
check_closed (void)
{
  struct sframe_coro_chain *chain = records.open_chain;
  struct sframe_coro_site *site = records.open_site;

  if (chain != NULL && !chain->bad)
    as_bad_where (chain->place.file, chain->place.line,
		  _(".sframe_coro_chain without .sframe_coro_endchain"));
  if (chain != NULL)
    chain->bad = true;
  if (site != NULL && site->start != NULL)
    as_bad_where (site->place.file, site->place.line,
		  _(".sframe_coro_startsite without .sframe_coro_endsite"));
}

/* Output.  */

static void
put (uint64_t value, unsigned int size)
{
  md_number_to_chars (frag_more (size), value, size);
}

/* Put a field of a structure, in the width it has there.  */
#define PUT(TYPE, FIELD, VALUE) put (VALUE, sizeof (((TYPE *) 0)->FIELD))

/* The difference between SYM + OFF and BASE.  */

static void
put_difference (symbolS *sym, offsetT off, symbolS *base, unsigned int size)
{
  expressionS exp;

  memset (&exp, 0, sizeof exp);
  exp.X_op = O_subtract;
  exp.X_add_symbol = sym;
  exp.X_op_symbol = base;
  exp.X_add_number = off;
  emit_expr (&exp, size);
}

static void
put_pcrel (symbolS *sym, offsetT off)
{
  put_difference (sym, off, symbol_temp_new_now (), 8);
}

static void
put_padding (size_t size)
{
  if (size > 0)
    memset (frag_more (size), 0, size);
}

/* Begin a block; return the bytes that follow its strings.  */

static size_t
put_header (uint32_t num_chains, uint32_t num_funcs, uint32_t data_len,
	    uint32_t strings_len)
{
  size_t used = (sizeof (sframe_coro_header)
		 + num_chains * sizeof (sframe_coro_chain_entry)
		 + num_funcs * sizeof (sframe_coro_func_entry)
		 + data_len + strings_len);
  size_t padding = -used % SFRAME_CORO_ALIGN;

  PUT (sframe_coro_header, magic, SFRAME_CORO_MAGIC);
  PUT (sframe_coro_header, version, SFRAME_CORO_VERSION);
  PUT (sframe_coro_header, flags,
       num_funcs > 0 ? SFRAME_CORO_F_FUNCS_SORTED : 0);
  PUT (sframe_coro_header, abi_arch, sframe_coro_target_abi ());
  PUT (sframe_coro_header, header_size, sizeof (sframe_coro_header));
  PUT (sframe_coro_header, chain_size, sizeof (sframe_coro_chain_entry));
  PUT (sframe_coro_header, func_size, sizeof (sframe_coro_func_entry));
  PUT (sframe_coro_header, length, used + padding);
  PUT (sframe_coro_header, num_chains, num_chains);
  PUT (sframe_coro_header, num_funcs, num_funcs);
  PUT (sframe_coro_header, data_len, data_len);
  PUT (sframe_coro_header, strings_len, strings_len);
  PUT (sframe_coro_header, reserved, 0);
  return padding;
}

/* The data area holds the heads, the tests, the paths of the heads and the
   other paths, in that order.  */

static uint32_t
path_size (const struct sframe_coro_path *path)
{
  if (!path->given)
    return 0;
  return (sizeof (sframe_coro_path_entry)
	  + sizeof (int32_t) * (path->num_offs + path->has_adjust));
}

/* Put the data offset of PATH, and step *OFFSET over it.  */

static void
put_path_offset (const struct sframe_coro_path *path, uint32_t *offset)
{
  put (path->given ? *offset : SFRAME_CORO_NO_DATA, 4);
  *offset += path_size (path);
}

static void
put_path (const struct sframe_coro_path *path)
{
  if (!path->given)
    return;
  PUT (sframe_coro_path_entry, num_offs, path->num_offs);
  PUT (sframe_coro_path_entry, flags,
       path->has_adjust ? SFRAME_CORO_PATH_F_ADJUST : 0);
  PUT (sframe_coro_path_entry, reserved, 0);
  for (unsigned int i = 0; i < path->num_offs; i++)
    put (path->off[i], 4);
  if (path->has_adjust)
    put (path->adjust, 4);
}

static void
put_head (const struct sframe_coro_head *head, uint32_t *path_offset)
{
  PUT (sframe_coro_head_entry, kind, head->kind);
  PUT (sframe_coro_head_entry, flags,
       head->has_invalid ? SFRAME_CORO_HEAD_F_INVALID : 0);
  PUT (sframe_coro_head_entry, reserved, 0);
  put_path_offset (&head->path, path_offset);
  if (head->kind == SFRAME_CORO_HEAD_TLS_STUB)
    put_pcrel (head->stub, 0);
  else if (head->kind == SFRAME_CORO_HEAD_TLS_OFFSET)
    sframe_coro_target_tls_offset (head->sym);
  else
    put_pcrel (head->sym, head->sym_off);
  PUT (sframe_coro_head_entry, invalid, head->invalid);
}

static void
put_test (const struct sframe_coro_test *test)
{
  PUT (sframe_coro_test_entry, kind, test->kind);
  PUT (sframe_coro_test_entry, width, test->width);
  PUT (sframe_coro_test_entry, actions, test->actions);
  PUT (sframe_coro_test_entry, reserved, 0);
  PUT (sframe_coro_test_entry, off, test->off);
  PUT (sframe_coro_test_entry, mask, test->mask);
  PUT (sframe_coro_test_entry, value, test->value);
}

static void
put_chain_entry (const struct sframe_coro_chain *chain, uint32_t tests_offset,
		 uint32_t path_offset)
{
  PUT (sframe_coro_chain_entry, name, 0);
  PUT (sframe_coro_chain_entry, flags, chain->flags);
  PUT (sframe_coro_chain_entry, num_heads, chain->num_heads);
  PUT (sframe_coro_chain_entry, num_tests, chain->num_tests);
  PUT (sframe_coro_chain_entry, ip_kind, chain->ip_kind);
  PUT (sframe_coro_chain_entry, end_kind, chain->end_kind);
  PUT (sframe_coro_chain_entry, roots, chain->roots);
  PUT (sframe_coro_chain_entry, ptr_align_log2, chain->ptr_align_log2);
  PUT (sframe_coro_chain_entry, language, chain->language);
  PUT (sframe_coro_chain_entry, max_depth, chain->max_depth);
  PUT (sframe_coro_chain_entry, root_frame_off, chain->root_frame_off);
  if (chain->end_sym != NULL)
    put_pcrel (chain->end_sym, chain->end_sym_off);
  else
    PUT (sframe_coro_chain_entry, end_value, chain->end_value);
  PUT (sframe_coro_chain_entry, heads, 0);
  PUT (sframe_coro_chain_entry, tests,
       chain->num_tests > 0 ? tests_offset : SFRAME_CORO_NO_DATA);
  for (unsigned int i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    put_path_offset (&chain->path[i], &path_offset);
  PUT (sframe_coro_chain_entry, reserved, 0);
}

static void
put_chain (const struct sframe_coro_chain *chain)
{
  uint32_t tests = chain->num_heads * sizeof (sframe_coro_head_entry);
  uint32_t head_paths
    = tests + chain->num_tests * sizeof (sframe_coro_test_entry);
  uint32_t paths = head_paths;
  uint32_t data_len;
  size_t name_len = strlen (chain->text) + 1, padding;
  unsigned int i;

  for (i = 0; i < chain->num_heads; i++)
    paths += path_size (&chain->head[i].path);
  data_len = paths;
  for (i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    data_len += path_size (&chain->path[i]);

  padding = put_header (1, 0, data_len, name_len);
  put_chain_entry (chain, tests, paths);
  for (i = 0; i < chain->num_heads; i++)
    put_head (&chain->head[i], &head_paths);
  for (i = 0; i < chain->num_tests; i++)
    put_test (&chain->test[i]);
  for (i = 0; i < chain->num_heads; i++)
    put_path (&chain->head[i].path);
  for (i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    put_path (&chain->path[i]);
  memcpy (frag_more (name_len), chain->text, name_len);
  put_padding (padding);
}

/* Write the access sequences of the chain's TLS heads, next to those of other
   chains unless the chain is in a group.  */

static void
put_stubs (struct sframe_coro_chain *chain)
{
  static segT common;
  segT seg = chain->comdat ? NULL : common;

  for (unsigned int i = 0; i < chain->num_heads; i++)
    {
      struct sframe_coro_head *head = &chain->head[i];

      if (head->kind != SFRAME_CORO_HEAD_TLS_STUB)
	continue;
      if (seg == NULL)
	seg = sframe_coro_make_section (SFRAME_CORO_STUB_SECTION_NAME,
					SEC_CODE, SHF_EXECINSTR,
					chain->comdat
					? S_GET_NAME (chain->sym) : NULL,
					chain->comdat);
      subseg_set (seg, 0);
      head->stub = symbol_temp_new_now ();
      sframe_coro_target_stub (head->sym);
    }
  if (!chain->comdat)
    common = seg;
}

static void
put_site (const struct sframe_coro_site *site)
{
  put_pcrel (site->start, 0);
  put_pcrel (site->chain, 0);
  put_difference (site->end, 0, site->start, 4);
  PUT (sframe_coro_func_entry, data, SFRAME_CORO_NO_DATA);
  PUT (sframe_coro_func_entry, num, 0);
  PUT (sframe_coro_func_entry, kind, SFRAME_CORO_FUNC_SITE);
  PUT (sframe_coro_func_entry, flags, 0);
  PUT (sframe_coro_func_entry, reserved, 0);
}

/* Sort sites by address: subsections are laid out by number.  Return how many
   there are.  */

static unsigned int
sort_sites (struct sframe_coro_text *text)
{
  struct sframe_coro_site *sorted = NULL, **pos = &sorted, *site, *next;
  subsegT last = 0;
  unsigned int count = 0;

  for (site = text->sites; site != NULL; site = next)
    {
      next = site->next;
      if (site->subseg < last)
	pos = &sorted;
      while (*pos != NULL && (*pos)->subseg <= site->subseg)
	pos = &(*pos)->next;
      last = site->subseg;
      site->next = *pos;
      *pos = site;
      pos = &site->next;
      count++;
    }
  text->sites = sorted;
  return count;
}

/* Write the block of a text section, in the group of that section, if it has
   one: the linker must discard both or none.  */

static void
put_text (struct sframe_coro_text *text)
{
  bool comdat = (bfd_section_flags (text->seg) & SEC_LINK_ONCE) != 0;
  unsigned int num_sites = sort_sites (text);
  segT seg = sframe_coro_make_section (SFRAME_CORO_SECTION_NAME, 0, 0,
				       elf_group_name (text->seg), comdat);

  subseg_set (seg, 0);
  record_alignment (seg, 3);
  symbol_set_value_now (text->block);
  put_header (0, num_sites, 0, 0);
  for (struct sframe_coro_site *site = text->sites; site != NULL;
       site = site->next)
    put_site (site);
}

void
sframe_coro_finish (void)
{
  struct sframe_coro_chain *chain;
  struct sframe_coro_text *text;

  if (records.chains == NULL && records.texts == NULL
      && records.open_site == NULL)
    return;

  check_closed ();
  for (chain = records.chains; chain != NULL; chain = chain->next)
    if (!chain->bad)
      check_chain (chain);
  check_sites ();

  if (had_errors ())
    {
      /* There will be no output; just leave nothing undefined.  */
      for (text = records.texts; text != NULL; text = text->next)
	symbol_set_value_now (text->block);
      return;
    }
  for (chain = records.chains; chain != NULL; chain = chain->next)
    {
      put_stubs (chain);
      subseg_set (chain->seg, 0);
      put_chain (chain);
    }
  for (text = records.texts; text != NULL; text = text->next)
    put_text (text);
  if (records.text_of_seg != NULL)
    htab_delete (records.text_of_seg);
}

#else /* ! SFRAME_CORO_ELF */

void
sframe_coro_finish (void)
{
}

#endif
