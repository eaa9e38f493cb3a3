/* Two nodes await a third, which pump.s resumes and which waits.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include <stddef.h>
#include <unistd.h>

struct node
{
  void (*resume) (struct node *);
  void (*destroy) (struct node *);
  struct node *awaiting;
};

__thread struct node *pump_leaf;
extern void pump (struct node *);

static void
in_a (struct node *node)
{
  node->resume = NULL;
}

static void
in_b (struct node *node)
{
  node->destroy = NULL;
}

/* Until the input ends.  */

static void
in_c (struct node *node)
{
  char c;

  if (write (1, "ready\n", 6) == 6)
    while (read (0, &c, 1) > 0)
      continue;
  pump_leaf = node->awaiting;
}

int
main (void)
{
  struct node a = { in_a, NULL, NULL };
  struct node b = { in_b, NULL, &a };
  struct node c = { in_c, NULL, &b };

  pump_leaf = &c;
  pump (&c);
  return pump_leaf != &b;
}
