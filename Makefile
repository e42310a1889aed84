# SPDX-License-Identifier: Apache-2.0
# Targets for developers. Meson builds (meson.build); the scripts in tools/ do the rest.

BUILD        ?= build
PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 600
HUNT_CASES   ?= 5000
HUNT_SEED    ?= 1
export BUILD PREFIX DESTDIR FUZZ_SECONDS SOAK_SECONDS HUNT_CASES HUNT_SEED

.PHONY: all test check-all demo paper headline claims bench fuzz hunt map soak install uninstall format clean help
.DEFAULT_GOAL := all

all:
	@tools/deps build
	@tools/build $(BUILD)

test:
	@tools/deps build test
	@tools/test

check-all:
	@tools/deps build test check-all
	@tools/test --all

demo:
	@tools/deps build demo
	@tools/build $(BUILD)
	@tools/demo --keep

paper:
	@tools/deps build
	@tools/build $(BUILD)
	@tools/paper

headline:
	@tools/deps build
	@tools/build $(BUILD)
	@tools/headline

claims:
	@tools/deps build
	@tools/build $(BUILD)
	@tools/claims

bench:
	@tools/deps build bench
	@tools/build $(BUILD)
	@tools/bench

fuzz:
	@tools/deps build fuzz
	@tools/fuzz

map:
	@tools/deps build
	@tools/build $(BUILD)
	@tools/localise

hunt:
	@tools/deps build
	@tools/build $(BUILD)
	@tools/hunt

soak:
	@tools/deps build soak
	@tools/soak

install:
	@tools/deps build
	@tools/build $(BUILD) -Dprefix=$(PREFIX)
	@meson install -C $(BUILD) --no-rebuild

uninstall:
	@ninja -C $(BUILD) uninstall

format:
	@tools/deps format
	@tools/check-format --fix

clean:
	rm -rf $(BUILD)

help:
	@echo 'make             build: programs in $(BUILD)/bin, libraries in $(BUILD)/lib, benches in $(BUILD)/bench'
	@echo 'make test        everything a change must pass: gcc, sanitizers, all tests and checks'
	@echo 'make demo        shows what is there; on a terminal, ends with the page of a running fabric'
	@echo 'make paper       runs the experiments of the MRC paper: what was published and what comes out here'
	@echo 'make headline    compares protocols by size and by failure; takes hours on few processors (tools/headline --smallest: minutes)'
	@echo 'make claims      measures the claims in experiments/claims and writes docs/claims.md and docs/nscc-scorecard.md'
	@echo 'make bench       runs every benchmark and draws a table'
	@echo 'make fuzz        fuzzes every parser for FUZZ_SECONDS ($(FUZZ_SECONDS)) each'
	@echo 'make map         breaks links and switches at random places, and measures how probes localise them'
	@echo 'make hunt        runs HUNT_CASES ($(HUNT_CASES)) random cases of HUNT_SEED ($(HUNT_SEED)) against the capacity of their fabrics'
	@echo 'make check-all   make test, and the slow checks: clang, ThreadSanitizer, valgrind, clang-tidy, shellcheck, mutation, determinism'
	@echo 'make soak        attacks, and property tests with fresh seeds, for SOAK_SECONDS ($(SOAK_SECONDS)), after a thousand restarts and whole clusters under valgrind'
	@echo 'make install     into PREFIX ($(PREFIX)), below DESTDIR where given'
	@echo 'make uninstall   removes what the last make install from $(BUILD) put there'
	@echo 'make format      rewrites the sources as .clang-format says'
	@echo 'make clean       removes $(BUILD)'
	@echo 'BUILD=DIR builds elsewhere. Missing Debian packages are installed for root and named for others.'
