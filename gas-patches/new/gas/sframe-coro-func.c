/* sframe-coro-func.c - read the directives of sites and bodies.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "as.h"
#include "subsegs.h"
#include "gen-sframe-coro.h"
#include "sframe-coro-parse.h"

#ifdef SFRAME_CORO_ELF

#define records sframe_coro_records

const char *const sframe_coro_func_names[] = { "", "site", "body" };

/* The last row of the open site, if it has one.  */
static struct sframe_coro_row *last_row;

/* Text sections.  */

/* Their records are in a hash table, by section.  */

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

/* The record of the text section that FUNC starts in.  */

static struct sframe_coro_text *
text_of (const struct sframe_coro_func *func)
{
  struct sframe_coro_text *text;
  void **slot;

  if (records.text_of_seg == NULL)
    records.text_of_seg = htab_create (16, hash_text, eq_text, NULL);
  slot = htab_find_slot_with_hash (records.text_of_seg, now_seg,
				   htab_hash_pointer (now_seg), INSERT);
  if (*slot != NULL)
    return *slot;

  text = notes_calloc (1, sizeof *text);
  *slot = text;
  text->place = func->place;
  text->seg = now_seg;
  text->anchor = func->start;
  text->last = &text->funcs;
  if (records.last_text == NULL)
    records.last_text = &records.texts;
  *records.last_text = text;
  records.last_text = &text->next;
  return text;
}

/* A symbol at the place we are, after all code before it.  */

static symbolS *
symbol_here (void)
{
#ifdef md_flush_pending_output
  md_flush_pending_output ();
#endif
  return symbol_temp_new_now ();
}

/* Whether it is certain already how far SYM is from the place where we are, and
   in *DISTANCE how far.  */

static bool
known_distance (symbolS *sym, offsetT *distance)
{
  offsetT off;

  /* Code that is held back comes before that place.  */
#ifdef md_flush_pending_output
  md_flush_pending_output ();
#endif
  if (!frag_offset_fixed_p (symbol_get_frag (sym), frag_now, &off))
    return false;
  *distance = off + frag_now_fix () - S_GET_VALUE (sym);
  return true;
}

static bool
is_here (symbolS *sym)
{
  offsetT distance;

  return known_distance (sym, &distance) && distance == 0;
}

/* Opening and closing.  */

static struct sframe_coro_body *
make_body (void)
{
  struct sframe_coro_body *body = notes_calloc (1, sizeof *body);

  body->last_point = &body->points;
  return body;
}

bool
coro_open_func (unsigned int kind)
{
  const char *name;
  struct sframe_coro_func *func = notes_calloc (1, sizeof *func);
  struct sframe_coro_text *text;

  coro_place (&func->place);
  func->kind = kind;
  func->subseg = now_subseg;
  records.open_func[kind] = func;
  records.open_seg[kind] = now_seg;
  if (kind == SFRAME_CORO_FUNC_BODY)
    func->body = make_body ();

  name = coro_name (_("the name of a chain"));
  if (name == NULL)
    return false;
  if (now_seg == absolute_section
      || (bfd_section_flags (now_seg) & SEC_CODE) == 0)
    {
      as_bad (_("%s outside of a code section"), coro_dir);
      return false;
    }
  func->start = symbol_here ();
  func->chain = symbol_find_or_make (name);
  symbol_mark_used (func->chain);
  text = text_of (func);
  func->serial = text->num_funcs++;
  *text->last = func;
  text->last = &func->next;
  return true;
}

/* Refuse a place in another section than the start of FUNC.  */

static bool
in_its_section (const struct sframe_coro_func *func)
{
  if (now_seg == records.open_seg[func->kind] && now_subseg == func->subseg)
    return true;
  as_bad (_("%s in another section than the start of the %s"), coro_dir,
	  sframe_coro_func_names[func->kind]);
  return false;
}

/* Check the points of BODY against its index.  */

static bool
check_index (const struct sframe_coro_body *body)
{
  const struct sframe_coro_point *point;
  bool ok = true;

  if (body->index_size == 0 && body->points != NULL)
    {
      point = body->points;
      as_bad_where (point->place.file, point->place.line,
		    _("point in a body without .sframe_coro_index"));
      return false;
    }
  if (body->index_size >= sizeof point->index)
    return true;
  for (point = body->points; point != NULL; point = point->next)
    if (point->index >> body->index_size * 8 != 0)
      {
	as_bad_where (point->place.file, point->place.line,
		      _("point %lu does not fit a %u-byte index"),
		      (unsigned long) point->index, body->index_size);
	ok = false;
      }
  return ok;
}

static int
compare_points (const void *a, const void *b)
{
  const struct sframe_coro_point *p = *(struct sframe_coro_point *const *) a;
  const struct sframe_coro_point *q = *(struct sframe_coro_point *const *) b;

  if (p->index != q->index)
    return p->index < q->index ? -1 : 1;
  /* As they come in the source; in macros lines are not unique.  */
  return p->place.line < q->place.line ? -1 : p->place.line > q->place.line;
}

/* Report points with equal index.  */

static bool
check_points_differ (const struct sframe_coro_func *func)
{
  struct sframe_coro_point **all, *point;
  unsigned int i = 0;
  bool ok = true;

  if (func->num < 2)
    return true;
  all = XNEWVEC (struct sframe_coro_point *, func->num);
  for (point = func->body->points; point != NULL; point = point->next)
    all[i++] = point;
  qsort (all, func->num, sizeof *all, compare_points);
  for (i = 1; i < func->num; i++)
    if (all[i]->index == all[i - 1]->index)
      {
	as_bad_where (all[i]->place.file, all[i]->place.line,
		      _("point %lu given twice"),
		      (unsigned long) all[i]->index);
	ok = false;
      }
  free (all);
  return ok;
}

static bool
check_body (const struct sframe_coro_func *func)
{
  const struct sframe_coro_point *point;
  bool ok = check_index (func->body) && check_points_differ (func);

  if (is_here (func->start))
    {
      as_bad (_("%s: the body is empty"), coro_dir);
      return false;
    }
  for (point = func->body->points; point != NULL; point = point->next)
    if (point->next == NULL && is_here (point->pc))
      {
	as_bad_where (point->place.file, point->place.line,
		      _("point at the end of the body"));
	ok = false;
      }
  return ok;
}

bool
coro_close_func (unsigned int kind)
{
  struct sframe_coro_func *func = records.open_func[kind];

  records.open_func[kind] = NULL;
  if (func->start == NULL)	/* It was reported when it was opened.  */
    return true;
  if (!in_its_section (func))
    return false;
  if (!known_distance (func->start, &func->size))
    func->end = symbol_here ();
  return kind == SFRAME_CORO_FUNC_SITE || func->bad || check_body (func);
}

/* Count one more row or point of FUNC.  */

static bool
count_one (struct sframe_coro_func *func)
{
  if (func->num == UINT16_MAX)
    {
      as_bad (_("%s given more than %d times"), coro_dir, UINT16_MAX);
      return false;
    }
  func->num++;
  return true;
}

/* Rows.  */

/* reg, REG [, OFF]: the sum of these is the head.  */

static bool
parse_row_register (struct sframe_coro_row *row)
{
  int reg;

  if (!coro_need_comma (_("a register")))
    return false;
  reg = coro_register ();
  if (reg < 0)
    return false;
  row->base = reg;
  row->flags = SFRAME_CORO_ROW_IN_REGISTER;
  return !coro_comma () || coro_int32 (&row->off, _("offset"));
}

/* An operand, which holds the head.  Where the register is the one the CFA is
   computed from, the CFA is the better base: more readers know it.  */

static bool
parse_row_operand (struct sframe_coro_row *row)
{
  unsigned int cfa_reg;
  offsetT cfa_off, off;

  if (!coro_operand (&row->base, &row->off))
    return false;
  if (!coro_cfa (&cfa_reg, &cfa_off) || cfa_reg != row->base)
    return true;
  off = row->off - cfa_off;
  if (off < INT32_MIN || off > INT32_MAX)
    {
      as_bad (_("%s: %s out of range"), coro_dir, _("offset"));
      return false;
    }
  row->base = SFRAME_CORO_BASE_CFA;
  row->off = off;
  return true;
}

/* Whether a word and a comma are at the input, which are then skipped.  */

static bool
at_word (const char *word)
{
  size_t len = strlen (word);
  char *p;

  SKIP_WHITESPACE ();
  p = input_line_pointer;
  if (strncmp (p, word, len) != 0)
    return false;
  for (p += len; *p == ' ' || *p == '\t'; p++)
    continue;
  if (*p != ',' && !is_end_of_stmt (*p))
    return false;
  input_line_pointer = p;
  return true;
}

static bool
parse_row (struct sframe_coro_row *row)
{
  if (at_word ("reg"))
    return parse_row_register (row);
  if (!at_word ("cfa"))
    return parse_row_operand (row);
  row->base = SFRAME_CORO_BASE_CFA;
  return (coro_need_comma (_("an offset"))
	  && coro_int32 (&row->off, _("offset")));
}

/* Calls are what a site is for.  Not an error, because a function may promise
   more than the ABI does.  */

static void
check_preserved (const struct sframe_coro_row *row)
{
  if (row->base != SFRAME_CORO_BASE_CFA
      && (sframe_coro_target.preserved >> row->base & 1) == 0)
    as_warn (_("%s: register %u does not survive calls"), coro_dir, row->base);
}

bool
coro_take_head_at (struct sframe_coro_func *site)
{
  struct sframe_coro_row *row;

  if (site->start == NULL)
    return false;
  row = notes_calloc (1, sizeof *row);
  coro_place (&row->place);
  if (!in_its_section (site) || !parse_row (row))
    return false;
  check_preserved (row);
  row->pc = symbol_here ();
  if (site->rows == NULL)
    site->rows = row;
  else if (!is_here (last_row->pc))
    last_row->next = row;
  else
    {
      as_bad (_("%s given twice at one place"), coro_dir);
      return false;
    }
  last_row = row;
  return count_one (site);
}

/* Bodies.  */

bool
coro_take_body_path (struct sframe_coro_func *body)
{
  static const char *const names[] = { "next", "ip", NULL };
  struct sframe_coro_path *path;
  int id = coro_word (names, _("path of a body"));

  if (id < 0)
    return false;
  path = id == 0 ? &body->body->next : &body->body->ip;
  if (path->given)
    {
      as_bad (_("%s: path `%s' given twice"), coro_dir, names[id]);
      return false;
    }
  return coro_path (path);
}

bool
coro_take_index (struct sframe_coro_func *func)
{
  struct sframe_coro_body *body = func->body;
  offsetT size;

  if (body->index_size != 0)
    {
      as_bad (_("%s given twice for one body"), coro_dir);
      return false;
    }
  if (!coro_int32 (&body->index_off, _("offset"))
      || !coro_need_comma (_("a size"))
      || !coro_number_in (&size, INT32_MIN, INT32_MAX, _("size")))
    return false;
  if (size != 1 && size != 2 && size != 4 && size != 8)
    {
      as_bad (_("%s: size is not 1, 2, 4 or 8"), coro_dir);
      return false;
    }
  body->index_size = size;
  return true;
}

bool
coro_take_point (struct sframe_coro_func *func)
{
  struct sframe_coro_point *point;
  offsetT index;

  if (func->start == NULL)
    return false;
  if (!in_its_section (func)
      || !coro_number_in (&index, 0, UINT32_MAX, _("index")))
    return false;
  point = notes_calloc (1, sizeof *point);
  coro_place (&point->place);
  point->index = index;
  point->pc = symbol_here ();
  *func->body->last_point = point;
  func->body->last_point = &point->next;
  return count_one (func);
}

#endif
