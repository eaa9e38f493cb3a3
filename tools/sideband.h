/* sframe-coro: what the kernel tells of processes while they are sampled.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef SIDEBAND_H
#define SIDEBAND_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "profile.h"

typedef struct sideband sideband;

/* Begin to listen on all CPUs.  NULL after a message.  */
extern sideband *sideband_new (void);
extern void sideband_free (sideband *s);

/* Files to wait for, as many as sideband_num_files says.  */
extern size_t sideband_num_files (const sideband *s);
extern void sideband_files (const sideband *s, struct pollfd *files);

/* Give FN all events there are: COMM, FORK, EXIT, MMAP of executable code, of
   all processes; LOST if any were.  In order for each CPU.  What an event
   points to is gone after the call.  */
typedef void (*sideband_fn) (void *arg, const profile_event *e);
extern void sideband_drain (sideband *s, sideband_fn fn, void *arg);

#endif /* SIDEBAND_H */
