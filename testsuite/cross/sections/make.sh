#!/bin/sh
# Make the libraries and programs here anew, with GNU cross tools; look at what changes.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later

# shellcheck disable=SC2086
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# objects NAME TRIPLET FLAGS EMULATION: what the libraries and programs of NAME
# are linked of, with `link'.
objects ()
{
  records="$2-gcc $3 -c ../records.S"
  "$2-gcc" $3 -c variables.S -o "$tmp/variables.o"
  "$2-gcc" $3 -DNO_HEAD -c variables.S -o "$tmp/others.o"
  "$2-gcc" $3 -DONLY_HEAD -c variables.S -o "$tmp/head.o"
  $records -DLABEL=program_records -DNAME='"program"' \
    -DVARIABLE=program_head -o "$tmp/program.o"
  $records -DLABEL=key_records -DNAME='"key"' -DKEY=program_key \
    -o "$tmp/key.o"
  $records -DLABEL=slot_records -DNAME='"slot"' -DSLOT=program_slot \
    -o "$tmp/slot.o"
  link="$2-ld -m $4 -z max-page-size=4096 -z noseparate-code"
}

# library NAME ARGUMENTS: the form for any library, and a key.
library ()
{
  objects "$@"
  $link -shared -o "$1.so" \
    "$tmp/program.o" "$tmp/key.o" "$tmp/variables.o"
}

# programs NAME ARGUMENTS: NAME-offset, whose linker knows where the variable
# is, and NAME-word, where the variable is in a library; and a TP slot.
programs ()
{
  objects "$@"
  # Of s390x ld wants the function of the call that it takes away.
  $link -e 0 --defsym=__tls_get_offset=0 -o "$1-offset.elf" \
    "$tmp/program.o" "$tmp/slot.o" "$tmp/variables.o"
  $link -shared -soname libhead.so -o "$tmp/libhead.so" "$tmp/head.o"
  $link -pie -e 0 --defsym=__tls_get_offset=0 -o "$1-word.elf" \
    "$tmp/program.o" "$tmp/slot.o" "$tmp/others.o" "$tmp/libhead.so"
}

# dtpoff NAME ARGUMENTS: NAME-dtpoff, a library with an offset in its TLS block.
dtpoff ()
{
  objects "$@"
  $records -DLABEL=offset_records -DNAME='"offset"' \
    -DOFFSET=program_head -o "$tmp/offset.o"
  $link -shared -o "$1-dtpoff.so" "$tmp/offset.o" "$tmp/variables.o"
}

for what in library programs; do
  $what aarch64-le aarch64-linux-gnu -mlittle-endian aarch64linux
  $what aarch64-be aarch64-linux-gnu -mbig-endian aarch64linuxb
  $what s390x s390x-linux-gnu '' elf64_s390
  $what x86-64 x86_64-linux-gnu '' elf_x86_64
done
dtpoff s390x s390x-linux-gnu '' elf64_s390
dtpoff x86-64 x86_64-linux-gnu '' elf_x86_64
chmod -x ./*.so ./*.elf
