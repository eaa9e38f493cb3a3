## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

if BUILD_COMMAND
bin_PROGRAMS += tools/sframe-coro
endif
tools_sframe_coro_CFLAGS = $(AM_CFLAGS) $(LIBDW_CFLAGS) $(JSON_C_CFLAGS)
tools_sframe_coro_LDADD = \
	libsframe-coro/libsframe-coro.la $(LIBDW_LIBS) $(JSON_C_LIBS) $(BFD_LIBS)
## Statically, so that the command in the build tree is a program that can be
## run as it is, not libtool's script.
tools_sframe_coro_LDFLAGS = -static
tools_sframe_coro_SOURCES = \
	tools/check.c \
	tools/dump.c \
	tools/elf-file.c \
	tools/elf-file.h \
	tools/files.c \
	tools/files.h \
	tools/functions.c \
	tools/functions.h \
	tools/json.c \
	tools/json.h \
	tools/main.c \
	tools/modules.c \
	tools/modules.h \
	tools/process.c \
	tools/process.h \
	tools/profile.h \
	tools/resolve.c \
	tools/resolve.h \
	tools/show.c \
	tools/show.h \
	tools/stack.c \
	tools/symbol.c \
	tools/symbol.h \
	tools/tool.c \
	tools/tool.h \
	tools/trace.c \
	tools/trace.h \
	tools/unwind.c \
	tools/unwind.h
