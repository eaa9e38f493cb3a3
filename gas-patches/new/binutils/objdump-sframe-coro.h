/* objdump-sframe-coro.h - .sframe_coro sections in objdump.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef OBJDUMP_SFRAME_CORO_H
#define OBJDUMP_SFRAME_CORO_H

/* Whether what `--sframe=NAME' (NULL: `--sframe') asks for are .sframe_coro
   sections of ABFD and nothing else, so that no SFrame section is missed.  */
extern bool sframe_coro_only_p (bfd *abfd, const char *name);

/* Show the .sframe_coro sections that `--sframe=NAME' asks for.  False if one
   of them cannot be shown.  */
extern bool dump_sframe_coro (bfd *abfd, const char *name);

#endif /* OBJDUMP_SFRAME_CORO_H */
