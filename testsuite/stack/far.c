/* A library that service.c opens.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

extern void *far_head;
void *far_head = 0;
