/* libsframe-coro: whether a call ends at an address.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT  */

#ifndef SFRAME_CORO_CALL_H
#define SFRAME_CORO_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "sframe-coro.h"

/* The longest call instruction of all ABIs, as far as it has to be seen:
   FF /2 with SIB and disp32.  */
#define CALL_MAX_BYTES 7

/* Bytes behind a ModRM byte MODRM, and SIB if there is one, of an instruction
   without immediate: Intel SDM, volume 2, table 2-2.  */
static inline unsigned
call_operand_bytes (unsigned char modrm, unsigned char sib)
{
  unsigned mod = modrm >> 6, rm = modrm & 7;
  unsigned has_sib = mod != 3 && rm == 4;

  if (mod == 1)
    return has_sib + 1;
  if (mod == 2 || (mod == 0 && (rm == 5 || (has_sib && (sib & 7) == 5))))
    return has_sib + 4;
  return has_sib;
}

/* E8 (CALL rel32), or FF /2 (CALL r/m64).  Prefixes do not matter.  */
static inline bool
call_amd64 (const unsigned char *end)
{
  if (end[-5] == 0xe8)
    return true;
  for (unsigned len = 2; len <= CALL_MAX_BYTES; len++)
    {
      const unsigned char *p = end - len;
      if (p[0] == 0xff && (p[1] & 0x38) == 0x10
	  && 2 + call_operand_bytes (p[1], len > 2 ? p[2] : 0) == len)
	return true;
    }
  return false;
}

/* BL, BLR, BLRAA, BLRAB, BLRAAZ, BLRABZ: Arm ARM, C6.2.  Instructions are
   little-endian whatever data are.  */
static inline bool
call_aarch64 (const unsigned char *end)
{
  return ((end[-1] & 0xfc) == 0x94
	  || ((end[-1] & 0xfe) == 0xd6 && end[-2] == 0x3f
	      && (end[-3] & 0xf0) == 0));
}

/* BRASL, BRAS, BAS, BASR, BAL, BALR, BASSM: z/Architecture Principles of
   Operation, chapter 7.  */
static inline bool
call_s390x (const unsigned char *end)
{
  return ((end[-6] == 0xc0 && (end[-5] & 0xf) == 5)
	  || (end[-4] == 0xa7 && (end[-3] & 0xf) == 5) || end[-4] == 0x4d
	  || end[-4] == 0x45 || end[-2] == 0x0d || end[-2] == 0x05
	  || end[-2] == 0x0c);
}

/* Whether the CALL_MAX_BYTES bytes before END look as if a call of ABI ended
   there, so that END is a return address.  Chance may have it that others do
   as well; of an unknown ABI all do.  */
static inline bool
call_ends_at (uint8_t abi, const unsigned char *end)
{
  switch (abi)
    {
    case SFRAME_CORO_ABI_AMD64_LE:
      return call_amd64 (end);
    case SFRAME_CORO_ABI_AARCH64_LE:
    case SFRAME_CORO_ABI_AARCH64_BE:
      return call_aarch64 (end);
    case SFRAME_CORO_ABI_S390X_BE:
      return call_s390x (end);
    default:
      return true;
    }
}

#endif /* SFRAME_CORO_CALL_H */
