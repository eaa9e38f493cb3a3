# The directives for other targets; a part of run.sh.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# AS_aarch64 and AS_s390x, by default those that `gas-patches/build
# --target=ARCH-linux-gnu' stages.  Without one its tests are skipped, aloud.
#
#   cross/NAME.d  expected output: its head has source, assembler, what to show
#   cross/errors  as ../errors; a name begins with that of the assembler

AS_aarch64=${AS_aarch64:-${bin%/bin}-aarch64-linux-gnu/bin/as}
AS_s390x=${AS_s390x:-${bin%/bin}-s390x-linux-gnu/bin/as}

# Say once for each assembler that it is not there.
declare -A cross_skipped
have_cross ()
{
  local as=AS_$1

  command -v "${!as}" >/dev/null && return
  [ -n "${cross_skipped[$1]:-}" ] \
    || echo "SKIP: gas/cross for $1: no assembler ${!as}"
  cross_skipped[$1]=1
  return 1
}

# Assemble SOURCE for ARCH with more options.
cross_assemble ()
{
  local as=AS_$1 source=$2 output=$3
  shift 3

  # shellcheck disable=SC2046
  "${!as}" $(as_options "$source") "$@" "$source" -o "$output"
}

cross_show ()
{
  case $1 in
    sframe) "$READELF" --sframe "$2" 2>&1 ;;
    relocs) "$READELF" -rW "$2" | sed 's/ at offset 0x[0-9a-f]*//' \
	      | awk '/sframe_coro|^Relocation|R_AARCH64|R_390/' ;;
    stub) "$READELF" -x .text.sframe_coro "$2" \
	    | awk '/^  0x/ { print $1, $2, $3, $4, $5 }' ;;
  esac
}

test_cross_expected ()
{
  local d name source arch options kind

  for d in cross/*.d; do
    name=$(basename "$d" .d)
    wanted "cross/$name" || continue
    source=cross/$(sed -n '1s/^#source: //p' "$d")
    read -r arch options < <(sed -n '2s/^#as: //p' "$d")
    kind=$(sed -n '3s/^#show: //p' "$d")
    have_cross "$arch" || continue
    # shellcheck disable=SC2086
    if ! cross_assemble "$arch" "$source" "$tmp/o" $options >"$tmp/log" 2>&1 \
	|| [ -s "$tmp/log" ]; then
      fail "cross/$name" "does not assemble quietly"
      continue
    fi
    head -n 3 "$d" >"$tmp/out"
    cross_show "$kind" "$tmp/o" >>"$tmp/out"
    if same "$d" "$tmp/out"; then
      pass "cross/$name"
    else
      fail "cross/$name" "unexpected output"
    fi
  done
}

# The sequence in the stub is what the assembler makes of its instructions.
test_cross_stub ()
{
  local arch

  for arch in aarch64 s390x; do
    wanted "cross/stub-$arch" && have_cross $arch || continue
    printf '\t.sframe_coro_chain c\n\t.sframe_coro_head tls, v\n\t%s\n\t%s\n' \
      '.sframe_coro_path next, 8' '.sframe_coro_endchain' >"$tmp/ours.s"
    stub_source_$arch >"$tmp/plain.s"
    cross_assemble $arch "$tmp/ours.s" "$tmp/ours.o" \
      && cross_assemble $arch "$tmp/plain.s" "$tmp/plain.o" \
      || { fail "cross/stub-$arch" "as"; continue; }
    stub_facts "$tmp/ours.o" >"$tmp/a"
    stub_facts "$tmp/plain.o" >"$tmp/b"
    if [ "$(wc -l <"$tmp/a")" -ge 5 ] && diff "$tmp/a" "$tmp/b" >"$tmp/log"; then
      pass "cross/stub-$arch"
    else
      fail "cross/stub-$arch" "differs"
    fi
  done
}

# The bytes of the stub, and its relocations in the order they are in.
stub_facts ()
{
  cross_show stub "$1"
  "$READELF" -rW "$1" \
    | awk '/^Relocation/ { ours = /rela.text.sframe_coro/ }
	   ours && /R_/ { print $1, $3, $5, $6, $7 }'
}

stub_source_aarch64 ()
{
  cat <<'END'
	.section .text.sframe_coro, "ax"
	adrp x0, :tlsdesc:v
	ldr x1, [x0, :tlsdesc_lo12:v]
	add x0, x0, :tlsdesc_lo12:v
	.tlsdesccall v
	blr x1
END
}

stub_source_s390x ()
{
  cat <<'END'
	.section .text.sframe_coro, "ax"
	larl %r12, _GLOBAL_OFFSET_TABLE_
	lgrl %r2, 1f
	brasl %r14, __tls_get_offset@plt:tls_gdcall:v
	.fill 3, 2, 0x0707
1:	.quad v@tlsgd
END
}

test_cross_errors ()
{
  local s name arch

  for s in cross/errors/*.s; do
    name=$(basename "$s" .s)
    arch=${name%%-*}
    wanted "cross/errors/$name" && have_cross "$arch" || continue
    rm -f "$tmp/o"
    if (cd cross/errors && cross_assemble "$arch" "$name.s" "$tmp/o") \
	 >"$tmp/err" 2>&1 || [ -e "$tmp/o" ]; then
      fail "cross/errors/$name" "was accepted"
      continue
    fi
    sed -i '/: Assembler messages:$/d' "$tmp/err"
    if same "${s%.s}.err" "$tmp/err"; then
      pass "cross/errors/$name"
    else
      fail "cross/errors/$name" "unexpected messages"
    fi
  done
}

# The linkers that know EMULATION.  mold has no big-endian AArch64, and gold
# writes the code it changes there in big-endian.
cross_linkers ()
{
  local name

  case $1 in
    aarch64linux) set -- aarch64-linux-gnu-ld.{bfd,gold} ld.lld-19 mold ;;
    aarch64linuxb) set -- aarch64-linux-gnu-ld.bfd ld.lld-19 ;;
    elf64_s390) set -- s390x-linux-gnu-ld.{bfd,gold} ld.lld-19 mold ;;
  esac
  for name in "$@"; do
    if command -v "$name" >/dev/null; then
      echo "$name"
    else
      echo "SKIP: gas/cross: no $name" >&2
    fi
  done
}

# SIZE bytes at ADDRESS of FILE, as words in the byte order ENDIAN.
words_at ()
{
  local file=$1 address=$2 size=$3 endian=$4 offset start filesize

  while read -r offset start filesize; do
    if ((address >= start && address < start + filesize)); then
      od -An -v -tx4 -w"$size" --endian="$endian" -N "$size" \
	 -j $((address - start + offset)) "$file"
      return
    fi
  done < <("$READELF" -lW "$file" | awk '$1 == "LOAD" { print $2, $3, $5 }')
}

# What the linker made of the access: `immediate', `word', or what a library
# needs: `descriptor', and on s390x, which has none, `index'.
cross_shape ()
{
  local file=$1 arch=$2 address endian=little

  address=0x$("$READELF" --sframe "$file" \
		| sed -n 's/.*\]: tls, \([0-9a-f]*\).*/\1/p' | head -n 1)
  [ "$arch" = aarch64 ] || endian=big
  words_at "$file" "$address" 32 $endian | case $arch in
    aarch64)
      sed -E -n -e 's/^ ?(d503201f )*d2[ab]...[02468ace]0 f2[89]...[02468ace]0 .*/immediate/p' \
	  -e 's/^ ?(d503201f )*[9bdf]0....[02468ace]0 f9[4-7]...00 .*/word/p' \
	  -e 's/^ ?[9bdf]0....[02468ace]0 f9[4-7]...01 91....00 d63f0020 .*/descriptor/p' ;;
    s390x)
      sed -n -e 's/^ c0c0.... ....c428 00000009 c004.*/immediate/p' \
	  -e 's/^ c0c0.... ....c428 00000009 e322c000 0004.*/word/p' \
	  -e 's/^ c0c0.... ....c428 00000009 c0e5.*/index/p' ;;
  esac
}

# `contents', without the numbers that differ between targets.
cross_contents ()
{
  contents "$1" | sed -E -e 's/^(site [^ ]*) [0-9]+/\1 N/' -e 's/\+0x[0-9a-f]+ /+N /'
}

# s390x alone has tls_offset heads: an offset in the module's block, or one
# from the thread pointer.  mold 1.10 writes the latter in libraries, too, which
# is no use there, and wrong for everything else that is local-dynamic.
cross_offset_ok ()
{
  local value

  value=$("$READELF" --sframe "$1" | sed -n 's/.*: tls_offset, \([^,]*\).*/\1/p')
  case $2 in
    aarch64:*) [ -z "$value" ] ;;
    s390x:index:mold) ;;
    s390x:index:*) [ "$value" = 8 ] ;;
    s390x:*) [ "$value" = -8 ] ;;
  esac
}

# Objects of one emulation, linked in every mode by all linkers.
cross_link_one ()
{
  local arch=$1 emulation=$2 linker=$3 options=$4 want=$5 shapes=$6 got
  shift 6

  # shellcheck disable=SC2086
  if ! "$linker" -m "$emulation" $options "$@" -o "$tmp/out" >"$tmp/log" 2>&1; then
    echo "cannot link"
  elif ! check_linked "$tmp/out" >"$tmp/log"; then
    cat "$tmp/log"
  elif ! cross_contents "$tmp/out" | diff "cross/$want.contents" - >"$tmp/log"; then
    echo "unexpected contents"
  else
    got=$(cross_shape "$tmp/out" "$arch")
    if [[ ! $got =~ ^($shapes)$ ]]; then
      echo "the stub is $got, not $shapes"
    elif [ "${want%%-*}" = link ] && ! cross_offset_ok "$tmp/out" \
	   "$arch:$got:$linker"; then
      echo "tls_offset is wrong"
    fi
  fi
}

test_cross_link ()
{
  local arch emulation as_options dynamic linker mode want shapes options fault

  while read -r arch emulation dynamic as_options; do
    wanted "cross/link-$emulation" && have_cross "$arch" || continue
    # shellcheck disable=SC2086
    if ! cross_assemble "$arch" "cross/link-$arch.s" "$tmp/main.o" $as_options \
	|| ! cross_assemble "$arch" "cross/foreign-$arch.s" "$tmp/user.o" $as_options; then
      fail "cross/link-$emulation" "as"
      continue
    fi
    for linker in $(cross_linkers "$emulation"); do
      "$linker" -m "$emulation" -shared "$tmp/main.o" -o "$tmp/lib.so"
      while read -r mode object want shapes options; do
	fault=$(cross_link_one "$arch" "$emulation" "$linker" "${options/LIB/$tmp/lib.so}" "$want" \
		  "${shapes/dynamic/$dynamic}" "$tmp/$object")
	if [ -z "$fault" ]; then
	  pass "cross/link-$emulation-$linker-$mode"
	else
	  fail "cross/link-$emulation-$linker-$mode" "$fault"
	fi
      done <<'END'
static main.o link immediate -static
exec main.o link immediate -no-pie
exec-gc main.o link-gc immediate -no-pie --gc-sections
pie main.o link immediate -pie
shared main.o link dynamic -shared
foreign-exec user.o foreign word|dynamic -no-pie -e user LIB
foreign-pie user.o foreign word|dynamic -pie -e user LIB
foreign-shared user.o foreign dynamic -shared LIB
END
    done
  done <<'END'
aarch64 aarch64linux descriptor
aarch64 aarch64linuxb descriptor -EB
s390x elf64_s390 index
END
}
