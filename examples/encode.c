/* Make a section, and walk the list that it describes.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include <sframe-coro-api.h>

struct frame
{
  uint64_t ip;
  struct frame *awaiting;
};

static struct frame outer = { 0x3000, NULL };
static struct frame middle = { 0x2000, &outer };
static struct frame inner = { 0x1000, &middle };
static struct frame *head = &inner;

static int
read_process (void *arg, uint64_t address, void *buf, size_t len)
{
  struct iovec local = { buf, len };
  struct iovec remote = { (void *) (uintptr_t) address, len };
  ssize_t n = process_vm_readv (*(pid_t *) arg, &local, 1, &remote, 1, 0);

  return n == (ssize_t) len ? 0 : -1;
}

/* Describe the list above; the section is to be used where it is.  */
static int
describe (sframe_coro_section *section)
{
  static _Alignas (8) unsigned char place[1024];
  sframe_coro_chain chain = { .name = "example", .num_heads = 1,
                              .ip_kind = SFRAME_CORO_IP_EXACT_PC };
  sframe_coro_encoder *encoder
    = sframe_coro_encoder_new (SFRAME_CORO_ABI_AMD64_LE);
  unsigned char *bytes = NULL;
  size_t size = 0;
  int err;

  if (encoder == NULL)
    return SFRAME_CORO_ERR_NOMEM;
  chain.head[0].kind = SFRAME_CORO_HEAD_GLOBAL;
  chain.head[0].value = (uintptr_t) &head;
  chain.head[0].path = (sframe_coro_path){ .given = 1, .num_offs = 1 };
  chain.path[SFRAME_CORO_PATH_NEXT] = (sframe_coro_path){
    .given = 1, .num_offs = 1, .off = { offsetof (struct frame, awaiting) }
  };
  chain.path[SFRAME_CORO_PATH_IP] = (sframe_coro_path){
    .given = 1, .num_offs = 1, .off = { offsetof (struct frame, ip) }
  };
  err = sframe_coro_encoder_add_chain (encoder, &chain, NULL);
  if (err == SFRAME_CORO_OK)
    err = sframe_coro_encoder_write (encoder, (uintptr_t) place, &bytes,
                                     &size);
  sframe_coro_encoder_free (encoder);
  for (size_t i = 0; i < size && i < sizeof place; i++)
    place[i] = bytes[i];
  free (bytes);
  if (err != SFRAME_CORO_OK)
    return err;
  return sframe_coro_section_open (section, place, size, (uintptr_t) place,
                                   NULL);
}

int
main (void)
{
  pid_t pid = getpid ();
  sframe_coro_memory memory = { read_process, &pid };
  sframe_coro_thread thread = { 0 }; /* Only TLS heads need it.  */
  sframe_coro_node nodes[SFRAME_CORO_DEFAULT_MAX_NODES];
  sframe_coro_section section;
  sframe_coro_block block = { 0 };
  sframe_coro_chain chain;
  sframe_coro_stop stop;
  size_t num;

  if (describe (&section) != SFRAME_CORO_OK
      || sframe_coro_section_next_block (&section, &block, NULL) != 0
      || sframe_coro_block_chain (&block, 0, &chain, NULL) != 0)
    return 1;
  stop = sframe_coro_walk (&chain, &memory, &thread, NULL, nodes,
                           SFRAME_CORO_DEFAULT_MAX_NODES, &num, NULL);
  for (size_t i = 0; i < num; i++)
    if (!(nodes[i].flags & SFRAME_CORO_NODE_HIDDEN))
      printf ("%s:%u ip %#llx\n", chain.name, (unsigned) nodes[i].index,
              (unsigned long long) nodes[i].ip);
  printf ("%s%s\n", sframe_coro_stop_text (stop),
          sframe_coro_stop_is_cut (stop) ? " (incomplete)" : "");
  return 0;
}
