# `make run` starts the site, `make test` tests it. Nothing else needs to be known.

HOST ?= 127.0.0.1
PORT ?= 8000
N ?= 2
SERVER ?= uvicorn
SECONDS ?= 3600
TABLES ?= 25
FAULTS ?= 0

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.ONESHELL:

UV_VERSION := 0.13.9
PY := .venv/bin/python
PYTEST := $(PY) -m pytest

.PHONY: help run cluster soak bench test test-slow system-packages lint check audit unit browser \
	slow-unit slow-browser messages format clean

help:
	@echo "make run        start the site at http://$(HOST):$(PORT)/ (HOST=... PORT=...)"
	@echo "make cluster    the site on N=$(N) processes behind nginx, with PostgreSQL and Redis, until q"
	@echo "make soak       $(SECONDS) seconds of play there at TABLES=$(TABLES) (SECONDS=...), and what grows"
	@echo "make bench      how fast it is, beside a peer, in twelve minutes (QUICK=1: three, keeps nothing)"
	@echo "make test       lint, checks, audit and all tests but the slow ones"
	@echo "make test-slow  the slow tests"
	@echo "                steps alone: lint check audit unit browser slow-unit slow-browser"
	@echo "make messages   bring the catalogues of translations up to date"
	@echo "make format     format the Python code"
	@echo "make clean      remove .venv and caches; var/ (key, data) stays"

run: .venv/run.stamp
	@HOST=$(HOST) PORT=$(PORT) exec $(PY) tools/serve.py

cluster: system-packages .venv/dev.stamp
	@exec $(PY) -m tools.cluster --processes $(N) --server $(SERVER) --port $(PORT)

soak: system-packages .venv/dev.stamp
	@exec $(PY) -m bench.soak --seconds $(SECONDS) --tables $(TABLES) --processes $(N) --server $(SERVER) --faults $(FAULTS)

bench: system-packages .venv/dev.stamp
	@exec $(PY) -m bench.speed $(if $(QUICK),--quick)

# --- What is installed -----------------------------------------------------------------------

# $(call install,FILE): uv is quick; where it cannot be had or cannot reach the packages, pip can.
define install
	echo "Installing $(1) into .venv"
	$(PY) -m uv --version >/dev/null 2>&1 \
		|| $(PY) -m pip install -qq --disable-pip-version-check uv==$(UV_VERSION) >/dev/null 2>&1 \
		|| true
	$(PY) -m uv pip install --quiet --python $(PY) -r $(1) 2>/dev/null \
		|| $(PY) -m pip install -qq --disable-pip-version-check -r $(1) \
		|| { echo "Could not install $(1); is the network there?" >&2; exit 1; }
endef

.venv/run.stamp: requirements.txt
	@python=
	for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
		if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
			python=$$candidate
			break
		fi
	done
	if [[ -z $$python ]]; then
		echo "Python 3.11 or newer is needed: install the package python3" >&2
		exit 1
	fi
	if ! $(PY) -m pip --version >/dev/null 2>&1; then
		if ! $$python -c 'import ensurepip, venv' 2>/dev/null; then
			echo "Python's venv module is missing: install the package python3-venv" >&2
			exit 1
		fi
		rm -rf .venv
		$$python -m venv .venv
	fi
	$(call install,requirements.txt)
	touch $@

.venv/dev.stamp: .venv/run.stamp requirements-dev.txt
	@$(call install,requirements-dev.txt)
	touch $@

system-packages:
	@tools/system_packages.sh

# --- Tests ------------------------------------------------------------------------------------

test: system-packages lint check audit unit browser

test-slow: system-packages slow-unit slow-browser

# Tools that only load the settings need some key, and no data.
lint check: export SECRET_KEY := only-for-checks
lint check: export DATABASE_URL := sqlite://:memory:

lint: .venv/dev.stamp
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) .venv/bin/lint-imports

check: .venv/dev.stamp
	$(PY) manage.py check --fail-level WARNING
	$(PY) manage.py makemigrations --check --dry-run
	PRODUCTION=1 ALLOWED_HOSTS=cards.example.org ORIGINS=https://cards.example.org \
		SECRET_KEY=$$($(PY) -c 'import secrets; print(secrets.token_urlsafe(48))') \
		$(PY) manage.py check --deploy --fail-level WARNING

audit: .venv/dev.stamp
	$(PY) tools/audit.py

# Some tests take far longer than others: whoever has none left takes over from the others.
PARALLEL := -n auto --dist worksteal

unit: .venv/dev.stamp
	$(PYTEST) $(PARALLEL) -m "not browser and not slow"

browser: .venv/dev.stamp
	$(PYTEST) $(PARALLEL) -m "browser and not slow"

slow-unit: .venv/dev.stamp
	$(PYTEST) -m "slow and alone"
	$(PYTEST) $(PARALLEL) -m "slow and not alone and not browser"

slow-browser: .venv/dev.stamp
	$(PYTEST) $(PARALLEL) -m "slow and browser"

# --- Chores -----------------------------------------------------------------------------------

format: .venv/dev.stamp
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

# What there is to translate, into the catalogues; then translate, and once more to compile them.
messages: .venv/dev.stamp
	DJANGO_SETTINGS_MODULE=config.settings SECRET_KEY=only-for-messages $(PY) tools/messages.py

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache test-results
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
