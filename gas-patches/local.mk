## Copyright (C) 2026 The libsframe-coro authors.
## SPDX-License-Identifier: GPL-3.0-or-later

## The series for upstream, and what the test suites there say to it.  With
## `BINUTILS_SOURCE=FILE' the tarball is that, and nothing is fetched.
UPSTREAM_RELEASE = 2.47
UPSTREAM_OPTIONS = --binutils=$(UPSTREAM_RELEASE) \
	$(if $(BINUTILS_SOURCE),--with-binutils-source=$(BINUTILS_SOURCE))

upstream-series:
	@source=`$(srcdir)/gas-patches/build $(UPSTREAM_OPTIONS) --source` && \
	$(srcdir)/gas-patches/series "$$source" upstream-series

check-upstream:
	@$(srcdir)/gas-patches/check-upstream $(UPSTREAM_OPTIONS) \
	  $(if $(CHECK_TARGETS),--targets=$(CHECK_TARGETS)) --build-dir=upstream

clean-local: clean-upstream
clean-upstream:
	rm -rf upstream-series upstream

.PHONY: upstream-series check-upstream clean-upstream
