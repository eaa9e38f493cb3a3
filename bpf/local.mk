## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

## The sampler, for `sframe-coro record': a program for the kernel, inside a
## header that loads it.  Nothing of the running kernel is looked at to build
## it.
SAMPLER_FILES = \
	bpf/lists.bpf.h \
	bpf/memory.bpf.h \
	bpf/natives.bpf.h \
	bpf/sampler.bpf.c \
	bpf/sampler.h \
	bpf/scratch.bpf.h
EXTRA_DIST += $(SAMPLER_FILES)

BPF_CFLAGS = -target bpf -g -O2 -ffreestanding -Wall -Wextra -Werror \
	-D__TARGET_ARCH_$(BPF_ARCH) $(BPF_SYSTEM_CFLAGS) $(LIBBPF_CFLAGS) \
	-I$(top_srcdir)/include -I$(top_srcdir)/libsframe-coro \
	-I$(top_srcdir)/bpf

bpf/sampler.bpf.o: $(SAMPLER_FILES) \
		include/sframe-coro.h include/sframe-coro-api.h \
		libsframe-coro/layout.h libsframe-coro/roots-core.h \
		libsframe-coro/tls-core.h libsframe-coro/walk-core.h
	$(AM_V_GEN)$(MKDIR_P) bpf && $(BPF_CLANG) $(BPF_CFLAGS) \
	  -c $(srcdir)/bpf/sampler.bpf.c -o $@

bpf/sampler.skel.h: bpf/sampler.bpf.o
	$(AM_V_GEN)$(BPFTOOL) gen skeleton bpf/sampler.bpf.o name sampler \
	  > $@.tmp && mv $@.tmp $@

if BUILD_BPF
BUILT_SOURCES += bpf/sampler.skel.h
endif
CLEANFILES += bpf/sampler.bpf.o bpf/sampler.skel.h
