/* sframe-coro-parse.c - read the operands of .sframe_coro_* directives.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "as.h"
#include "safe-ctype.h"
#include "gen-sframe-coro.h"
#include "sframe-coro-parse.h"

#ifdef SFRAME_CORO_ELF

const char *coro_dir;

bool
coro_comma (void)
{
  SKIP_WHITESPACE ();
  if (*input_line_pointer != ',')
    return false;
  ++input_line_pointer;
  SKIP_WHITESPACE ();
  return true;
}

bool
coro_need_comma (const char *what)
{
  if (coro_comma ())
    return true;
  as_bad (_("%s: expected `,' and %s"), coro_dir, what);
  return false;
}

const char *
coro_name (const char *what)
{
  char *name, c;
  const char *copy;

  SKIP_WHITESPACE ();
  c = get_symbol_name (&name);
  /* The place itself has no name.  */
  copy = *name != '\0' && strcmp (name, ".") != 0 ? notes_strdup (name) : NULL;
  restore_line_pointer (c);
  if (copy == NULL)
    as_bad (_("%s: expected %s"), coro_dir, what);
  return copy;
}

int
coro_word (const char *const *words, const char *what)
{
  const char *name = coro_name (what);

  if (name == NULL)
    return -1;
  for (int i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], name) == 0)
      return i;
  as_bad (_("%s: unknown %s `%s'"), coro_dir, what, name);
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
  as_bad (_("%s: expected %s"), coro_dir, what);
  return false;
}

bool
coro_number (expressionS *exp, const char *what)
{
  if (!parse_expression (exp, expr_evaluate, what))
    return false;
  if (exp->X_op == O_constant)
    return true;
  if (exp->X_op == O_big)
    as_bad (_("%s: %s out of range"), coro_dir, what);
  else
    as_bad (_("%s: %s is not an absolute expression"), coro_dir, what);
  return false;
}

bool
coro_number_in (offsetT *value, offsetT min, offsetT max, const char *what)
{
  expressionS exp;

  if (!coro_number (&exp, what))
    return false;
  *value = exp.X_add_number;
  if ((exp.X_unsigned && exp.X_add_number < 0) /* From 2**63 on.  */
      || *value < min || *value > max)
    {
      as_bad (_("%s: %s out of range"), coro_dir, what);
      return false;
    }
  return true;
}

bool
coro_int32 (int32_t *value, const char *what)
{
  offsetT wide = 0;
  bool ok = coro_number_in (&wide, INT32_MIN, INT32_MAX, what);

  *value = wide;
  return ok;
}

bool
coro_sized (uint64_t *value, unsigned int width, const char *what)
{
  expressionS exp;

  if (!coro_number (&exp, what))
    return false;
  *value = exp.X_add_number;
  if (width < 8)
    {
      uint64_t mask = ((uint64_t) 1 << width * 8) - 1;
      bool negative = !exp.X_unsigned && exp.X_add_number < 0;

      if (negative ? ~*value > mask >> 1 : *value > mask)
	{
	  as_bad (_("%s: %s does not fit the width"), coro_dir, what);
	  return false;
	}
      *value &= mask;
    }
  return true;
}

bool
coro_symbol (symbolS **sym, offsetT *off)
{
  expressionS exp;

  if (!parse_expression (&exp, expr_normal, _("a symbol")))
    return false;
  if (exp.X_op != O_symbol)
    {
      as_bad (_("%s: expected a symbol"), coro_dir);
      return false;
    }
  *sym = exp.X_add_symbol;
  *off = exp.X_add_number;
  return true;
}

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

bool
coro_path (struct sframe_coro_path *path)
{
  path->given = true;
  if (!coro_need_comma (_("an offset")))
    return false;
  do
    {
      if (at_adjust ())
	{
	  path->has_adjust = true;
	  return coro_int32 (&path->adjust, _("adjustment"));
	}
      if (path->num_offs == SFRAME_CORO_MAX_PATH_OFFS)
	{
	  as_bad (_("%s: more than %d offsets"), coro_dir,
		  SFRAME_CORO_MAX_PATH_OFFS);
	  return false;
	}
      if (!coro_int32 (&path->off[path->num_offs++], _("offset")))
	return false;
    }
  while (coro_comma ());
  return true;
}

int
coro_register (void)
{
  int errors = had_errors (), reg;
  char *start, *end, saved;

  SKIP_WHITESPACE ();
  start = end = input_line_pointer;
  if (*end == '%')
    end++;
  while (ISALNUM (*end) || *end == '_')
    end++;
  if (end == start)
    {
      as_bad (_("%s: expected a register"), coro_dir);
      return -1;
    }
  saved = *end;
  *end = '\0';
  reg = sframe_coro_target_register (start);
  if ((reg < 0 || reg > sframe_coro_target.max_register)
      && had_errors () == errors)
    {
      as_bad (_("%s: `%s' is not a general register"), coro_dir, start);
      reg = -1;
    }
  *end = saved;
  input_line_pointer = end;
  return had_errors () == errors ? reg : -1;
}

/* The base register of an operand and what closes it.  */

static bool
parse_base (unsigned int *reg)
{
  int number = coro_register ();

  SKIP_WHITESPACE ();
  *reg = number;
  return number >= 0;
}

static bool
parse_close (char close)
{
  SKIP_WHITESPACE ();
  if (*input_line_pointer != close)
    {
      as_bad (_("%s: the operand is not a base register and an offset"),
	      coro_dir);
      return false;
    }
  ++input_line_pointer;
  return true;
}

/* OFF(REG) or (REG).  */

static bool
parse_parentheses (unsigned int *reg, int32_t *off)
{
  const char *p = input_line_pointer;

  *off = 0;
  if (*p == '(')
    do
      p++;
    while (*p == ' ' || *p == '\t');
  if (*p != '%' && !coro_int32 (off, _("offset")))
    return false;
  if (*input_line_pointer != '(')
    {
      as_bad (_("%s: expected a memory operand"), coro_dir);
      return false;
    }
  ++input_line_pointer;
  return parse_base (reg) && parse_close (')');
}

/* [REG], or with `+OFF', `-OFF' or `, #OFF' before the end, whatever the target
   writes; BRACKET is the first character.  */

static bool
parse_brackets (char *bracket, unsigned int *reg, int32_t *off)
{
  *off = 0;
  input_line_pointer = bracket + 1;
  if (!parse_base (reg))
    return false;
  if (*input_line_pointer != ']'
      && strchr (sframe_coro_target.brackets, *input_line_pointer) != NULL)
    {
      if (coro_comma () && *input_line_pointer == '#')
	++input_line_pointer;
      if (!coro_int32 (off, _("offset")))
	return false;
    }
  return parse_close (']');
}

/* OFF[REG], where BRACKET is, as GCC writes it in Intel syntax.  */

static bool
parse_index (char *bracket, unsigned int *reg, int32_t *off)
{
  bool ok;

  /* In that syntax brackets are an operator.  */
  *bracket = '\0';
  ok = coro_int32 (off, _("offset"));
  if (ok && input_line_pointer != bracket)
    {
      as_bad (_("%s: expected a memory operand"), coro_dir);
      ok = false;
    }
  *bracket = '[';
  input_line_pointer = bracket + 1;
  return ok && parse_base (reg) && parse_close (']');
}

/* Skip `QWORD PTR' and the like.  */

static void
skip_width (void)
{
  char *p = input_line_pointer;

  while (ISALPHA (*p))
    p++;
  if (*p == ' ' && strncasecmp (p, " ptr", 4) == 0
      && (p[4] == ' ' || p[4] == '['))
    input_line_pointer = p + 4;
  SKIP_WHITESPACE ();
}

bool
coro_operand (unsigned int *reg, int32_t *off)
{
  char *p;

  SKIP_WHITESPACE ();
  skip_width ();
  for (p = input_line_pointer; *p != '(' && *p != '['; p++)
    if (is_end_of_stmt (*p))
      {
	as_bad (_("%s: expected a memory operand"), coro_dir);
	return false;
      }
  if (*p == '[' && sframe_coro_target.brackets != NULL)
    return (p == input_line_pointer ? parse_brackets (p, reg, off)
	    : parse_index (p, reg, off));
  if (*p == '(' && sframe_coro_target.parentheses)
    return parse_parentheses (reg, off);
  as_bad (_("%s: expected a memory operand"), coro_dir);
  return false;
}

void
coro_place (struct sframe_coro_place *place)
{
  place->file = as_where (&place->line);
}

#endif
