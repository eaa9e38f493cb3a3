## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

if BUILD_COMMAND
bin_PROGRAMS += tools/sframe-coro
noinst_LTLIBRARIES += tools/libcommand.la
endif
TOOLS_CFLAGS = $(AM_CFLAGS) -I$(top_srcdir)/bpf -I$(top_srcdir)/libsframe-coro $(LIBDW_CFLAGS) $(LIBBPF_CFLAGS) $(JSON_C_CFLAGS) $(PPROF_CFLAGS)
tools_sframe_coro_CFLAGS = $(TOOLS_CFLAGS)
tools_sframe_coro_LDADD = tools/libcommand.la
## Statically, so that the command in the build tree is a program that can be
## run as it is, not libtool's script.
tools_sframe_coro_LDFLAGS = -static
tools_sframe_coro_SOURCES = tools/main.c

## All but main, for tests of parts of it.
tools_libcommand_la_CFLAGS = $(TOOLS_CFLAGS)
tools_libcommand_la_LIBADD = \
	libsframe-coro/libsframe-coro.la $(LIBDW_LIBS) $(JSON_C_LIBS) \
	$(BFD_LIBS) $(PPROF_LIBS) $(LIBBPF_LIBS)
tools_libcommand_la_SOURCES = \
	tools/calls.c \
	tools/calls.h \
	tools/check.c \
	tools/core.c \
	tools/core.h \
	tools/dump.c \
	tools/elf-file.c \
	tools/elf-file.h \
	tools/elf-names.c \
	tools/elf-names.h \
	tools/files.c \
	tools/files.h \
	tools/flamegraph.c \
	tools/folded.c \
	tools/formats.c \
	tools/functions.c \
	tools/functions.h \
	tools/json.c \
	tools/json.h \
	tools/kernel.c \
	tools/kernel.h \
	tools/list.c \
	tools/maps.c \
	tools/maps.h \
	tools/memory.c \
	tools/memory.h \
	tools/modules.c \
	tools/modules.h \
	tools/names.c \
	tools/output.c \
	tools/output.h \
	tools/perf-data.h \
	tools/perf-read.c \
	tools/perf-write.c \
	tools/pprof-read.c \
	tools/pprof.c \
	tools/proc.c \
	tools/proc.h \
	tools/process-impl.h \
	tools/process.c \
	tools/process.h \
	tools/profile.c \
	tools/profile.h \
	tools/ranges.c \
	tools/ranges.h \
	tools/report-text.c \
	tools/report-text.h \
	tools/report.c \
	tools/resolve.c \
	tools/resolve.h \
	tools/show.c \
	tools/show.h \
	tools/snapshot.c \
	tools/snapshot.h \
	tools/spaces.c \
	tools/spaces.h \
	tools/speedscope.c \
	tools/stack.c \
	tools/stop.c \
	tools/summary-write.h \
	tools/summary.c \
	tools/summary.h \
	tools/symbol.c \
	tools/symbol.h \
	tools/table.c \
	tools/table.h \
	tools/tool.c \
	tools/tool.h \
	tools/trace.c \
	tools/trace.h \
	tools/unwind.c \
	tools/unwind.h

## `record', or what says why there is none.
if BUILD_BPF
tools_libcommand_la_SOURCES += \
	tools/cfi-rows.c \
	tools/cfi-rows.h \
	tools/describe.c \
	tools/describe.h \
	tools/record.c \
	tools/sampling.c \
	tools/sampling.h \
	tools/sideband.c \
	tools/sideband.h \
	tools/stacks.c \
	tools/stacks.h \
	tools/targets.c \
	tools/targets.h
else
tools_libcommand_la_SOURCES += tools/no-record.c
endif

## The page of flame graphs, as a string.
tools/flamegraph-html.h: tools/flamegraph.html
	$(AM_V_GEN)$(MKDIR_P) tools && \
	$(SED) 's/[\\"]/\\&/g; s/.*/"&\\n"/' \
	  $(srcdir)/tools/flamegraph.html > $@.tmp && mv $@.tmp $@
EXTRA_DIST += tools/flamegraph.html tools/pprof.proto
CLEANFILES += tools/flamegraph-html.h
BUILT_SOURCES += tools/flamegraph-html.h

if HAVE_PPROF
nodist_tools_libcommand_la_SOURCES = tools/pprof.pb-c.c tools/pprof.pb-c.h
tools/pprof.pb-c.c: tools/pprof.proto
	$(AM_V_GEN)$(MKDIR_P) tools && $(PROTOC_C) \
	  --proto_path=$(srcdir) --c_out=. $(srcdir)/tools/pprof.proto
tools/pprof.pb-c.h: tools/pprof.pb-c.c
CLEANFILES += tools/pprof.pb-c.c tools/pprof.pb-c.h
BUILT_SOURCES += tools/pprof.pb-c.h
endif

## For those who make single targets; `all' begins with them.
$(tools_libcommand_la_OBJECTS): | $(BUILT_SOURCES)
