# Checks of our own.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later

# SC_CHECK_FLAG(LANGUAGE, FLAG, IF-IT-WORKS)
# -Werror, or clang only warns about a flag it does not know.
AC_DEFUN([SC_CHECK_FLAG], [
  AC_LANG_PUSH([$1])
  AC_MSG_CHECKING([whether the $1 compiler takes $2])
  sc_saved_flags=$[]_AC_LANG_PREFIX[]FLAGS
  _AC_LANG_PREFIX[]FLAGS="$[]_AC_LANG_PREFIX[]FLAGS -Werror $2"
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([int sc_conftest;])],
    [AC_MSG_RESULT([yes])
     $3],
    [AC_MSG_RESULT([no])])
  _AC_LANG_PREFIX[]FLAGS=$sc_saved_flags
  AC_LANG_POP([$1])
])

# SC_CHECK_VERSION_SCRIPT
# Set the condition HAVE_VERSION_SCRIPT.
AC_DEFUN([SC_CHECK_VERSION_SCRIPT], [
  AC_CACHE_CHECK([whether the linker takes -Wl,--version-script],
    [sc_cv_version_script], [
    AS_ECHO(["SC_1 { global: sc_conftest; local: *; };"]) > conftest.map
    sc_saved_flags=$LDFLAGS
    LDFLAGS="$LDFLAGS -shared -fPIC -Wl,--version-script=conftest.map"
    AC_LINK_IFELSE([AC_LANG_SOURCE([int sc_conftest (void) { return 0; }])],
      [sc_cv_version_script=yes], [sc_cv_version_script=no])
    LDFLAGS=$sc_saved_flags
    rm -f conftest.map
  ])
  AM_CONDITIONAL([HAVE_VERSION_SCRIPT], [test $sc_cv_version_script = yes])
])

# SC_WITH_BINUTILS
# --with-binutils=PREFIX; set BINUTILS_PREFIX (empty: none given),
# DIRECTIVES_CPPFLAGS and the conditions HAVE_BINUTILS and HAVE_DIRECTIVES.
AC_DEFUN([SC_WITH_BINUTILS], [
  AC_ARG_WITH([binutils],
    [AS_HELP_STRING([--with-binutils=PREFIX],
      [patched assembler, linker and dumpers for tests and examples])],
    [], [with_binutils=no])
  AS_CASE([$with_binutils],
    [no], [BINUTILS_PREFIX= SC_AS="$CC -c"],
    [yes|""], [AC_MSG_ERROR([--with-binutils needs a prefix])],
    [/*], [BINUTILS_PREFIX=$with_binutils SC_AS="$with_binutils/bin/as"],
    [AC_MSG_ERROR([--with-binutils needs an absolute prefix])])
  AS_IF([test -n "$BINUTILS_PREFIX"], [
    for sc_tool in as ld objdump readelf objcopy; do
      AS_IF([test -x "$BINUTILS_PREFIX/bin/$sc_tool"], [],
        [AC_MSG_ERROR([no $BINUTILS_PREFIX/bin/$sc_tool])])
    done
  ])
  AC_CACHE_CHECK([whether the assembler has the .sframe_coro directives],
    [sc_cv_directives], [
    cat > conftest.s <<'EOF'
	.data
conftest_head:
	.quad	0
	.text
	.sframe_coro_chain conftest_chain, "conftest"
	.sframe_coro_head global, conftest_head
	.sframe_coro_path next, 8
	.sframe_coro_path ip, 0
	.sframe_coro_ip entry
	.sframe_coro_end null
	.sframe_coro_endchain
EOF
    AS_IF([AC_TRY_COMMAND([$SC_AS conftest.s -o conftest.$ac_objext >&AS_MESSAGE_LOG_FD 2>&1])],
      [sc_cv_directives=yes], [sc_cv_directives=no])
    rm -f conftest.s conftest.$ac_objext
  ])
  AS_IF([test -n "$BINUTILS_PREFIX" && test $sc_cv_directives = no],
    [AC_MSG_ERROR([$BINUTILS_PREFIX/bin/as lacks the .sframe_coro directives])])
  DIRECTIVES_CPPFLAGS=
  AS_IF([test $sc_cv_directives = yes],
    [DIRECTIVES_CPPFLAGS=-DSFRAME_CORO_USE_DIRECTIVES])
  AC_SUBST([BINUTILS_PREFIX])
  AC_SUBST([DIRECTIVES_CPPFLAGS])
  AM_CONDITIONAL([HAVE_BINUTILS], [test -n "$BINUTILS_PREFIX"])
  AM_CONDITIONAL([HAVE_DIRECTIVES], [test $sc_cv_directives = yes])
])

# SC_WITH_BPF
# --without-bpf; set BPF_CLANG, BPFTOOL, BPF_ARCH, BPF_SYSTEM_CFLAGS,
# LIBBPF_CFLAGS, LIBBPF_LIBS, build_bpf, why_no_bpf, WHY_NO_BPF in config.h and
# the condition BUILD_BPF.
AC_DEFUN([SC_WITH_BPF], [
  AC_ARG_WITH([bpf],
    [AS_HELP_STRING([--without-bpf], [no sampler for `sframe-coro record'])],
    [], [with_bpf=yes])
  AC_ARG_VAR([BPF_CLANG], [clang that compiles for BPF])
  AC_CHECK_PROGS([BPF_CLANG], [clang-19 clang-20 clang-18 clang], [no])
  AC_PATH_PROG([BPFTOOL], [bpftool], [no], [$PATH:/usr/sbin:/sbin])
  # bpf_loop and pointers to the ring buffer.
  PKG_CHECK_MODULES([LIBBPF], [libbpf >= 1.0],
    [have_libbpf=yes], [have_libbpf=no])
  AC_CANONICAL_HOST
  AS_CASE([$host_cpu],
    [x86_64], [BPF_ARCH=x86],
    [aarch64], [BPF_ARCH=arm64],
    [BPF_ARCH=])
  # The kernel's headers are where this system's compiler has them.
  BPF_SYSTEM_CFLAGS=
  sc_multiarch=`$CC -print-multiarch 2>/dev/null`
  # Other compilers than gcc do not tell.
  AS_IF([test -z "$sc_multiarch"], [sc_multiarch=$host_cpu-linux-gnu])
  AS_IF([test -d "/usr/include/$sc_multiarch"],
    [BPF_SYSTEM_CFLAGS="-I/usr/include/$sc_multiarch"])
  AS_IF([test "$BPF_CLANG" != no], [
    AC_CACHE_CHECK([whether $BPF_CLANG compiles for BPF], [sc_cv_bpf_clang], [
      AS_ECHO(["#include <linux/bpf.h>"]) > conftest.c
      AS_IF([$BPF_CLANG -target bpf -O2 $BPF_SYSTEM_CFLAGS -c conftest.c \
	       -o conftest.o 2>&AS_MESSAGE_LOG_FD],
	[sc_cv_bpf_clang=yes], [sc_cv_bpf_clang=no])
      rm -f conftest.c conftest.o
    ])
    AS_IF([test $sc_cv_bpf_clang = no], [BPF_CLANG=no])
  ])
  why_no_bpf=
  AS_IF([test "$BPF_CLANG" = no], [why_no_bpf="$why_no_bpf clang for BPF,"])
  AS_IF([test "$BPFTOOL" = no], [why_no_bpf="$why_no_bpf bpftool,"])
  AS_IF([test $have_libbpf = no], [why_no_bpf="$why_no_bpf libbpf,"])
  AS_IF([test -n "$why_no_bpf"], [why_no_bpf="not installed:${why_no_bpf%,}"])
  AS_IF([test -z "$BPF_ARCH"], [why_no_bpf="not for $host_cpu"])
  AS_IF([test "x$with_bpf" = xno], [why_no_bpf="--without-bpf"])
  AS_IF([test -n "$why_no_bpf"], [
    build_bpf=no LIBBPF_CFLAGS= LIBBPF_LIBS=
  ], [
    build_bpf=yes
  ])
  AC_DEFINE_UNQUOTED([WHY_NO_BPF], ["$why_no_bpf"],
    [Why the sampler is not built.])
  AC_SUBST([BPF_ARCH])
  AC_SUBST([BPF_SYSTEM_CFLAGS])
  AM_CONDITIONAL([BUILD_BPF], [test $build_bpf = yes])
])
