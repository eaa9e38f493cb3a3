#!/bin/bash
# The series for upstream: what git am makes of it is what apply makes.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From the environment: BINUTILS_SOURCE, the tarballs of unpatched trees, by
# default those that gas-patches/build keeps in the build directory.

set -u
shopt -s nullglob
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
patches=$top/gas-patches
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

pass () { passed=$((passed + 1)); echo "PASS: upstream/$1"; }
fail ()
{
  failed=$((failed + 1))
  echo "FAIL: upstream/$1: $2"
  if [ -s "$work/log" ]; then head -n 40 "$work/log" | sed 's/^/    /'; fi
}

# try NAME WHY COMMAND...: a case; WHY is what it means if COMMAND fails.
try ()
{
  local name=$1 why=$2

  shift 2
  if "$@" >"$work/log" 2>&1; then
    pass "$name"
  else
    fail "$name" "$why"
    return 1
  fi
}

# fails_with TEXT COMMAND...: the command must fail, and say so.
fails_with ()
{
  local text=$1

  shift
  ! "$@" >"$work/said" 2>&1 || return 1
  cat "$work/said"
  grep -q -F -e "$text" "$work/said"
}

# A repository of the tree in DIR, as a maintainer has it: with everything that
# the patches touch.
make_repository ()
{
  git -C "$1" init -q && git -C "$1" config user.name Maintainer &&
    git -C "$1" config user.email maintainer@example.org &&
    git -C "$1" config core.autocrlf false &&
    sed -n 's,^--- a/,,p' "$work"/series/*.patch | sort -u |
      git -C "$1" add -f --pathspec-from-file=- &&
    git -C "$1" commit -q -m Pristine
}

git_am ()
{
  git -C "$1" am -q --whitespace=nowarn "$work"/series/*.patch
}

# Both trees without what the tools keep in them.
same_trees ()
{
  diff -r -q -x .git -x .sframe-coro-hooks "$1" "$2"
}

# Every commit has a subject, its list, and nothing of the machine.
check_messages ()
{
  local patch

  for patch in "$work"/series/*.patch; do
    sed '/^---$/q' "$patch" >"$work/message"
    grep -q '^	\* [^ ]' "$work/message" || { echo "$patch: no list"; return 1; }
    grep -q '^From: The libsframe-coro authors <' "$work/message" ||
      { echo "$patch: another author"; return 1; }
    ! grep -n -e "$top" -e "$work" -e "from /" -e "/home/" "$patch" ||
      return 1
  done
}

# What the manuals say is texinfo.
check_manuals ()
{
  local tree=$1

  command -v makeinfo >/dev/null || { echo "no makeinfo"; return 1; }
  cp "$tree/gas/doc/all.texi" "$work/asconfig.texi"
  printf '@set VERSION 0\n@set BUGURL @url{https://example.org}\n' >"$work/bfdver.texi"
  cp "$work/bfdver.texi" "$work/ldver.texi"
  manual "$tree/gas/doc/as.texi" && manual "$tree/binutils/doc/binutils.texi" \
    && cp "$tree/ld/gen-doc.texi" "$work/configdoc.texi" && manual "$tree/ld/ld.texi"
}

manual ()
{
  makeinfo --no-split --error-limit=20 -I "$work" -I "$(dirname "$1")" \
    -I "$tree/libiberty" -I "$tree/bfd/doc" -o "$work/manual.info" "$1" \
    >"$work/makeinfo" 2>&1 ||
    { cat "$work/makeinfo"; return 1; }
  # Warnings about what is ours.
  ! grep -i sframe "$work/makeinfo" && grep -q sframe_coro "$work/manual.info"
}

# The whole, with one tarball.
check_series ()
{
  local source=$1 name

  name=$(basename "$source") name=${name%.tar.*}
  rm -rf "$work"/{series,again,tree,applied,pristine}
  try "$name/make" "no series" "$patches/series" "$source" "$work/series" ||
    return
  try "$name/messages" "commits are not as they have to be" check_messages
  mkdir "$work/tree"
  tar -xf "$source" -C "$work/tree" --strip-components=1 --wildcards \
    --exclude='*/testsuite' --exclude='*.po' --exclude='*.info' \
    '*/bfd' '*/binutils' '*/gas' '*/include' '*/ld' '*/libiberty' '*/libsframe'
  # Whoever changes a file here makes a new one.
  cp -al "$work/tree" "$work/applied"
  cp -al "$work/tree" "$work/pristine"
  try "$name/apply" "apply fails" "$patches/apply" "$work/applied" || return
  try "$name/repeat" "another series from the same tree" repeat_series
  try "$name/repository" "git fails" make_repository "$work/tree"
  try "$name/am" "git am fails" git_am "$work/tree" || return
  try "$name/same" "not what apply makes" same_trees "$work/tree" \
    "$work/applied"
  try "$name/manuals" "not texinfo, or not there" check_manuals "$work/tree"
}

# From an unpacked tree, into a directory that has an older series.
repeat_series ()
{
  mkdir "$work/again"
  : >"$work/again/0009-gone.patch"
  "$patches/series" "$work/pristine" "$work/again" &&
    diff -r "$work/series" "$work/again"
}

# Changes of the lists must be noticed.
check_lists ()
{
  local source=$work/pristine copy=$work/copy/gas-patches

  mkdir -p "$work/copy/testsuite"
  cp -r "$patches" "$top/include" "$top/libsframe-coro" "$work/copy"
  cp -r "$top/testsuite/gas" "$top/testsuite/ld" "$work/copy/testsuite"
  sed -i 's/ sframe-coro-cfa\.c,//' "$copy/commits/3-gas"
  try lists/missing "a file in no list is not noticed" fails_with \
    'in no list in commits/: gas/sframe-coro-cfa.c' "$copy/series" "$source" "$work/out"
  sed 's/\* write\.c/* none.c/' "$patches/commits/3-gas" >"$copy/commits/3-gas"
  try lists/wrong "a file that does not exist is not noticed" fails_with \
    '3-gas lists gas/none.c, which is not there' "$copy/series" "$source" "$work/out"
  cp "$patches/commits/3-gas" "$copy/commits/3-gas"
  printf 'gas/\n\t* as.c: Again.\n' >>"$copy/commits/4-binutils"
  try lists/twice "a file in two lists is not noticed" fails_with \
    '4-binutils lists gas/as.c, which is not changed there' "$copy/series" "$source" "$work/out"
  mkdir "$work/other"
  : >"$work/other/precious"
  try lists/directory "a directory with something else is accepted" fails_with \
    'has something else: precious' "$patches/series" "$source" "$work/other"
}

read -r -a sources <<<"${BINUTILS_SOURCE:-$(echo "$top"/build/binutils-*/download/*.tar.*)}"
for source in "${sources[@]}"; do
  check_series "$source"
done
if [ ${#sources[@]} -gt 0 ]; then
  check_lists
else
  echo "SKIP: upstream: no tarball of binutils; see gas-patches/build --source"
  skipped=1
fi

if [ $skipped -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
