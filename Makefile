# The front door. `make help` lists what there is.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
ROOM ?= base
SECONDS ?= 600

.DEFAULT_GOAL := help
.PHONY: help setup-% build docs demo test check soak test-pip wheels dev conformance bench accuracy lint format fuzz arm64 clean-room install uninstall package clean

help:            ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup-%:
	@tools/setup $*

build: setup-build ## the library and the program, in build/release
	@cmake --preset release -DFAITHFUL_TESTS=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS)
	@echo "built: build/release/bin/faithful"

demo: setup-demo build ## build, then train and diagnose on a simulated lift, offline
	@build/release/bin/faithful demo -o build/demo

test: setup-test ## before a commit: lint, build, every test
	@tools/test

check: setup-test ## what CI adds: clang-tidy, install, sanitizers, a little fuzzing, reproducible build
	@tools/check

soak: setup-test ## for hours, outside of CI: long fuzzing, kill tests
	@tools/soak

test-pip: setup-test-pip ## the Python package by pip, in bare environments; needs PyPI
	@tools/test-pip

wheels: setup-test-pip ## source distribution and wheels, in build/wheels; needs PyPI
	@tools/wheels

dev: setup-test  ## build and run the tests of one room: make dev ROOM=io TEST='Npy.*'
	@test -d build/dev || cmake --preset dev >/dev/null
	@cmake --build --preset dev -j $(JOBS) --target test_$(ROOM)
	@build/dev/bin/test_$(ROOM) --gtest_brief=1 $(if $(TEST),--gtest_filter='$(TEST)')

conformance: setup-test ## engine and models against the installed PyTorch, on fresh numbers each time
	@cmake --preset release -DFAITHFUL_TESTS=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target test_engine test_model >/dev/null
	@/usr/bin/python3 tests/live_conformance.py engine build/release/bin/test_engine
	@/usr/bin/python3 tests/live_conformance.py model build/release/bin/test_model

bench: setup-bench ## figures against the peers, side by side; also build/bench.json
	@tools/bench

accuracy: setup-accuracy build ## presets and peers on the UEA sets: docs/accuracy.md; needs PyPI, takes hours
	@tools/accuracy

lint: setup-test ## clang-format and clang-tidy on every file, changed or not
	@tools/lint --all

format:          ## rewrite every C++ file in the project's format
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

fuzz: setup-test ## fuzz every target: make fuzz SECONDS=600 [TARGET=npy]
	@tools/fuzz $(SECONDS) $(TARGET)

clean-room: setup-clean-room ## make test and make check in a bare Debian system made for it (root only)
	@tools/clean-room

docs: setup-docs ## the API reference of the public headers, in build/docs/html
	@tools/docs

install: build   ## into PREFIX (/usr/local)
	@cmake --install build/release --prefix $(PREFIX)
	@cp build/release/install_manifest.txt build/installed.txt

uninstall:       ## what install put there
	@tools/uninstall build/installed.txt

package: build   ## a Debian package in build/release
	@cd build/release && cpack -G DEB

arm64: setup-clean-room ## cross-compile for ARM64, and run the unit tests under qemu
	@tools/arm64

clean:           ## remove build/
	@rm -rf build
