# Build the test programs of this folder.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   make -f programs.mk OUT=DIRECTORY [CXX=...] [CXXFLAGS=...] [LDFLAGS=...]
#
# CXXFLAGS has what the compiler is to be told of optimisation, form and
# assembler.  The file `cases' says how to run them; `musl' is a goal of its
# own, which takes MUSL_CC.

here := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
top := $(here)../..
OUT ?= .
CXX = g++
CXXFLAGS = -O2
MUSL_CC = musl-gcc

includes = -I$(top)/include -I$(top)/examples -I$(here)
compile = $(CXX) -std=c++20 -g -Wall -Wextra -pthread $(includes) $(CXXFLAGS)
# Clang knows no such option, and makes no such symbols.
unloadable = -fvisibility=hidden \
	$(if $(findstring clang,$(CXX)),,-fno-gnu-unique)
beside = '-Wl,-rpath,$$ORIGIN'
musl = $(MUSL_CC) -std=gnu11 -g -O2 -Wall -Wextra $(includes)
headers := $(wildcard $(here)*.hpp $(here)*.h $(top)/include/*.hpp \
	$(top)/examples/*.hpp)

simple = threads noop nested final-suspend heads
programs = factorial $(simple) final-suspend-64 chain-host chain-linked reload-host \
	runtime-both runtime-library
libraries = libchain.so libchain-2.so libchain-big.so libruntime-both.so \
	libruntime-library.so

all: $(addprefix $(OUT)/,$(programs) $(libraries))
musl: $(OUT)/musl-static $(OUT)/musl-dynamic
.PHONY: all musl

$(OUT)/factorial: $(top)/examples/factorial.cc $(headers)
	$(compile) $< -o $@ $(LDFLAGS)
$(simple:%=$(OUT)/%): $(OUT)/%: $(here)%.cc $(headers)
	$(compile) $< -o $@ $(LDFLAGS)
$(OUT)/final-suspend-64: $(here)final-suspend.cc $(headers)
	$(compile) -DPROMISE_ALIGN=64 $< -o $@ $(LDFLAGS)

$(OUT)/libchain.so $(OUT)/libchain-2.so: $(here)chain-lib.cc $(headers)
	$(compile) -fPIC -shared $(unloadable) $< -o $@ $(LDFLAGS)
$(OUT)/libchain-big.so: $(here)chain-lib.cc $(headers)
	$(compile) -fPIC -shared $(unloadable) -DPAD_TLS=65536 $< -o $@ $(LDFLAGS)
$(OUT)/chain-host $(OUT)/reload-host: $(OUT)/%: $(here)%.cc $(headers)
	$(compile) $< -o $@ $(LDFLAGS) -ldl
$(OUT)/chain-linked: $(here)chain-host.cc $(OUT)/libchain.so
	$(compile) -DLINKED $< $(OUT)/libchain.so $(beside) -o $@ $(LDFLAGS)

# The variable is in both, or in the library alone.
elsewhere-both =
elsewhere-library = -DTASK_LEAF_ELSEWHERE
$(OUT)/libruntime-%.so: $(here)runtime-lib.cc $(headers)
	$(compile) -fPIC -shared $(elsewhere-$*) $< -o $@ $(LDFLAGS)
$(OUT)/runtime-%: $(here)runtime-host.cc $(OUT)/libruntime-%.so
	$(compile) $(elsewhere-$*) $< $(OUT)/libruntime-$*.so $(beside) -o $@ \
	  $(LDFLAGS)

$(OUT)/musl-static: $(here)musl-chain.c $(headers)
	$(musl) -static $< -o $@
$(OUT)/musl-dynamic: $(here)musl-chain.c $(headers)
	$(musl) $< -o $@
