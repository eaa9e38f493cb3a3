/* sframe-coro-parse.h - between the files that read .sframe_coro_* directives.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef SFRAME_CORO_PARSE_H
#define SFRAME_CORO_PARSE_H

#ifdef SFRAME_CORO_ELF

/* The name of the directive being read.  */
extern const char *coro_dir;

/* Small parsers.  Each reports what is wrong, which WHAT names, and returns
   false.  */

/* Skip a comma, if there is one.  */
extern bool coro_comma (void);

extern bool coro_need_comma (const char *what);

/* A name, as a copy that lasts, or NULL.  */
extern const char *coro_name (const char *what);

/* One of the words in the NULL-terminated list WORDS: its index, or -1.  */
extern int coro_word (const char *const *words, const char *what);

/* A number that is known now, of up to 64 bits, signed or not.  */
extern bool coro_number (expressionS *exp, const char *what);

extern bool coro_number_in (offsetT *value, offsetT min, offsetT max,
			    const char *what);

extern bool coro_int32 (int32_t *value, const char *what);

/* A number of WIDTH bytes, signed or not, cut to that width.  */
extern bool coro_sized (uint64_t *value, unsigned int width, const char *what);

/* SYM [+ OFF].  */
extern bool coro_symbol (symbolS **sym, offsetT *off);

/* The offsets and the adjustment of a path, after its name.  */
extern bool coro_path (struct sframe_coro_path *path);

/* The name of a register, or its number in DWARF: that number, or -1.  */
extern int coro_register (void);

/* A memory operand: the DWARF register and the offset it adds.  */
extern bool coro_operand (unsigned int *reg, int32_t *off);

extern void coro_place (struct sframe_coro_place *place);

/* The register and the offset of the CFA where we are; false if it is not
   known or not of that form.  */
extern bool coro_cfa (unsigned int *reg, offsetT *off);

/* Sites and bodies: open one of KIND, say what is inside of it, close it.  */
extern bool coro_open_func (unsigned int kind);
extern bool coro_close_func (unsigned int kind);
extern bool coro_take_head_at (struct sframe_coro_func *site);
extern bool coro_take_body_path (struct sframe_coro_func *body);
extern bool coro_take_index (struct sframe_coro_func *body);
extern bool coro_take_point (struct sframe_coro_func *body);

#endif

#endif /* SFRAME_CORO_PARSE_H */
