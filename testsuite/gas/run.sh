#!/bin/bash
# Test the .sframe_coro directives, and objdump and readelf --sframe.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From the environment: AS OBJDUMP READELF LD OBJCOPY, by default those staged
# in the build directory; REF_AS, an assembler without our changes but of the
# same version, to compare with, by default that of `gas-patches/build
# --unpatched'.  Arguments select tests by name.
#
#   NAME.d         expected output; its head says what is assembled and shown
#   errors/NAME.s  sources with mistakes, errors/NAME.err the expected messages
#   warnings	   the same for what is accepted
# Everything else is in the functions named test_*; those for other targets are
# in cross.sh.
#
# UPDATE=1 writes expected output anew, to be read before it is committed.

set -u
shopt -s nullglob
export LC_ALL=C
cd "$(dirname "$0")" || exit 1
src=$PWD
bin=${SFRAME_CORO_BINUTILS:-$src/../../build/stage/binutils/bin}
AS=${AS:-$bin/as} OBJDUMP=${OBJDUMP:-$bin/objdump}
READELF=${READELF:-$bin/readelf} LD=${LD:-$bin/ld} OBJCOPY=${OBJCOPY:-$bin/objcopy}
REF_AS=${REF_AS:-${bin%/bin}-unpatched/bin/as}
if ! [ -x "$REF_AS" ]; then
  echo "SKIP: gas/without, against $REF_AS: not there"
  REF_AS=
fi

for tool in "$AS" "$OBJDUMP" "$READELF" "$LD" "$OBJCOPY"; do
  command -v "$tool" >/dev/null || { echo "run.sh: no $tool" >&2; exit 1; }
done

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
suite=gas
# shellcheck source=../cases.sh
. ../cases.sh

# Options of a source are in its first line.
as_options ()
{
  sed -n '1s/^# as: //p' "$1"
}

assemble ()
{
  # shellcheck disable=SC2046
  "$AS" $(as_options "$1") -I "$src" "$1" -o "$2"
}

# Compare a file with the expected one, or write that.
same ()
{
  if [ -n "${UPDATE:-}" ]; then
    cp "$2" "$1"
  fi
  diff -u "$1" "$2" >"$tmp/log"
}

# What a tool shows, without the name of the file.
show ()
{
  case $1 in
    objdump) "$OBJDUMP" --sframe "$2" 2>&1 | sed '1,3d' ;;
    readelf) "$READELF" --sframe "$2" 2>&1 ;;
    relocs) "$READELF" -rW "$2" | sed 's/ at offset 0x[0-9a-f]*//' \
	      | awk '/sframe_coro|R_X86_64_NONE/ { print; next }
		     /^Relocation/ { print }
		     /R_X86/ { print }' ;;
    groups) "$READELF" -gSW "$2" \
	      | awk '/COMDAT|^   \[ +[0-9]+\] +\.[a-z]/ { sub (/\[ *[0-9]+\] +/, "") }
		     /^COMDAT|^   \./ { print }
		     /sframe_coro +PROGBITS/ { sub (/^.*\] /, ""); print $1, $7, "align", $NF }' ;;
    symbols) "$READELF" -sW "$2" | awk '$4 != "SECTION" && $4 != "FILE" && NR > 4 \
	      { print $2, $3, $4, $5, $6, $8 }' ;;
    code) "$OBJDUMP" -dr -M att64 -j .text.sframe_coro "$2" | sed '1,3d' ;;
  esac
}

# The output expected in NAME.d.
test_expected ()
{
  local d name source kind tool

  for d in ./*.d; do
    name=$(basename "$d" .d)
    source=$(sed -n '1s/^#source: //p' "$d")
    kind=$(sed -n '2s/^#show: //p' "$d")
    wanted "$name" || continue
    if ! assemble "$source" "$tmp/o" >"$tmp/log" 2>&1 || [ -s "$tmp/log" ]; then
      fail "$name" "does not assemble quietly"
      continue
    fi
    for tool in ${kind/sframe/objdump readelf}; do
      head -n 2 "$d" >"$tmp/out"
      show "$tool" "$tmp/o" >>"$tmp/out"
      if same "$d" "$tmp/out"; then
	pass "$name ($tool)"
      else
	fail "$name ($tool)" "unexpected output"
      fi
    done
  done
}

# Every mistake: exactly the expected messages, and no output.
test_errors ()
{
  local s name

  for s in errors/*.s; do
    name=$(basename "$s" .s)
    wanted "errors/$name" || continue
    rm -f "$tmp/o"
    if (cd errors && assemble "$name.s" "$tmp/o") >"$tmp/err" 2>&1; then
      fail "errors/$name" "was accepted"
    elif [ -e "$tmp/o" ]; then
      fail "errors/$name" "left an output file"
    else
      sed -i '/: Assembler messages:$/d' "$tmp/err"
      if same "${s%.s}.err" "$tmp/err"; then
	pass "errors/$name"
      else
	fail "errors/$name" "unexpected messages"
      fi
    fi
  done
}

test_warnings ()
{
  local s name

  for s in warnings/*.s; do
    name=$(basename "$s" .s)
    wanted "warnings/$name" || continue
    if ! (cd warnings && assemble "$name.s" "$tmp/o") >"$tmp/err" 2>&1; then
      fail "warnings/$name" "was not accepted"
      continue
    fi
    sed -i '/: Assembler messages:$/d' "$tmp/err"
    if same "${s%.s}.err" "$tmp/err"; then
      pass "warnings/$name"
    else
      fail "warnings/$name" "unexpected messages"
    fi
  done
}

# A source without our directives and what hangs on them.
without_directives ()
{
  sed -e '/\.sframe_coro_/d' -e '/-chain\.inc/d' "$1"
}

# The bytes and relocations of a section, and all symbols but those of ours.
facts ()
{
  local object=$1 section=$2

  rm -f "$tmp/bytes"
  "$OBJCOPY" -O binary -j "$section" "$object" "$tmp/bytes" 2>/dev/null
  [ ! -s "$tmp/bytes" ] || sha256sum <"$tmp/bytes"
  "$OBJDUMP" -rj "$section" "$object" 2>/dev/null | sed -n '/R_X86/p' \
    | grep -v 'R_X86_64_NONE.*\.sframe_coro'
}

# Directives change nothing of the code they are in.
test_code_untouched ()
{
  local s name section

  for s in main.s sites.s macros.s syntax.s rows.s bodies.s; do
    name=code-untouched/${s%.s}
    wanted "$name" || continue
    : >"$tmp/log"
    assemble "$s" "$tmp/with" && without_directives "$s" >"$tmp/plain.s" \
      && assemble "$tmp/plain.s" "$tmp/without" || { fail "$name" "as"; continue; }
    for section in .text .text.f .text.inl .text.unlikely .data .tbss; do
      facts "$tmp/with" $section >"$tmp/a"
      facts "$tmp/without" $section >"$tmp/b"
      diff "$tmp/a" "$tmp/b" >>"$tmp/log"
    done
    if [ -s "$tmp/log" ]; then fail "$name" "differs"; else pass "$name"; fi
  done
}

# Without directives nothing of ours is in the object, and it is what the
# original assembler makes.
test_without_directives ()
{
  local s

  for s in main.s macros.s sites.s; do
    without_directives "$s" >"$tmp/plain.s"
    test_plain "without/${s%.s}" "$tmp/plain.s"
  done
  # Some ten thousand lines with all that compilers write.
  if "${CXX:-g++}" -std=c++20 -O0 -g -DNO_SFRAME_CORO -I"$src/../../include" -S \
       "$src/../../examples/factorial.cc" -o "$tmp/plain.s" 2>"$tmp/log"; then
    test_plain without/compiled "$tmp/plain.s"
  else
    fail without/compiled "cannot be compiled"
  fi
}

# test_plain NAME SOURCE: the same, of one source.
test_plain ()
{
  wanted "$1" || return
  assemble "$2" "$tmp/ours" >"$tmp/log" 2>&1
  if [ -s "$tmp/log" ] || "$READELF" -SsW "$tmp/ours" | grep sframe_coro >"$tmp/log"; then
    fail "$1" "traces of sframe_coro"
    return
  fi
  if [ -n "$REF_AS" ]; then
    # shellcheck disable=SC2046
    "$REF_AS" $(as_options "$2") -I "$src" "$2" -o "$tmp/ref"
    cmp "$tmp/ours" "$tmp/ref" >"$tmp/log" 2>&1 \
      || { fail "$1" "not what $REF_AS makes"; return; }
  fi
  pass "$1"
}

# Every message has a test above, unless it cannot be made to appear.
test_diagnostics ()
{
  wanted diagnostics || return
  if ./diagnostics.py "$src"/../../gas-patches/new/gas/*.c -- {errors,warnings,cross/errors}/*.err \
       >"$tmp/log" 2>&1; then
    pass diagnostics
  else
    fail diagnostics "messages without a test"
  fi
}

# Options that have to do with lines, and ways to read the source.
test_options ()
{
  local opt s name

  while read -r opt; do
    for s in main sites rows bodies macros; do
      name=options/$opt/$s
      wanted "$name" || continue
      # -f is for sources as compilers write them.
      sed -e 's/[[:blank:]]*#.*//' -e '/^$/d' $s.s >"$tmp/source.s"
      "$AS" -I "$src" "$tmp/source.s" -o "$tmp/ref" &&
	"$READELF" --sframe=.sframe_coro "$tmp/ref" >"$tmp/a"
      # shellcheck disable=SC2086
      if ! "$AS" -I "$src" $opt "$tmp/source.s" -o "$tmp/o" >"$tmp/log" 2>&1; then
	fail "$name" "as failed"
      elif ! "$READELF" --sframe=.sframe_coro "$tmp/o" >"$tmp/b" ||
	   ! diff "$tmp/a" "$tmp/b" >"$tmp/log"; then
	fail "$name" "another .sframe_coro"
      else
	pass "$name"
      fi
    done
  done <<'END'
-g
--gdwarf-5
-al
-aghlms --listing-lhs-width=4
-alns -g
--reduce-memory-overheads
--elf-stt-common=yes
--gsframe
-f
END
  wanted options/branches || return
  assemble main.s "$tmp/ref"
  "$AS" -mbranches-within-32B-boundaries main.s -o "$tmp/o" &&
    "$READELF" --sframe=.sframe_coro "$tmp/o" >"$tmp/b" &&
    "$READELF" --sframe=.sframe_coro "$tmp/ref" | diff - "$tmp/b" >"$tmp/log"
  if [ -s "$tmp/log" ]; then fail options/branches "another .sframe_coro"
  else pass options/branches; fi
}

# Next to .sframe, of the option or of the directive: both sections, each as it
# is without the other.
test_next_to_sframe ()
{
  local opt name sections

  for opt in --gsframe .cfi_sections; do
    name=next-to-sframe/$opt
    wanted "$name" || continue
    sections=
    [ $opt = --gsframe ] || { sections="	$opt .sframe"; opt=; }
    # shellcheck disable=SC2086
    if ! { echo "$sections"; cat rows.s; } | "$AS" -I "$src" $opt - -o "$tmp/o" >"$tmp/log" 2>&1 ||
       ! { echo "$sections"; without_directives rows.s; } | "$AS" -I "$src" $opt - -o "$tmp/plain" ||
       ! assemble rows.s "$tmp/alone"; then
      fail "$name" "as failed"
      continue
    fi
    "$READELF" --sframe=.sframe_coro "$tmp/o" >"$tmp/a"
    "$READELF" --sframe=.sframe_coro "$tmp/alone" >"$tmp/b"
    facts "$tmp/o" .sframe >"$tmp/c"
    facts "$tmp/plain" .sframe >"$tmp/d"
    if ! diff "$tmp/a" "$tmp/b" >"$tmp/log"; then
      fail "$name" "another .sframe_coro"
    elif ! [ -s "$tmp/c" ] || ! diff "$tmp/c" "$tmp/d" >"$tmp/log"; then
      fail "$name" "another .sframe"
    else
      pass "$name"
    fi
  done
}

# --sframe with one, the other, both and none of the sections, in any order:
# readelf shows them as they are in the file.
test_dump_selection ()
{
  local tool o cmd want got

  assemble main.s "$tmp/coro"
  printf '\t.cfi_sections .sframe\nf:\t.cfi_startproc\n\tret\n\t.cfi_endproc\n' \
    >"$tmp/s.s"
  "$AS" "$tmp/s.s" -o "$tmp/sframe"
  { cat "$tmp/s.s" main.s; } >"$tmp/both.s"
  "$AS" "$tmp/both.s" -o "$tmp/both"
  echo ret | "$AS" -o "$tmp/none" -
  while read -r tool o cmd want; do
    wanted "dump/$tool-$o$cmd" || continue
    case $tool in
      objdump) "$OBJDUMP" "$cmd" "$tmp/$o" >"$tmp/log" 2>&1 ;;
      readelf) "$READELF" "$cmd" "$tmp/$o" >"$tmp/log" 2>&1 ;;
    esac
    got=$(sed -n -e 's/^Contents of the SFrame section.*/sframe/p' \
	      -e 's/^Contents of the .sframe_coro section.*/coro/p' \
	      -e '/^.*No .sframe_coro section present.*/s//no-coro/p' \
	      -e '/^.*\.sframe_coro. was not dumped.*/s//no-coro/p' \
	      -e '/^.*No .sframe section present.*/s//no-sframe/p' \
	      -e "/^.*can't find section.*sframe.*/s//no/p" \
	      -e '/^.*\.sframe. was not dumped.*/s//no-sframe/p' \
	      "$tmp/log" | sort -u | tr '\n' ' ')
    # What 2.44 says does not tell the sections apart.
    case $got in no\ *) want="no " ;; esac
    if [ "$got" = "$want " ] || [ "$got" = "$want" ]; then
      pass "dump/$tool-$o$cmd"
    else
      fail "dump/$tool-$o$cmd" "got $got, not $want"
    fi
  done <<'END'
objdump coro --sframe coro
objdump sframe --sframe sframe
objdump both --sframe coro sframe
objdump both --sframe=.sframe_coro coro
objdump none --sframe no-sframe
objdump none --sframe=.sframe_coro no-coro
readelf coro --sframe coro
readelf sframe --sframe sframe
readelf both --sframe coro sframe
readelf both --sframe=.sframe_coro coro
readelf none --sframe no-sframe
readelf none --sframe=.sframe_coro no-coro
END
}

# Malformed sections: a message, no crash.
test_dump_damaged ()
{
  local where byte tool status

  assemble main.s "$tmp/o"
  "$OBJCOPY" -O binary -j .sframe_coro --set-section-flags .sframe_coro=alloc \
    "$tmp/o" "$tmp/good" 2>/dev/null
  for where in 0 2 4 6 8 12 20 24 40 64; do
    wanted "damaged/$where" || continue
    cp "$tmp/good" "$tmp/bad"
    printf '\377' | dd of="$tmp/bad" bs=1 seek=$where conv=notrunc 2>/dev/null
    "$OBJCOPY" --update-section .sframe_coro="$tmp/bad" "$tmp/o" "$tmp/o2" \
      2>/dev/null
    for tool in "$OBJDUMP" "$READELF"; do
      "$tool" --sframe "$tmp/o2" >"$tmp/log" 2>&1
      status=$?
      if [ $status -eq 1 ] && grep -q 'Error at offset' "$tmp/log"; then
	pass "damaged/$where ($(basename "$tool"))"
      else
	fail "damaged/$where ($(basename "$tool"))" "status $status"
      fi
    done
  done
}

# Linking: whether the linker is here, and how it is called.
linkers ()
{
  local name

  echo "staged $LD"
  for name in ld.bfd ld.gold ld.lld ld.lld-19 mold; do
    if command -v $name >/dev/null; then echo "$name $(command -v $name)"; fi
  done
}

# What must be true of every linked file: one section; nothing dynamic refers
# to it; no text relocation; no static TLS.
check_linked ()
{
  local file=$1 start size

  "$READELF" -SW "$file" | sed -n 's/.*\] \(\.sframe_coro\) /\1 /p' >"$tmp/secs"
  [ "$(wc -l <"$tmp/secs")" = 1 ] || { echo "not one section"; return 1; }
  read -r _ _ start _ size _ <"$tmp/secs"
  "$READELF" -rW "$file" | awk '/R_/ { print $1 }' >"$tmp/rels"
  while read -r rel; do
    if ((16#$rel >= 16#$start && 16#$rel < 16#$start + 16#$size)); then
      echo "dynamic relocation in the section"
      return 1
    fi
  done <"$tmp/rels"
  if "$READELF" -dW "$file" | grep -e TEXTREL -e STATIC_TLS; then return 1; fi
}

# Chains, and the functions of sites with their chains, as NAME>NAME.
contents ()
{
  "$READELF" --sframe "$1" 2>&1 \
    | sed -n -e 's/^ *chain \[[0-9]*\]: "\(.*\)" at [0-9a-f]* <\(.*\)>$/chain \1 \2/p' \
	  -e 's/^ *func .* <\(.*\)>, size = \([0-9]*\) .* <\(.*\)>$/site \1 \2 \3/p' \
	  -e '/Error/p' | sort
}

# Which of the three shapes the linked stub has, from its first bytes.
stub_shape ()
{
  local addr

  addr=$("$READELF" --sframe "$1" | sed -n 's/.*\]: tls, \([0-9a-f]*\).*/\1/p' \
	 | head -n 1)
  "$OBJDUMP" -d --start-address="0x$addr" --stop-address="$((16#$addr + 7))" "$1" \
    | sed -n -e '/48 c7 c0/s/.*/immediate/p' -e '/48 8b 05/s/.*/word/p' \
	  -e '/48 8d 05/s/.*/descriptor/p'
}

# One link of a program, in every mode, with and without garbage collection.
test_link ()
{
  local linker path mode gc name options want shape

  assemble link-main.s "$tmp/main.o" && assemble link-other.s "$tmp/other.o" \
    || { fail link "as"; return; }
  while read -r linker path; do
    while read -r mode shape options; do
      for gc in '' --gc-sections; do
	name=link/$linker-$mode$gc
	wanted "$name" || continue
	want=link.contents
	[ -n "$gc" ] && want=link-gc.contents
	# shellcheck disable=SC2086
	if ! "$path" $options $gc "$tmp/main.o" "$tmp/other.o" -o "$tmp/out" \
	     >"$tmp/log" 2>&1; then
	  fail "$name" "cannot link"
	elif ! check_linked "$tmp/out" >"$tmp/log"; then
	  fail "$name" "$(cat "$tmp/log")"
	elif ! contents "$tmp/out" | diff "$want" - >"$tmp/log"; then
	  fail "$name" "unexpected contents"
	elif [ "$(stub_shape "$tmp/out")" != "$shape" ]; then
	  fail "$name" "the stub is $(stub_shape "$tmp/out"), not $shape"
	else
	  pass "$name"
	fi
      done
    done <<'END'
static immediate -static
exec immediate -no-pie
pie immediate -pie
shared descriptor -shared
END
  done < <(linkers)
}

# Identical code folding looks at relocations, and so at the anchors.
test_link_icf ()
{
  local linker path

  assemble icf.s "$tmp/o" || { fail icf "as"; return; }
  while read -r linker path; do
    case $linker in staged | ld.bfd) continue ;; esac
    wanted "icf/$linker" || continue
    if "$path" --icf=all "$tmp/o" -o "$tmp/out" >"$tmp/log" 2>&1 \
	&& check_linked "$tmp/out" >"$tmp/log" \
	&& contents "$tmp/out" | diff icf.contents - >"$tmp/log"; then
      pass "icf/$linker"
    else
      fail "icf/$linker" "unexpected contents"
    fi
  done < <(linkers)
}

# A variable that another library defines, from an executable and a library.
test_link_foreign ()
{
  local linker path mode shape options

  assemble link-main.s "$tmp/main.o" && assemble foreign.s "$tmp/o" \
    && "$LD" -shared "$tmp/main.o" -o "$tmp/lib.so" || { fail foreign "as"; return; }
  while read -r linker path; do
    while read -r mode shape options; do
      wanted "foreign/$linker-$mode" || continue
      # shellcheck disable=SC2086
      if "$path" $options "$tmp/o" "$tmp/lib.so" -o "$tmp/out" >"$tmp/log" 2>&1 \
	  && check_linked "$tmp/out" >"$tmp/log" \
	  && contents "$tmp/out" | diff foreign.contents - >"$tmp/log" \
	  && [[ $(stub_shape "$tmp/out") =~ ^($shape)$ ]]; then
	pass "foreign/$linker-$mode"
      else
	fail "foreign/$linker-$mode" "stub $(stub_shape "$tmp/out")"
      fi
    done <<'END'
exec word|descriptor -no-pie -e user
pie word|descriptor -pie -e user
shared descriptor -shared
END
  done < <(linkers)
}

# A relocatable link keeps everything, and the result links like the parts.
# Not with gold once more: what gold -r writes has SHF_GNU_RETAIN without the
# OS/ABI that says so, for which gold then makes a section of its own.
test_link_relocatable ()
{
  local linker path

  assemble link-main.s "$tmp/main.o" && assemble link-other.s "$tmp/other.o" \
    || { fail relocatable "as"; return; }
  while read -r linker path; do
    wanted "relocatable/$linker" || continue
    if "$path" -r "$tmp/main.o" "$tmp/other.o" -o "$tmp/both.o" >"$tmp/log" 2>&1 \
	&& "$LD" -pie "$tmp/both.o" -o "$tmp/out" >"$tmp/log" 2>&1 \
	&& check_linked "$tmp/out" >"$tmp/log" \
	&& contents "$tmp/out" | diff link.contents - >"$tmp/log"; then
      pass "relocatable/$linker"
    else
      fail "relocatable/$linker" "unexpected contents"
    fi
  done < <(linkers)
}

# The linked section decodes without symbols, too.
test_stripped ()
{
  local lines

  wanted stripped || return 0
  assemble main.s "$tmp/o"
  "$LD" -e resume "$tmp/o" -o "$tmp/out" && "$OBJCOPY" -S "$tmp/out" "$tmp/s"
  show readelf "$tmp/s" >"$tmp/b"
  lines=$(grep -c -e 'chain \[0\]: "demo: task" at' -e 'func \[0\]: site' "$tmp/b")
  show readelf "$tmp/out" | sed 's/ <[^>]*>//g' | diff - "$tmp/b" >"$tmp/log"
  if [ "$lines" = 2 ] && [ ! -s "$tmp/log" ]; then
    pass stripped
  else
    fail stripped "unexpected contents"
  fi
}

# Sums of all files of a tree.
tree_sum ()
{
  (cd "$1" && find . -type f -exec sha256sum {} + | sort) | sha256sum
}

# The patches on the sources that were fetched for a build: applied, applied
# again, on code that is not as expected, and on a tree somebody else patched.
test_apply ()
{
  local apply=$src/../../gas-patches/apply tarball name tree=$tmp/tree sum

  for tarball in "$src"/../../build/binutils-*/download/binutils-*.tar.*; do
    name=$(basename "$tarball")
    name=apply/${name%.tar.*}
    wanted "$name" || continue
    rm -rf "$tree" && mkdir "$tree"
    tar -xf "$tarball" -C "$tree" --strip-components=1 --wildcards \
      '*/gas/*.[ch]' '*/gas/Makefile.*' '*/binutils/*.[ch]' \
      '*/binutils/Makefile.*' '*/libsframe/*' '*/include/sframe*' \
      '*/include/elf/*.h' '*/bfd/elf*.[ch]' '*/bfd/Makefile.*' \
      '*/bfd/configure*' '*/ld/scripttempl/elf.sc' '*/gas/NEWS' \
      '*/binutils/NEWS' '*/ld/NEWS' '*/gas/doc/*' '*/binutils/doc/*' \
      '*/ld/ld.texi'
    cp -r "$tree" "$tmp/tree2"

    sed -i 's/cfi_finish ();/cfi_finish (); \/\* changed \*\//' "$tmp/tree2/gas/as.c"
    sum=$(tree_sum "$tmp/tree2")
    if "$apply" "$tmp/tree2" 2>"$tmp/log" \
	|| ! grep -q 'hooks/gas.patch: hunk [0-9]* does not apply to gas/as.c' "$tmp/log" \
	|| [ "$(tree_sum "$tmp/tree2")" != "$sum" ]; then
      fail "$name" "did not refuse changed code cleanly"
      continue
    fi
    echo '#include "gen-sframe-coro.h" /* sframe_coro */' >>"$tmp/tree2/gas/as.c"
    if "$apply" "$tmp/tree2" 2>"$tmp/log" || ! grep -q 'patched already' "$tmp/log"; then
      fail "$name" "did not notice a patched tree"
      continue
    fi
    if ! "$apply" "$tree" >"$tmp/log" 2>&1; then
      fail "$name" "does not apply"
      continue
    fi
    sum=$(tree_sum "$tree")
    # A hook as of yesterday is taken out and the one of today put in.
    sed -i 's/ sframe_coro_finish ();/ sframe_coro_finish (); \/\* old \*\//' \
      "$tree/gas/as.c" "$tree/.sframe-coro-hooks/gas.patch"
    if ! "$apply" "$tree" >"$tmp/log" 2>&1 || [ "$(tree_sum "$tree")" != "$sum" ]; then
      fail "$name" "does not replace a hook"
      continue
    fi
    find "$tree" -type f -exec touch -d 2001-01-01 {} +
    if ! "$apply" "$tree" >"$tmp/log" 2>&1 \
	|| [ -n "$(find "$tree" -type f -newermt 2002-01-01)" ]; then
      fail "$name" "touches files of a patched tree"
    else
      pass "$name"
    fi
    rm -rf "$tmp/tree2"
  done
}

selected=("$@")
wanted ()
{
  local pattern

  [ ${#selected[@]} -gt 0 ] || return 0
  for pattern in "${selected[@]}"; do
    # shellcheck disable=SC2254
    case $1 in $pattern) return 0 ;; esac
  done
  return 1
}

# shellcheck source=cross.sh
. ./cross.sh

for t in expected errors warnings diagnostics code_untouched \
	 without_directives options next_to_sframe \
	 dump_selection dump_damaged link link_icf link_foreign link_relocatable \
	 stripped apply cross_expected cross_stub cross_errors cross_link; do
  test_$t
done
totals
