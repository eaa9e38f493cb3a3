/* A library with coroutines of its own.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef PLUGIN_H
#define PLUGIN_H

/* Await LEVELS coroutines from one, call LOOK with ARG in the last; return how
   many coroutines there were.  */
typedef int (*plugin_run_fn) (int levels, void (*look) (void *), void *arg);
extern "C" [[gnu::visibility ("default")]] int
plugin_run (int levels, void (*look) (void *), void *arg);

#endif /* PLUGIN_H */
