#!/bin/sh
# Make the libraries here anew, with GNU cross tools; look at what changes.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck disable=SC2086
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# library NAME TRIPLET FLAGS EMULATION
library ()
{
  "$2-gcc" $3 -c variables.S -o "$tmp/variables.o"
  "$2-gcc" $3 -c ../records.S -DLABEL=program_records -DNAME='"program"' \
    -DVARIABLE=program_head -o "$tmp/program.o"
  "$2-gcc" $3 -c ../records.S -DLABEL=key_records -DNAME='"key"' \
    -DKEY=program_key -o "$tmp/key.o"
  "$2-ld" -m "$4" -shared -z max-page-size=4096 -z noseparate-code -o "$1.so" \
    "$tmp/program.o" "$tmp/key.o" "$tmp/variables.o"
}

library aarch64-le aarch64-linux-gnu -mlittle-endian aarch64linux
library aarch64-be aarch64-linux-gnu -mbig-endian aarch64linuxb
library s390x s390x-linux-gnu '' elf64_s390
