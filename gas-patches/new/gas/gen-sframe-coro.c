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
   of a key is that address, and so is what the rows of a site give.  */

static void
default_path (struct sframe_coro_head *head)
{
  if (head->path.given || head->kind == SFRAME_CORO_HEAD_PTHREAD_KEY
      || head->kind == SFRAME_CORO_HEAD_FRAME)
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

/* What is wrong with the chain of FUNC, or NULL.  */

static const char *
chain_ref_fault (const struct sframe_coro_func *func)
{
  symbolS *sym = func->chain;

  if (!S_IS_DEFINED (sym))
    return (ELF_ST_VISIBILITY (S_GET_OTHER (sym)) == STV_DEFAULT
	    ? _("%s of unknown chain `%s'") : NULL);
  /* Another name for a chain has to be at the very same place.  */
  for (struct sframe_coro_chain *chain = records.chains; chain != NULL;
       chain = chain->next)
    if (chain->sym != NULL
	&& S_GET_SEGMENT (chain->sym) == S_GET_SEGMENT (sym))
      return (S_GET_VALUE (chain->sym) != S_GET_VALUE (sym)
	      ? _("%s of `%s', which is not a chain") : NULL);
  return (strcmp (segment_name (S_GET_SEGMENT (sym)),
		  SFRAME_CORO_SECTION_NAME) != 0
	  ? _("%s of `%s', which is not a chain") : NULL);
}

/* Check that there are rows where a `frame' head needs them, and only
   there.  */

static void
check_rows (const struct sframe_coro_func *site,
	    const struct sframe_coro_chain *chain)
{
  unsigned int frames = 0;

  for (unsigned int i = 0; i < chain->num_heads; i++)
    frames += chain->head[i].kind == SFRAME_CORO_HEAD_FRAME;
  if (frames == 0 && site->rows != NULL)
    as_bad_where (site->rows->place.file, site->rows->place.line,
		  _(".sframe_coro_head_at, but chain `%s' has no `frame' head"),
		  S_GET_NAME (chain->sym));
  else if (frames == chain->num_heads && site->rows == NULL)
    as_bad_where (site->place.file, site->place.line,
		  _("site without .sframe_coro_head_at, which chain `%s' needs"),
		  S_GET_NAME (chain->sym));
}

/* The chains of this file, by name.  */

static htab_t
index_chains (void)
{
  htab_t index = str_htab_create ();

  for (struct sframe_coro_chain *chain = records.chains; chain != NULL;
       chain = chain->next)
    if (chain->sym != NULL)
      str_hash_insert (index, S_GET_NAME (chain->sym), chain, 0);
  return index;
}

/* Check what a site or body has to do with its chain.  A chain that is no
   chain is reported where it is named first.  */

static void
check_func (const struct sframe_coro_func *func, htab_t chains, htab_t faulty)
{
  const char *name = S_GET_NAME (func->chain);
  const struct sframe_coro_chain *chain = str_hash_find (chains, name);
  const char *fault;

  if (chain != NULL)
    {
      if (!chain->bad && !func->bad && func->kind == SFRAME_CORO_FUNC_SITE)
	check_rows (func, chain);
      return;
    }
  fault = chain_ref_fault (func);
  if (fault != NULL && str_hash_insert (faulty, name, func, 0) == NULL)
    as_bad_where (func->place.file, func->place.line, fault,
		  sframe_coro_func_names[func->kind], name);
}

static void
check_funcs (void)
{
  htab_t chains = index_chains (), faulty = str_htab_create ();

  for (struct sframe_coro_text *text = records.texts; text != NULL;
       text = text->next)
    for (struct sframe_coro_func *func = text->funcs; func != NULL;
	 func = func->next)
      check_func (func, chains, faulty);
  htab_delete (chains);
  htab_delete (faulty);
}

static void
check_closed (void)
{
  struct sframe_coro_chain *chain = records.open_chain;

  if (chain != NULL && !chain->bad)
    as_bad_where (chain->place.file, chain->place.line,
		  _(".sframe_coro_chain without .sframe_coro_endchain"));
  if (chain != NULL)
    chain->bad = true;
  for (int kind = SFRAME_CORO_FUNC_SITE; kind <= SFRAME_CORO_FUNC_BODY; kind++)
    {
      const struct sframe_coro_func *func = records.open_func[kind];

      if (func != NULL && func->start != NULL)
	as_bad_where (func->place.file, func->place.line,
		      _(".sframe_coro_start%s without .sframe_coro_end%s"),
		      sframe_coro_func_names[kind],
		      sframe_coro_func_names[kind]);
    }
}

/* Output.  */

/* The block being written: where it begins, and how far it is written.  What is
   PC-relative refers to its start, as a symbol for each field takes much more
   memory than the field.  */
static struct
{
  symbolS *start;
  offsetT size;
} block;

static char *
block_more (size_t size)
{
  block.size += size;
  return frag_more (size);
}

static void
put (uint64_t value, unsigned int size)
{
  md_number_to_chars (block_more (size), value, size);
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
  block.size += size;
}

static void
put_pcrel (symbolS *sym, offsetT off)
{
  put_difference (sym, off - block.size, block.start, 8);
}

static void
put_padding (size_t size)
{
  if (size > 0)
    memset (block_more (size), 0, size);
}

/* Begin a block with these FLAGS; return the bytes that follow its strings.  */

static size_t
put_header (unsigned int flags, uint32_t num_chains, uint32_t num_funcs,
	    uint32_t data_len, uint32_t strings_len)
{
  size_t used = (sizeof (sframe_coro_header)
		 + num_chains * sizeof (sframe_coro_chain_entry)
		 + num_funcs * sizeof (sframe_coro_func_entry)
		 + data_len + strings_len);
  size_t padding = -used % SFRAME_CORO_ALIGN;

  block.start = symbol_temp_new_now ();
  block.size = 0;
  PUT (sframe_coro_header, magic, SFRAME_CORO_MAGIC);
  PUT (sframe_coro_header, version, SFRAME_CORO_VERSION);
  PUT (sframe_coro_header, flags, flags);
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
  if (head->kind == SFRAME_CORO_HEAD_FRAME)
    PUT (sframe_coro_head_entry, value, 0);
  else if (head->kind == SFRAME_CORO_HEAD_TLS_STUB)
    put_pcrel (head->stub, 0);
  else if (head->kind == SFRAME_CORO_HEAD_TLS_OFFSET)
    {
      sframe_coro_target_tls_offset (head->sym);
      block.size += 8;
    }
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

  padding = put_header (0, 1, 0, data_len, name_len);
  put_chain_entry (chain, tests, paths);
  for (i = 0; i < chain->num_heads; i++)
    put_head (&chain->head[i], &head_paths);
  for (i = 0; i < chain->num_tests; i++)
    put_test (&chain->test[i]);
  for (i = 0; i < chain->num_heads; i++)
    put_path (&chain->head[i].path);
  for (i = 0; i < SFRAME_CORO_NUM_PATHS; i++)
    put_path (&chain->path[i]);
  memcpy (block_more (name_len), chain->text, name_len);
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

/* The data of a function: rows, or a body with its points and paths.  */

static bool
is_empty (const struct sframe_coro_body *body)
{
  return (!body->next.given && !body->ip.given && body->index_size == 0);
}

static uint32_t
func_data_len (const struct sframe_coro_func *func)
{
  const struct sframe_coro_body *body = func->body;

  if (body == NULL)
    return func->num * sizeof (sframe_coro_row_entry);
  if (is_empty (body))
    return 0;
  return (sizeof (sframe_coro_body_entry)
	  + func->num * sizeof (sframe_coro_point_entry)
	  + path_size (&body->next) + path_size (&body->ip));
}

static void
put_row (const struct sframe_coro_row *row,
	 const struct sframe_coro_func *site)
{
  put_difference (row->pc, 0, site->start, 4);
  PUT (sframe_coro_row_entry, base, row->base);
  PUT (sframe_coro_row_entry, flags, row->flags);
  PUT (sframe_coro_row_entry, off, row->off);
}

/* Put a body whose data begin at OFFSET.  */

static void
put_body (const struct sframe_coro_func *func, uint32_t offset)
{
  const struct sframe_coro_body *body = func->body;

  offset += (sizeof (sframe_coro_body_entry)
	     + func->num * sizeof (sframe_coro_point_entry));
  put_path_offset (&body->next, &offset);
  put_path_offset (&body->ip, &offset);
  PUT (sframe_coro_body_entry, index_off, body->index_off);
  PUT (sframe_coro_body_entry, index_size, body->index_size);
  PUT (sframe_coro_body_entry, flags, 0);
  PUT (sframe_coro_body_entry, reserved, 0);
  for (const struct sframe_coro_point *point = body->points; point != NULL;
       point = point->next)
    {
      PUT (sframe_coro_point_entry, index, point->index);
      put_difference (point->pc, 0, func->start, 4);
    }
  put_path (&body->next);
  put_path (&body->ip);
}

static void
put_func_data (const struct sframe_coro_func *func, uint32_t offset)
{
  for (const struct sframe_coro_row *row = func->rows; row != NULL;
       row = row->next)
    put_row (row, func);
  if (func->body != NULL && !is_empty (func->body))
    put_body (func, offset);
}

static void
put_func (const struct sframe_coro_func *func, uint32_t data)
{
  put_pcrel (func->start, 0);
  put_pcrel (func->chain, 0);
  if (func->end != NULL)
    put_difference (func->end, 0, func->start, 4);
  else
    PUT (sframe_coro_func_entry, size, func->size);
  PUT (sframe_coro_func_entry, data,
       func_data_len (func) > 0 ? data : SFRAME_CORO_NO_DATA);
  PUT (sframe_coro_func_entry, num, func->num);
  PUT (sframe_coro_func_entry, kind, func->kind);
  PUT (sframe_coro_func_entry, flags, 0);
  PUT (sframe_coro_func_entry, reserved, 0);
}

/* By address: subsections are laid out by number, and in one subsection a
   directive that comes later is not at a lower address.  */

static int
compare_funcs (const void *a, const void *b)
{
  const struct sframe_coro_func *p = *(struct sframe_coro_func *const *) a;
  const struct sframe_coro_func *q = *(struct sframe_coro_func *const *) b;

  if (p->subseg != q->subseg)
    return p->subseg < q->subseg ? -1 : 1;
  return p->serial < q->serial ? -1 : 1;
}

static void
sort_funcs (struct sframe_coro_text *text)
{
  struct sframe_coro_func **all, *func;
  unsigned int i = 0;

  all = XNEWVEC (struct sframe_coro_func *, text->num_funcs);
  for (func = text->funcs; func != NULL; func = func->next)
    all[i++] = func;
  qsort (all, text->num_funcs, sizeof *all, compare_funcs);
  text->last = &text->funcs;
  for (i = 0; i < text->num_funcs; i++)
    {
      *text->last = all[i];
      text->last = &all[i]->next;
    }
  *text->last = NULL;
  free (all);
}

/* Whether it is certain that NEXT is behind the place SIZE bytes after SYM,
   before which it is not.  */

static bool
is_behind (symbolS *next, symbolS *sym, offsetT size)
{
  valueT from = S_GET_VALUE (sym) + size, to = S_GET_VALUE (next);
  const fragS *frag = symbol_get_frag (sym), *last = symbol_get_frag (next);
  offsetT off;

  return (frag == last ? to > from
	  : frag_gtoffset_p (to, last, from, frag, &off));
}

static bool
may_be_empty (const struct sframe_coro_func *func)
{
  return (func->end == NULL ? func->size == 0
	  : !is_behind (func->end, func->start, 0));
}

static bool
is_behind_end (const struct sframe_coro_func *next,
	       const struct sframe_coro_func *func)
{
  return (func->end != NULL ? is_behind (next->start, func->end, 0)
	  : is_behind (next->start, func->start, func->size));
}

/* Whether functions of TEXT, which are sorted, cover different code.  A return
   address may be the last one of the site before it: both cover that.  */

static bool
are_disjoint (const struct sframe_coro_text *text)
{
  const struct sframe_coro_func *last = NULL;

  for (const struct sframe_coro_func *func = text->funcs; func != NULL;
       func = func->next)
    if (func->kind == SFRAME_CORO_FUNC_SITE)
      {
	bool is_empty = may_be_empty (func);

	if (last != NULL && is_empty && !is_behind_end (func, last))
	  return false;
	last = is_empty && func->end == NULL ? NULL : func;
      }
  return true;
}

/* The bytes of the data area of TEXT; false if a data offset would not fit
   its field.  */

static bool
text_data_len (const struct sframe_coro_text *text, uint32_t *len)
{
  uint64_t sum = 0;

  for (const struct sframe_coro_func *func = text->funcs; func != NULL;
       func = func->next)
    sum += func_data_len (func);
  *len = sum;
  return sum < SFRAME_CORO_NO_DATA;
}

/* Write the block of a text section, in the group of that section, if it has
   one: the linker must discard both or none.  */

static void
put_text (struct sframe_coro_text *text)
{
  bool comdat = (bfd_section_flags (text->seg) & SEC_LINK_ONCE) != 0;
  const struct sframe_coro_func *func;
  uint32_t data_len, data = 0;
  size_t padding;
  segT seg = sframe_coro_make_section (SFRAME_CORO_SECTION_NAME, 0, 0,
				       elf_group_name (text->seg), comdat);

  subseg_set (seg, 0);
  record_alignment (seg, 3);
  text->block = seg;
  symbol_mark_used_in_reloc (section_symbol (seg));
  if (!text_data_len (text, &data_len))
    {
      as_bad (_("too many rows and points for section `%s'"),
	      segment_name (text->seg));
      return;
    }
  sort_funcs (text);
  padding = put_header (are_disjoint (text) ? SFRAME_CORO_F_FUNCS_SORTED : 0,
			0, text->num_funcs, data_len, 0);
  for (func = text->funcs; func != NULL; func = func->next)
    {
      put_func (func, data);
      data += func_data_len (func);
    }
  for (func = text->funcs, data = 0; func != NULL; func = func->next)
    {
      put_func_data (func, data);
      data += func_data_len (func);
    }
  put_padding (padding);
}

void
sframe_coro_finish (void)
{
  struct sframe_coro_chain *chain;
  struct sframe_coro_text *text;

  if (records.chains == NULL && records.texts == NULL
      && records.open_func[SFRAME_CORO_FUNC_SITE] == NULL
      && records.open_func[SFRAME_CORO_FUNC_BODY] == NULL)
    return;

  check_closed ();
  for (chain = records.chains; chain != NULL; chain = chain->next)
    if (!chain->bad)
      check_chain (chain);
  check_funcs ();

  if (had_errors ())
    return;
  for (chain = records.chains; chain != NULL; chain = chain->next)
    {
      put_stubs (chain);
      subseg_set (chain->seg, 0);
      put_chain (chain);
    }
  for (text = records.texts; text != NULL; text = text->next)
    put_text (text);
}

/* Not `.reloc' at the start: all sections look through the list of these.  */

void
sframe_coro_add_anchor (asection *sec)
{
  const struct sframe_coro_text *text;
  struct reloc_list *reloc;

  if (records.text_of_seg == NULL)
    return;
  text = htab_find_with_hash (records.text_of_seg, sec,
			      htab_hash_pointer (sec));
  if (text == NULL || text->block == NULL)
    return;
  reloc = notes_calloc (1, sizeof *reloc);
  reloc->u.b.sec = sec;
  reloc->u.b.s = symbol_get_bfdsym (section_symbol (text->block));
  reloc->u.b.r.sym_ptr_ptr = &reloc->u.b.s;
  reloc->u.b.r.address = S_GET_VALUE (text->anchor);
  reloc->u.b.r.howto = bfd_reloc_type_lookup (stdoutput, BFD_RELOC_NONE);
  reloc->file = text->place.file;
  reloc->line = text->place.line;
  reloc->next = reloc_list;
  reloc_list = reloc;
}

#else /* ! SFRAME_CORO_ELF */

void
sframe_coro_add_anchor (asection *sec ATTRIBUTE_UNUSED)
{
}

void
sframe_coro_finish (void)
{
}

#endif
