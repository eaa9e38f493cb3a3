/* Benchmark: a sampler that takes what the kernel's helper gives.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT OR GPL-2.0-only

   The same header and ring as those of the sampler, so that what differs is
   the stack.  */

#define SAMPLER_PEER
#include "sampler.bpf.c"

SEC ("perf_event")
int
take_sample (struct bpf_perf_event_data *ctx)
{
  uint32_t cpu = bpf_get_smp_processor_id ();
  scratch *s = bpf_map_lookup_elem (&scratches, &cpu);
  long len;

  if (s == NULL)
    return 0;
  begin (s);
  len = bpf_get_stack (ctx, s->kernel, sizeof s->kernel, BPF_F_USER_STACK);
  if (len > 0)
    s->header.num_kernel = len / sizeof *s->kernel;
  send (s);
  return 0;
}
