## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

## The unit tests look inside, so they take the objects from this archive;
## the library proper shows only what is in the map.
noinst_LTLIBRARIES += libsframe-coro/libinside.la
libsframe_coro_libinside_la_CFLAGS = $(AM_CFLAGS) $(HIDDEN_CFLAGS)
libsframe_coro_libinside_la_SOURCES = \
	libsframe-coro/decode.c \
	libsframe-coro/dump.c \
	libsframe-coro/encode.c \
	libsframe-coro/errors.c \
	libsframe-coro/fields.c \
	libsframe-coro/impl.h \
	libsframe-coro/index.c \
	libsframe-coro/layout.h \
	libsframe-coro/load.h \
	libsframe-coro/names.c \
	libsframe-coro/roots.c \
	libsframe-coro/self.c \
	libsframe-coro/self.h \
	libsframe-coro/self-modules.c \
	libsframe-coro/self-stack.c \
	libsframe-coro/splice.c \
	libsframe-coro/tls.c \
	libsframe-coro/validate.c \
	libsframe-coro/roots-core.h \
	libsframe-coro/call.h \
	libsframe-coro/tls-core.h \
	libsframe-coro/walk-core.h \
	libsframe-coro/walk.c

lib_LTLIBRARIES += libsframe-coro/libsframe-coro.la
libsframe_coro_libsframe_coro_la_SOURCES =
libsframe_coro_libsframe_coro_la_LIBADD = libsframe-coro/libinside.la
libsframe_coro_libsframe_coro_la_LDFLAGS = -version-info 0:0:0 -no-undefined
libsframe_coro_libsframe_coro_la_DEPENDENCIES = libsframe-coro/libinside.la
if HAVE_VERSION_SCRIPT
## Nothing is left to be bound in a signal handler.
libsframe_coro_libsframe_coro_la_LDFLAGS += -Wl,-z,now \
	-Wl,--version-script=$(srcdir)/libsframe-coro/libsframe-coro.map
libsframe_coro_libsframe_coro_la_DEPENDENCIES += \
	libsframe-coro/libsframe-coro.map
endif

EXTRA_DIST += libsframe-coro/libsframe-coro.map
