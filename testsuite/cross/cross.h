/* Lists of nodes for the walks.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef CROSS_H
#define CROSS_H

/* A node is what a coroutine frame begins with.  */
typedef struct node
{
  void (*resume) (void);
  void (*destroy) (void);
  struct node *next;
} node;

/* In the library: its list becomes NODES; the block of its own chain and of
   one of the program's variable.  */
extern void library_begin (node *nodes);
extern const void *library_block (void);
extern const void *library_of_program_block (void);

#endif /* CROSS_H */
