# Every target works in a fresh clone with Python 3.11 (or newer) and pip: what it needs goes into .venv.
PYTHON  ?= $(shell command -v python3.11 || command -v python3)
VENV    := .venv
BIN     := $(VENV)/bin
WORKERS ?= 2
# The CPU build by its own name: a plain "torch" would bring gigabytes of CUDA libraries where no such build is found.
TORCH   ?= torch==2.13.0+cpu
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Two workers on two cores: threads of BLAS that spin while they wait would slow both.
TESTING := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
# Whose libraries wheels bring, and what compiles them for a glibc that old systems have, whatever this system is.
MACHINES := x86_64 aarch64
DIST     ?= dist
ZIG      := $(abspath $(BIN))/python -m ziglang cc -Wl,--strip-debug -target
# What test-quick runs: the folders that take seconds, and one operator of each kind.
QUICK := tests/api tests/predicate tests/rules tests/signatures \
	$(patsubst %,generated/tests/test_%.py,add cat convolution layer_norm matmul prelu_backward reduce_sum softmax)

.PHONY: help demo test test-quick test-all test-clients check format generate derived docs bench mutants mutants-full wheel clean
.DEFAULT_GOAL := help

help: ## List the targets.
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "aclspec needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.stamp-run: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install -q -e '.[cli]'
	touch $@

$(VENV)/.stamp-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install -q -e '.[dev]'
	touch $@ $(VENV)/.stamp-run

# PyTorch is one more oracle of the tests, and computes where ACLSPEC_KERNELS says so; without it the tests that use it are skipped by name.
$(VENV)/.stamp-torch: $(VENV)/.stamp-dev
	@$(BIN)/python -m pip install -q '$(TORCH)' || echo 'make: no $(TORCH) to be had here; the tests that need torch are skipped'
	touch $@

$(VENV)/.stamp-wheel: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install -q -e '.[wheel]'
	touch $@

demo: $(VENV)/.stamp-run ## Run the documents' own calls, and explain one that only some products accept, and one of a C++ program.
	$(BIN)/python -m aclspec.cli.demo
	$(BIN)/python -m aclspec.cli.layer_demo

test: $(VENV)/.stamp-torch ## Run the tests on one product, in minutes.
	$(TESTING) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

test-quick: $(VENV)/.stamp-torch ## Run the tests of the language, of calls and of some operators, in a minute.
	$(TESTING) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(QUICK) $(ARGS)

test-all: $(VENV)/.stamp-torch ## Run the tests on all products; ACLSPEC_TESTS=whole for the longest.
	$(TESTING) ACLSPEC_TESTS=$${ACLSPEC_TESTS:-all} $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --timeout 3600 $(ARGS)

test-clients: $(VENV)/.stamp-run ## Run the packages of real clients on the simulator, each in a virtual environment of its own.
	$(BIN)/python -m tests.clients.run $(CLIENTS) $(if $(ARGS),-- $(ARGS))

check: $(VENV)/.stamp-dev ## Check style, types, generated files and the trace from clause to test.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy codegen generated runtime tests site/hooks hatch_build.py
	$(BIN)/lint-imports --no-cache
	$(BIN)/aclspec lint
	$(BIN)/aclspec generate --check
	$(BIN)/aclspec trace

format: $(VENV)/.stamp-dev ## Format the hand-written code.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

generate: $(VENV)/.stamp-dev ## Write generated/ from specs/.
	$(BIN)/aclspec generate

derived: $(VENV)/.stamp-dev ## Search the calls of all operators anew, and compare them with generated/calls.
	$(BIN)/aclspec derive --all --check

docs: $(VENV)/.stamp-dev ## Build the site into build/site.
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file site/mkdocs.yml

bench: $(VENV)/.stamp-torch ## Measure, and print ratios.
	$(BIN)/python -m tests.benchmarks.bench $(ARGS)
	$(BIN)/python -m tests.benchmarks.layer
	$(BIN)/python -m tests.benchmarks.checks
	$(BIN)/python -m tests.benchmarks.accuracy

mutants: $(VENV)/.stamp-torch ## Mutate a sample of the generated checks and of the kernels; few of a kind may survive.
	$(BIN)/python -m aclspec.codegen.mutate --sample 250
	$(TESTING) ACLSPEC_TESTS=all $(BIN)/python -m aclspec.codegen.mutate.kernels --sample 80

mutants-full: $(VENV)/.stamp-torch ## Mutate all generated checks and all kernels.
	$(BIN)/python -m aclspec.codegen.mutate
	$(TESTING) ACLSPEC_TESTS=all $(BIN)/python -m aclspec.codegen.mutate.kernels

wheel: $(MACHINES:%=wheel-%) ## Build a wheel for each architecture, with the libraries of simulator and layer, into dist.

wheel-%: $(VENV)/.stamp-wheel
	rm -rf build/wheel/$* $(DIST)/aclspec-*_$*.whl
	CC='$(ZIG) $*-linux-gnu.2.28' $(BIN)/aclspec simulator build --out build/wheel/$*/simulator
	CC='$(ZIG) $*-linux-gnu.2.28' $(BIN)/aclspec layer build --out build/wheel/$*/layer
	ACLSPEC_WHEEL=$* HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 $(BIN)/python -m build --wheel --no-isolation --outdir $(DIST)
	$(BIN)/auditwheel show $(DIST)/aclspec-*_$*.whl

clean: ## Remove what was built; .venv stays.
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
