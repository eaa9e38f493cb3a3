# What ./demo and ./check do alike; sourced, with the working directory at the
# top of the tree.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh

self=${0##*/}
top=$(pwd)
logs=$top/build/logs
stage=$top/build/stage
binutils=2.47
binutils_source=
jobs=$(nproc 2>/dev/null || echo 1)
packages_changed=

# shared_option ARG: take ARG if it is one of the options of both scripts.
shared_option ()
{
  case $1 in
    --binutils=2.47|--binutils=2.44) binutils=${1#*=} ;;
    --with-binutils-source=*) binutils_source=${1#*=} ;;
    *) return 1 ;;
  esac
}

# step NAME TEXT COMMAND...: run it quietly, the output into the log NAME.
step ()
{
  step_log=$logs/$1.log
  printf '%-44s' "$2"
  step_begun=$(date +%s)
  shift 2
  if "$@" >"$step_log" 2>&1 </dev/null; then
    echo "ok  $(($(date +%s) - step_begun)) s"
  else
    echo "FAILED"
    tail -n 30 "$step_log" | sed 's/^/  | /'
    echo "  (all of it: ${step_log#"$top"/})"
    return 1
  fi
}

# Packages.

package_here ()
{
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

package_offered ()
{
  # Not a name that another package merely provides.
  apt-cache policy "$1" 2>/dev/null | grep -q '^  Candidate: [0-9]'
}

# missing_packages: the names still to install.
missing_packages ()
{
  sed 's/#.*//' build-aux/packages.txt | while read -r line; do
    case $line in
      "") ;;
      \?*) package_here "${line#?}" || { package_offered "${line#?}" &&
	     echo "${line#?}"; } ;;
      *\|*) package_here "${line%%|*}" || package_here "${line#*|}" ||
	    if package_offered "${line%%|*}"; then echo "${line%%|*}"
	    else echo "${line#*|}"; fi ;;
      *) package_here "$line" || echo "$line" ;;
    esac
  done
}

apt_install ()
{
  DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "$@"
}

# The lists of a fresh machine are empty, those of an old one are stale; an
# update that fails for one of several sources is no reason to stop.
apt_install_anyhow ()
{
  apt_install "$@" && return
  apt-get update -q || :
  apt_install "$@"
}

need_packages ()
{
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "$self: not installed, and this is not root on a Debian machine:"
    echo "$missing" | sed 's/^/  /'
    exit 2
  fi >&2
  packages_changed=yes
  # shellcheck disable=SC2086
  step packages "installing $(echo "$missing" | wc -l) packages" \
    apt_install_anyhow $missing || return 1
  # What only an up-to-date list offers.
  missing=$(missing_packages)
  # shellcheck disable=SC2086
  [ -z "$missing" ] || step packages-2 "installing the rest" apt_install $missing
}

# Building.  Each step does nothing, quickly, when its result is up to date.

set_directories ()
{
  case $binutils in
    2.47) suffix= ;;
    *) suffix=-$binutils ;;
  esac
  objects=$top/build/obj$suffix
  binutils_prefix=$stage/binutils$suffix
  mkdir -p "$logs" "$objects"
}

need_bootstrap ()
{
  # make would do most of this by itself, but add no files to build-aux.
  [ -s configure ] && [ -f build/bootstrap.stamp ] &&
    [ -z "$(find configure.ac Makefile.am m4/sframe-coro.m4 ./*/local.mk \
	      -newer build/bootstrap.stamp)" ] && return
  step bootstrap "bootstrapping" ./bootstrap && touch build/bootstrap.stamp
}

# binutils_variant NAME TEXT SUFFIX OPTION...: build it, in the same directory,
# into the prefix with SUFFIX.
binutils_variant ()
{
  variant_log=$1 variant_text=$2 variant_suffix=$3
  shift 3
  step "$variant_log" "$variant_text" gas-patches/build "--binutils=$binutils" \
    ${binutils_source:+"--with-binutils-source=$binutils_source"} \
    --build-dir "$top/build/binutils-$binutils" \
    --prefix "$binutils_prefix$variant_suffix" "$@"
}

need_binutils ()
{
  binutils_variant "binutils$suffix" \
    "building binutils $binutils with the patches" ""
}

# configure_in NAME DIRECTORY ARGUMENT...: unless done with the same ones and
# the same packages.
configure_in ()
{
  log_name=$1 directory=$2
  shift 2
  mkdir -p "$directory"
  if [ -f "$directory/Makefile" ] && [ -z "$packages_changed" ] &&
     [ "$(cat "$directory/setup.stamp" 2>/dev/null)" = "$*" ]; then
    return
  fi
  step "$log_name" "configuring build/${directory##*/}" \
    env -C "$directory" ../../configure -q "$@" || return 1
  echo "$*" >"$directory/setup.stamp"
}

need_build ()
{
  configure_in "configure$suffix" "$objects" "--prefix=$stage" \
    --enable-werror "--with-binutils=$binutils_prefix" &&
  step "build$suffix" "building" make -C "$objects" -j"$jobs" &&
  step "install$suffix" "installing into build/stage" \
    make -C "$objects" install
}

# prepare: everything up to a filled build/stage.
prepare ()
{
  set_directories
  need_packages && need_bootstrap && need_binutils && need_build
}
