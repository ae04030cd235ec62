# Everything a developer or CI does, each with its own set-up. `make help` lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= auto

.PHONY: help setup demo test test-long lint format compiled clean

help: ## Show this list.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F '\t' '{printf "  make %-10s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed, and $(PYTHON) is `$(PYTHON) --version`; try: make PYTHON=python3.12" >&2; exit 2; }
	@echo "Installing into $(VENV) (a minute or two, once) ..." >&2
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $(STAMP)

setup: $(STAMP) ## Make the virtual environment with everything in it.

demo: setup ## The main job, end to end, on this machine with no account.
	@$(BIN)/python -m demo.story

test: setup ## The whole test suite (a few minutes).
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile -m "not long"

test-long: setup ## What takes longer: many random histories, mutations, kills.
	$(BIN)/python -m pytest -q -n $(WORKERS) -m long

lint: setup ## ruff and mypy --strict.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup ## Let ruff rewrite the layout.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

compiled: setup ## A wheel in dist/ whose scheduler is compiled (needs a C compiler).
	QUOTA_ENGINE_COMPILED=1 $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w dist .

clean: ## Remove the virtual environment and caches of this checkout.
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
